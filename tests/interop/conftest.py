"""Fixtures: one emulator for all tests that can share it, a fresh one where a test turns its switches."""

import contextlib
import itertools

import boto3
import pytest
from botocore.config import Config

from conversation import Conversation
from emulator_process import EmulatorProcess

_names = itertools.count(1)
REPORTED = ("--switches", "reported")

# boto3 checks limits before it sends; without that, the emulator's own checks are what answers.
UNCHECKED = Config(parameter_validation=False, retries={"max_attempts": 1})


def clients_of(emulator, config=None):
    """The data plane and control plane clients of an emulator."""
    options = {"endpoint_url": emulator.url, "region_name": "us-east-1", "config": config}
    return boto3.client("bedrock-agentcore", **options), boto3.client("bedrock-agentcore-control", **options)


def new_memory(control, days=30):
    """A memory that is ready for events; its description."""
    memory = control.create_memory(name=f"interop_{next(_names)}", eventExpiryDuration=days)["memory"]
    control.get_waiter("memory_created").wait(
        memoryId=memory["id"], WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    return control.get_memory(memoryId=memory["id"])["memory"]


@pytest.fixture(scope="session")
def emulator():
    """The shared emulator. The packages under test read at once what they wrote and repeat nothing, so it is the
    reported reading of the switches; `test_hardest_switches` is about the other."""
    with EmulatorProcess(*REPORTED) as running:
        yield running


@pytest.fixture(scope="session")
def clients(emulator):
    return clients_of(emulator)


@pytest.fixture(scope="session")
def data(clients):
    return clients[0]


@pytest.fixture(scope="session")
def control(clients):
    return clients[1]


@pytest.fixture(scope="session")
def unchecked(emulator):
    """A data plane client that sends what it is given, valid or not, and never retries."""
    return clients_of(emulator, UNCHECKED)[0]


@pytest.fixture
def memory(control):
    """A memory of the test's own in the shared emulator; an account holds only 150 at a time."""
    made = new_memory(control)
    yield made
    with contextlib.suppress(control.exceptions.ResourceNotFoundException):
        control.delete_memory(memoryId=made["id"])


@pytest.fixture
def talk(data, memory):
    """A conversation in that memory."""
    return Conversation(data, memory["id"])


@pytest.fixture
def own_emulator():
    """Starts emulators with the given arguments; for tests that move clocks or plan faults."""
    running = []

    def start(*arguments):
        switches = () if "--switches" in arguments else REPORTED
        running.append(EmulatorProcess(*switches, *arguments).__enter__())
        return running[-1]

    yield start
    for emulator in running:
        emulator.__exit__(None, None, None)


@pytest.fixture
def sdk_environment(emulator, monkeypatch):
    """Points every client that a package makes by itself at the shared emulator."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", emulator.url)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
