"""boto3 against a service that fails, throttles, forgets and grows old: the emulator's switches."""

import datetime

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from conftest import clients_of, new_memory
from conversation import Conversation, say
from emulator_process import EmulatorProcess

ONE_TRY = Config(retries={"mode": "standard", "total_max_attempts": 1})
RETRYING = Config(retries={"mode": "standard", "total_max_attempts": 4})


@pytest.fixture
def faulty(own_emulator):
    """An emulator of the test's own with a memory; conversations by retry behaviour; its fault plan."""

    class Faulty:
        def __init__(self, *arguments):
            self.emulator = own_emulator(*arguments)
            self.memory = new_memory(clients_of(self.emulator)[1], days=7)

        def talk(self, config=RETRYING):
            return Conversation(clients_of(self.emulator, config)[0], self.memory["id"])

        def plan(self, *rules):
            self.emulator.admin("PUT", "faults", {"seed": 1, "rules": list(rules)})

        def calls(self, operation):
            return self.emulator.admin("GET", "calls")["counts"].get(operation, 0)

    return Faulty


def now():
    return datetime.datetime.now(datetime.timezone.utc)


@pytest.mark.parametrize(
    ("action", "status", "name"),
    [
        ("throttle", 429, "ThrottledException"),
        ("error500", 500, "ServiceException"),
        ("conflict409", 409, "RetryableConflictException"),
        ("quota402", 402, "ServiceQuotaExceededException"),
        ("denied403", 403, "AccessDeniedException"),
    ],
)
def test_each_failure_is_the_exception_boto3_knows(faulty, action, status, name):
    running = faulty()
    running.plan({"operation": "CreateEvent", "action": action})
    talk = running.talk(ONE_TRY)
    with pytest.raises(getattr(talk.client.exceptions, name)) as failed:
        talk.write("hello", when=now())
    assert failed.value.response["ResponseMetadata"]["HTTPStatusCode"] == status
    running.plan()
    assert talk.events() == [], "nothing was done"


@pytest.mark.parametrize("action", ["throttle", "error500", "resetBefore"])
def test_boto3_retries_a_passing_failure_until_it_is_over(faulty, action):
    running = faulty()
    running.plan({"operation": "CreateEvent", "times": 2, "action": action})
    talk = running.talk()
    talk.write("hello", when=now())
    assert talk.texts() == ["hello"]
    assert running.calls("CreateEvent") == 3


@pytest.mark.parametrize("action", ["resetAfter", "lostAnswer", "error500After"])
def test_a_lost_answer_is_retried_with_the_same_token_and_stored_once(faulty, action):
    running = faulty()
    running.plan({"operation": "CreateEvent", "nth": 1, "action": action})
    talk = running.talk()
    talk.write("hello", when=now())
    assert running.calls("CreateEvent") == 2
    assert talk.texts() == ["hello"]


def test_a_filtered_listing_may_lag_behind_an_unfiltered_one(faulty):
    running = faulty()
    talk = running.talk()
    talk.write("hello", when=now(), metadata={"k": {"stringValue": "v"}})
    running.plan({"operation": "ListEvents", "action": {"lagFiltered": {"events": 1}}})
    filtered = {"eventMetadata": [{"left": {"metadataKey": "k"}, "operator": "EXISTS"}]}
    assert talk.texts(filter=filtered) == []
    assert talk.texts() == ["hello"]
    running.plan()
    assert talk.texts(filter=filtered) == ["hello"]


def test_events_expire_when_the_clock_passes_their_days(faulty):
    running = faulty()
    talk = running.talk()
    talk.write("old", when=now())
    running.emulator.admin("POST", "clock", {"advanceMs": 6 * 86_400_000})
    talk.write("young", when=now() + datetime.timedelta(days=6))
    assert talk.texts() == ["young", "old"]
    running.emulator.admin("POST", "clock", {"advanceMs": 2 * 86_400_000})
    assert talk.texts() == ["young"]


def test_a_session_takes_five_conversational_events_a_second(faulty):
    running = faulty("--rate-limits")
    talk = running.talk(ONE_TRY)
    outcomes = []
    for _ in range(12):
        try:
            talk.write("hello", when=now())
            outcomes.append("stored")
        except talk.client.exceptions.ThrottledException as throttled:
            outcomes.append(throttled.response["Error"]["Message"])
    assert "Rate exceeded." in outcomes
    assert outcomes[:5] == ["stored"] * 5

    other = Conversation(talk.client, running.memory["id"], session_id="another")
    other.write("hello", when=now())


def test_boto3_gets_through_the_rate_limit_by_retrying(faulty):
    running = faulty("--rate-limits")
    patient = Config(retries={"mode": "adaptive", "total_max_attempts": 10})
    talk = running.talk(patient)
    for number in range(8):
        talk.write(str(number), when=now() + datetime.timedelta(milliseconds=number))
    assert sorted(talk.texts()) == [str(number) for number in range(8)]


def test_signatures_are_verified_when_required(own_emulator):
    emulator = own_emulator("--verify-signatures")
    def client(key, secret):
        return boto3.client(
            "bedrock-agentcore-control",
            endpoint_url=emulator.url,
            region_name="us-east-1",
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=ONE_TRY,
        )

    control = client("emulator", "emulator-secret")
    memory = control.create_memory(name="signed_for", eventExpiryDuration=7)["memory"]
    # Carries a query string, which a signature covers too.
    control.delete_memory(memoryId=memory["id"], clientToken="t" * 40)
    assert control.list_memories()["memories"]
    with pytest.raises(ClientError) as refused:
        client("emulator", "another").list_memories()
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403


def test_stored_events_survive_a_restart(tmp_path):
    with EmulatorProcess("--data", str(tmp_path)) as first:
        data, control = clients_of(first)
        memory = new_memory(control)
        Conversation(data, memory["id"]).write("kept", when=now())
    with EmulatorProcess("--data", str(tmp_path)) as second:
        data, _ = clients_of(second)
        assert Conversation(data, memory["id"]).texts() == ["kept"]
