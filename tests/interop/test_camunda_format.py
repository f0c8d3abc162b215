"""What the codec writes, judged by an independent reader with Camunda's rules; and the other way round."""

import json

import pytest

import codec_cli
from awkward_messages import BEYOND, DOCUMENT, PLAIN, assistant, result, results, text, user
from camunda_reader import CONTENT_FIELDS, Refused, is_blank, read_conversation, read_event, write_message
from conversation import Conversation, say

ALL = {**PLAIN, **BEYOND}


def stored(talk, messages):
    """The messages written by `codec encode` through boto3, as events read back oldest first."""
    for payloads in codec_cli.encode(messages):
        talk.write(*payloads)
    return talk.oldest_first()


def full(message):
    """A message with the fields filled in that writers leave out when they are empty."""
    defaults = {
        "user": {"name": None, "content": [], "metadata": {}},
        "assistant": {
            "content": [], "toolCalls": [], "modelId": None, "messageId": None, "stopReason": None, "metadata": {},
        },
        "tool_call_result": {"metadata": {}},
    }
    return {**defaults[message["role"]], **message}


def visible(message):
    """What of a message Camunda's model has room for: known fields and blocks, no nulls in its maps."""
    message = full(message)
    known = {key: message[key] for key in full({"role": message["role"]}) if key in message}
    known["metadata"] = without_null(message["metadata"])
    if "content" in message:
        known["content"] = visible_blocks(message["content"])
    if "toolCalls" in message:
        known["toolCalls"] = [
            {"id": call["id"], "name": call["name"], "arguments": without_null(call["arguments"])}
            for call in message["toolCalls"]
        ]
    if "results" in message:
        known["results"] = [
            {**without_null(entry), "content": visible_blocks(entry["content"])} for entry in message["results"]
        ]
    return known


def visible_blocks(blocks):
    return [
        {key: block[key] for key in ("type", "provider", "metadata", CONTENT_FIELDS[block["type"]]) if key in block}
        for block in blocks
        if block["type"] in CONTENT_FIELDS
        and block.get(CONTENT_FIELDS[block["type"]]) is not None
        and not (block["type"] == "text" and is_blank(block["text"]))
        and block.get("provider") != "colloquy"
    ]


def without_null(values):
    return {key: value for key, value in values.items() if value is not None}


@pytest.mark.parametrize("message", ALL.values(), ids=ALL.keys())
def test_nothing_is_lost_between_encode_and_decode(talk, message):
    assert codec_cli.decoded_messages(stored(talk, [message]), strict=True) == [message]


@pytest.mark.parametrize("message", PLAIN.values(), ids=PLAIN.keys())
def test_camunda_reads_exactly_what_was_meant(talk, message):
    assert read_conversation(stored(talk, [message])) == [full(message)]


@pytest.mark.parametrize("message", BEYOND.values(), ids=BEYOND.keys())
def test_camunda_accepts_what_is_beyond_it_and_sees_the_rest(talk, message):
    (read,) = read_conversation(stored(talk, [message]))
    assert visible(read) == visible(message)


def test_a_whole_conversation_keeps_its_order_for_both_readers(talk):
    messages = list(ALL.values())
    events = stored(talk, messages)
    assert codec_cli.decoded_messages(events, strict=True) == messages
    assert [visible(message) for message in read_conversation(events)] == [visible(m) for m in messages]


@pytest.mark.parametrize("message", PLAIN.values(), ids=PLAIN.keys())
def test_what_camunda_writes_is_read_back_exactly(talk, message):
    payloads = write_message(message)
    longest = max((len(i["conversational"]["content"]["text"]) for i in payloads if "conversational" in i), default=0)
    if longest > 100_000:
        # Camunda itself cannot store this one: the service refuses it.
        with pytest.raises(talk.client.exceptions.ValidationException):
            talk.write(*payloads)
        return
    talk.write(*payloads)
    # Camunda has no place for the metadata of a text block.
    expected = json.loads(json.dumps(message))
    for block in expected.get("content", []):
        if block["type"] == "text":
            block.pop("metadata", None)
    assert codec_cli.decoded_messages(talk.events(), strict=True) == [expected]


def blob(**envelope):
    return {"blob": json.dumps(envelope)}


def metadata_blob(role, **more):
    return blob(blobType="camunda.messageMetadata", version=1, metadata={}, properties={"role": role}, **more)


FLAT = {
    "a string": ("found it", [text("found it")]),
    "null": (None, []),
    "a blank string": (" \t", []),
    "an object": ({"rows": 2}, [{"type": "object", "content": {"rows": 2}}]),
    "a number": (7, [{"type": "object", "content": 7}]),
    "a boolean": (False, [{"type": "object", "content": False}]),
    "an array of plain values": ([1, "2"], [{"type": "object", "content": [1, "2"]}]),
    "a document": (DOCUMENT, [{"type": "document", "document": DOCUMENT}]),
}


