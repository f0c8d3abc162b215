"""nightly-summarize: the conversations over a threshold, and only those."""

import pytest

from model import assistant, user

THRESHOLD = 4_000


@pytest.fixture(autouse=True)
def nobody_else(deployment):
    """Forgets the conversations of other tests, which the workflow would find too."""
    for page in deployment.dynamodb.get_paginator("scan").paginate(TableName="context"):
        for item in page["Items"]:
            deployment.dynamodb.delete_item(TableName="context", Key={key: item[key] for key in ("pk", "sk")})


def talk(deployment, conversation, turns, head=None):
    """Stores turns, from a head on where one is given; the head they end with."""
    for number in range(turns):
        messages = [user(f"Question {number}. {'q' * 800}"), assistant(f"Answer {number}. {'a' * 800}")]
        stored = deployment.invoke("store", {**conversation, "format": "converse", "messages": messages, "head": head})
        head = stored["head"]
    return head


def summary(deployment, conversation):
    return deployment.invoke("load", {**conversation, "window": "summarizing"})["context"]["summary"]


def test_two_of_five_are_over(deployment, model):
    plain, short, shorter, shortest = (deployment.new_conversation() for _ in range(4))
    # Ids the services would not take are kept encoded; the workflow has to find the way back.
    odd = {"actorId": "ann@example.org", "sessionId": "Grüße von Ann_1"}
    lengths = [(short, 3), (plain, 16), (shorter, 2), (odd, 16), (shortest, 1)]
    for conversation, turns in lengths:
        talk(deployment, conversation, turns)
    # A page of two makes the workflow turn pages.
    output = deployment.run("nightly-summarize", {"threshold": THRESHOLD, "pageSize": 2})
    assert output == {"summarized": 2, "failed": 0, "skipped": 0, "more": False}
    for conversation, turns in lengths:
        assert (summary(deployment, conversation) is not None) == (turns == 16), conversation
        assert len(deployment.messages(conversation)) == 2 * turns, "a summary takes nothing away"
    assert len(model.requests()) == 2


def test_one_that_fails_does_not_stop_the_rest(deployment, model):
    good, bad, other = (deployment.new_conversation() for _ in range(3))
    for conversation in (good, bad, other):
        talk(deployment, conversation, 16)
    model.goes_wrong({"operation": "ListEvents", "actorId": bad["actorId"], "action": "denied403"})
    output = deployment.run("nightly-summarize", {"threshold": THRESHOLD})
    assert output == {"summarized": 2, "failed": 1, "skipped": 0, "more": False}
    model.reset()
    assert [summary(deployment, conversation) is not None for conversation in (good, bad, other)] == [True, False, True]


def test_a_name_that_is_only_kept_as_a_hash_is_skipped(deployment):
    talk(deployment, {"actorId": "ann", "sessionId": "s" * 101}, 16)
    output = deployment.run("nightly-summarize", {"threshold": THRESHOLD})
    assert output == {"summarized": 0, "failed": 0, "skipped": 1, "more": False}


def test_a_branch_is_summarized_by_its_own_name(deployment, conversation):
    branch = {**conversation, "branch": "what if"}
    fork = talk(deployment, conversation, 1)
    talk(deployment, branch, 16, fork)
    output = deployment.run("nightly-summarize", {"threshold": THRESHOLD})
    assert output["summarized"] == 1
    assert summary(deployment, branch) is not None
    assert summary(deployment, conversation) is None


def test_a_night_has_a_limit(deployment):
    for _ in range(3):
        talk(deployment, deployment.new_conversation(), 16)
    output = deployment.run("nightly-summarize", {"threshold": THRESHOLD, "pageSize": 1, "limit": 2})
    assert (output["summarized"], output["more"]) == (2, True)
