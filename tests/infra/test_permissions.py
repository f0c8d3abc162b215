"""Each role holds what the code behind it calls, and nothing else."""

import pytest

import canon
import rust
import sam
from scenarios import SCENARIOS

# What cannot be granted on less than everything: traces, and for workflows the delivery of logs.
WITHOUT_RESOURCE = {"xray:", "logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery",
                    "logs:DeleteLogDelivery", "logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:Describe"}
# What names a thing of which only the beginning is known.
PREFIXES = {"${ClaimCheckBucket.Arn}/*"}


def policies(scenario):
    """The statements of every role and policy, by resource."""
    for name, entry in canon.resources(sam.template(scenario)).items():
        if entry["Type"] == "AWS::IAM::Role":
            yield name, entry["Properties"]["Permissions"]
        elif entry["Type"] == "AWS::IAM::ManagedPolicy":
            yield name, entry["Properties"]["PolicyDocument"]


def actions(role, service, scenario="everything"):
    granted = dict(policies(scenario))[role]
    return {statement["Action"] for statement in granted if statement["Action"].startswith(f"{service}:")}


def called(path, service):
    """The operations an adapter calls, as actions."""
    operations = rust.found(r"\.client\s*\.(\w+)\(\)", path)
    return {f"{service}:{''.join(word.capitalize() for word in operation.split('_'))}" for operation in operations}


def transaction():
    """The writes transactions are made of; IAM checks these and not the transaction."""
    kinds = set(rust.found(r"\b(Put|Update|Delete|ConditionCheck)::builder\(\)", "shared/dynamodb/src"))
    names = {"ConditionCheck": "ConditionCheckItem"}
    return {f"dynamodb:{names.get(kind, f'{kind}Item')}" for kind in kinds}


def test_the_functions_may_do_what_the_adapters_call():
    roles = ("LoadRole", "StoreRole", "SummarizeRole")
    granted = set().union(*(actions(role, "dynamodb") for role in roles))
    called_ = called("shared/dynamodb/src/context_table.rs", "dynamodb") - {"dynamodb:TransactWriteItems"}
    assert granted == called_ | transaction()
    granted = set().union(*(actions(role, "bedrock-agentcore") for role in roles))
    assert granted == called("shared/agentcore/src", "bedrock-agentcore")


def test_load_only_reads():
    assert actions("LoadRole", "bedrock-agentcore") == {"bedrock-agentcore:ListEvents"}
    assert actions("LoadRole", "dynamodb") == {"dynamodb:Query"}
    assert actions("LoadRole", "bedrock") == set()
    assert actions("LoadRole", "s3") == {"s3:PutObject"}
    assert actions("LoadRole", "s3", "existing-memory") == set()


def test_only_store_writes_events():
    assert actions("StoreRole", "bedrock-agentcore") == {
        "bedrock-agentcore:ListEvents", "bedrock-agentcore:CreateEvent", "bedrock-agentcore:DeleteEvent",
    }
    assert actions("SummarizeRole", "bedrock-agentcore") == {"bedrock-agentcore:ListEvents"}


def test_only_the_configured_models_are_invoked():
    def models(scenario, role):
        granted = dict(policies(scenario)).get(role, [])
        return {statement["Resource"] for statement in granted if statement["Action"] == "bedrock:InvokeModel"}

    own = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/amazon.nova-%s-v1:0"
    assert models("everything", "SummarizeRole") == {own % "lite", own % "micro"}
    assert models("everything", "AgentTurnRole") == {own % "lite"}
    assert models("existing-memory", "SummarizeRole") == set(SCENARIOS["existing-memory"]["ModelArns"].split(","))
    assert models("default", "SummarizeRole") == set()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_there_are_no_wildcards(scenario):
    for name, statements in policies(scenario):
        for statement in statements:
            action, resource = statement["Action"], statement["Resource"]
            assert "*" not in action, f"{name}: {action}"
            if resource == "*":
                assert action.startswith(tuple(WITHOUT_RESOURCE)), f"{name}: {action} on everything"
            elif "*" in resource:
                assert resource in PREFIXES, f"{name}: {action} on {resource}"


def test_an_actor_role_reaches_one_actor():
    granted = dict(policies("everything"))["ActorRole"]
    tag = "${aws:PrincipalTag/actorId}"
    for statement in granted:
        condition = statement["Condition"]
        if statement["Action"].startswith("bedrock-agentcore:"):
            assert condition == {"StringEquals": {"bedrock-agentcore:actorId": tag}}
        else:
            # As the partition keys are made: the memory, a separator, the actor.
            assert rust.found(r'"\{\}(#)\{\}",\s*escape\(&conversation\.memory\)', "shared/dynamodb/src/key.rs") == ["#"]
            assert condition == {
                "Null": {"dynamodb:LeadingKeys": "false"},
                "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": f"${{Memory.MemoryId}}#{tag}"},
            }
