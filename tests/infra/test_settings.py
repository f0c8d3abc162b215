"""What may be set, and what is refused."""

import json
import re
import subprocess

import pytest

import cdk
import resolve
import sam
from scenarios import ROOT, SCENARIOS

REFUSED = {
    "a packed seed turn": {"Dialect": "seed", "EventLayout": "turn"},
    "tokens for nobody": {"JwtIssuer": "https://issuer.example"},
    "a fallback for no model": {"FallbackModelId": "amazon.nova-micro-v1:0"},
    "a guardrail for no model": {"GuardrailId": "abc123"},
    "too short a retention": {"RetentionDays": "6"},
    "too long a retention": {"RetentionDays": "366"},
    "an unknown layout": {"EventLayout": "page"},
    "an unknown processor": {"Architecture": "riscv"},
}


def refusals(settings):
    """Why CloudFormation would refuse the parameters, by their constraints and by the rules."""
    parameters = sam.source()["Parameters"]
    values = {name: str(parameter["Default"]) for name, parameter in parameters.items()} | settings
    reasons = [name for name in values if not allowed(parameters[name], values[name])]
    return reasons + resolve.refusals(sam.source(), values)


def allowed(parameter, value):
    if parameter["Type"] == "Number":
        return parameter.get("MinValue", -1) <= int(value) <= parameter.get("MaxValue", int(value))
    words = parameter.get("AllowedValues")
    return (words is None or value in words) and re.fullmatch(parameter.get("AllowedPattern", "(?s).*"), value)


def read_by_the_cdk(settings):
    program = "const given = JSON.parse(process.argv[1]); require('./dist/lib/settings').fromContext((key) => given[key])"
    command = ["node", "-e", program, json.dumps(settings)]
    return subprocess.run(command, cwd=cdk.APP, capture_output=True, text=True)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenarios_are_allowed(scenario):
    assert refusals(SCENARIOS[scenario]) == []


@pytest.mark.parametrize("settings", REFUSED.values(), ids=REFUSED)
def test_mistakes_are_refused_by_both(settings):
    assert refusals(settings)
    answer = read_by_the_cdk(settings)
    assert answer.returncode != 0
    assert re.search(r"Error: \w+ .*(must be|needs)", answer.stderr), answer.stderr


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_finding_of_cdk_nag_is_settled(scenario):
    findings = cdk.findings(scenario)
    assert {finding["Compliance"] for finding in findings} >= {"Compliant", "Suppressed"}
    for finding in findings:
        assert finding["Compliance"] in ("Compliant", "Suppressed", "N/A"), finding
        assert finding["Compliance"] != "Suppressed" or len(finding["Exception Reason"]) > 20, finding


def test_every_check_left_out_has_its_reason():
    lines = (ROOT / "infra/checkov.yaml").read_text().splitlines()
    left_out = [index for index, line in enumerate(lines) if line.startswith("  - CKV")]
    assert left_out
    for index in left_out:
        assert lines[index - 1].startswith("  # "), lines[index]
