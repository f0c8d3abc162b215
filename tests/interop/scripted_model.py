"""A Strands model that says what a test tells it to, over the same stream of events a real one sends."""

import json

from strands.models.model import Model

USAGE = {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}


class ScriptedModel(Model):
    """Answers each call with the next reply of its script; keeps what it was asked.

    A reply is a list of content blocks (`text`, `reasoningContent`, `toolUse`), or an event such as
    `{"redactContent": …}` put among them, which is streamed as it is.
    """

    def __init__(self, *script):
        self._script = list(script)
        self.asked = []

    def update_config(self, **_):
        pass

    def get_config(self):
        return {"model_id": "scripted", "context_window_limit": 200_000}

    async def structured_output(self, output_model, prompt, system_prompt=None, **_):
        raise NotImplementedError("no test asks for structured output")
        yield {}

    async def stream(self, messages, tool_specs=None, system_prompt=None, **_):
        self.asked.append({"messages": json.loads(json.dumps(messages, default=repr)), "system": system_prompt})
        reply = self._script.pop(0)
        yield {"messageStart": {"role": "assistant"}}
        for block in reply:
            for event in _events_of(block):
                yield event
        wants_tool = any("toolUse" in block for block in reply)
        yield {"messageStop": {"stopReason": "tool_use" if wants_tool else "end_turn"}}
        yield {"metadata": {"usage": USAGE, "metrics": {"latencyMs": 12}}}


def text(words):
    return {"text": words}


def tool_use(identifier, name, **arguments):
    return {"toolUse": {"toolUseId": identifier, "name": name, "input": arguments}}


def reasoning(words, signature):
    return {"reasoningContent": {"reasoningText": {"text": words, "signature": signature}}}


def _events_of(block):
    if "text" in block:
        # In two pieces, as tokens arrive.
        middle = len(block["text"]) // 2
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": block["text"][:middle]}}}
        yield {"contentBlockDelta": {"delta": {"text": block["text"][middle:]}}}
        yield {"contentBlockStop": {}}
    elif "toolUse" in block:
        use = block["toolUse"]
        start = {"toolUse": {"toolUseId": use["toolUseId"], "name": use["name"]}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(use["input"])}}}}
        yield {"contentBlockStop": {}}
    elif "reasoningContent" in block:
        yield {"contentBlockStart": {"start": {}}}
        inner = block["reasoningContent"]
        deltas = [{"redactedContent": inner["redactedContent"]}] if "redactedContent" in inner else [
            {"text": inner["reasoningText"]["text"]},
            {"signature": inner["reasoningText"]["signature"]},
        ]
        for delta in deltas:
            yield {"contentBlockDelta": {"delta": {"reasoningContent": delta}}}
        yield {"contentBlockStop": {}}
    else:
        yield block
