"""Strands agents on a service with limits, lags, failures and old data: what is stored stays readable."""

import concurrent.futures
import json

import pytest
from botocore.exceptions import ClientError
from strands.types.exceptions import SessionException

from conftest import clients_of, new_memory
from conversation import Conversation, at, say
from scripted_model import text, tool_use
from strands_session import Session, plain


@pytest.fixture
def service(own_emulator, monkeypatch):
    """Starts an emulator of the test's own, points the packages at it, and opens a session there."""

    def start(*arguments, **config):
        emulator = own_emulator(*arguments)
        monkeypatch.setenv("AWS_ENDPOINT_URL", emulator.url)
        data, control = clients_of(emulator)
        return emulator, Session(data, new_memory(control), **config)

    return start


def test_rate_limits_slow_an_agent_down_and_lose_nothing(service, monkeypatch):
    monkeypatch.setenv("AWS_RETRY_MODE", "standard")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "10")
    emulator, session = service("--rate-limits")
    agent = session.agent(
        [text("Looking."), tool_use("t-1", "weather", city="Oslo")], [text("18 degrees.")], [text("Bye.")]
    )
    agent("How is Oslo?")
    agent("Thanks.")
    throttled = [call for call in emulator.admin("GET", "calls")["log"] if call["status"] == 429]
    assert throttled, "the limits were in the way"
    assert session.read_by_codec() == plain(agent.messages)


@pytest.mark.parametrize("action", ["resetAfter", "lostAnswer", "error500After"])
def test_answers_lost_on_the_way_double_no_message(service, action):
    emulator, session = service()
    emulator.admin("PUT", "faults", {"rules": [{"operation": "CreateEvent", "every": 3, "action": action}]})
    agent = session.agent([text("one")], [text("two")])
    agent("first")
    agent("second")
    assert session.read_by_codec() == plain(agent.messages)


def test_a_lagging_filter_makes_strands_forget_but_not_the_codec(service):
    """The package finds its session by a filtered listing, which may miss what an unfiltered one shows."""
    emulator, session = service()
    session.agent([text("Hello, Ada!")])("I am Ada")
    lag = {"operation": "ListEvents", "action": {"lagFiltered": {"ms": 3_600_000}}}
    emulator.admin("PUT", "faults", {"rules": [lag]})
    assert session.agent().messages == [], "to the package it is a new session"
    said = [message["content"][0]["text"] for message in session.read_by_codec()]
    assert said == ["I am Ada", "Hello, Ada!"]


def test_a_failing_listing_is_an_error_and_never_an_empty_history(service):
    emulator, session = service()
    session.agent([text("Hello, Ada!")])("I am Ada")
    emulator.admin("PUT", "faults", {"rules": [{"operation": "ListEvents", "action": "denied403"}]})
    with pytest.raises(ClientError, match="AccessDeniedException"):
        session.agent()


def test_a_failed_write_is_a_session_exception(service):
    emulator, session = service()
    agent = session.agent([text("never stored")])
    emulator.admin("PUT", "faults", {"rules": [{"operation": "CreateEvent", "nth": 1, "action": "quota402"}]})
    with pytest.raises(SessionException):
        agent("hello")
    assert session.read_by_codec() == []


def test_sessions_of_the_older_layout_are_moved_by_the_package(service):
    """Markers and agent states once lay under actors of their own; the package copies and deletes them."""
    _, session = service()
    times = {"created_at": "2025-10-01T00:00:00+00:00", "updated_at": "2025-10-01T00:00:00+00:00"}
    marker = {"session_id": "strands-1", "session_type": "AGENT", **times}
    state = {
        "agent_id": "default",
        "state": {"city": "Oslo"},
        "conversation_manager_state": {
            "__name__": "SlidingWindowConversationManager", "removed_message_count": 0, "model_call_count": 0,
        },
        "_internal_state": {},
        **times,
    }
    record = {
        "message": {"role": "user", "content": [{"text": "long ago"}]},
        "message_id": 0,
        "redact_message": None,
        **times,
    }
    memory_id, client = session.talk.ids["memoryId"], session.talk.client
    old_marker = Conversation(client, memory_id, "session_strands-1", "strands-1")
    old_state = Conversation(client, memory_id, "agent_default", "strands-1")
    old_marker.write({"blob": json.dumps(marker)}, when=at(0))
    old_state.write({"blob": json.dumps(state)}, when=at(1))
    session.talk.write(say(json.dumps(record)), when=at(2))

    agent = session.agent()
    assert agent.messages == [record["message"]]
    assert agent.state.get() == {"city": "Oslo"}
    assert (old_marker.events(), old_state.events()) == ([], [])
    assert session.read_by_codec() == [record["message"]]


def test_writers_at_the_same_time_lose_nothing(data, memory):
    talk = Conversation(data, memory["id"])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        written = list(pool.map(lambda number: talk.write(str(number), when=at(number % 5))["eventId"], range(200)))
    listed = [event["eventId"] for event in talk.events(maxResults=30)]
    assert sorted(listed) == sorted(written)
    assert [event_id[:19] for event_id in listed] == sorted((i[:19] for i in written), reverse=True)
