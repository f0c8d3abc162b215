"""boto3: what the service refuses, by exception class, and that a refusal stores nothing."""

import pytest
from botocore.exceptions import ClientError

from conversation import Conversation, at, say

BASE = {"actorId": "actor-1", "sessionId": "session-1", "payload": [say("hello")]}
TAG = {"stringValue": "v"}


@pytest.fixture
def raw(unchecked, memory):
    """Calls CreateEvent with one or more members replaced, past boto3's own checks."""

    def create(**changes):
        request = {"memoryId": memory["id"], "eventTimestamp": at(0), **BASE, **changes}
        return unchecked.create_event(**{key: value for key, value in request.items() if value is not None})

    return create


REFUSED = {
    "empty text": {"payload": [say("")]},
    "text over 100 000 characters": {"payload": [say("x" * 100_001)]},
    "101 items": {"payload": [say("x")] * 101},
    "unknown role": {"payload": [say("x", "SYSTEM")]},
    "actor with @": {"actorId": "a@b"},
    "actor with a space": {"actorId": "a b"},
    "actor with a double colon": {"actorId": "a::b"},
    "actor of 256 characters": {"actorId": "a" * 256},
    "empty actor": {"actorId": ""},
    "no actor": {"actorId": None},
    "no payload": {"payload": None},
    "no timestamp": {"eventTimestamp": None},
    "session with |": {"sessionId": "a|b"},
    "session with a slash": {"sessionId": "a/b"},
    "session of 101 characters": {"sessionId": "a" * 101},
    "session beginning with a dash": {"sessionId": "-a"},
    "16 metadata pairs": {"metadata": {f"k{number}": TAG for number in range(16)}},
    "metadata value with a brace": {"metadata": {"k": {"stringValue": "{}"}}},
    "metadata value of 257 characters": {"metadata": {"k": {"stringValue": "v" * 257}}},
    "metadata key of 129 characters": {"metadata": {"k" * 129: TAG}},
    "metadata key with a hash": {"metadata": {"#": TAG}},
    "branch name with a dot": {"branch": {"name": "a.b", "rootEventId": "1#a"}},
    "root that is no event id": {"branch": {"name": "b", "rootEventId": "nonsense"}},
    "unknown extraction mode": {"extractionMode": "NEVER"},
    "malformed memory id": {"memoryId": "short_name-123"},
}


@pytest.mark.parametrize("changes", REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_a_validation_exception_and_stores_nothing(raw, unchecked, data, memory, changes):
    with pytest.raises(unchecked.exceptions.ValidationException) as refused:
        raw(**changes)
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert refused.value.response["Error"]["Message"]
    assert data.list_actors(memoryId=memory["id"])["actorSummaries"] == []


ACCEPTED = {
    "text of 100 000 characters": {"payload": [say("x" * 100_000)]},
    "100 000 astral characters": {"payload": [say("🙂" * 100_000)]},
    "blank text": {"payload": [say(" ")]},
    "15 metadata pairs": {"metadata": {f"k{number}": TAG for number in range(15)}},
    "metadata at its longest": {"metadata": {"k" * 128: {"stringValue": "v" * 256}}},
    "empty metadata value": {"metadata": {"k": {"stringValue": ""}}},
    "every character metadata allows": {"metadata": {"aZ0 ._:/=+@-": {"stringValue": "aZ0 ._:/=+@-"}}},
    "session of 100 characters": {"sessionId": "a" * 100},
}


@pytest.mark.parametrize("changes", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_the_limits_themselves_are_accepted(raw, data, memory, changes):
    event = raw(**changes)["event"]
    listed = Conversation(data, memory["id"], event["actorId"], event["sessionId"]).events()
    assert listed[0]["payload"] == event["payload"]
    assert listed[0].get("metadata") == event.get("metadata")


def test_a_pattern_violation_names_its_field(raw, unchecked):
    with pytest.raises(unchecked.exceptions.ValidationException, match="sessionId.*regular expression pattern"):
        raw(sessionId="a|b")


@pytest.mark.parametrize("size", [0, 101, -1])
def test_page_sizes_outside_1_to_100_are_refused(unchecked, memory, size):
    with pytest.raises(unchecked.exceptions.ValidationException):
        Conversation(unchecked, memory["id"]).page(maxResults=size)


def test_six_metadata_expressions_are_refused(unchecked, memory):
    expressions = [{"left": {"metadataKey": f"k{n}"}, "operator": "EXISTS"} for n in range(6)]
    with pytest.raises(unchecked.exceptions.ValidationException):
        Conversation(unchecked, memory["id"]).page(filter={"eventMetadata": expressions})


def test_a_token_of_another_listing_is_refused(talk):
    with pytest.raises(ClientError) as refused:
        talk.page(nextToken="bm90IGEgdG9rZW4")
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_a_well_formed_but_unknown_memory_is_not_found(data):
    talk = Conversation(data, "unknown_memory-0123456789")
    for call in [lambda: talk.write("hello"), talk.page, lambda: data.list_actors(memoryId=talk.ids["memoryId"])]:
        with pytest.raises(data.exceptions.ResourceNotFoundException, match="Memory not found"):
            call()


def test_a_body_over_ten_megabytes_is_413_without_a_body(raw, data, memory):
    with pytest.raises(ClientError) as refused:
        raw(payload=[{"blob": "x" * 11_000_000}])
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 413
    assert data.list_actors(memoryId=memory["id"])["actorSummaries"] == []


def test_a_large_event_below_the_limit_survives(talk):
    blob = "ab" * 4_500_000
    talk.write({"blob": blob})
    assert talk.events()[0]["payload"] == [{"blob": blob}]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        (
            "ingest_data",
            {
                "source": {"inline": {"payload": [say("hello")]}},
                "actorId": "actor-1",
                "contentTimestamp": at(0),
            },
        ),
        ("list_memory_extraction_jobs", {}),
        ("start_memory_extraction_job", {"extractionJob": {"jobId": "job-1"}}),
    ],
)
def test_what_is_not_emulated_says_so(unchecked, memory, operation, arguments):
    with pytest.raises(ClientError) as refused:
        getattr(unchecked, operation)(memoryId=memory["id"], **arguments)
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] >= 400
    assert "not emulated" in refused.value.response["Error"]["Message"].lower()
