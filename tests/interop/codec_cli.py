"""The codec command line, as a shell user would pipe to it."""

import base64
import datetime
import json
import os
import subprocess


def encode(messages, *, dialect="camunda", source="messages"):
    """`codec encode`: the payload list of each message."""
    lines = _codec(["encode", "--dialect", dialect, "--from", source], messages)
    return [line["payloads"] for line in lines]


def encode_events(messages):
    """`codec encode` for messages of any size: the payload lists of each message, one for each event it takes."""
    lines = _codec(["encode"], messages)
    return [
        [event["payload"] for event in line["events"]] if "events" in line else [line["payloads"]] for line in lines
    ]


def decode(events, *, to="messages", strict=False):
    """`codec decode`: one answer (messages or prompt, and notes) for each event."""
    return _codec(["decode", "--to", to, *(["--strict"] if strict else [])], events)


def decoded_messages(events, *, to="messages", strict=False):
    """The messages of all events, which must be given oldest first."""
    return [message for answer in decode(events, to=to, strict=strict) for message in answer["messages"]]


def run(arguments, text):
    """The raw command, for tests that look at errors and exit codes."""
    return subprocess.run(
        [os.environ["COLLOQUY_CODEC"], *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def _codec(arguments, values):
    text = "".join(json.dumps(value, default=_json_of_boto) + "\n" for value in values)
    done = run(arguments, text)
    assert done.returncode == 0, f"codec {arguments} failed: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    lines = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(lines) == len(values), "one line out for each line in"
    return lines


def _json_of_boto(value):
    """What boto3 gives that JSON has not: times (printed as the AWS command line does) and bytes."""
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return {"__bytes_encoded__": True, "data": base64.b64encode(value).decode()}
    raise TypeError(type(value).__name__)
