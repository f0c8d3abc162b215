"""A Strands agent with AgentCoreMemorySessionManager, and the codec as a second reader of what it stored."""

import json

import pytest
from bedrock_agentcore.memory.integrations.strands.config import RetrievalConfig
from bedrock_agentcore.memory.integrations.strands.converters import OpenAIConverseConverter
from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager

import codec_cli
from conversation import Conversation, at
from scripted_model import reasoning, text, tool_use
from strands_session import PIXEL, Session, plain


@pytest.fixture(params=[1, 10], ids=["one-event-per-message", "batched"])
def session(request, sdk_environment, data, memory):
    return Session(data, memory, batch_size=request.param)


def test_a_plain_exchange_is_read_alike_by_strands_and_by_the_codec(session):
    agent = session.agent([text("Hello, Ada!")])
    agent("I am Ada 🙂 \u0000 \u2028")
    assert len(agent.messages) == 2
    assert plain(session.agent().messages) == plain(agent.messages)
    assert session.read_by_codec() == plain(agent.messages)


def converse_with_tools(session):
    """Two turns with parallel tool calls, a failing one, reasoning, images and documents."""
    agent = session.agent(
        [reasoning("Which tool?", "sig=="), text("Looking…"), tool_use("t-1", "weather", city="Oslo"),
         tool_use("t-2", "broken", reason="no such luck")],
        [{"reasoningContent": {"redactedContent": PIXEL}}, text("18 degrees.")],
        [text("A grey square.")],
        state={"favourite": {"city": "Oslo"}},
    )
    agent("How is Oslo?")
    agent(
        [
            {"text": "What is in here?"},
            {"image": {"format": "png", "source": {"bytes": PIXEL}}},
            {"document": {"format": "txt", "name": "note", "source": {"bytes": b"\xff\x00"}}},
            {"cachePoint": {"type": "default"}},
        ]
    )
    assert [message["role"] for message in agent.messages] == ["user", "assistant"] * 3
    return agent


def test_tools_images_and_reasoning_are_read_alike_by_strands_and_by_the_codec(session):
    agent = converse_with_tools(session)
    restored = session.agent()
    assert plain(restored.messages) == plain(agent.messages)
    assert session.read_by_codec() == plain(agent.messages)
    assert restored.state.get() == {"favourite": {"city": "Oslo"}}


def test_the_message_model_of_the_codec_keeps_all_of_it(session, data, memory):
    """events → `decode --to messages` → `encode` → a session of our own → `decode --to converse`."""
    agent = converse_with_tools(session)
    messages = codec_cli.decoded_messages(session.talk.oldest_first(), to="messages", strict=True)
    ours = Conversation(data, memory["id"], session_id="copied")
    for payloads in codec_cli.encode(messages):
        ours.write(*payloads)
    assert codec_cli.decoded_messages(ours.oldest_first(), to="messages", strict=True) == messages

    # One model message per event is one answer line; Strands' mixed messages are joined again by the
    # reader of a whole conversation, which one packed event stands for here.
    packed = {"payload": [item for event in ours.oldest_first() for item in event["payload"]]}
    assert codec_cli.decoded_messages([packed], to="converse", strict=True) == plain(agent.messages)


def test_agent_state_comes_out_beside_the_messages(session):
    agent = converse_with_tools(session)
    agents = [
        record for answer in codec_cli.decode(session.talk.oldest_first()) for record in answer.get("agents", [])
    ]
    assert agents, "agent records are reported"
    last = agents[-1]
    assert last["agent_id"] == "default"
    assert last["state"] == agent.state.get()
    assert last["conversation_manager_state"]["__name__"] == "SlidingWindowConversationManager"


def test_a_conversation_goes_on_after_a_restart(session):
    session.agent([text("Hello, Ada!")])("I am Ada")
    second = session.agent([text("You are Ada.")])
    second("Who am I?")
    said = [message["content"][0]["text"] for message in second.model.asked[0]["messages"]]
    assert said == ["I am Ada", "Hello, Ada!", "Who am I?"]
    assert len(second.messages) == 4
    assert session.read_by_codec() == plain(second.messages)


def test_long_messages_travel_as_blobs_and_are_read_alike(session):
    agent = session.agent([text("b" * 150_000)])
    agent("ä" * 30_000)
    items = [item for event in session.talk.events() for item in event["payload"]]
    arrays = [item for item in items if "blob" in item and item["blob"].startswith("[")]
    assert len(arrays) == 2, "both messages are over the limit, one by its escapes alone"
    assert plain(session.agent().messages) == plain(agent.messages)
    assert session.read_by_codec() == plain(agent.messages)


def test_blank_text_is_dropped_alike(session):
    agent = session.agent([text("   "), tool_use("t-1", "weather", city="Rome")], [text("Warm.")])
    agent("And Rome?")
    restored = plain(session.agent().messages)
    assert session.read_by_codec() == restored
    assert all(block.get("text", "x").strip() for message in restored for block in message["content"])


def test_a_redacted_prompt_leaves_no_trace_of_the_original(session):
    agent = session.agent(
        [{"redactContent": {"redactUserContentMessage": "[redacted]"}}, text("I cannot help with that.")]
    )
    agent("the secret word")
    assert agent.messages[0]["content"] == [{"text": "[redacted]"}]
    read = session.read_by_codec()
    assert "secret" not in json.dumps(read)
    assert [message["content"] for message in read] == [message["content"] for message in session.agent().messages]


