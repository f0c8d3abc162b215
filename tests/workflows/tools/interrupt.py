"""A tool that runs while someone else writes to the same conversation: here it is the one who does."""

import json
import os

import boto3


def handler(event, _context):
    lambdas = boto3.client("lambda", endpoint_url=os.environ["STACK_URL"], region_name="us-east-1")
    text = {"text": event["input"]["says"]}
    turn = {
        "actorId": event["actorId"],
        "sessionId": event["sessionId"],
        "format": "converse",
        "messages": [
            {"role": "user", "content": [text]},
            {"role": "assistant", "content": [{"text": "Noted."}]},
        ],
    }
    answer = lambdas.invoke(FunctionName=os.environ["STORE_FUNCTION"], Payload=json.dumps(turn).encode())
    stored = json.loads(answer["Payload"].read())
    return f"{stored['stored']} messages of someone else"
