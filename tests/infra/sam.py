"""The SAM template, as CloudFormation gets it once the transform has run."""

import copy
import functools

import boto3
from samcli.yamlhelper import yaml_parse
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

import resolve
from scenarios import ROOT, SCENARIOS

TEMPLATE = ROOT / "infra/sam/template.yaml"


@functools.cache
def source() -> dict:
    """The template as it is written."""
    return yaml_parse(TEMPLATE.read_text())


@functools.cache
def template(scenario: str) -> dict:
    """The template with a scenario's parameters, every condition and intrinsic function worked out."""
    parameters = {name: str(parameter["Default"]) for name, parameter in source()["Parameters"].items()}
    parameters |= SCENARIOS[scenario]
    return resolve.template(transformed(parameters), parameters)


def transformed(parameters: dict[str, str]) -> dict:
    """What the SAM transform makes of the template. Code and definitions are elsewhere by then."""
    fragment = copy.deepcopy(source())
    for resource in fragment["Resources"].values():
        for name in ("CodeUri", "DefinitionUri"):
            if name in resource["Properties"]:
                resource["Properties"][name] = "s3://packaged/" + resource["Properties"][name].split("/")[-1]
    session = boto3.Session(region_name="eu-central-1")
    translator = Translator(managed_policy_map={}, sam_parser=Parser(), boto_session=session)
    # Parameters stay unresolved here: conditions on them are worked out afterwards, all at once.
    return translator.translate(fragment, {})
