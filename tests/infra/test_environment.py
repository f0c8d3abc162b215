"""The functions know every variable the templates set."""

import re

import pytest

import rust
import sam
from scenarios import SCENARIOS

CONFIG = "shared/edge/src"


def functions(scenario):
    resources = sam.template(scenario)["Resources"]
    return {name: entry["Properties"] for name, entry in resources.items() if entry["Type"] == "AWS::Lambda::Function"}


def known():
    """The variables the configuration reads."""
    text = "\n".join(rust.source(str(file.relative_to(rust.ROOT))) for file in (rust.ROOT / CONFIG).rglob("*config*.rs"))
    return set(re.findall(r'"([A-Z][A-Z0-9_]+)"', text))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_variable_is_known(scenario):
    for name, properties in functions(scenario).items():
        unknown = properties["Environment"]["Variables"].keys() - known()
        assert not unknown, f"{name} is given {unknown}"


def test_required_variables_are_set():
    given_by_lambda = {"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    required = set(rust.found(r'required\("([A-Z_]+)"\)', f"{CONFIG}/config.rs")) - given_by_lambda
    for properties in functions("default").values():
        assert required <= properties["Environment"]["Variables"].keys()


def test_words_are_those_of_the_code():
    text = rust.source(f"{CONFIG}/config.rs")
    words = {"EventLayout": "EVENT_LAYOUT", "Dialect": "DIALECT", "Integrity": "INTEGRITY"}
    for parameter, variable in words.items():
        listed = re.search(rf'"{variable}",\s*&\[(.*?)\]', text, re.S)[1]
        assert re.findall(r'\("(\w+)",', listed) == sam.source()["Parameters"][parameter]["AllowedValues"]


def test_no_retention_is_refused_by_the_code():
    shortest, longest = map(int, rust.found(r"\((\d+)\.\.=(\d+)\)\.contains\(days\)", f"{CONFIG}/config.rs")[0])
    parameter = sam.source()["Parameters"]["RetentionDays"]
    assert shortest <= parameter["MinValue"] and parameter["MaxValue"] <= longest
