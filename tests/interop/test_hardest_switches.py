"""boto3 against the emulator's default switches: each open question read as hard on a client as it can be."""

import threading
import time

import pytest

from conftest import UNCHECKED, clients_of, new_memory
from conversation import Conversation, say


@pytest.fixture
def hardest(own_emulator):
    """The clients of an emulator with its default switches, one that never repeats a call."""
    return clients_of(own_emulator("--switches", "hardest"), UNCHECKED)


@pytest.fixture
def hard_talk(hardest):
    data, control = hardest
    return Conversation(data, new_memory(control)["id"])


def seen(read, count):
    """What `read` gives once it gives so many; how a client that knows of lags reads."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = read()
        if len(found) == count:
            return found
        time.sleep(0.02)
    raise TimeoutError(f"{len(read())} of {count} are listed")


def test_a_fresh_event_is_listed_late_and_by_metadata_later(hard_talk):
    before = time.monotonic()
    hard_talk.write("hello", metadata={"kind": {"stringValue": "greeting"}})
    assert seen(hard_talk.texts, 1) == ["hello"]
    by_kind = {"eventMetadata": [{"left": {"metadataKey": "kind"}, "operator": "EXISTS"}]}
    assert seen(lambda: hard_talk.texts(filter=by_kind), 1) == ["hello"]
    assert time.monotonic() - before > 0.9


def test_a_filter_on_main_finds_nothing(hard_talk):
    root = hard_talk.write("m1")
    hard_talk.write("f1", branch={"name": "fork", "rootEventId": root["eventId"]})
    assert seen(hard_talk.texts, 2) == ["f1", "m1"]
    assert hard_talk.texts(filter={"branch": {"name": "fork"}}) == ["f1", "m1"]
    assert hard_talk.texts(filter={"branch": {"name": "main"}}) == []


def test_a_text_is_measured_in_bytes(hard_talk):
    hard_talk.write("é" * 50_000)
    with pytest.raises(hard_talk.client.exceptions.ValidationException):
        hard_talk.write("é" * 50_000 + "e")


def test_writes_to_a_session_at_once_are_conflicts_that_a_retry_mends(hard_talk):
    conflicts = []

    def insist(number):
        while True:
            try:
                return hard_talk.write(say(f"text {number}"))
            except hard_talk.client.exceptions.RetryableConflictException as conflict:
                conflicts.append(conflict.response["ResponseMetadata"]["HTTPStatusCode"])
                time.sleep(0.01 * number)

    writers = [threading.Thread(target=insist, args=[number]) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(seen(hard_talk.texts, 8)) == [f"text {number}" for number in range(8)]
    assert set(conflicts) == {409}
