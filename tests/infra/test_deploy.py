"""`sam deploy` as the guide says it, against a CloudFormation that runs here (ministack). What counts is what is there
afterwards. It knows no AgentCore memory as a resource, so one that exists is given; and it leaves out the expiry of the
table and of the bucket, and deletes what should be retained, so these are checked on the template alone."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile

import boto3
import botocore.config
import pytest

import rust
from scenarios import ROOT

PARAMETERS = {
    "ExistingMemoryId": "shared-a1b2c3d4e5",
    "RetentionDays": "30",
    "ModelId": "amazon.nova-lite-v1:0",
    "JwtIssuer": "https://issuer.example",
    "JwtAudience": "web",
    "NightlyTime": "'rate(1 day)'",
}


class Account:
    """An AWS account on loopback, with the stack in it."""

    def __init__(self, endpoint, folder):
        self.folder = folder
        self.environment = os.environ | {
            "AWS_ENDPOINT_URL": endpoint, "AWS_DEFAULT_REGION": "eu-central-1", "SAM_CLI_TELEMETRY": "0",
            "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
        }
        self.session = boto3.Session("test", "test", region_name="eu-central-1")
        self.endpoint = endpoint

    def client(self, service):
        config = botocore.config.Config(proxies={}, s3={"addressing_style": "path"})
        return self.session.client(service, endpoint_url=self.endpoint, config=config)

    def sam(self, *arguments):
        command = [os.path.join(os.path.dirname(sys.executable), "sam"), *arguments]
        answer = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=240,
        )
        assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-3000:]

    def outputs(self):
        stack, = self.client("cloudformation").describe_stacks(StackName="colloquy")["Stacks"]
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


@pytest.fixture(scope="module")
def endpoint():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"GATEWAY_PORT": str(port)}
    with subprocess.Popen(
        [sys.executable, "-m", "ministack"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            await_answer(process, address)
            yield address
        finally:
            process.terminate()


def await_answer(process, address):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(600):
        assert process.poll() is None, "ministack ended"
        try:
            opener.open(f"{address}/_ministack/health", timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("ministack does not answer")


@pytest.fixture(scope="module")
def account(endpoint, tmp_path_factory):
    """The stack, deployed from a copy of infra/ beside which there are zips, as `just build-functions` leaves them."""
    root = tmp_path_factory.mktemp("project")
    for part in ("sam", "workflows"):
        shutil.copytree(ROOT / "infra" / part, root / "infra" / part, ignore=shutil.ignore_patterns(".aws-sam"))
    for function in ("load", "store", "summarize"):
        folder = root / "target/lambda" / function
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / "bootstrap.zip", "w") as archive:
            archive.writestr("bootstrap", "#!/bin/sh\n")
    deployed = Account(endpoint, root / "infra/sam")
    settings = [f"{name}={value}" for name, value in PARAMETERS.items()]
    deployed.sam("deploy", "--no-confirm-changeset", "--parameter-overrides", *settings)
    return deployed


def test_functions_are_there_with_their_environment(account):
    outputs = account.outputs()
    functions = account.client("lambda")
    for name in ("load", "store", "summarize"):
        function = functions.get_function_configuration(FunctionName=f"colloquy-{name}")
        variables = function["Environment"]["Variables"]
        assert (function["Runtime"], function["Architectures"]) == ("provided.al2023", ["arm64"])
        assert variables["CONTEXT_TABLE"] == outputs["ContextTable"]
        assert variables["MEMORY_ID"] == PARAMETERS["ExistingMemoryId"] == outputs["MemoryId"]
        assert (variables["RETENTION_DAYS"], variables["ACTOR_CLAIM"]) == ("30", "sub")


def test_the_table_has_the_keys_of_the_code(account):
    path = "shared/dynamodb/src/table.rs"
    table = account.client("dynamodb").describe_table(TableName=account.outputs()["ContextTable"])["Table"]
    keys = {key["KeyType"]: key["AttributeName"] for key in table["KeySchema"]}
    assert keys == {"HASH": rust.constant("PARTITION_KEY", path), "RANGE": rust.constant("SORT_KEY", path)}
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_routes_ask_for_tokens(account):
    apis = account.client("apigatewayv2")
    api, = [api for api in apis.get_apis()["Items"] if api["Name"] == "colloquy"]
    routes = apis.get_routes(ApiId=api["ApiId"])["Items"]
    assert len(routes) == 3
    assert {route["AuthorizationType"] for route in routes} == {"JWT"}


def test_workflows_have_no_placeholder_left(account):
    outputs, states = account.outputs(), account.client("stepfunctions")
    functions = account.client("lambda")
    load = functions.get_function_configuration(FunctionName="colloquy-load")["FunctionArn"]
    for name in ("ChatTurn", "AgentTurn", "NightlySummarize"):
        definition = states.describe_state_machine(stateMachineArn=outputs[name])["definition"]
        assert "${" not in definition
        assert json.loads(definition)["StartAt"]
        assert (load in definition) == (name != "NightlySummarize")


def test_the_night_has_its_clock(account):
    schedule, = account.client("scheduler").list_schedules()["Schedules"]
    assert schedule["Target"]["Arn"] == account.outputs()["NightlySummarize"]


def test_alarms_watch_what_was_deployed(account):
    alarms = account.client("cloudwatch").describe_alarms(MaxRecords=100)["MetricAlarms"]
    watched = {dimension["Value"] for alarm in alarms for dimension in alarm["Dimensions"]}
    outputs = account.outputs()
    assert {outputs[name] for name in ("LoadFunction", "StoreFunction", "SummarizeFunction", "ContextTable")} <= watched
    assert {outputs[name] for name in ("ChatTurn", "AgentTurn", "NightlySummarize")} <= watched
