"""boto3: branches of a conversation."""

import pytest

from conversation import Conversation


@pytest.fixture
def tree(talk):
    """main: m1 m2 m3; `fork` from m1: f1 f2 f3; `nested` from f2: n1; times rise in the order written."""
    m1 = talk.write("m1")
    talk.write("m2")
    talk.write("f1", branch={"name": "fork", "rootEventId": m1["eventId"]})
    f2 = talk.write("f2", branch={"name": "fork"})
    talk.write("n1", branch={"name": "nested", "rootEventId": f2["eventId"]})
    talk.write("f3", branch={"name": "fork", "rootEventId": m1["eventId"]})
    talk.write("m3")
    return talk


def branch(name, **options):
    return {"branch": {"name": name, **options}}


def test_without_a_filter_all_branches_are_mixed_by_time(tree):
    assert tree.texts() == ["m3", "f3", "n1", "f2", "f1", "m2", "m1"]


def test_events_name_their_branch_and_its_root(tree):
    by_text = {e["payload"][0]["conversational"]["content"]["text"]: e for e in tree.events()}
    assert by_text["m1"]["branch"] == {"name": "main"}
    assert by_text["f1"]["branch"] == {"name": "fork", "rootEventId": by_text["m1"]["eventId"]}
    assert by_text["f2"]["branch"]["name"] == "fork"
    assert by_text["n1"]["branch"] == {"name": "nested", "rootEventId": by_text["f2"]["eventId"]}


def test_a_branch_alone(tree):
    assert tree.texts(filter=branch("fork", includeParentBranches=False)) == ["f3", "f2", "f1"]
    assert tree.texts(filter=branch("nested", includeParentBranches=False)) == ["n1"]


@pytest.mark.parametrize("options", [{}, {"includeParentBranches": True}])
def test_parents_are_included_up_to_each_root_by_default(tree, options):
    assert tree.texts(filter=branch("fork", **options)) == ["f3", "f2", "f1", "m1"]
    assert tree.texts(filter=branch("nested", **options)) == ["n1", "f2", "f1", "m1"]


def test_a_branch_listing_survives_small_pages(tree):
    assert tree.texts(filter=branch("nested"), maxResults=2) == ["n1", "f2", "f1", "m1"]


def test_a_new_branch_without_a_root_is_refused(talk):
    talk.write("m1")
    with pytest.raises(talk.client.exceptions.ValidationException):
        talk.write("orphan", branch={"name": "fork"})
    assert talk.texts() == ["m1"]


def test_a_root_in_another_session_is_refused_with_its_reason(talk, data, memory):
    elsewhere = Conversation(data, memory["id"], session_id="elsewhere").write("root")
    with pytest.raises(data.exceptions.ValidationException) as refused:
        talk.write("f1", branch={"name": "fork", "rootEventId": elsewhere["eventId"]})
    assert refused.value.response["reason"] == "EventInOtherSession"
    assert talk.events() == []


def test_several_branches_may_hang_on_one_root(talk):
    root = talk.write("root")
    for name in ["left", "right"]:
        talk.write(name, branch={"name": name, "rootEventId": root["eventId"]})
    assert talk.texts(filter=branch("left")) == ["left", "root"]
    assert talk.texts(filter=branch("right")) == ["right", "root"]
