"""boto3: memories and their life, through the control plane and its waiter."""

import re

import pytest
from botocore.exceptions import ClientError

from conftest import UNCHECKED, clients_of, new_memory
from conversation import Conversation

DAY = 86_400_000


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
    assert control.get_memory(memoryId=memory["arn"])["memory"] == changed


def test_a_shorter_expiry_reaches_stored_events(own_emulator):
    emulator = own_emulator()
    data, control = clients_of(emulator)
    talk = Conversation(data, new_memory(control, days=7)["id"])
    talk.write("hello")
    emulator.admin("POST", "clock", {"advanceMs": 4 * DAY})
    assert talk.texts() == ["hello"]
    control.update_memory(memoryId=talk.ids["memoryId"], eventExpiryDuration=3)
    assert talk.texts() == []


def test_a_memory_takes_events_only_while_it_is_active(own_emulator):
    emulator = own_emulator("--memory-delay-ms", "120000")
    data, control = clients_of(emulator, UNCHECKED)
    memory = control.create_memory(name="slow", eventExpiryDuration=7)["memory"]
    talk = Conversation(data, memory["id"])

    def status():
        return control.get_memory(memoryId=memory["id"])["memory"]["status"]

    assert memory["status"] == "CREATING"
    with pytest.raises(data.exceptions.ValidationException):
        talk.write("too early")
    emulator.admin("POST", "clock", {"advanceMs": 120_000})
    assert status() == "ACTIVE"
    talk.write("hello")
    assert control.delete_memory(memoryId=memory["id"])["status"] == "DELETING"
    assert status() == "DELETING"
    with pytest.raises(data.exceptions.ValidationException):
        talk.write("too late")
    emulator.admin("POST", "clock", {"advanceMs": 120_000})
    with pytest.raises(control.exceptions.ResourceNotFoundException):
        status()


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
    [{"name": "has-hyphen"}, {"name": "1st"}, {"name": ""}, {"name": "n" * 49}, {"eventExpiryDuration": 2}, {"eventExpiryDuration": 3651}],
    ids=str,
)
def test_bad_memories_are_refused(emulator, changes):
    _, control = clients_of(emulator, UNCHECKED)
    with pytest.raises(control.exceptions.ValidationException):
        control.create_memory(**{"name": "fine", "eventExpiryDuration": 7, **changes})


def test_a_name_is_taken_once(control, memory):
    with pytest.raises(ClientError, match="already exists"):
        control.create_memory(name=memory["name"], eventExpiryDuration=7)


def test_a_retry_with_its_token_is_not_a_second_memory(own_emulator):
    _, control = clients_of(own_emulator())

    def create(token):
        return control.create_memory(name="retried", eventExpiryDuration=7, clientToken=token)["memory"]["id"]

    assert create("a" * 40) == create("a" * 40)
    with pytest.raises(ClientError, match="already exists"):
        create("b" * 40)


def test_an_account_holds_a_hundred_and_fifty_memories(own_emulator):
    _, control = clients_of(own_emulator(), UNCHECKED)
    held = len(control.list_memories()["memories"])
    for number in range(held, 150):
        control.create_memory(name=f"m{number}", eventExpiryDuration=7)
    with pytest.raises(control.exceptions.ServiceQuotaExceededException) as refused:
        control.create_memory(name="one_more", eventExpiryDuration=7)
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 402
