"""A chat front end's own function: a turn for the user whom API Gateway verified, told by chat-turn.

It stands where a deployment may also let API Gateway start the workflow itself, which ministack cannot.
"""

import json
import os

import boto3
from botocore.config import Config


def handler(event, _context):
    # The API's own prefix of this call's host would lead away from loopback.
    config = Config(inject_host_prefix=False)
    states = boto3.client("stepfunctions", endpoint_url=os.environ["STACK_URL"], region_name="us-east-1", config=config)
    user = event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"]
    turn = {**json.loads(event["body"]), "actorId": user, "sessionId": event["pathParameters"]["sessionId"]}
    done = states.start_sync_execution(stateMachineArn=os.environ["CHAT_TURN"], input=json.dumps(turn))
    if done["status"] != "SUCCEEDED":
        return {"statusCode": 502, "body": json.dumps({"error": done.get("error"), "cause": done.get("cause")})}
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": done["output"]}
