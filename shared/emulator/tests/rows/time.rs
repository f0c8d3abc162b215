//! Row 12: lags, expiry and times far ahead.

use std::time::Duration;

use emulator::DEFAULT_MEMORY_ID;
use serde_json::json;

use crate::support::{NOW, event, ids, start, start_with};

#[test]
fn row_12_filtered_listings_can_lag_behind() {
    let server = start_with(|options| options.switches.filtered_lag_ms = 60_000);
    server.write(0, &json!({"metadata": {"k": {"stringValue": "v"}}}));
    let filter = json!({"eventMetadata": [{"left": {"metadataKey": "k"}, "operator": "EXISTS"}]});
    assert_eq!(ids(&server.list(&json!({}))).len(), 1);
    assert_eq!(ids(&server.list(&json!({"filter": filter}))).len(), 0);
    server.emulator.advance_clock(Duration::from_mins(1));
    assert_eq!(ids(&server.list(&json!({"filter": filter}))).len(), 1);
}

#[test]
fn row_12_events_expire_by_the_clock() {
    let server = start();
    let id = server.write(0, &json!({}));
    server
        .emulator
        .advance_clock(Duration::from_secs(7 * 86_400 - 1));
    assert_eq!(ids(&server.list(&json!({}))), std::slice::from_ref(&id));
    server.emulator.advance_clock(Duration::from_secs(1));
    assert_eq!(ids(&server.list(&json!({}))), [""; 0]);
    let path = format!(
        "/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s/events/{}",
        id.replace('#', "%23")
    );
    assert_eq!(server.get(&path).status, 404);
}

#[test]
fn row_12_back_dated_events_expire_by_their_own_time_unless_told_otherwise() {
    let eight_days = -8 * 86_400_000;
    let server = start();
    server.write(eight_days, &json!({}));
    assert_eq!(ids(&server.list(&json!({}))).len(), 0);
    let kept =
        start_with(|options| options.switches.expiry_basis = emulator::ExpiryBasis::Creation);
    kept.write(eight_days, &json!({}));
    assert_eq!(ids(&kept.list(&json!({}))).len(), 1);
}

#[test]
fn row_12_times_far_ahead_are_refused_unless_told_otherwise() {
    let server = start();
    assert_eq!(server.create(&event(900_000)).status, 201);
    assert_eq!(server.create(&event(900_001)).status, 400);
    let open = start_with(|options| options.switches.max_future_seconds = None);
    assert_eq!(open.create(&event(i64::try_from(NOW).unwrap())).status, 201);
}
