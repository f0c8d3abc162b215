"""boto3: memories and their life, through the control plane and its waiter."""

import re

import pytest
from botocore.exceptions import ClientError

from conftest import UNCHECKED, clients_of
from conversation import Conversation


def test_the_waiter_sees_a_memory_become_active(control):
    answer = control.create_memory(
        name="waited_for", eventExpiryDuration=7, description="a memory", tags={"team": "chat"}
    )
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 202
    created = answer["memory"]
    assert created["status"] in ("CREATING", "ACTIVE")
    assert re.fullmatch(r"waited_for-[a-zA-Z0-9]{10}", created["id"])
    assert created["arn"].endswith(f":memory/{created['id']}")

    control.get_waiter("memory_created").wait(
        memoryId=created["id"], WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    memory = control.get_memory(memoryId=created["id"])["memory"]
    assert (memory["status"], memory["eventExpiryDuration"]) == ("ACTIVE", 7)
    assert (memory["name"], memory["description"]) == ("waited_for", "a memory")
    assert memory["createdAt"] and memory["updatedAt"]


def test_update_changes_what_it_names(control, memory):
    answer = control.update_memory(memoryId=memory["id"], eventExpiryDuration=90, description="changed")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 202
    changed = control.get_memory(memoryId=memory["id"])["memory"]
    assert (changed["eventExpiryDuration"], changed["description"]) == (90, "changed")
    assert changed["name"] == memory["name"]


def test_memories_are_listed_over_pages(own_emulator):
    _, control = clients_of(own_emulator())
    before = {entry["id"] for entry in control.list_memories()["memories"]}
    made = {control.create_memory(name=f"listed_{n}", eventExpiryDuration=7)["memory"]["id"] for n in range(5)}
    pages = control.get_paginator("list_memories").paginate(PaginationConfig={"PageSize": 2})
    listed = [entry["id"] for page in pages for entry in page["memories"]]
    assert sorted(listed) == sorted(before | made)


def test_a_deleted_memory_takes_its_events_along(control, data, memory):
    talk = Conversation(data, memory["id"])
    talk.write("hello")
    answer = control.delete_memory(memoryId=memory["id"])
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 202
    assert answer["memoryId"] == memory["id"]
    with pytest.raises(control.exceptions.ResourceNotFoundException):
        control.get_memory(memoryId=memory["id"])
    with pytest.raises(data.exceptions.ResourceNotFoundException):
        talk.page()


def test_an_unknown_memory_is_not_found(control):
    for call in [control.get_memory, control.delete_memory, control.update_memory]:
        with pytest.raises(control.exceptions.ResourceNotFoundException):
            call(memoryId="unknown_memory-0123456789")


@pytest.mark.parametrize(
    "changes",
    [{"name": "has-hyphen"}, {"name": "1st"}, {"name": "n" * 49}, {"eventExpiryDuration": 2}, {"eventExpiryDuration": 3651}],
    ids=str,
)
def test_bad_memories_are_refused(emulator, changes):
    _, control = clients_of(emulator, UNCHECKED)
    with pytest.raises(control.exceptions.ValidationException):
        control.create_memory(**{"name": "fine", "eventExpiryDuration": 7, **changes})


def test_a_name_is_taken_once(control, memory):
    with pytest.raises(ClientError, match="already exists"):
        control.create_memory(name=memory["name"], eventExpiryDuration=7)
