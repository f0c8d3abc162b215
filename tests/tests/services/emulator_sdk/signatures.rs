//! Signatures, made by the real signer.

use aws_sdk_bedrockagentcore::error::ProvideErrorMetadata;
use aws_sdk_bedrockruntime::types::{ContentBlock, ConversationRole, Message};
use emulator::{Auth, TEST_SECRET_ACCESS_KEY};

use super::clients::{data_client, model_client, now, start_with, text};

#[tokio::test]
async fn the_test_key_signs_for_every_service() {
    let bench = start_with(|options| options.auth = Auth::verify_test_key()).await;
    // Paths with encoded slashes, colons and hashes are where canonical requests go wrong.
    let event = bench.write(now(), text("x")).await;
    assert_eq!(bench.list().send().await.unwrap().events.len(), 1);
    let get = bench
        .data
        .get_event()
        .memory_id("local-0000000000")
        .actor_id("a/b:c")
        .session_id("s");
    get.event_id(event.event_id).send().await.unwrap();
    let message = Message::builder()
        .role(ConversationRole::User)
        .content(ContentBlock::Text("x".into()))
        .build()
        .unwrap();
    bench
        .model
        .converse()
        .model_id("m:0")
        .messages(message)
        .send()
        .await
        .unwrap();
}

#[tokio::test]
async fn another_secret_is_refused() {
    let bench = start_with(|options| options.auth = Auth::verify_test_key()).await;
    let url = bench.emulator.url();
    let list = |secret: &str| {
        data_client(&url, secret, 1)
            .list_actors()
            .memory_id("local-0000000000")
            .send()
    };
    assert!(list(TEST_SECRET_ACCESS_KEY).await.is_ok());
    let error = list("wrong").await.unwrap_err();
    assert_eq!(error.raw_response().unwrap().status().as_u16(), 403);
    assert_eq!(error.code(), Some("InvalidSignatureException"));
    assert!(
        model_client(&url, "wrong")
            .converse()
            .model_id("m")
            .send()
            .await
            .is_err()
    );
}

#[tokio::test]
async fn any_signature_is_accepted_by_default() {
    let bench = start_with(|_| {}).await;
    let client = data_client(&bench.emulator.url(), "whatever", 1);
    assert!(
        client
            .list_actors()
            .memory_id("local-0000000000")
            .send()
            .await
            .is_ok()
    );
}
