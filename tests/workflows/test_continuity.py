"""The continuity example over HTTP: what was said in one turn is known in the next."""

import pytest

from http_api import HttpApi, session_path
from identity import IdentityProvider
from model import assistant, user


@pytest.fixture(scope="module")
def api(deployment):
    with IdentityProvider() as provider:
        yield HttpApi(deployment, provider)


def test_name_and_food_are_remembered(api, model, conversation):
    me, here = conversation["actorId"], session_path(conversation)

    def say(prompt, **more):
        status, answer = api.call(me, "POST", f"{here}/turns", {"prompt": prompt, **more})
        assert status == 200, answer
        return answer["reply"]

    model.answers("Nice to meet you, Alice.")
    assert say("My name is Alice.", systemMessage="You are a friendly assistant.") == "Nice to meet you, Alice."
    model.answers("Pizza is a fine choice.")
    assert say("I love pizza.") == "Pizza is a fine choice."

    # Not scripted: the stand-in for the model quotes what it was given, so it can only know what was loaded.
    reply = say("What is my name, and what do I love?")
    assert "My name is Alice." in reply and "I love pizza." in reply
    assert model.requests()[-1]["system"] == [{"text": "You are a friendly assistant."}]

    status, loaded = api.call(me, "GET", f"{here}?format=converse&window=none")
    assert status == 200
    assert loaded["messages"] == [
        user("My name is Alice."),
        assistant("Nice to meet you, Alice."),
        user("I love pizza."),
        assistant("Pizza is a fine choice."),
        user("What is my name, and what do I love?"),
        assistant(reply),
    ]
    assert loaded["context"]["storedMessageCount"] == 6


def test_what_a_front_end_stores_itself_is_known_to_the_workflow(api, model, conversation):
    me, here = conversation["actorId"], session_path(conversation)
    turn = [user("My dog is called Rex."), assistant("What a name.")]
    status, stored = api.call(me, "POST", f"{here}/messages", {"format": "converse", "messages": turn})
    assert (status, stored["stored"]) == (200, 2)
    status, _ = api.call(me, "POST", f"{here}/turns", {"prompt": "What is my dog called?"})
    assert status == 200
    assert model.requests()[-1]["messages"] == [*turn, user("What is my dog called?")]


@pytest.mark.parametrize("who,status", [("someone-else", 403), (None, 401)])
def test_nobody_else_reads_it(api, deployment, conversation, who, status):
    deployment.invoke("store", {**conversation, "format": "converse", "messages": [user("A secret.")]})
    answered, body = api.call(who, "GET", session_path(conversation))
    assert answered == status
    assert "secret" not in str(body)
