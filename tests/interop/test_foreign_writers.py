"""Events as other frameworks leave them in a session, read by the codec command line."""

import json

import codec_cli
from conversation import say


def spoken(messages):
    """Role and joined text of each message."""
    return [
        (message["role"], "".join(block.get("text", "") for block in message.get("content", [])))
        for message in messages
    ]


def test_spring_saves_a_whole_exchange_in_one_event(talk):
    talk.write(say("q1"), say("a1", "ASSISTANT"))
    talk.write(say("q2"), say("a2", "ASSISTANT"))
    assert spoken(codec_cli.decoded_messages(talk.oldest_first())) == [
        ("user", "q1"), ("assistant", "a1"), ("user", "q2"), ("assistant", "a2"),
    ]


def test_adk_text_is_not_doubled_by_the_blob_beside_it(talk):
    event = {
        "id": "e-1",
        "invocation_id": "i-1",
        "author": "weather_agent",
        "timestamp": 1772375782.5,
        "content": {"role": "model", "parts": [{"text": "Sunny."}]},
        "actions": {"state_delta": {}},
    }
    talk.write(say("Sunny.", "ASSISTANT"), {"blob": json.dumps(event)})
    messages = codec_cli.decoded_messages(talk.events())
    assert json.dumps(messages).count("Sunny.") == 1
    assert spoken(messages) == [("assistant", "Sunny.")]


def test_llama_index_placeholders_are_not_taken_for_words(talk):
    talk.write(say("q1"))
    talk.write(say("PLACEHOLDER FOR EMPTY ASSISTANT MESSAGE", "ASSISTANT"))
    talk.write(say("a1", "ASSISTANT"))
    messages = codec_cli.decoded_messages(talk.oldest_first())
    assert "PLACEHOLDER" not in json.dumps(messages)
    assert [entry for entry in spoken(messages) if entry[1]] == [("user", "q1"), ("assistant", "a1")]


def test_langgraph_checkpoints_are_reported_and_yield_no_message(talk):
    record = {
        "event_type": "checkpoint",
        "checkpoint_id": "c-1",
        "checkpoint": {"type": "msgpack", "data": "gA=="},
        "metadata": {"type": "json", "data": "e30="},
    }
    talk.write({"blob": json.dumps(record)})
    (answer,) = codec_cli.decode(talk.events())
    assert answer["messages"] == []
    assert len(answer["notes"]) == 1


def test_a_mangled_blob_is_reported_and_the_rest_is_read(talk):
    talk.write(say("before"), {"blob": {"role": "user", "content": "hi"}})
    talk.write(say("after"))
    answers = codec_cli.decode(talk.oldest_first())
    assert spoken(message for answer in answers for message in answer["messages"]) == [
        ("user", "before"), ("user", "after"),
    ]
    assert [len(answer["notes"]) for answer in answers] == [1, 0]
    assert answers[0]["notes"][0]["payload"] == 1


def test_strict_reading_fails_on_that_line_alone_and_in_the_exit_code(talk):
    talk.write(say("before"))
    talk.write({"blob": {"role": "user"}})
    talk.write(say("after"))
    lines = "".join(json.dumps({"payload": event["payload"]}) + "\n" for event in talk.oldest_first())
    done = codec_cli.run(["decode", "--strict"], lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [list(answer)[0] for answer in answers] == ["messages", "error", "messages"]
    assert set(answers[1]["error"]) >= {"code", "message", "path"}


def test_a_json_payload_is_never_dropped_in_silence(talk):
    talk.write(say("beside it"), {"json": {"content": {"order": 7}}})
    (answer,) = codec_cli.decode(talk.events())
    assert "beside it" in json.dumps(answer["messages"])
    assert answer["notes"] or "order" in json.dumps(answer["messages"])


def test_events_of_several_writers_in_one_session_are_all_read(talk):
    record = {
        "message": {"role": "assistant", "content": [{"text": "from Strands"}]},
        "message_id": 0,
        "redact_message": None,
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
    }
    talk.write(say("from a hook"))
    talk.write(say(json.dumps(record), "ASSISTANT"))
    (payloads,) = codec_cli.encode([{"role": "user", "content": [{"type": "text", "text": "from us"}]}])
    talk.write(*payloads)
    talk.write({"blob": json.dumps([json.dumps(record), "assistant"])})
    assert spoken(codec_cli.decoded_messages(talk.oldest_first())) == [
        ("user", "from a hook"), ("assistant", "from Strands"), ("user", "from us"), ("assistant", "from Strands"),
    ]


def test_a_redacted_record_never_shows_the_original(talk):
    record = {
        "message": {"role": "user", "content": [{"text": "the secret"}]},
        "message_id": 0,
        "redact_message": {"role": "user", "content": [{"text": "[redacted]"}]},
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
    }
    talk.write(say(json.dumps(record)))
    talk.write({"blob": json.dumps([json.dumps(record), "user"])})
    for to in ["messages", "converse", "prompt"]:
        out = json.dumps(codec_cli.decode(talk.oldest_first(), to=to))
        assert "secret" not in out
        assert out.count("[redacted]") == 2
