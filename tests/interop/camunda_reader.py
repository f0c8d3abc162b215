"""An independent judge: how Camunda's connector turns AgentCore events into messages, and back.

Written from the rules of the wire format alone and sharing no code with the codec, so that the two can
disagree. It refuses what Camunda refuses, by raising `Refused`.
"""

import json

ENVELOPES = {
    "camunda.toolCalls": "toolCalls",
    "camunda.toolCallResults": "results",
    "camunda.messageContent": "content",
    "camunda.messageMetadata": "metadata",
}
CONTENT_FIELDS = {
    "text": "text",
    "document": "document",
    "object": "content",
    "reasoning": "payload",
    "provider": "payload",
}
RESULT_FIELDS = ("id", "name", "content", "elementId", "completedAt")

# Java's Character.isWhitespace, which is neither Python's nor Rust's idea of white space.
_JAVA_BLANK = {chr(code) for code in [*range(0x09, 0x0E), *range(0x1C, 0x21), 0x1680, *range(0x2000, 0x2007)]} | set(
    "\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
)


class Refused(Exception):
    """Camunda would fail the whole load of the conversation."""


def is_blank(text):
    return all(character in _JAVA_BLANK for character in text)


def read_conversation(events):
    """The messages of listed events, in the order Camunda puts them."""
    ordered = sorted(events, key=lambda event: (event["eventTimestamp"], _sequence(event)))
    messages = (read_event(event) for event in ordered)
    return [message for message in messages if message is not None]


def read_event(event):
    """The message of one event, or None where Camunda skips it without a word."""
    content, kept = [], {}
    for item in event.get("payload", []):
        if "conversational" in item:
            spoken = item["conversational"]
            if spoken["role"] != "TOOL" and not is_blank(spoken["content"]["text"]):
                content.append({"type": "text", "text": spoken["content"]["text"]})
        elif "blob" in item:
            envelope = _envelope(item["blob"])
            if envelope["blobType"] == "camunda.messageContent":
                content.append(_block(envelope["content"]))
            else:
                kept[envelope["blobType"]] = envelope

    metadata_blob = kept.get("camunda.messageMetadata")
    role = ((metadata_blob or {}).get("properties") or {}).get("role")
    if not isinstance(role, str):
        return None
    properties = _map_without_null(metadata_blob["properties"], "properties")
    common = {"metadata": _map_without_null(metadata_blob["metadata"], "metadata")}
    if role == "USER":
        return {"role": "user", "name": properties.get("userName"), "content": content, **common}
    if role == "ASSISTANT":
        calls = kept.get("camunda.toolCalls", {}).get("toolCalls", [])
        return {
            "role": "assistant",
            "content": content,
            "toolCalls": [_call(call) for call in calls],
            "modelId": properties.get("camunda.modelId"),
            "messageId": properties.get("camunda.messageId"),
            "stopReason": properties.get("camunda.stopReason"),
            **common,
        }
    if role == "TOOL":
        if "camunda.toolCallResults" not in kept:
            raise Refused("a tool message without its results")
        results = [_result(result) for result in kept["camunda.toolCallResults"]["results"]]
        return {"role": "tool_call_result", "results": results, **common}
    raise Refused(f"role {role!r}")


def write_message(message):
    """The payloads Camunda writes for a message."""
    payloads, role = [], {"user": "USER", "assistant": "ASSISTANT", "tool_call_result": "TOOL"}[message["role"]]
    for block in message.get("content", []):
        if block["type"] == "text":
            payloads.append(_spoken(block["text"], role))
        else:
            payloads.append(_blob("camunda.messageContent", content=block))
    if message.get("toolCalls"):
        payloads.append(_blob("camunda.toolCalls", toolCalls=message["toolCalls"]))
    if role == "TOOL":
        summary = "\n".join(
            piece for result in message["results"] for piece in map(_summary, result["content"]) if not is_blank(piece)
        )
        if summary:
            payloads.append(_spoken(summary, "TOOL"))
        payloads.append(_blob("camunda.toolCallResults", results=message["results"]))
    properties = {"role": role}
    for name, key in [
        ("name", "userName"),
        ("modelId", "camunda.modelId"),
        ("messageId", "camunda.messageId"),
        ("stopReason", "camunda.stopReason"),
    ]:
        if name in message:
            properties[key] = message[name]
    payloads.append(
        _blob("camunda.messageMetadata", metadata=message.get("metadata", {}), properties=properties)
    )
    return payloads


def _envelope(blob):
    if not isinstance(blob, str):
        raise Refused("a blob that is not a string")
    try:
        envelope = json.loads(blob)
    except json.JSONDecodeError as broken:
        raise Refused("a blob that is not JSON") from broken
    if not isinstance(envelope, dict) or "blobType" not in envelope or "version" not in envelope:
        raise Refused("a blob without type or version")
    data_key = ENVELOPES.get(envelope["blobType"])
    if data_key is None:
        raise Refused(f"blob type {envelope['blobType']!r}")
    if int(envelope["version"]) > 1:
        raise Refused(f"blob version {envelope['version']!r}")
    if envelope.get(data_key) is None:
        raise Refused(f"a {envelope['blobType']} blob without {data_key}")
    return envelope


def _block(block):
    kind = block.get("type")
    if kind not in CONTENT_FIELDS:
        raise Refused(f"content type {kind!r}")
    value = block.get(CONTENT_FIELDS[kind])
    if value is None or (kind == "text" and is_blank(value)):
        raise Refused(f"an empty {kind} block")
    known = {key: block[key] for key in ("type", "provider", CONTENT_FIELDS[kind]) if key in block}
    metadata = _map_without_null(block.get("metadata") or {}, "block metadata")
    return {**known, "metadata": metadata} if metadata else known


def _call(call):
    return {"id": call["id"], "name": call["name"], "arguments": _map_without_null(call["arguments"], "arguments")}


def _result(result):
    if not isinstance(result.get("content"), list):
        raise Refused("a result whose content is not a list of blocks")
    extra = {key: value for key, value in result.items() if key not in RESULT_FIELDS}
    _map_without_null(extra, "result properties")
    return {**result, "content": [_block(block) for block in result["content"]]}


def _map_without_null(values, where):
    for key, value in values.items():
        if value is None:
            raise Refused(f"null at {where}.{key}")
    return values


def _sequence(event):
    tag = event.get("metadata", {}).get("seq")
    return int(tag["stringValue"]) if tag else float("inf")


def _summary(block):
    value = block[CONTENT_FIELDS[block["type"]]]
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _spoken(text, role):
    return {"conversational": {"content": {"text": text}, "role": role}}


def _blob(kind, **data):
    return {"blob": json.dumps({"blobType": kind, "version": 1, **data}, ensure_ascii=False)}
