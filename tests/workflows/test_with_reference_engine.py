"""Expressions mean the same to the engine ministack has and to the reference, whose version Step Functions follows."""

import json
import os
import pathlib
import subprocess

from model import call

REFERENCE = pathlib.Path(__file__).with_name("reference.js")


def test_every_expression_evaluated_so_far_has_the_same_value(deployment, model, conversation):
    model.answers([{"text": "Let me see."}, call("t1", "clock"), call("t2", "broken")], "Done.", "Hello.")
    deployment.run("agent-turn", {**conversation, "prompt": "Go", "tools": [deployment.tool("clock"), deployment.tool("broken")]})
    deployment.chat({**conversation, "prompt": "Hello"})
    differing, count = replay(deployment.stack.expressions)
    assert differing == []
    assert count > 50


def test_a_difference_would_be_noticed(tmp_path):
    file = tmp_path / "expressions.jsonl"
    lines = [("1 + 1", 2), ("[1..3][$ > 1]", [2, 3]), ("$hash('a', 'MD5')", "not that"), ("$nothing", None)]
    file.write_text("".join(json.dumps({"expression": text, "bindings": {}, "value": value}) + "\n" for text, value in lines))
    differing, count = replay(file)
    assert ([difference["expression"] for difference in differing], count) == (["$hash('a', 'MD5')", "$nothing"], 4)


def replay(file):
    environment = {**os.environ, "NODE_PATH": os.environ["COLLOQUY_NODE_MODULES"]}
    done = subprocess.run(
        ["node", str(REFERENCE), str(file)], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    *differing, count = [json.loads(line) for line in done.stdout.splitlines()]
    return differing, count
