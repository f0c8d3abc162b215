"""SAM and CDK describe one system."""

import copy

import pytest

import canon
import cdk
import sam
from difference import differences
from scenarios import SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_resources_are_the_same(scenario):
    found = differences(canon.resources(sam.template(scenario)), canon.resources(cdk.template(scenario)))
    assert not found, "\n".join(["SAM (first) and CDK (second) differ:", *found])


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_outputs_are_the_same(scenario):
    def values(template):
        return {name: (output["Value"], output["Description"]) for name, output in template["Outputs"].items()}

    assert values(sam.template(scenario)) == values(cdk.template(scenario))


def test_settings_have_the_same_names_and_defaults():
    def text(value):
        return ",".join(value) if isinstance(value, list) else canon.text(value)

    parameters = {name: text(parameter["Default"]) for name, parameter in sam.source()["Parameters"].items()}
    assert parameters == {name: text(value) for name, value in cdk.defaults().items()}


def test_every_setting_is_changed_in_some_scenario():
    changed = {name for settings in SCENARIOS.values() for name in settings}
    assert changed == sam.source()["Parameters"].keys()


def _environment(resources):
    resources["StoreFunction"]["Properties"]["Environment"]["Variables"]["DIALECT"] = "seed"


def _timeout(resources):
    resources["SummarizeFunction"]["Properties"]["Timeout"] = 121


def _permission(resources):
    policy, = resources["LoadRole"]["Properties"]["Policies"]
    policy["PolicyDocument"]["Statement"][1]["Action"] = ["dynamodb:Query", "dynamodb:PutItem"]


def _condition(resources):
    policy, = resources["ActorRole"]["Properties"]["Policies"]
    del policy["PolicyDocument"]["Statement"][1]["Condition"]["Null"]


def _trust(resources):
    statement, = resources["AgentTurnRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    del statement["Condition"]


def _key_roles(resources):
    resources["DataKeyPolicy"]["Properties"]["Roles"].pop()


def _route(resources):
    resources["StoreRoute"]["Properties"]["RouteKey"] = "PUT /v1/actors/{actorId}/sessions/{sessionId}/messages"


def _authorization(resources):
    resources["LoadRoute"]["Properties"]["AuthorizationType"] = "NONE"


def _table(resources):
    resources["ContextTable"]["Properties"]["TimeToLiveSpecification"]["AttributeName"] = "ttl"


def _retention(resources):
    resources["ContextTable"]["DeletionPolicy"] = "Delete"


def _memory(resources):
    resources["Memory"]["Properties"]["EventExpiryDuration"] = 8


def _strategy(resources):
    resources["Memory"]["Properties"]["MemoryStrategies"].pop()


def _bucket(resources):
    resources["ClaimCheckBucket"]["Properties"]["PublicAccessBlockConfiguration"]["BlockPublicAcls"] = False


def _alarm(resources):
    resources["LoadLatencyAlarm"]["Properties"]["Threshold"] = 2000


def _alarm_gone(resources):
    del resources["StoreIntegrityAlarm"]


def _graph(resources):
    dashboard = resources["Dashboard"]["Properties"]
    dashboard["DashboardBody"] = dashboard["DashboardBody"].replace("Conflicts", "Conflict")


def _substitution(resources):
    del resources["NightlySummarize"]["Properties"]["DefinitionSubstitutions"]["MemoryId"]


MUTATIONS = [
    _environment, _timeout, _permission, _condition, _trust, _key_roles, _route, _authorization, _table, _retention,
    _memory, _strategy, _bucket, _alarm, _alarm_gone, _graph, _substitution,
]


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__.strip("_"))
@pytest.mark.parametrize("side", [sam, cdk], ids=["sam", "cdk"])
def test_a_difference_is_noticed(side, mutate):
    """The comparison is only worth something if it can fail, whichever side drifts."""
    template = side.template("everything")
    changed = copy.deepcopy(template)
    mutate(changed["Resources"])
    assert differences(canon.resources(template), canon.resources(changed))