@pytest.mark.parametrize(("content", "blocks"), FLAT.values(), ids=FLAT.keys())
def test_flat_results_of_the_alpha_releases_are_read(talk, content, blocks):
    entry = {"id": "c-1", "name": "look", "content": content, "custom": True}
    talk.write(
        say("a summary", "TOOL"),
        blob(blobType="camunda.toolCallResults", version=1, results=[entry]),
        metadata_blob("TOOL"),
    )
    expected = results({**result(*blocks, id="c-1", name="look"), "custom": True})
    assert codec_cli.decoded_messages(talk.events(), strict=True) == [expected]


def test_prototype_events_without_a_metadata_blob_are_read(talk):
    talk.write(say("I will look.", "ASSISTANT"), blob(
        blobType="camunda.toolCalls", version=1, toolCalls=[{"id": "c-1", "name": "look", "arguments": {"q": 1}}]
    ))
    talk.write(say("found", "TOOL"), blob(
        blobType="camunda.toolCallResults", version=1, results=[{"id": "c-1", "name": "look", "content": "found"}]
    ))
    talk.write(say("Here it is.", "ASSISTANT"))
    assert codec_cli.decoded_messages(talk.oldest_first()) == [
        assistant(text("I will look."), toolCalls=[{"id": "c-1", "name": "look", "arguments": {"q": 1}}]),
        results(result(text("found"), id="c-1", name="look")),
        assistant(text("Here it is.")),
    ]


def test_version_two_of_the_same_shape_is_read(talk):
    payloads = [json.loads(item["blob"]) for item in write_message(user({"type": "object", "content": {"a": 1}}))]
    talk.write(*({"blob": json.dumps({**envelope, "version": 2})} for envelope in payloads))
    assert codec_cli.decoded_messages(talk.events()) == [user({"type": "object", "content": {"a": 1}})]


OVERSIZE = {
    "250 blocks": user(*({"type": "object", "content": number} for number in range(250))),
    "12 megabytes of text": user(text("before"), text("x" * 12_000_000), text("after")),
}


@pytest.mark.parametrize("message", OVERSIZE.values(), ids=OVERSIZE.keys())
def test_a_message_beyond_one_event_is_spread_over_several(talk, message):
    (payload_lists,) = codec_cli.encode_events([message])
    assert len(payload_lists) > 1
    for payloads in payload_lists:
        talk.write(*payloads)
    events = talk.oldest_first()
    answers = codec_cli.decode(events, strict=True)
    assert [answer["part"] for answer in answers] == [
        {"index": index, "count": len(events)} for index in range(len(events))
    ]

    def flat(messages):
        blocks = [block for part in messages for block in part.get("content", [])]
        if blocks[0]["type"] == "text":
            return "".join(block["text"] for block in blocks)
        return blocks

    assert flat([m for answer in answers for m in answer["messages"]]) == flat([message])
    assert flat(read_conversation(events)) == flat([message])


def test_the_seed_dialect_is_prose_and_string_blobs_without_metadata(talk):
    messages = [
        user(text("hello")),
        assistant(text("Looking."), toolCalls=[{"id": "c-1", "name": "look", "arguments": {}}]),
        results(result(text("found"), id="c-1", name="look")),
    ]
    for payloads in codec_cli.encode(messages, dialect="seed"):
        assert all(isinstance(item.get("blob", ""), str) for item in payloads)
        assert "messageMetadata" not in json.dumps(payloads)
        talk.write(*payloads)
    assert codec_cli.decoded_messages(talk.oldest_first()) == messages


def test_the_judge_itself_refuses_what_camunda_refuses():
    role = metadata_blob("USER")
    for bad in [
        {"blob": {"blobType": "camunda.messageContent"}},
        {"blob": "{broken"},
        blob(blobType="camunda.other", version=1),
        blob(blobType="camunda.messageContent", version=2, content=text("x")),
        blob(blobType="camunda.messageContent", version=1),
        blob(blobType="camunda.messageContent", version=1, content=text(" ")),
        blob(blobType="camunda.messageContent", version=1, content={"type": "hologram"}),
        blob(blobType="camunda.messageMetadata", version=1, metadata={"k": None}, properties={"role": "USER"}),
        metadata_blob("user"),
        metadata_blob("TOOL"),
    ]:
        with pytest.raises(Refused):
            read_event({"payload": [role, bad]})
    assert read_event({"payload": [say("prose only")]}) is None


def test_a_camunda_conversation_on_branches_is_read_in_order(data, memory):
    """The connector's own storing scheme: first turn on main, each later turn on a branch of its own."""
    talk = Conversation(data, memory["id"])
    turns = [
        [user(text("one")), assistant(text("first answer"))],
        [user(text("two")), assistant(text("second answer"))],
    ]
    branch, last = None, None
    for number, turn in enumerate(turns):
        branch = {"name": f"turn-{number}", "rootEventId": last} if last else None
        for index, message in enumerate(turn):
            more = {"branch": branch} if branch else {}
            event = talk.write(*write_message(message), metadata={"seq": {"stringValue": str(index)}}, **more)
        last = event["eventId"]
    events = talk.oldest_first(filter={"branch": {"name": branch["name"]}})
    flat = [message for turn in turns for message in turn]
    assert codec_cli.decoded_messages(events, strict=True) == flat
    assert read_conversation(events) == [full(message) for message in flat]