def test_window_and_summary_state_is_restored(sdk_environment, data, memory):
    session = Session(data, memory)
    agent = session.agent(
        [text("one")], [text("two")], [text("three")],
        conversation_manager=SlidingWindowConversationManager(window_size=2),
    )
    for number in range(3):
        agent(f"question {number}")
    restored = session.agent(conversation_manager=SlidingWindowConversationManager(window_size=2))
    assert plain(restored.messages) == plain(agent.messages)
    assert len(session.read_by_codec()) == 6, "storage keeps what left the window"
    records = [r for answer in codec_cli.decode(session.talk.oldest_first()) for r in answer.get("agents", [])]
    assert records[-1]["conversation_manager_state"]["removed_message_count"] == 4


def test_a_summary_is_restored_and_reported(sdk_environment, data, memory):
    def manager():
        return SummarizingConversationManager(summary_ratio=0.5, preserve_recent_messages=2)

    session = Session(data, memory)
    agent = session.agent(
        [text("one")], [text("two")], [text("three")], [text("They counted to two.")], [text("four")],
        conversation_manager=manager(),
    )
    for number in range(3):
        agent(f"question {number}")
    agent.conversation_manager.reduce_context(agent)
    agent("question 3")
    assert agent.messages[0]["content"] == [{"text": "They counted to two."}]
    restored = session.agent(conversation_manager=manager())
    assert plain(restored.messages) == plain(agent.messages)

    records = [r for answer in codec_cli.decode(session.talk.oldest_first()) for r in answer.get("agents", [])]
    state = records[-1]["conversation_manager_state"]
    assert state["summary_message"]["content"] == [{"text": "They counted to two."}]
    left = session.read_by_codec()[state["removed_message_count"]:]
    assert [state["summary_message"], *left] == plain(agent.messages)


EVERY_BLOCK = [
    {"role": "user", "content": [
        {"text": "look"},
        {"image": {"format": "png", "source": {"bytes": PIXEL}}},
        {"image": {"format": "png", "source": {"location": {"type": "s3", "uri": "s3://b/k"}}}},
        {"document": {"format": "pdf", "name": "n", "source": {"bytes": b"\x00"}, "citations": {"enabled": True}}},
        {"video": {"format": "mp4", "source": {"bytes": b"\x01"}}},
        {"audio": {"format": "wav", "source": {"bytes": b"\x02"}}},
        {"guardContent": {"text": {"text": "guarded", "qualifiers": ["query"]}}},
        {"cachePoint": {"type": "default", "ttl": "1h"}},
        {"hologram": {"beam": None}},
    ]},
    {"role": "assistant", "content": [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s=="}}},
        {"reasoningContent": {"redactedContent": PIXEL}},
        {"text": "before"},
        {"toolUse": {"toolUseId": "t-1", "name": "f", "input": ["not", "an", "object"]}},
        {"text": "between"},
        {"toolUse": {"toolUseId": "t-2", "name": "g", "input": {"null": None}, "reasoningSignature": "s"}},
        {"citationsContent": {"citations": [{"title": "t", "location": {"web": {"url": "u", "domain": "d"}}}],
                              "content": [{"text": "cited"}]}},
    ], "metadata": {"usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}, "custom": {"pinned": True}}},
    {"role": "user", "content": [
        {"text": "first"},
        {"toolResult": {"toolUseId": "t-2", "status": "error", "content": []}},
        {"text": "   "},
        {"toolResult": {"toolUseId": "t-1", "status": "success", "content": [
            {"json": None}, {"json": {"a": 10**30}}, {"text": ""},
            {"image": {"format": "gif", "source": {"bytes": PIXEL}}},
        ]}},
    ], "tracking_id": "4be1d1f0-0c4e-4f0b-8d0e-0a0a0a0a0a0a"},
]


def test_converse_messages_go_through_our_own_events_unchanged(talk):
    messages = plain(EVERY_BLOCK)
    for payloads in codec_cli.encode(messages, source="converse"):
        talk.write(*payloads)
    assert codec_cli.decoded_messages(talk.oldest_first(), to="converse", strict=True) == messages


def test_the_openai_flavour_is_read_by_the_codec_as_strands_restores_it(sdk_environment, data, memory):
    session = Session(data, memory)
    agent = session.agent(
        [text("Let me look."), tool_use("t-1", "weather", city="Oslo")],
        [text("18 degrees.")],
        converter=OpenAIConverseConverter,
    )
    agent("How is Oslo?")
    restored = session.agent(converter=OpenAIConverseConverter)
    visible = [{"role": m["role"], "content": m["content"]} for m in plain(restored.messages)]
    assert [{"role": m["role"], "content": m["content"]} for m in session.read_by_codec()] == visible


def test_long_term_records_reach_the_prompt(sdk_environment, data, memory):
    record = {
        "requestIdentifier": "r1",
        "namespaces": ["/facts/tenant/user"],
        "content": {"text": "Ada prefers tea"},
        "timestamp": at(0),
    }
    data.batch_create_memory_records(memoryId=memory["id"], records=[record])
    session = Session(
        data, memory, retrieval_config={"/facts/tenant/user": RetrievalConfig(top_k=3, relevance_score=0.0)}
    )
    agent = session.agent([text("Tea, then.")])
    agent("Ada prefers tea")
    assert "Ada prefers tea" in agent.model.asked[0]["messages"][-1]["content"][0]["text"]
    assert "user_context" in agent.model.asked[0]["messages"][-1]["content"][0]["text"]
