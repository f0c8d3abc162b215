"""chat-turn: load, model, store."""

from model import assistant, user


def test_a_first_turn_is_answered_and_stored(deployment, model, conversation):
    model.answers("Nice to meet you, Alice.")
    given = {**conversation, "prompt": "My name is Alice", "systemMessage": "Be kind."}
    output = deployment.chat(given)
    assert output["reply"] == "Nice to meet you, Alice."
    assert (output["stopReason"], output["stored"]) == ("end_turn", 2)
    assert deployment.messages(conversation) == [user("My name is Alice"), assistant("Nice to meet you, Alice.")]
    asked = model.requests()
    assert asked == [{"messages": [user("My name is Alice")], "system": [{"text": "Be kind."}]}]
