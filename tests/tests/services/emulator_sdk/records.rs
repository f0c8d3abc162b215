//! Long-term records: what was put in comes out.

use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcore::types::{
    MemoryContent, MemoryRecordCreateInput, MemoryRecordStatus, SearchCriteria,
};
use emulator::DEFAULT_MEMORY_ID;

use super::clients::{Bench, now, start};

async fn put(bench: &Bench, namespace: &str, text: &str) -> String {
    let record = MemoryRecordCreateInput::builder()
        .request_identifier("r1")
        .namespaces(namespace)
        .content(MemoryContent::Text(text.to_owned()))
        .timestamp(DateTime::from_millis(now()))
        .build()
        .unwrap();
    let done = bench
        .data
        .batch_create_memory_records()
        .memory_id(DEFAULT_MEMORY_ID)
        .records(record)
        .send()
        .await
        .unwrap();
    assert!(done.failed_records.is_empty());
    assert_eq!(
        done.successful_records[0].status,
        MemoryRecordStatus::Succeeded
    );
    done.successful_records[0].memory_record_id.clone()
}

#[tokio::test]
async fn records_are_listed_by_namespace_and_by_path() {
    let bench = start().await;
    let likes = put(&bench, "/facts/u1", "likes tea").await;
    put(&bench, "/facts/u2", "likes coffee").await;
    let exact = bench
        .data
        .list_memory_records()
        .memory_id(DEFAULT_MEMORY_ID)
        .namespace("/facts/u1")
        .send()
        .await;
    let exact = exact.unwrap().memory_record_summaries;
    assert_eq!(exact.len(), 1);
    assert_eq!(exact[0].memory_record_id, likes);
    let list = || {
        bench
            .data
            .list_memory_records()
            .memory_id(DEFAULT_MEMORY_ID)
            .namespace_path("/facts")
    };
    assert_eq!(
        list().send().await.unwrap().memory_record_summaries.len(),
        2
    );
    let first = list().max_results(1).send().await.unwrap();
    let second = list()
        .max_results(1)
        .next_token(first.next_token.unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(
        (second.memory_record_summaries.len(), second.next_token),
        (1, None)
    );
}

#[tokio::test]
async fn retrieval_ranks_by_shared_words() {
    let bench = start().await;
    let both = put(&bench, "/n", "Green tea in the morning").await;
    let one = put(&bench, "/n", "Coffee in the morning").await;
    put(&bench, "/n", "Nothing of the kind").await;
    let criteria = SearchCriteria::builder()
        .search_query("tea morning")
        .top_k(5)
        .build()
        .unwrap();
    let found = bench
        .data
        .retrieve_memory_records()
        .memory_id(DEFAULT_MEMORY_ID)
        .namespace("/n")
        .search_criteria(criteria)
        .send()
        .await
        .unwrap()
        .memory_record_summaries;
    let ids: Vec<&str> = found
        .iter()
        .map(|record| record.memory_record_id.as_str())
        .collect();
    assert_eq!(ids, [both.as_str(), one.as_str()]);
    assert!(found[0].score > found[1].score);
}

#[tokio::test]
async fn other_record_operations_are_refused_and_not_swallowed() {
    let bench = start().await;
    let id = put(&bench, "/n", "fact").await;
    let error = bench
        .data
        .delete_memory_record()
        .memory_id(DEFAULT_MEMORY_ID)
        .memory_record_id(&id)
        .send()
        .await;
    assert_eq!(
        error.unwrap_err().raw_response().unwrap().status().as_u16(),
        501
    );
}
