"""The model's script, what it was asked, and what goes wrong on the way to it and to the memory."""


class Model:
    """The emulator's stand-in for Converse, and its fault plan."""

    def __init__(self, emulator):
        self._emulator = emulator

    def reset(self):
        """Nothing scripted, nothing asked, nothing wrong."""
        self._emulator.admin("DELETE", "model")
        self._emulator.admin("DELETE", "faults")

    def answers(self, *contents):
        """Scripts the next answers: texts, or lists of content blocks."""
        blocks = [[{"text": content}] if isinstance(content, str) else content for content in contents]
        self._emulator.admin("PUT", "model", {"answers": [{"content": content} for content in blocks]})

    def goes_wrong(self, *rules):
        """Sets the fault plan."""
        self._emulator.admin("PUT", "faults", {"rules": list(rules)})

    def requests(self):
        """The bodies of all requests so far."""
        return [request["body"] for request in self._emulator.admin("GET", "model/requests")]

    def calls(self, operation):
        """How many calls of an operation were made, answered or not, since the calls were last forgotten."""
        return self._emulator.admin("GET", "calls")["counts"].get(operation, 0)


def call(identifier, name, **given):
    """A block by which the model asks for a tool."""
    return {"toolUse": {"toolUseId": identifier, "name": name, "input": given}}


def user(*texts):
    """A message of the user."""
    return {"role": "user", "content": [{"text": text} for text in texts]}


def assistant(*texts):
    """A message of the model."""
    return {"role": "assistant", "content": [{"text": text} for text in texts]}
