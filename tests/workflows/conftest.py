"""Fixtures: one emulator, one ministack and one deployment for all tests."""

import pytest

from deployment import Deployment
from emulator_process import EmulatorProcess
from model import Model
from stack_process import StackProcess


@pytest.fixture(scope="session")
def emulator():
    """AgentCore Memory and the model."""
    with EmulatorProcess() as running:
        yield running


@pytest.fixture(scope="session")
def stack(emulator):
    """Lambda, Step Functions, DynamoDB, API Gateway."""
    with StackProcess(emulator.url) as running:
        yield running


@pytest.fixture(scope="session")
def deployment(stack, emulator):
    """The service on them."""
    return Deployment(stack, emulator)


@pytest.fixture
def model(emulator):
    """The model, with nothing scripted and nothing going wrong before or after the test."""
    model = Model(emulator)
    model.reset()
    yield model
    model.reset()


@pytest.fixture
def conversation(deployment):
    """A conversation of the test's own."""
    return deployment.new_conversation()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds what the functions wrote to the report of a failure."""
    report = yield
    stack = item.funcargs.get("stack") or getattr(item.funcargs.get("deployment"), "stack", None)
    if report.failed and stack is not None:
        report.sections.append(("ministack and its functions", stack.log()[-4000:]))
    return report
