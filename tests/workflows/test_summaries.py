"""agent-turn where a conversation grows too long: advice, and the way out of an overflow."""

import pytest

from model import assistant, user


@pytest.fixture
def long_conversation(deployment, conversation):
    """A conversation of sixty messages, too long for the window the functions are told of."""
    turns = [[user(f"Question {number}. {'q' * 1000}"), assistant(f"Answer {number}. {'a' * 1000}")] for number in range(30)]
    for turn in turns:
        deployment.invoke("store", {**conversation, "format": "converse", "messages": turn})
    return conversation, [message for turn in turns for message in turn]


def test_a_summary_is_made_when_it_is_advised(deployment, model, long_conversation):
    conversation, before = long_conversation
    model.answers("That was a lot.", "They talked about numbered questions.")
    output = deployment.run("agent-turn", {**conversation, "prompt": "Was that much?"})
    assert (output["reply"], output["summarized"]) == ("That was a lot.", True)
    assert deployment.messages(conversation) == [*before, user("Was that much?"), assistant("That was a lot.")]

    loaded = deployment.invoke("load", {**conversation, "format": "converse", "window": "summarizing"})
    assert loaded["context"]["summary"]["text"] == "They talked about numbered questions."
    assert loaded["report"]["summarized"] > 0
    assert len(loaded["messages"]) < len(before)

    model.answers("As I said.")
    deployment.run("agent-turn", {**conversation, "prompt": "And in short?"})
    asked = next(request for request in reversed(model.requests()) if request["messages"][-1] == user("And in short?"))
    assert "They talked about numbered questions." in asked["messages"][0]["content"][0]["text"]


def test_a_short_conversation_is_left_alone(deployment, model, conversation):
    model.answers("Hello.")
    assert deployment.run("agent-turn", {**conversation, "prompt": "Hi"})["summarized"] is False
    assert len(model.requests()) == 1


def test_an_overflow_is_answered_by_a_summary_and_another_try(deployment, model, long_conversation):
    conversation, before = long_conversation
    model.goes_wrong({"operation": "Converse", "nth": 1, "action": "inputTooLong"})
    # The first answer goes to the call that fails, the second to the summary, the third to the other try.
    model.answers("Never heard.", "They talked about numbered questions.", "Thirty of them.")
    output = deployment.run("agent-turn", {**conversation, "prompt": "How many questions were there?"})
    assert (output["reply"], output["summarized"]) == ("Thirty of them.", True)
    stored = deployment.messages(conversation)
    assert stored == [*before, user("How many questions were there?"), assistant("Thirty of them.")]
    first, summary, second = model.requests()[:3]
    assert first["messages"][:-1] == before
    assert "Question 0." in str(summary["messages"])
    assert "They talked about numbered questions." in second["messages"][0]["content"][0]["text"]
    assert len(second["messages"]) < len(before)
    assert second["messages"][-1]["content"][-1] == {"text": "How many questions were there?"}


def test_an_overflow_that_stays_fails_and_stores_nothing(deployment, model, long_conversation):
    conversation, before = long_conversation
    strike = {"operation": "Converse", "action": "inputTooLong"}
    model.goes_wrong({**strike, "nth": 1}, {**strike, "nth": 3})
    described = deployment.finish(deployment.start("agent-turn", {**conversation, "prompt": "How many?"}))
    assert (described["status"], described["error"]) == ("FAILED", "ModelRefused")
    assert "too long" in described["cause"]
    assert deployment.messages(conversation) == before


def test_a_summary_that_fails_is_no_failure_of_the_turn(deployment, model, long_conversation):
    conversation, before = long_conversation
    model.answers("That was a lot.")
    model.goes_wrong(*[{"operation": "Converse", "nth": number, "action": "guardrail"} for number in range(2, 20)])
    output = deployment.run("agent-turn", {**conversation, "prompt": "Was that much?"})
    assert (output["reply"], output["summarized"]) == ("That was a lot.", False)
    assert len(deployment.messages(conversation)) == len(before) + 2
