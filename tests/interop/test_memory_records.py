"""boto3: the long-term record operations that the emulator answers."""

from conversation import at


def put(data, memory, *texts, namespace="/facts/actor-1"):
    records = [
        {
            "requestIdentifier": f"r{number}",
            "namespaces": [namespace],
            "content": {"text": text},
            "timestamp": at(number),
        }
        for number, text in enumerate(texts)
    ]
    return data.batch_create_memory_records(memoryId=memory["id"], records=records)


def test_created_records_are_listed_by_namespace(data, memory):
    answer = put(data, memory, "likes tea", "lives in Oslo")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 201
    assert [entry["status"] for entry in answer["successfulRecords"]] == ["SUCCEEDED"] * 2
    assert answer["failedRecords"] == []
    put(data, memory, "of another", namespace="/facts/actor-2")

    listed = data.list_memory_records(memoryId=memory["id"], namespace="/facts/actor-1")["memoryRecordSummaries"]
    assert sorted(entry["content"]["text"] for entry in listed) == ["likes tea", "lives in Oslo"]
    assert {entry["memoryRecordId"] for entry in listed} == {
        entry["memoryRecordId"] for entry in answer["successfulRecords"]
    }


def test_retrieval_finds_by_what_is_in_the_text(data, memory):
    put(data, memory, "likes tea", "lives in Oslo")
    found = data.retrieve_memory_records(
        memoryId=memory["id"], namespace="/facts/actor-1", searchCriteria={"searchQuery": "tea"}
    )["memoryRecordSummaries"]
    assert found[0]["content"]["text"] == "likes tea"
    assert found[0]["score"] > 0
