"""What can be told from the definitions alone: their form, and what ministack does not look at."""

import json
import pathlib
import re

import botocore.session
import pytest
from statelint.linter import Linter

from deployment import WORKFLOWS

ROOT = pathlib.Path(__file__).parents[2]
FILES = sorted(WORKFLOWS.glob("*.asl.json"))
FUNCTIONS = {"LoadFunctionArn", "StoreFunctionArn", "SummarizeFunctionArn"}
VARIABLE = re.compile(r"\$([a-zA-Z]\w*)")


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def text(request):
    return request.param.read_text()


@pytest.fixture
def definition(text):
    return json.loads(text)


def states(machine, inside=()):
    """All states with their names, those of maps included."""
    for name, state in machine["States"].items():
        yield "/".join([*inside, name]), state
        if "ItemProcessor" in state:
            yield from states(state["ItemProcessor"], [*inside, name])


def tasks(machine, resource):
    return [(name, state) for name, state in states(machine) if state.get("Resource") == f"arn:aws:states:::{resource}"]


def function_of(state):
    arguments = state["Arguments"]
    name = arguments["FunctionName"] if isinstance(arguments, dict) else ""
    return name.strip("${}") if name.strip("${}") in FUNCTIONS else None


def error_names(state):
    rules = [*state.get("Retry", []), *state.get("Catch", [])]
    return {name for rule in rules for name in rule["ErrorEquals"]}


def expressions(value):
    if isinstance(value, dict):
        return [found for item in value.values() for found in expressions(item)]
    if isinstance(value, list):
        return [found for item in value for found in expressions(item)]
    return [value] if isinstance(value, str) and value.startswith("{%") else []


def test_they_are_well_formed(text):
    filled = re.sub(r"\$\{\w+Arn\}", "arn:aws:lambda:us-east-1:123456789012:function:f", text)
    assert Linter.validate(json.loads(filled)) == []


def test_a_broken_one_would_be_noticed():
    assert Linter.validate({"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}}}) != []


def test_every_task_is_retried_with_full_jitter_and_ends_in_time(definition):
    found = [(name, state) for name, state in states(definition) if state["Type"] == "Task"]
    assert found
    for name, state in found:
        assert state["TimeoutSeconds"] <= 300, name
        assert state["Retry"], name
        for rule in state["Retry"]:
            assert rule["JitterStrategy"] == "FULL", name
            assert rule["MaxAttempts"] <= 6 and rule["MaxDelaySeconds"] <= 60, name


def test_what_passes_by_itself_is_retried(definition):
    for name, state in tasks(definition, "lambda:invoke"):
        retried = {error for rule in state["Retry"] for error in rule["ErrorEquals"]}
        assert "Lambda.TooManyRequestsException" in retried, name
        if function_of(state):
            assert {"Throttled", "Unavailable"} <= retried, name
    for name, state in tasks(definition, "aws-sdk:bedrockruntime:converse"):
        retried = {error for rule in state["Retry"] for error in rule["ErrorEquals"]}
        assert "BedrockRuntime.ThrottlingException" in retried, name


def test_errors_are_called_by_names_that_exist(definition):
    problem = (ROOT / "shared/edge/src/problem.rs").read_text()
    ours = set(re.findall(r'Self::(\w+) => "\1"', problem))
    assert "Conflict" in ours
    for name, state in tasks(definition, "lambda:invoke"):
        used = error_names(state)
        own = {error for error in used if "." not in error}
        assert own <= ours, name
        assert {error.split(".")[0] for error in used - own} <= {"Lambda", "States"}, name
    for resource, service, operation, prefix in [
        ("aws-sdk:bedrockruntime:converse", "bedrock-runtime", "Converse", "BedrockRuntime"),
        ("aws-sdk:dynamodb:scan", "dynamodb", "Scan", "DynamoDb"),
    ]:
        known = {f"{prefix}.{error}" for error in sdk_errors(service, operation)} | {"States.Timeout"}
        for name, state in tasks(definition, resource):
            assert error_names(state) <= known, name


def sdk_errors(service, operation):
    """Names of an operation's errors as the SDK for Java, and so Step Functions, spells them."""
    model = botocore.session.get_session().get_service_model(service).operation_model(operation)
    names = {shape.name.removesuffix("Exception") + "Exception" for shape in model.error_shapes}
    # Errors before an answer, and the ones every service may give.
    return names | {"SdkClientException", "ThrottlingException"}


def test_assignments_of_a_state_do_not_read_each_other(definition):
    for name, state in states(definition):
        for holder in [state, *state.get("Catch", [])]:
            assigned = set(holder.get("Assign", {}))
            for variable, value in holder.get("Assign", {}).items():
                read = {found for text in expressions(value) for found in VARIABLE.findall(text)}
                assert read & (assigned - {variable}) == set(), f"{name}: {variable}"


def test_variables_are_assigned_somewhere(definition):
    assigned = {variable for _, state in states(definition) for variable in state.get("Assign", {})}
    for name, state in states(definition):
        own = {key: value for key, value in state.items() if key != "ItemProcessor"}
        for text in expressions(own):
            local = set(re.findall(r"\$(\w+) :=", text)) | set(re.findall(r"[(,] ?\$(\w+)(?=[,)])", text))
            called = set(re.findall(r"\$(\w+)\(", text))
            assert set(VARIABLE.findall(text)) - local - called - {"states"} <= assigned, name


def test_placeholders_are_those_of_the_readme():
    rows = re.findall(r"^\| `(\w+)` \|.*?\|(.*?)\|(.*?)\|(.*?)\|$", (WORKFLOWS / "README.md").read_text(), re.MULTILINE)
    for column, workflow in enumerate(["chat-turn", "agent-turn", "nightly-summarize"], start=1):
        written = {row[0] for row in rows if row[column].strip() == "yes"}
        used = set(re.findall(r"\$\{(\w+)\}", (WORKFLOWS / f"{workflow}.asl.json").read_text()))
        assert used == written, workflow
