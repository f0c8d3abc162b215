"""One form for what CloudFormation lets be written in several, and nothing of what only one of the tools writes."""

import json

# Where the code is found differs between the two, and is not part of the description.
ELSEWHERE = {
    "AWS::Lambda::Function": {"Code"},
    "AWS::StepFunctions::StateMachine": {"DefinitionS3Location"},
}
RESOURCE_DEFAULTS = {"DeletionPolicy": "Delete", "UpdateReplacePolicy": "Delete"}
DEFAULTS = {
    "AWS::IAM::ManagedPolicy": {"Path": "/"},
    "AWS::CloudWatch::Alarm": {"ActionsEnabled": "true"},
}


def resources(template: dict) -> dict:
    """The resources of a resolved template."""
    return {name: resource(entry) for name, entry in template["Resources"].items()}


def resource(entry: dict) -> dict:
    """One resource: its type, its policies on deletion, its properties."""
    kind = entry["Type"]
    properties = {
        name: value for name, value in text(entry.get("Properties", {})).items()
        if name not in ELSEWHERE.get(kind, ()) and value != DEFAULTS.get(kind, {}).get(name)
    }
    kept = {name: entry.get(name, default) for name, default in RESOURCE_DEFAULTS.items()}
    return {"Type": kind, **kept, "Properties": FORMS.get(kind, lambda same: same)(tagged(properties))}


def text(value):
    """Scalars as text: CloudFormation makes no difference between 7 and '7'."""
    if isinstance(value, dict):
        return {key: text(member) for key, member in value.items() if member not in ([], {})}
    if isinstance(value, list):
        return [text(item) for item in value]
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def tagged(properties: dict) -> dict:
    """Without the tag by which SAM marks its own."""
    tags = [tag for tag in properties.pop("Tags", []) if not tag["Key"].endswith(":createdBy")]
    return properties | ({"Tags": tags} if tags else {})


def statements(document: dict) -> list:
    """The statements of a policy, one for each action and resource, in order, without their names."""
    single = []
    for statement in document["Statement"]:
        rest = {key: value for key, value in statement.items() if key not in ("Sid", "Action", "Resource")}
        for action in listed(statement["Action"]):
            for resource_ in listed(statement.get("Resource", "")):
                single.append(rest | {"Action": action, "Resource": resource_})
    return sorted(single, key=json.dumps)


def listed(value) -> list:
    """A list, where one item may stand for itself."""
    return value if isinstance(value, list) else [value]


def _role(properties: dict) -> dict:
    inline = [statement for policy in properties.pop("Policies", []) for statement in statements(policy["PolicyDocument"])]
    trust = statements(properties.pop("AssumeRolePolicyDocument"))
    return properties | {"Trust": trust, "Permissions": sorted(inline, key=json.dumps)}


def _policy(properties: dict) -> dict:
    properties = properties | {"PolicyDocument": statements(properties["PolicyDocument"])}
    if "Roles" in properties:
        properties["Roles"] = sorted(properties["Roles"])
    return properties


def _alarm(properties: dict) -> dict:
    return properties | {"Dimensions": sorted(properties["Dimensions"], key=lambda dimension: dimension["Name"])}


def _dashboard(properties: dict) -> dict:
    widgets = json.loads(properties["DashboardBody"])["widgets"]
    shown = {widget["properties"]["title"]: widget_form(widget) for widget in widgets}
    return properties | {"DashboardBody": shown}


def widget_form(widget: dict) -> dict:
    """A graph: where it is, and what it shows. Both tools leave out what is the default."""
    lines = {}
    for metric in widget["properties"]["metrics"]:
        *path, options = metric
        namespace, name, *dimensions = path
        pairs = sorted(zip(dimensions[::2], dimensions[1::2], strict=True))
        lines[options["label"]] = [namespace, name, pairs, options.get("stat", "Average")]
    place = {key: widget[key] for key in ("type", "x", "y", "width", "height")}
    return place | {"region": widget["properties"]["region"], "lines": lines}


FORMS = {
    "AWS::IAM::Role": _role,
    "AWS::IAM::ManagedPolicy": _policy,
    "AWS::S3::BucketPolicy": _policy,
    "AWS::SQS::QueuePolicy": _policy,
    "AWS::CloudWatch::Alarm": _alarm,
    "AWS::CloudWatch::Dashboard": _dashboard,
}
