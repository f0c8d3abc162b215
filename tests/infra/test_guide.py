"""docs/deploy.md names what exists, and its figures are the computed ones."""

import importlib.util
import re
import shlex
import subprocess
import zipfile
from importlib.machinery import SourceFileLoader

import botocore.session
import pytest

import costs
import sam
from scenarios import ROOT

GUIDE = (ROOT / "docs/deploy.md").read_text()
PARAMETERS = sam.source()["Parameters"]
OUTPUTS = sam.source()["Outputs"]
BLOCKS = re.findall(r"```sh\n(.*?)```", GUIDE, re.S)
INLINE = re.findall(r"`((?:just|cd|sam|npx|aws|python3) [^`]+)`", GUIDE)
COMMANDS = [
    command.strip()
    for block in [*BLOCKS, *INLINE]
    for line in block.replace("\\\n", " ").splitlines()
    for command in line.split("&&")
]


def commands(program):
    found = [shlex.split(command) for command in COMMANDS if command.startswith(program + " ")]
    assert found, f"the guide has no {program} command"
    return found


def settings(text):
    return re.findall(r"\b([A-Z][A-Za-z]+)=", text)


def test_recipes_exist():
    recipes = set(re.findall(r"^([a-z][\w-]*)[^:=\n]*:", (ROOT / "justfile").read_text(), re.M))
    for command in commands("just"):
        assert command[1] in recipes, command


def test_settings_exist():
    named = {name for command in COMMANDS if "deploy-" in command for name in settings(command)}
    assert named and named <= PARAMETERS.keys()
    table = re.search(r"\| setting \| for \|\n(.*?)\n\n", GUIDE, re.S)[1]
    rows = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert rows and rows <= PARAMETERS.keys()


def test_every_capitalised_name_in_code_is_a_setting_or_an_output():
    alarms = {name for name, entry in sam.source()["Resources"].items() if entry["Type"] == "AWS::CloudWatch::Alarm"}
    others = {"Throttled", "Idempotency-Key"}
    for name in re.findall(r"`([A-Z][A-Za-z-]+)(?:=\w+)?`", GUIDE):
        assert name in PARAMETERS.keys() | OUTPUTS.keys() | others or f"{name}Alarm" in alarms, name
    for suffix in re.findall(r"`…([A-Z]\w+)`", GUIDE):
        assert any(name.endswith(f"{suffix}Alarm") for name in alarms), suffix


def test_files_exist():
    for path in re.findall(r"file://(\S+)", GUIDE):
        assert (ROOT / path).exists(), path
    for link in re.findall(r"\]\((?!https:)([^)#]+)", GUIDE):
        assert (ROOT / "docs" / link).exists(), link
    for command in commands("cd"):
        assert (ROOT / command[1]).is_dir() or command[1] == "../..", command
    for command in commands("python3"):
        assert (ROOT / command[1]).is_file(), command


def test_functions_have_the_names_they_are_called_by():
    names = {
        entry["Properties"]["FunctionName"].replace("${AWS::StackName}", "colloquy")
        for entry in sam.template("default")["Resources"].values() if entry["Type"] == "AWS::Lambda::Function"
    }
    for command in commands("aws lambda"):
        assert command[command.index("--function-name") + 1] in names


@pytest.mark.parametrize("command", [shlex.split(command) for command in COMMANDS if command.startswith("aws ")],
                         ids=lambda command: " ".join(command[1:3]))
def test_aws_commands_exist(command):
    _, service, operation, *arguments = command
    if service == "s3":
        assert operation in ("rb", "cp", "ls", "rm")
        return
    model = botocore.session.get_session().get_service_model(service)
    shape = model.operation_model("".join(word.capitalize() for word in operation.split("-"))).input_shape
    members = {re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower() for name in shape.members}
    general = {"cli-binary-format", "query", "output"}
    for option in [argument.removeprefix("--") for argument in arguments if argument.startswith("--")]:
        assert option.removeprefix("no-") in members | general, option


def test_the_tools_named_are_the_tools_installed():
    for program in ("target/infra-venv/bin/sam", "npx cdk"):
        assert program in GUIDE
    pins = (ROOT / "infra/tools/requirements.txt").read_text()
    assert "aws-sam-cli==" in pins


@pytest.mark.parametrize("table", [costs.turns_table, costs.rest_table, costs.extras_table])
def test_costs_are_the_computed_ones(table):
    assert table() in GUIDE


def test_prices_are_stated():
    for price in ("$0.25 for 1,000", "$0.625", "$0.125", "$0.20", "$0.0000133334", "$1.00", "$0.50", "$0.025 for 1,000"):
        assert price in GUIDE
    assert (costs.EVENT, costs.LAMBDA_GB_SECOND) == (0.00025, 0.0000133334)


def check_architecture():
    path = str(ROOT / "infra/tools/check-architecture")
    loader = SourceFileLoader("check_architecture", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def test_zips_for_another_processor_are_not_deployed(tmp_path):
    check = check_architecture()
    assert "not arm64: run `just build-functions --arm64`" in check.main([], tmp_path)

    def build(machine):
        for function in check.FUNCTIONS:
            (tmp_path / function).mkdir(exist_ok=True)
            with zipfile.ZipFile(tmp_path / function / "bootstrap.zip", "w") as archive:
                archive.writestr("bootstrap", b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little"))

    build(0xB7)
    assert check.main([], tmp_path) is None
    assert "built for arm64, not x86_64" in check.main(["--parameter-overrides", "Architecture=x86_64"], tmp_path)
    build(0x3E)
    assert "built for x86_64, not arm64" in check.main(["--guided"], tmp_path)
    assert check.main(["--parameter-overrides", "RetentionDays=9 Architecture=x86_64"], tmp_path) is None


def test_this_machine_builds_what_the_check_knows():
    """The check reads real programs: the shell that runs here is one."""
    check = check_architecture()
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    with open("/bin/sh", "rb") as program:
        header = program.read(20)
    assert check.MACHINES[int.from_bytes(header[18:20], "little")] == {"aarch64": "arm64"}.get(machine, machine)
