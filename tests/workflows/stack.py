"""ministack, started as a program, with what it lacks for these workflows and the real service has.

- The integration with Bedrock's Converse: members named as Step Functions names them, refused when they are not
  the model's own, the call forwarded to BEDROCK_URL, errors under the names a workflow sees.
- The limit of 256 KiB on what a task takes and gives and on what a variable holds.
- Assignments of one state that do not see each other.

It also keeps every expression it evaluates, with what went in and what came out, in EXPRESSIONS_FILE.
"""

import json
import os
import urllib.error
import urllib.parse
import urllib.request

import botocore.session
from botocore.validate import validate_parameters
from ministack import app
from ministack.services import stepfunctions

LIMIT_BYTES = 256 * 1024

_CONVERSE = botocore.session.get_session().get_service_model("bedrock-runtime").operation_model("Converse")


def converse(_resource, arguments):
    """The task `arn:aws:states:::aws-sdk:bedrockruntime:converse`."""
    body = _to_wire(arguments, _CONVERSE.input_shape, "")
    validate_parameters(body, _CONVERSE.input_shape)
    model = urllib.parse.quote(body.pop("modelId"), safe="")
    request = urllib.request.Request(
        f"{os.environ['BEDROCK_URL']}/model/{model}/converse",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return _to_sdk(json.load(answer), _CONVERSE.output_shape)
    except urllib.error.HTTPError as refused:
        message = json.loads(refused.read() or b"{}").get("message", "")
        name = refused.headers["x-amzn-errortype"].split(":")[0]
        cause = f"{message} (Service: BedrockRuntime, Status Code: {refused.code}, Request ID: none)"
        raise stepfunctions._ExecutionError(f"BedrockRuntime.{name}", cause) from None
    except OSError as unreachable:
        raise stepfunctions._ExecutionError("BedrockRuntime.SdkClientException", str(unreachable)) from None


def _sdk_name(member):
    return member[0].upper() + member[1:]


def _to_wire(value, shape, path):
    if getattr(shape, "is_document_type", False):
        return value
    if shape.type_name == "structure":
        members = {_sdk_name(name): name for name in shape.members}
        unknown = set(value) - set(members)
        if unknown:
            raise stepfunctions._ExecutionError("States.Runtime", f"unknown members {sorted(unknown)} at {path or '/'}")
        return {
            members[key]: _to_wire(item, shape.members[members[key]], f"{path}/{key}") for key, item in value.items()
        }
    if shape.type_name == "list":
        return [_to_wire(item, shape.member, f"{path}/{index}") for index, item in enumerate(value)]
    return value


def _to_sdk(value, shape):
    if getattr(shape, "is_document_type", False):
        return value
    if shape.type_name == "structure":
        return {_sdk_name(key): _to_sdk(item, shape.members[key]) for key, item in value.items()}
    if shape.type_name == "list":
        return [_to_sdk(item, shape.member) for item in value]
    return value


def _within_limit(value, what):
    size = len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())
    if size > LIMIT_BYTES:
        raise stepfunctions._ExecutionError("States.DataLimitExceeded", f"{what} has {size} bytes")
    return value


def _limited(invoke):
    def invoke_within_limit(resource, arguments):
        _within_limit(arguments, f"the input of {resource}")
        return _within_limit(invoke(resource, arguments), f"the result of {resource}")

    return invoke_within_limit


def _assign(state, given, context, result=None, error_output=None):
    assignments = state.get("Assign") or {}
    values = stepfunctions._apply_jsonata_template(assignments, given, context, result=result, error_output=error_output)
    _within_limit(values, "what a state assigns")
    context.setdefault("variables", {}).update(values)


def _recorded(evaluate):
    file = open(os.environ["EXPRESSIONS_FILE"], "a")

    def evaluate_and_record(expression, given, context=None, result=None, error_output=None):
        context = context or {}
        states = {"input": given, "result": result, "errorOutput": error_output, "context": context}
        bindings = {**context.get("variables", {}), "states": states}
        line = {"expression": expression, "bindings": bindings}
        value = evaluate(expression, given, context, result, error_output)
        # One write a line, since branches of a map run side by side.
        file.write(json.dumps({**line, "value": value}, default=str) + "\n")
        file.flush()
        return value

    return evaluate_and_record


if __name__ == "__main__":
    stepfunctions._evaluate_jsonata = _recorded(stepfunctions._evaluate_jsonata)
    stepfunctions._SERVICE_DISPATCH["arn:aws:states:::aws-sdk:bedrockruntime:converse"] = converse
    stepfunctions._invoke_resource = _limited(stepfunctions._invoke_resource)
    stepfunctions._apply_state_assign = _assign
    app.main()
