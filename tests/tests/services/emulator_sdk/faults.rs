//! Faults as the SDK sees them, and what its retries make of them.

use aws_sdk_bedrockagentcore::error::SdkError;
use aws_sdk_bedrockagentcore::primitives::DateTime;
use emulator::{DEFAULT_MEMORY_ID, FaultAction, FaultPlan, FaultRule, TEST_SECRET_ACCESS_KEY};

use super::clients::{Bench, data_client, now, start, start_with, text};

fn strike_once(bench: &Bench, action: FaultAction) {
    bench.emulator.set_faults(FaultPlan {
        seed: 0,
        rules: vec![FaultRule::nth("CreateEvent", 1, action)],
    });
}

fn create(
    client: &aws_sdk_bedrockagentcore::Client,
) -> aws_sdk_bedrockagentcore::operation::create_event::builders::CreateEventFluentBuilder {
    client
        .create_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a/b:c")
        .session_id("s")
        .event_timestamp(DateTime::from_millis(now()))
        .payload(text("x"))
}

#[tokio::test]
async fn each_error_has_its_shape_and_status() {
    let bench = start().await;
    for (action, status) in [
        (FaultAction::Throttle, 429),
        (FaultAction::Error500, 500),
        (FaultAction::Conflict409, 409),
        (FaultAction::Quota402, 402),
        (FaultAction::Denied403, 403),
    ] {
        strike_once(&bench, action.clone());
        let error = create(&bench.data).send().await.unwrap_err();
        assert_eq!(error.raw_response().unwrap().status().as_u16(), status);
        let error = error.into_service_error();
        let fits = match action {
            FaultAction::Throttle => error.is_throttled_exception(),
            FaultAction::Error500 => error.is_service_exception(),
            FaultAction::Conflict409 => error.is_retryable_conflict_exception(),
            FaultAction::Quota402 => error.is_service_quota_exceeded_exception(),
            _ => error.is_access_denied_exception(),
        };
        assert!(fits, "{error:?}");
    }
}

#[tokio::test]
async fn retries_with_the_same_token_store_one_event_whatever_was_lost() {
    for action in [
        FaultAction::Throttle,
        FaultAction::Error500,
        FaultAction::Conflict409,
        FaultAction::ResetBefore,
        FaultAction::ResetAfter,
        FaultAction::LostAnswer,
        FaultAction::Error500After,
    ] {
        let bench = start().await;
        let client = data_client(&bench.emulator.url(), TEST_SECRET_ACCESS_KEY, 3);
        strike_once(&bench, action.clone());
        create(&client)
            .send()
            .await
            .unwrap_or_else(|error| panic!("{action:?}: {error:?}"));
        let calls = bench.emulator.calls();
        assert_eq!(calls.count("CreateEvent"), 2, "{action:?}");
        assert_eq!(calls.log[0].client_token, calls.log[1].client_token);
        assert!(
            calls.log[0].client_token.is_some(),
            "the SDK fills in a token"
        );
        assert_eq!(
            bench.list().send().await.unwrap().events.len(),
            1,
            "{action:?}"
        );
    }
}

#[tokio::test]
async fn quota_errors_are_not_retried() {
    let bench = start().await;
    let client = data_client(&bench.emulator.url(), TEST_SECRET_ACCESS_KEY, 3);
    strike_once(&bench, FaultAction::Quota402);
    assert!(create(&client).send().await.is_err());
    assert_eq!(bench.emulator.calls().count("CreateEvent"), 1);
}

#[tokio::test]
async fn a_reset_is_a_failed_dispatch() {
    let bench = start().await;
    strike_once(&bench, FaultAction::ResetAfter);
    let error = create(&bench.data).send().await.unwrap_err();
    assert!(
        matches!(
            error,
            SdkError::DispatchFailure(_) | SdkError::ResponseError(_)
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn rate_limits_reach_the_sdk() {
    let bench = start_with(|options| options.rate_limits = true).await;
    let mut refused = 0;
    for _ in 0..8 {
        if let Err(error) = create(&bench.data).send().await {
            assert!(error.into_service_error().is_throttled_exception());
            refused += 1;
        }
    }
    // Eight calls take far less than a second, of which each has room for five.
    assert_eq!(refused, 3);
}
