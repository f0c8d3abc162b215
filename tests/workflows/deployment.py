"""The service as a deployment has it, on ministack: table, functions from their zips, workflows from their files."""

import functools
import io
import json
import os
import pathlib
import subprocess
import tempfile
import time
import uuid
import zipfile

MEMORY = "local-0000000000"
TABLE = "context"
ROLE = "arn:aws:iam::000000000000:role/any"
MODEL = "anthropic.claude-sonnet-4-5-20250929-v1:0"
WORKFLOWS = pathlib.Path(__file__).parents[2] / "infra" / "workflows"
TOOLS = pathlib.Path(__file__).parent / "tools"
FRONT_END = pathlib.Path(__file__).parent / "front_end.py"


class Deployment:
    """Everything that is deployed once, and calls to it."""

    def __init__(self, stack, emulator):
        self.stack, self.emulator = stack, emulator
        self.lambdas, self.states = stack.client("lambda"), stack.client("stepfunctions")
        self.dynamodb = stack.client("dynamodb")
        create_table(self.dynamodb, TABLE)
        self.functions = {name: self._function(name) for name in ("load", "store", "summarize")}
        self.tools = {path.stem: self._tool(path) for path in sorted(TOOLS.glob("*.py"))}
        self.workflows = {path.name.split(".")[0]: self._workflow(path) for path in sorted(WORKFLOWS.glob("*.asl.json"))}

    def front_end(self):
        """The function of a chat front end, which starts chat-turn and waits for it."""
        variables = {"STACK_URL": self.stack.url, "CHAT_TURN": self.workflows["chat-turn"]}
        return self._python(FRONT_END, variables)

    def invoke(self, function, payload):
        """The answer of a function called directly."""
        answer = self.lambdas.invoke(FunctionName=self.functions[function], Payload=json.dumps(payload).encode())
        body = json.loads(answer["Payload"].read())
        assert "FunctionError" not in answer, body
        return body

    def start(self, workflow, given):
        """Begins an execution; its ARN."""
        started = self.states.start_execution(stateMachineArn=self.workflows[workflow], input=json.dumps(given))
        return started["executionArn"]

    def finish(self, execution):
        """What an execution came to, once it ended."""
        describe = functools.partial(self.states.describe_execution, executionArn=execution)
        self.wait_for(lambda: describe()["status"] != "RUNNING")
        return describe()

    def wait_for(self, holds, seconds=90):
        """Waits until something holds, which it has to."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, "it did not come true"
            time.sleep(0.05)

    def run(self, workflow, given):
        """The output of an execution, which has to succeed."""
        described = self.finish(self.start(workflow, given))
        assert described["status"] == "SUCCEEDED", {key: described.get(key) for key in ("status", "error", "cause")}
        return json.loads(described["output"])

    def chat(self, given):
        """The output of chat-turn, waited for by the call itself."""
        done = self.states.start_sync_execution(stateMachineArn=self.workflows["chat-turn"], input=json.dumps(given))
        assert done["status"] == "SUCCEEDED", {key: done.get(key) for key in ("status", "error", "cause")}
        return json.loads(done["output"])

    def events(self, execution):
        """The history of an execution, oldest first."""
        pages = self.states.get_paginator("get_execution_history").paginate(executionArn=execution)
        return [event for page in pages for event in page["events"]]

    def new_conversation(self):
        """A conversation nobody has used."""
        return {"actorId": f"actor-{uuid.uuid4().hex[:8]}", "sessionId": f"session-{uuid.uuid4().hex[:8]}"}

    def messages(self, conversation, **more):
        """All messages of a conversation, as the model would get them."""
        wanted = {**conversation, "format": "converse", "window": "none", "maxBytes": 6_000_000, **more}
        return self.invoke("load", wanted)["messages"]

    def tool(self, name, description="A tool."):
        """A tool as agent-turn takes it."""
        schema = {"type": "object", "properties": {}}
        return {"name": name, "description": description, "inputSchema": schema, "functionArn": self.tools[name]}

    def _function(self, name):
        variables = {
            "MEMORY_ID": MEMORY,
            "CONTEXT_TABLE": TABLE,
            "ALLOW_ENDPOINT_OVERRIDE": "1",
            "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE": self.emulator.url,
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.emulator.url,
            "AWS_ENDPOINT_URL_DYNAMODB": self.stack.url,
            # Small, so that a conversation need not be long to be too long.
            "CONTEXT_WINDOW_TOKENS": "20000",
        }
        if name == "summarize":
            variables["MODEL_ID"] = MODEL
        return self._create(name, "provided.al2023", "bootstrap", {"bootstrap": stripped(name)}, variables)

    def _tool(self, path):
        return self._python(path, {"STACK_URL": self.stack.url, "STORE_FUNCTION": "store"})

    def _python(self, path, variables):
        return self._create(path.stem, "python3.12", f"{path.stem}.handler", {path.name: path.read_bytes()}, variables)

    def _create(self, name, runtime, handler, files, variables):
        created = self.lambdas.create_function(
            FunctionName=name,
            Runtime=runtime,
            Handler=handler,
            Role=ROLE,
            Code={"ZipFile": zipped(files)},
            Environment={"Variables": variables},
            Timeout=8,
            MemorySize=256,
        )
        return created["FunctionArn"]

    def _workflow(self, path):
        name = path.name.split(".")[0]
        created = self.states.create_state_machine(
            name=name,
            definition=self.filled(path.read_text()),
            roleArn=ROLE,
            # Who talks to a chat waits for the answer.
            type="EXPRESS" if name == "chat-turn" else "STANDARD",
        )
        return created["stateMachineArn"]

    def filled(self, definition):
        """A definition with its placeholders filled, as SAM and CDK do it."""
        values = {f"{name.capitalize()}FunctionArn": arn for name, arn in self.functions.items()}
        values |= {"ModelId": MODEL, "ContextTable": TABLE, "MemoryId": MEMORY}
        for name, value in values.items():
            definition = definition.replace("${" + name + "}", value)
        assert "${" not in definition, "a placeholder nobody fills"
        return definition


def create_table(dynamodb, name):
    """The context table as the templates describe it."""
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    dynamodb.update_time_to_live(
        TableName=name, TimeToLiveSpecification={"AttributeName": "expires", "Enabled": True}
    )


def stripped(name):
    """A function's binary without what only a debugger reads, which is most of it."""
    with tempfile.NamedTemporaryFile() as file:
        binary = pathlib.Path(os.environ["COLLOQUY_BINARIES"], name)
        subprocess.run(["strip", "-o", file.name, binary], check=True)
        return pathlib.Path(file.name).read_bytes()


def zipped(files):
    """A zip whose files may be executed. It is not compressed, which would take longer than all else."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
