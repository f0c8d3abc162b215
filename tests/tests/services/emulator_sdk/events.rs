//! `CreateEvent`, `GetEvent` and `DeleteEvent`.

use aws_sdk_bedrockagentcore::error::ProvideErrorMetadata;
use aws_sdk_bedrockagentcore::operation::create_event::CreateEventError;
use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcore::types::{
    Branch, MetadataValue, PayloadType, ValidationExceptionReason,
};
use aws_smithy_types::{Document, Number};
use emulator::DEFAULT_MEMORY_ID;

use super::clients::{now, start, start_with, text};

#[tokio::test]
async fn events_are_created_read_and_deleted() {
    let bench = start().await;
    let created = bench
        .data
        .create_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a/b:c")
        .session_id("s")
        .event_timestamp(DateTime::from_millis(now()))
        .payload(text("hello"))
        .payload(PayloadType::Blob(Document::String("{\"k\":1}".into())))
        .metadata("seq", MetadataValue::StringValue("1".into()))
        .send()
        .await
        .unwrap()
        .event
        .unwrap();
    assert_eq!(created.branch.as_ref().unwrap().name, "main");
    let read = bench
        .data
        .get_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a/b:c")
        .session_id("s")
        .event_id(&created.event_id)
        .send()
        .await
        .unwrap()
        .event
        .unwrap();
    assert_eq!(read, created);
    assert_eq!(read.payload.len(), 2);
    let delete = || {
        bench
            .data
            .delete_event()
            .memory_id(DEFAULT_MEMORY_ID)
            .actor_id("a/b:c")
            .session_id("s")
            .event_id(&created.event_id)
            .send()
    };
    assert_eq!(delete().await.unwrap().event_id, created.event_id);
    let again = delete().await.unwrap_err().into_service_error();
    assert!(again.is_resource_not_found_exception(), "{again:?}");
    assert!(bench.list().send().await.unwrap().events.is_empty());
}

#[tokio::test]
async fn nanoseconds_are_cut_to_the_millisecond() {
    let bench = start().await;
    let seconds = now() / 1000;
    let sent = bench
        .data
        .create_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a")
        .event_timestamp(DateTime::from_secs_and_nanos(seconds, 123_999_999))
        .set_payload(Some(vec![]))
        .send()
        .await
        .unwrap();
    let event = sent.event.unwrap();
    assert!(
        event
            .event_id
            .starts_with(&format!("{:019}#", seconds * 1000 + 123)),
        "{}",
        event.event_id
    );
    assert_eq!(event.session_id.len(), 36);
}

#[tokio::test]
async fn objects_in_blobs_come_back_as_text_and_unharmed_with_the_switch_off() {
    let object = Document::Object([("k".to_owned(), Document::Number(Number::PosInt(1)))].into());
    let bench = start().await;
    let event = bench.write(now(), PayloadType::Blob(object.clone())).await;
    assert_eq!(
        event.payload[0],
        PayloadType::Blob(Document::String("{k=1}".into()))
    );
    let exact = start_with(|options| options.switches.blob_defect = false).await;
    let event = exact.write(now(), PayloadType::Blob(object.clone())).await;
    assert_eq!(event.payload[0], PayloadType::Blob(object));
}

#[tokio::test]
async fn a_token_makes_one_event_of_two_calls() {
    let bench = start().await;
    let at = now();
    let create = |body: &str| {
        bench
            .data
            .create_event()
            .memory_id(DEFAULT_MEMORY_ID)
            .actor_id("a/b:c")
            .session_id("s")
            .event_timestamp(DateTime::from_millis(at))
            .payload(text(body))
            .client_token("token")
            .send()
    };
    let first = create("one").await.unwrap().event.unwrap();
    assert_eq!(create("one").await.unwrap().event.unwrap(), first);
    let error = create("two").await.unwrap_err().into_service_error();
    let CreateEventError::ValidationException(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        error.reason,
        ValidationExceptionReason::IdempotentParameterMismatchException
    );
}

#[tokio::test]
async fn errors_reach_the_sdk_as_their_shapes() {
    let bench = start().await;
    let create = |memory: &str, actor: &str| {
        bench
            .data
            .create_event()
            .memory_id(memory)
            .actor_id(actor)
            .event_timestamp(DateTime::from_millis(now()))
            .payload(text("x"))
            .send()
    };
    let missing = create("nothere-0123456789", "a")
        .await
        .unwrap_err()
        .into_service_error();
    assert!(missing.is_resource_not_found_exception());
    let error = create(DEFAULT_MEMORY_ID, "a@b")
        .await
        .unwrap_err()
        .into_service_error();
    let CreateEventError::ValidationException(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        error.reason,
        ValidationExceptionReason::FieldValidationFailed
    );
    assert_eq!(error.field_list.as_ref().unwrap()[0].name, "actorId");
    assert!(
        error
            .meta()
            .message()
            .unwrap()
            .starts_with("1 validation error detected: Value at 'actorId'")
    );
}

#[tokio::test]
async fn a_body_over_the_limit_reaches_the_sdk_as_413() {
    let bench = start().await;
    let huge = PayloadType::Blob(Document::String("x".repeat(11_000_000)));
    let error = bench
        .data
        .create_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a")
        .event_timestamp(DateTime::from_millis(now()))
        .payload(huge)
        .send()
        .await
        .unwrap_err();
    assert_eq!(error.raw_response().unwrap().status().as_u16(), 413);
}

#[tokio::test]
async fn a_root_of_another_session_has_its_own_reason() {
    let bench = start().await;
    let root = bench.write(now(), text("root")).await;
    let error = bench
        .data
        .create_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a/b:c")
        .session_id("other")
        .event_timestamp(DateTime::from_millis(now()))
        .payload(text("x"))
        .branch(
            Branch::builder()
                .name("b")
                .root_event_id(&root.event_id)
                .build()
                .unwrap(),
        )
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let CreateEventError::ValidationException(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        error.reason,
        ValidationExceptionReason::RootEventInOtherSession
    );
}
