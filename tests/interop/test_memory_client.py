"""The bedrock-agentcore package: MemoryClient as its users call it."""

import pytest
from bedrock_agentcore.memory import MemoryClient
from bedrock_agentcore.memory.models.filters import (
    EventMetadataFilter,
    LeftExpression,
    OperatorType,
    RightExpression,
    StringValue,
)

from conversation import at

IDS = {"actor_id": "weather-worrier", "session_id": "weather-session"}


@pytest.fixture
def client(sdk_environment):
    return MemoryClient(region_name="us-east-1")


@pytest.fixture
def ids(memory):
    return {"memory_id": memory["id"], **IDS}


def exchange(number):
    return [(f"question {number}", "USER"), (f"answer {number}", "ASSISTANT")]


def texts(turns):
    return [[message["content"]["text"] for message in turn] for turn in turns]


def test_a_memory_is_created_waited_for_and_deleted(client):
    memory = client.create_memory_and_wait(
        name="made_by_client", strategies=[], event_expiry_days=7, max_wait=30, poll_interval=1
    )
    assert memory["status"] == "ACTIVE"
    assert memory["id"] == memory["memoryId"]
    assert client.get_memory_status(memory["id"]) == "ACTIVE"
    assert memory["id"] in [entry["id"] for entry in client.list_memories()]
    client.delete_memory_and_wait(memory["id"], max_wait=30, poll_interval=1)
    assert memory["id"] not in [entry["id"] for entry in client.list_memories()]


def test_create_or_get_finds_the_memory_that_is_there(client):
    made = client.create_memory_and_wait(name="made_once", strategies=[], max_wait=30, poll_interval=1)
    assert client.create_or_get_memory(name="made_once", strategies=[])["id"] == made["id"]


def test_events_are_listed_and_paged_by_the_client(client, ids):
    for number in range(120):
        client.create_event(**ids, messages=exchange(number), event_timestamp=at(number))
    events = client.list_events(**ids, max_results=1000)
    assert len(events) == 120
    assert len(client.list_events(**ids, max_results=7)) == 7
    assert "payload" not in client.list_events(**ids, include_payload=False, max_results=1)[0]


def test_the_last_k_turns_are_whole_exchanges_newest_first(client, ids):
    for number in range(1, 4):
        client.create_event(**ids, messages=exchange(number), event_timestamp=at(number))
    assert texts(client.get_last_k_turns(**ids, k=2)) == [
        ["question 3", "answer 3"],
        ["question 2", "answer 2"],
    ]
    assert len(client.get_last_k_turns(**ids, k=10)) == 3


def test_one_event_per_message_splits_turns_as_it_does_on_the_service(client, ids):
    messages = [message for number in (1, 2) for message in exchange(number)]
    for millisecond, message in enumerate(messages):
        client.create_event(**ids, messages=[message], event_timestamp=at(millisecond))
    assert texts(client.get_last_k_turns(**ids, k=5)) == [
        ["answer 2"],
        ["question 2", "answer 1"],
        ["question 1"],
    ]


def test_a_fork_has_its_own_history(client, ids):
    root = client.create_event(**ids, messages=exchange(1), event_timestamp=at(0))
    client.create_event(**ids, messages=exchange(2), event_timestamp=at(1))
    forked = client.fork_conversation(
        **ids,
        root_event_id=root["eventId"],
        branch_name="second-thoughts",
        new_messages=exchange(3),
        event_timestamp=at(2),
    )
    assert forked["branch"] == {"name": "second-thoughts", "rootEventId": root["eventId"]}

    branch = {"branch_name": "second-thoughts"}
    assert len(client.list_branch_events(**ids, **branch)) == 1
    assert len(client.list_branch_events(**ids, **branch, include_parent_branches=True)) == 2
    assert texts(client.get_last_k_turns(**ids, **branch, include_branches=True)) == [
        ["question 3", "answer 3"],
        ["question 1", "answer 1"],
    ]
    merged = client.merge_branch_context(**ids, **branch)
    assert [message["content"] for message in merged] == ["question 1", "answer 1", "question 3", "answer 3"]

    counts = {entry["name"]: entry["eventCount"] for entry in client.list_branches(**ids)}
    assert counts == {"main": 2, "second-thoughts": 1}
    tree = client.get_conversation_tree(**ids)["main_branch"]
    assert len(tree["branches"]["second-thoughts"]["events"]) == 1


def test_metadata_filters_of_the_client(client, ids):
    client.create_event(**ids, messages=exchange(1), metadata={"place": StringValue.build("NYC")})
    client.create_event(**ids, messages=exchange(2))
    in_nyc = EventMetadataFilter.build_expression(
        left_operand=LeftExpression.build("place"),
        operator=OperatorType.EQUALS_TO,
        right_operand=RightExpression.build("NYC"),
    )
    found = client.list_events(**ids, event_metadata=[in_nyc])
    assert texts([[item["conversational"] for item in event["payload"]] for event in found]) == [
        ["question 1", "answer 1"]
    ]


def test_a_blob_event_written_as_an_object_comes_back_mangled(client, ids):
    client.create_blob_event(**ids, blob_data={"content": "hi"})
    assert client.list_events(**ids)[0]["payload"] == [{"blob": "{content=hi}"}]


def test_single_events_are_read_and_deleted_through_the_client(client, ids):
    event = client.create_event(**ids, messages=exchange(1))
    names = {"memoryId": ids["memory_id"], "actorId": ids["actor_id"], "sessionId": ids["session_id"]}
    assert client.get_event(**names, eventId=event["eventId"])["event"]["eventId"] == event["eventId"]
    client.delete_event(**names, eventId=event["eventId"])
    assert client.list_events(**ids) == []
