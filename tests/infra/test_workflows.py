"""The workflows get what they ask for, may do what they do, and match error names that exist."""

import json
import re

import pytest

import canon
import rust
import sam
from scenarios import ROOT

FILES = {path.name.removesuffix(".asl.json"): path.read_text() for path in (ROOT / "infra/workflows").glob("*.asl.json")}
ACTIONS = {
    "arn:aws:states:::lambda:invoke": "lambda:InvokeFunction",
    "arn:aws:states:::aws-sdk:bedrockruntime:converse": "bedrock:InvokeModel",
    "arn:aws:states:::aws-sdk:dynamodb:scan": "dynamodb:Scan",
}
RESOURCES = sam.template("everything")["Resources"]


def machines():
    """The state machines, by the file that defines them."""
    for name, entry in RESOURCES.items():
        if entry["Type"] == "AWS::StepFunctions::StateMachine":
            yield entry["Properties"]["StateMachineName"].removeprefix("${AWS::StackName}-"), name


def members(node, key):
    """Every value under a key, however deep."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            yield from members(value, key)
    elif isinstance(node, list):
        for item in node:
            yield from members(item, key)


def test_every_definition_is_deployed():
    assert dict(machines()).keys() == FILES.keys()


@pytest.mark.parametrize("file, name", machines())
def test_placeholders_are_all_filled(file, name):
    wanted = set(re.findall(r"\$\{(\w+)\}", FILES[file]))
    assert wanted == RESOURCES[name]["Properties"]["DefinitionSubstitutions"].keys()


@pytest.mark.parametrize("file, name", machines())
def test_roles_allow_what_the_states_do(file, name):
    role = canon.resources(sam.template("everything"))[f"{name}Role"]["Properties"]
    granted = {statement["Action"] for statement in role["Permissions"]}
    assert granted == {ACTIONS[resource] for resource in members(json.loads(FILES[file]), "Resource")}
    functions = set(re.findall(r"\$\{(\w+)FunctionArn\}", FILES[file]))
    invoked = {
        statement["Resource"] for statement in role["Permissions"]
        if statement["Action"] == "lambda:InvokeFunction" and statement["Resource"].startswith("${")
    }
    assert invoked == {f"${{{function}Function.Arn}}" for function in functions}


@pytest.mark.parametrize("file", FILES)
def test_error_names_exist(file):
    ours = set(rust.found(r'Self::\w+ => "(\w+)",', "shared/edge/src/problem.rs"))
    for names in members(json.loads(FILES[file]), "ErrorEquals"):
        for name in names:
            assert "." in name or name in ours, name


@pytest.mark.parametrize("file, name", machines())
def test_no_content_is_logged(file, name):
    logging = RESOURCES[name]["Properties"]["LoggingConfiguration"]
    assert logging["IncludeExecutionData"] is False
    assert RESOURCES[name]["Properties"]["TracingConfiguration"] == {"Enabled": True}
