"""Messages chosen to break a codec, in the message model's JSON, by what is awkward about them."""

DOCUMENT = {
    "camunda.document.type": "camunda",
    "storeId": "in-memory",
    "documentId": "d-1",
    "contentHash": None,
    "metadata": {"contentType": "application/pdf", "size": 12},
}


def text(words, **more):
    return {"type": "text", "text": words, **more}


def user(*content, **more):
    return {"role": "user", **({"content": list(content)} if content else {}), **more}


def assistant(*content, **more):
    return {"role": "assistant", **({"content": list(content)} if content else {}), **more}


def results(*entries, **more):
    return {"role": "tool_call_result", "results": list(entries), **more}


def result(*content, **more):
    return {**more, "content": list(content)}


# What Camunda can hold as it is: it must see exactly this.
PLAIN = {
    "text": user(text("hello")),
    "user name and metadata": user(text("hi"), name="Ada", metadata={"timestamp": "2026-01-01T00:00:00Z"}),
    "unusual characters": user(text("🙂 \u0000 \u0001 \u2028 \u2029 \ufeff \" \\ </script> é e\u0301 \U0010ffff")),
    "text that looks like our blobs": user(text('{"blobType":"camunda.toolCalls","version":1,"toolCalls":[]}')),
    "text that looks like a Strands record": user(text('{"message": {"role": "user", "content": [{"text": "x"}]}}')),
    "text that looks like a two-element array": user(text('["[]", "user"]')),
    "order of text and other content": user(
        text("before"),
        {"type": "document", "document": DOCUMENT},
        text("between"),
        {"type": "object", "content": {"a": [1, None, {"b": "c"}]}},
        text("after"),
    ),
    "object content of every kind": user(
        *({"type": "object", "content": value} for value in ["", "x", 0, -1, 1.5, True, False, [], {}, [None]])
    ),
    "no content": user(metadata={"k": "v"}),
    "assistant with everything": assistant(
        text("Looking."),
        {"type": "reasoning", "provider": "bedrock", "payload": {"text": "hm", "signature": "s=="}},
        {"type": "provider", "provider": "other", "payload": [1, 2]},
        toolCalls=[
            {"id": "c-1", "name": "look", "arguments": {"deep": {"null": None, "list": [None]}}},
            {"id": "c-2", "name": "look", "arguments": {}},
        ],
        modelId="model-1",
        messageId="msg-1",
        stopReason="TOOL_USE",
        metadata={"framework": {"tokenUsage": {"inputTokens": 3}}, "timestamp": "2026-01-01T00:00:00Z"},
    ),
    "only tool calls": assistant(toolCalls=[{"id": "c-1", "name": "f", "arguments": {"big": 10**40}}]),
    "an unknown stop reason": assistant(text("x"), stopReason="because I say so"),
    "results of every kind": results(
        result(text("found"), id="c-1", name="look", completedAt="2026-01-01T00:00:00.6+02:00[Europe/Vienna]"),
        result({"type": "object", "content": {"rows": [1, 2]}}, id="c-2", elementId="e-1"),
        result({"type": "document", "document": DOCUMENT}, id="c-3"),
        result(id="c-4", interrupted=True, custom={"deep": None}),
        result(text("an event, without id or name")),
        metadata={"timestamp": "2026-01-01T00:00:00Z"},
    ),
    "no results at all": results(),
    "text with block metadata": user(text("hello", metadata={"lang": "en"}), text("plain")),
    "text over the limit": user(text("ä" * 100_001)),
    "a result whose summary is over the limit": results(result(text("x" * 60_000), text("🙂" * 60_000), id="c-1")),
    "characters that are not blank to Java": user(*(text(c) for c in "\u00a0\u2007\u202f\u0085\u200b\ufeff")),
    "a document taken from a tool result": user(
        {"type": "document", "document": DOCUMENT}, metadata={"toolCallDocuments": True}
    ),
}

# What Camunda's reader would refuse or lose: it must see the rest, and the codec must lose nothing.
BEYOND = {
    "blank text": user(text(""), text(" "), text("\t\n\u001c\u2003\u3000"), text("not blank")),
    "only blank text": assistant(text("  ")),
    "unknown content type": user(text("look:"), {"type": "hologram", "beam": [1, {"x": None}]}),
    "null where content must be": user(text("x"), {"type": "object", "content": None}),
    "our own provider name": user(text("x"), {"type": "provider", "provider": "colloquy", "payload": {"type": "text"}}),
    "nulls in metadata": user(text("x"), metadata={"gone": None, "kept": 1}),
    "nulls in arguments": assistant(toolCalls=[{"id": "c", "name": "f", "arguments": {"gone": None, "kept": 1}}]),
    "nulls in result properties": results(result(text("x"), id="c", gone=None, kept=1)),
    "unknown message fields": user(text("x"), **{"x-priority": {"level": 3, "none": None}}),
    "unknown tool call fields": assistant(
        toolCalls=[{"id": "c", "name": "f", "arguments": {}, "signature": "s=="}], text="an extra field"
    ),
    "unknown block fields": user(text("x", extra=[1]), {"type": "object", "content": 1, "extra": None}),
    "blank text in a result": results(result(text(" "), id="c")),
    "unknown content in a result": results(result({"type": "hologram"}, text("seen"), id="c")),
}
