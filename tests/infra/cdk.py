"""The CDK app, synthesized. Nothing is built: the functions' code is not part of what is compared."""

import csv
import functools
import json
import os
import subprocess
from pathlib import Path

import resolve
from scenarios import ROOT, SCENARIOS

APP = ROOT / "infra/cdk"
OUT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "infra/cdk"


@functools.cache
def directory(scenario: str) -> Path:
    """The cloud assembly of a scenario; `run` has compiled the app."""
    out = OUT / scenario
    context = {"build": "false"} | SCENARIOS[scenario]
    environment = os.environ | {
        "CDK_OUTDIR": str(out),
        "CDK_CONTEXT_JSON": json.dumps(context),
        "JSII_SILENCE_WARNING_UNTESTED_NODE_VERSION": "1",
    }
    subprocess.run(["node", "dist/bin/colloquy.js"], cwd=APP, env=environment, check=True)
    return out


@functools.cache
def template(scenario: str) -> dict:
    """The template of a scenario, every intrinsic function worked out."""
    synthesized = json.loads((directory(scenario) / "colloquy.template.json").read_text())
    return resolve.template(synthesized)


def findings(scenario: str) -> list[dict[str, str]]:
    """What cdk-nag says, rule by rule and resource by resource."""
    with (directory(scenario) / "AwsSolutions-colloquy-NagReport.csv").open() as report:
        return list(csv.DictReader(report))


def defaults() -> dict:
    """The settings' defaults, under the names of the SAM parameters."""
    program = "console.log(JSON.stringify(require('./dist/lib/settings').DEFAULTS))"
    answer = subprocess.run(["node", "-e", program], cwd=APP, check=True, capture_output=True, text=True)
    return {name[0].upper() + name[1:]: value for name, value in json.loads(answer.stdout).items()}
