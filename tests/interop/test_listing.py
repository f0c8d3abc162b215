"""boto3: order, pages and filters of the listings."""

import pytest

from conversation import Conversation, at, say


def equals(key, value):
    return {
        "left": {"metadataKey": key},
        "operator": "EQUALS_TO",
        "right": {"metadataValue": {"stringValue": value}},
    }


def exists(key, operator="EXISTS"):
    return {"left": {"metadataKey": key}, "operator": operator}


def tag(value):
    return {"stringValue": value}


def test_events_come_newest_first_whatever_order_they_were_written_in(talk):
    for millisecond in [3000, 1000, 2000]:
        talk.write(f"at {millisecond}", when=at(millisecond))
    assert talk.texts() == ["at 3000", "at 2000", "at 1000"]


def test_a_page_holds_twenty_events_unless_told_otherwise(talk):
    for number in range(25):
        talk.write(str(number))
    first = talk.page()
    assert len(first["events"]) == 20
    rest = talk.page(nextToken=first["nextToken"])
    assert len(rest["events"]) == 5
    assert not rest.get("nextToken")


@pytest.mark.parametrize("size", [1, 2, 7, 24, 25, 26, 100])
def test_pages_of_any_size_give_each_event_once(talk, size):
    for number in range(25):
        talk.write(str(number))
    assert talk.texts(maxResults=size) == [str(number) for number in reversed(range(25))]


def test_events_of_one_millisecond_are_all_listed_across_pages(talk):
    written = {talk.write(str(number), when=at(0))["eventId"] for number in range(30)}
    listed = [event["eventId"] for event in talk.events(maxResults=7)]
    assert set(listed) == written
    assert len(listed) == 30


def test_a_running_scan_does_not_see_new_events(talk):
    for number in range(6):
        talk.write(str(number))
    first = talk.page(maxResults=3)
    talk.write("late", when=at(60_000))
    second = talk.page(maxResults=3, nextToken=first["nextToken"])
    assert [event["payload"][0]["conversational"]["content"]["text"] for event in second["events"]] == ["2", "1", "0"]


def test_payloads_are_left_out_only_when_asked(talk):
    talk.write("hello")
    assert "payload" in talk.page()["events"][0]
    assert "payload" in talk.page(includePayloads=True)["events"][0]
    assert "payload" not in talk.page(includePayloads=False)["events"][0]


def test_an_unknown_session_or_actor_is_an_empty_list(data, memory):
    assert Conversation(data, memory["id"], session_id="never-written").page()["events"] == []
    assert Conversation(data, memory["id"], actor_id="nobody").page()["events"] == []


def test_sessions_do_not_see_each_other(data, memory):
    one = Conversation(data, memory["id"], session_id="one")
    two = Conversation(data, memory["id"], session_id="two")
    one.write("of one")
    two.write("of two")
    assert (one.texts(), two.texts()) == (["of one"], ["of two"])


def test_metadata_filters_match_and_combine(talk):
    talk.write("a", metadata={"color": tag("red"), "size": tag("1")})
    talk.write("b", metadata={"color": tag("blue"), "size": tag("1")})
    talk.write("c")

    def texts(*expressions):
        return talk.texts(filter={"eventMetadata": list(expressions)})

    assert texts(equals("color", "red")) == ["a"]
    assert texts(equals("color", "green")) == []
    assert texts(exists("color")) == ["b", "a"]
    assert texts(exists("color", "NOT_EXISTS")) == ["c"]
    assert texts(equals("size", "1"), equals("color", "blue")) == ["b"]


def test_the_page_size_bounds_the_scan_not_the_matches(talk):
    talk.write("the match", metadata={"color": tag("red")})
    for number in range(11):
        talk.write(f"noise {number}")
    pages, token = [], {}
    while True:
        page = talk.page(maxResults=5, filter={"eventMetadata": [equals("color", "red")]}, **token)
        pages.append(len(page["events"]))
        if not page.get("nextToken"):
            break
        token = {"nextToken": page["nextToken"]}
    assert pages == [0, 0, 1], "empty pages carry a token until the scan is through"


def test_sessions_of_an_actor_are_listed_over_pages(data, memory):
    for number in range(7):
        Conversation(data, memory["id"], session_id=f"session-{number}").write("hello")
    Conversation(data, memory["id"], actor_id="other", session_id="elsewhere").write("hello")
    pages = data.get_paginator("list_sessions").paginate(memoryId=memory["id"], actorId="actor-1", maxResults=3)
    sizes, found = [], []
    for page in pages:
        sizes.append(len(page["sessionSummaries"]))
        found.extend(page["sessionSummaries"])
    assert sizes == [3, 3, 1]
    assert sorted(entry["sessionId"] for entry in found) == [f"session-{number}" for number in range(7)]
    assert {entry["actorId"] for entry in found} == {"actor-1"}
    assert all(entry["createdAt"] for entry in found)


def test_the_session_filter_hides_emptied_sessions(data, memory):
    emptied = Conversation(data, memory["id"], session_id="emptied")
    event = emptied.write("hello")
    Conversation(data, memory["id"], session_id="full").write("hello")
    data.delete_event(**emptied.ids, eventId=event["eventId"])
    with_events = data.list_sessions(
        memoryId=memory["id"], actorId="actor-1", filter={"eventFilter": "HAS_EVENTS"}
    )["sessionSummaries"]
    assert [entry["sessionId"] for entry in with_events] == ["full"]


def test_actors_are_listed_over_pages(data, memory):
    names = ["a/b", "plain", "tenant:x"]
    for name in names:
        Conversation(data, memory["id"], actor_id=name).write("hello")
    pages = data.get_paginator("list_actors").paginate(memoryId=memory["id"], maxResults=2)
    assert sorted(entry["actorId"] for page in pages for entry in page["actorSummaries"]) == names


def test_an_unknown_actor_has_no_sessions(data, memory):
    assert data.list_sessions(memoryId=memory["id"], actorId="nobody")["sessionSummaries"] == []


def test_branch_and_metadata_filters_work_together(talk):
    root = talk.write("root", metadata={"color": tag("red")})
    branch = {"name": "fork", "rootEventId": root["eventId"]}
    talk.write("red fork", branch=branch, metadata={"color": tag("red")})
    talk.write("grey fork", branch=branch)
    filters = {
        "branch": {"name": "fork", "includeParentBranches": False},
        "eventMetadata": [equals("color", "red")],
    }
    assert talk.texts(filter=filters) == ["red fork"]
    assert say("grey fork") in talk.events()[0]["payload"]
