//! Rows 5 to 7: order, pages and filters, payloads of a listing.

use std::collections::HashSet;

use emulator::{DEFAULT_MEMORY_ID, TieOrder};
use serde_json::{Value, json};

use crate::support::{ids, start, start_with, text};

#[test]
fn row_05_lists_newest_first_whatever_the_order_of_writes() {
    let server = start();
    for offset in [-5, 0, -9, -1] {
        server.write(offset, &json!({}));
    }
    let listed = ids(&server.list(&json!({})));
    assert!(listed.is_sorted_by(|a, b| a > b), "{listed:?}");
}

#[test]
fn row_05_ties_come_in_arbitrary_order() {
    let server = start();
    let written: Vec<String> = (0..8).map(|_| server.write(0, &json!({}))).collect();
    let orders: HashSet<Vec<String>> = (0..10).map(|_| ids(&server.list(&json!({})))).collect();
    assert!(orders.len() > 1, "a new order for each listing");
    for order in &orders {
        assert_eq!(
            order.iter().collect::<HashSet<_>>(),
            written.iter().collect::<HashSet<_>>()
        );
    }
    let stable = start_with(|options| options.switches.tie_order = TieOrder::Stable);
    let written: Vec<String> = (0..8).map(|_| stable.write(0, &json!({}))).collect();
    let first = ids(&stable.list(&json!({})));
    assert_eq!(first, ids(&stable.list(&json!({}))));
    let reversed: Vec<String> = written.into_iter().rev().collect();
    assert_ne!(first, reversed, "ties do not follow the order of writes");
}

#[test]
fn row_06_pages_are_twenty_by_default_and_go_on_by_token() {
    let server = start();
    for offset in 0..45 {
        server.write(-offset, &json!({}));
    }
    let mut seen = Vec::new();
    let mut sizes = Vec::new();
    let mut request = json!({});
    loop {
        let page = server.list(&request);
        sizes.push(ids(&page).len());
        seen.extend(ids(&page));
        let Some(token) = page.get("nextToken") else {
            break;
        };
        request["nextToken"] = token.clone();
    }
    assert_eq!(sizes, [20, 20, 5]);
    assert!(seen.is_sorted_by(|a, b| a > b));
    let refused = server.post(
        &format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s"),
        &json!({"maxResults": 101}),
    );
    assert_eq!(refused.error(), "ValidationException");
    assert!(
        refused.message().contains("less than or equal to 100"),
        "{}",
        refused.message()
    );
}

#[test]
fn row_06_filters_follow_the_scan_so_a_page_may_be_empty_and_go_on() {
    let server = start();
    let wanted = server.write(
        -50,
        &json!({"metadata": {"kind": {"stringValue": "state"}}}),
    );
    for offset in 0..12 {
        server.write(-offset, &json!({}));
    }
    let filter = json!({"eventMetadata": [{
        "left": {"metadataKey": "kind"}, "operator": "EQUALS_TO",
        "right": {"metadataValue": {"stringValue": "state"}},
    }]});
    let mut request = json!({"maxResults": 5, "filter": filter});
    let mut found = Vec::new();
    for _ in 0..3 {
        let page = server.list(&request);
        found.push(ids(&page));
        request["nextToken"] = page.get("nextToken").cloned().unwrap_or_default();
    }
    assert_eq!(found, [vec![], vec![], vec![wanted]]);
    assert_eq!(
        request["nextToken"],
        Value::Null,
        "no token after the last page"
    );
}

#[test]
fn row_06_metadata_expressions_combine() {
    let server = start();
    let both = server.write(
        0,
        &json!({"metadata": {"a": {"stringValue": "1"}, "b": {"stringValue": "2"}}}),
    );
    let one = server.write(-1, &json!({"metadata": {"a": {"stringValue": "1"}}}));
    let none = server.write(-2, &json!({}));
    let exists =
        |key: &str, operator: &str| json!({"left": {"metadataKey": key}, "operator": operator});
    let list =
        |expressions: Value| ids(&server.list(&json!({"filter": {"eventMetadata": expressions}})));
    assert_eq!(
        list(json!([exists("a", "EXISTS")])),
        [both.clone(), one.clone()]
    );
    assert_eq!(
        list(json!([exists("a", "EXISTS"), exists("b", "NOT_EXISTS")])),
        [one]
    );
    assert_eq!(list(json!([exists("a", "NOT_EXISTS")])), [none]);
    let branch = json!({"branch": {"name": "main"}, "eventMetadata": [exists("b", "EXISTS")]});
    assert_eq!(ids(&server.list(&json!({"filter": branch}))), [both]);
}

#[test]
fn row_06_large_answers_are_cut_short_with_a_token() {
    let server = start_with(|options| options.switches.max_list_bytes = Some(3_000));
    for offset in 0..5 {
        server.write(-offset, &json!({"payload": [text(&"x".repeat(1_000))]}));
    }
    let first = server.list(&json!({"maxResults": 100}));
    assert_eq!(ids(&first).len(), 2);
    let second = server.list(&json!({"maxResults": 100, "nextToken": first["nextToken"]}));
    assert_eq!(ids(&second).len(), 2);
    let third = server.list(&json!({"maxResults": 100, "nextToken": second["nextToken"]}));
    assert_eq!((ids(&third).len(), third.get("nextToken")), (1, None));
}

#[test]
fn row_06_a_token_of_another_listing_is_refused() {
    let server = start();
    for offset in 0..3 {
        server.write(-offset, &json!({}));
    }
    let token = server.list(&json!({"maxResults": 1}))["nextToken"].clone();
    let other = format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/other");
    for bad in [token, json!("made up"), json!("")] {
        let answer = server.post(&other, &json!({"nextToken": bad}));
        assert_eq!(answer.error(), "ValidationException", "{answer:?}");
    }
}

#[test]
fn row_07_payloads_come_unless_they_are_turned_off() {
    let server = start();
    server.write(0, &json!({}));
    assert_eq!(
        server.list(&json!({}))["events"][0]["payload"],
        json!([text("hi")])
    );
    assert_eq!(
        server.list(&json!({"includePayloads": true}))["events"][0]["payload"],
        json!([text("hi")])
    );
    let without = server.list(&json!({"includePayloads": false}));
    assert_eq!(without["events"][0].get("payload"), None);
    assert_eq!(without["events"][0]["branch"], json!({"name": "main"}));
}
