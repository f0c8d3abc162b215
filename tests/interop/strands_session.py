"""A Strands agent on a stored session, its tools, and the codec as a second reader of that session."""

import json

from bedrock_agentcore.memory.integrations.strands.config import AgentCoreMemoryConfig
from bedrock_agentcore.memory.integrations.strands.session_manager import AgentCoreMemorySessionManager
from strands import Agent, tool
from strands.types.session import encode_bytes_values

import codec_cli
from conversation import Conversation
from scripted_model import ScriptedModel

PIXEL = bytes(range(256))


@tool
def weather(city: str) -> dict:
    """The weather of a city.

    Args:
        city: the city's name
    """
    return {
        "status": "success",
        "content": [
            {"text": f"18° in {city} ☀\u2028"},
            {"json": {"celsius": 18.5, "huge": 12345678901234567890, "none": None, "nested": [{"a": [1, "2"]}]}},
            {"image": {"format": "png", "source": {"bytes": PIXEL}}},
        ],
    }


@tool
def broken(reason: str) -> str:
    """Always fails.

    Args:
        reason: why
    """
    raise RuntimeError(reason)


class Session:
    """One stored session: opens agents on it, and reads it with other readers."""

    def __init__(self, data, memory, session_id="strands-1", **config):
        self.talk = Conversation(data, memory["id"], actor_id="tenant/user", session_id=session_id)
        self._config = AgentCoreMemoryConfig(
            memory_id=memory["id"], actor_id="tenant/user", session_id=session_id, **config
        )

    def agent(self, *script, converter=None, **options):
        manager = AgentCoreMemorySessionManager(self._config, region_name="us-east-1", converter=converter)
        return Agent(
            model=ScriptedModel(*script),
            session_manager=manager,
            tools=[weather, broken],
            callback_handler=None,
            **options,
        )

    def read_by_codec(self):
        """The messages as `list_events | codec decode --to converse` gives them."""
        return codec_cli.decoded_messages(self.talk.oldest_first(), to="converse", strict=True)


def plain(messages):
    """Messages as JSON: bytes in their marker, nothing else changed."""
    return json.loads(json.dumps(encode_bytes_values(messages)))
