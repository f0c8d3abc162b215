"""boto3: idempotency tokens of CreateEvent."""

import uuid

import pytest

from conversation import at, say


@pytest.fixture
def token():
    return str(uuid.uuid4())


def test_a_repeated_token_gives_the_first_event_and_stores_it_once(talk, token):
    request = {**talk.ids, "eventTimestamp": at(0), "payload": [say("once")], "clientToken": token}
    first = talk.client.create_event(**request)
    second = talk.client.create_event(**request)
    assert second["ResponseMetadata"]["HTTPStatusCode"] == 201
    assert second["event"] == first["event"]
    assert talk.texts() == ["once"]


def test_a_token_reused_for_another_body_is_refused_with_its_reason(talk, token):
    talk.write("first", when=at(0), clientToken=token)
    with pytest.raises(talk.client.exceptions.ValidationException) as refused:
        talk.write("second", when=at(0), clientToken=token)
    assert refused.value.response["reason"] == "IdempotentParameterMismatchException"
    assert talk.texts() == ["first"]


def test_the_tokens_boto3_makes_up_keep_equal_events_apart(talk):
    talk.write("same", when=at(0))
    talk.write("same", when=at(0))
    assert talk.texts() == ["same", "same"]
