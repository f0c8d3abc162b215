"""boto3: writing, reading and deleting single events."""

import datetime
import json
import uuid

import pytest

from conversation import EVENT_ID, START, Conversation, at, milliseconds_of, say


def test_create_event_answers_201_and_echoes_the_event(talk):
    answer = talk.client.create_event(
        **talk.ids,
        eventTimestamp=at(0),
        payload=[say("hello")],
        metadata={"k": {"stringValue": "v"}},
    )
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 201
    event = answer["event"]
    assert EVENT_ID.fullmatch(event["eventId"])
    assert {key: event[key] for key in talk.ids} == talk.ids
    assert event["eventTimestamp"] == at(0)
    assert event["payload"] == [say("hello")]
    assert event["branch"] == {"name": "main"}
    assert event["metadata"] == {"k": {"stringValue": "v"}}


def test_event_id_begins_with_the_milliseconds_of_its_timestamp(talk):
    event = talk.write("hello", when=at(0))
    assert event["eventId"].startswith(f"{milliseconds_of(at(0)):019}#")


def test_digits_below_a_millisecond_are_cut_off(talk):
    event = talk.write("hello", when=at(0) + datetime.timedelta(microseconds=999))
    assert event["eventTimestamp"] == at(0)
    assert talk.events()[0]["eventTimestamp"] == at(0)


@pytest.mark.parametrize("millisecond", range(0, 1000, 37))
def test_every_millisecond_comes_back_exactly(talk, millisecond):
    when = START.replace(microsecond=millisecond * 1000)
    event = talk.write("tick", when=when)
    # botocore turns the JSON number into a float; to the nearest millisecond it is exact.
    assert round(event["eventTimestamp"].timestamp() * 1000) == milliseconds_of(when)
    assert int(event["eventId"][:19]) == milliseconds_of(when)


def test_a_session_id_is_made_up_when_none_is_given(data, memory):
    event = data.create_event(
        memoryId=memory["id"], actorId="actor-1", eventTimestamp=at(0), payload=[say("hello")]
    )["event"]
    assert str(uuid.UUID(event["sessionId"])) == event["sessionId"]


def test_an_empty_payload_list_is_accepted(talk):
    talk.write()
    assert talk.events()[0]["payload"] == []


def test_every_payload_variant_and_role_comes_back_in_order(talk):
    payload = [
        say("question 🙂 \u0000 é\u2028", "USER"),
        say("answer", "ASSISTANT"),
        {"blob": json.dumps({"any": ["json", 1]})},
        say("tool text", "TOOL"),
        say("aside", "OTHER"),
        {"blob": "not json at all"},
    ]
    created = talk.write(*payload)
    assert created["payload"] == payload
    assert talk.events()[0]["payload"] == payload


def test_a_hundred_items_keep_their_order(talk):
    payload = [say(f"item {number}", "ASSISTANT") for number in range(100)]
    talk.write(*payload)
    assert talk.events()[0]["payload"] == payload


def test_a_json_payload_is_accepted(talk):
    created = talk.write({"json": {"content": {"order": {"id": 7}}}})
    assert list(created["payload"][0]) == ["json"]
    assert list(talk.events()[0]["payload"][0]) == ["json"]


@pytest.mark.parametrize(
    ("sent", "returned"),
    [
        ({"role": "user", "content": "hi"}, "{content=hi, role=user}"),
        ("a string survives", "a string survives"),
        ('{"role":"user"}', '{"role":"user"}'),
    ],
)
def test_a_blob_object_comes_back_as_a_java_map_and_a_string_unharmed(talk, sent, returned):
    talk.write({"blob": sent})
    assert talk.events()[0]["payload"] == [{"blob": returned}]


def test_get_event_gives_what_list_events_gives(talk):
    written = talk.write("hello", metadata={"turn": {"stringValue": "1"}})
    got = talk.client.get_event(**talk.ids, eventId=written["eventId"])["event"]
    assert got == talk.events()[0]


def test_a_deleted_event_is_gone(talk):
    kept, dropped = talk.write("kept"), talk.write("dropped")
    answer = talk.client.delete_event(**talk.ids, eventId=dropped["eventId"])
    assert answer["eventId"] == dropped["eventId"]
    assert [event["eventId"] for event in talk.events()] == [kept["eventId"]]
    with pytest.raises(talk.client.exceptions.ResourceNotFoundException):
        talk.client.get_event(**talk.ids, eventId=dropped["eventId"])
    with pytest.raises(talk.client.exceptions.ResourceNotFoundException):
        talk.client.delete_event(**talk.ids, eventId=dropped["eventId"])


@pytest.mark.parametrize("actor", ["tenant:a/user-1", "a/b/c", "a_b-c", "0", "A" * 255])
def test_actor_ids_with_slashes_and_colons_are_one_path_segment(data, memory, actor):
    talk = Conversation(data, memory["id"], actor_id=actor)
    written = talk.write("hello")
    assert written["actorId"] == actor
    assert talk.texts() == ["hello"]
    assert data.get_event(**talk.ids, eventId=written["eventId"])["event"]["actorId"] == actor
    assert data.delete_event(**talk.ids, eventId=written["eventId"])["eventId"] == written["eventId"]


def test_actors_that_differ_only_by_a_slash_do_not_share_events(data, memory):
    Conversation(data, memory["id"], actor_id="a/b").write("of a/b")
    assert Conversation(data, memory["id"], actor_id="a").events() == []
    assert Conversation(data, memory["id"], actor_id="a-b").events() == []


def test_the_memory_arn_names_the_same_memory(data, memory):
    by_id = Conversation(data, memory["id"])
    by_arn = Conversation(data, memory["arn"])
    by_arn.write("written by arn")
    by_id.write("written by id", when=at(5000))
    assert by_id.texts() == by_arn.texts() == ["written by id", "written by arn"]


def test_extraction_mode_and_token_are_taken_but_never_returned(talk):
    event = talk.write("hello", extractionMode="SKIP", clientToken=str(uuid.uuid4()))
    assert not {"extractionMode", "clientToken"} & event.keys()
    assert not {"extractionMode", "clientToken"} & talk.events()[0].keys()


def test_times_in_the_past_and_shortly_ahead_are_accepted(talk):
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    talk.write("ahead", when=now + datetime.timedelta(seconds=5))
    talk.write("back-dated", when=now - datetime.timedelta(hours=1))
    assert talk.texts() == ["ahead", "back-dated"]
