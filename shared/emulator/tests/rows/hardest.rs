//! Open questions, read as hard on a client as they can be: what the switches are by default.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use emulator::{DEFAULT_MEMORY_ID, MainFilter, Switches};
use serde_json::{Value, json};

use crate::support::{Server, event, ids, start, start_with, text};

fn hardest() -> Server {
    start_with(|options| options.switches = Switches::default())
}

#[test]
fn the_readme_tells_both_readings_of_every_switch() {
    let readme = include_str!("../../README.md");
    let table = |switches: Switches| serde_json::to_value(switches).unwrap();
    let (hardest, reported) = (table(Switches::default()), table(Switches::reported()));
    let told = |name: &str| {
        let row = readme
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")))
            .unwrap_or_default();
        let cell = |index: usize| row.split('|').nth(index).unwrap_or_default().trim();
        let shown = |cell: &str| serde_json::from_str::<Value>(cell.trim_matches('`')).ok();
        let reported = match cell(3) {
            "the same" => shown(cell(2)),
            other => shown(other),
        };
        (shown(cell(2)), reported)
    };
    for (name, value) in hardest.as_object().unwrap() {
        let expected = (Some(value.clone()), reported.get(name).cloned());
        assert_eq!(told(name), expected, "{name}");
    }
}

#[test]
fn a_text_is_measured_in_bytes() {
    let status = |server: &Server, payload: String| {
        let mut body = event(0);
        body["payload"] = json!([text(&payload)]);
        server.create(&body).status
    };
    let (hardest, reported) = (hardest(), start());
    let fits = "é".repeat(50_000);
    let over = format!("{fits}e");
    assert_eq!(status(&hardest, fits), 201);
    assert_eq!(status(&hardest, over.clone()), 400);
    assert_eq!(status(&reported, over), 201);
}

#[test]
fn a_filter_on_main_finds_nothing() {
    let listed = |main: MainFilter| {
        let server = start_with(|options| options.switches.main_filter = main);
        let root = server.write(-2, &json!({}));
        server.write(-1, &json!({"branch": {"name": "b", "rootEventId": root}}));
        let list = |name: &str| {
            let filter = json!({"branch": {"name": name}});
            ids(&server.list(&json!({"filter": filter}))).len()
        };
        (list("main"), list("b"))
    };
    assert_eq!(Switches::default().main_filter, MainFilter::Nothing);
    // The ancestors of a branch are seen to come with it, so they do whatever a filter on main gives.
    assert_eq!(listed(MainFilter::Nothing), (0, 2));
    assert_eq!(listed(MainFilter::OwnEvents), (1, 2));
    assert_eq!(listed(MainFilter::AllEvents), (2, 2));
}

#[test]
fn of_two_writes_to_a_session_at_once_the_later_is_a_conflict() {
    let server = start_with(|options| options.switches.conflict_hold_ms = Some(2_000));
    let together = |sessions: [&str; 2]| {
        let begin = Barrier::new(2);
        let write = |session: &str| {
            let mut body = event(0);
            body["sessionId"] = json!(session);
            begin.wait();
            let answer = server.create(&body);
            (answer.status, answer.error().to_owned())
        };
        let mut answers = thread::scope(|scope| {
            sessions
                .map(|session| scope.spawn(move || write(session)))
                .map(|thread| thread.join().unwrap())
        });
        answers.sort();
        answers
    };
    let stored = (201, String::new());
    let conflict = (409, "RetryableConflictException".to_owned());
    assert_eq!(together(["s", "s"]), [stored.clone(), conflict]);
    assert_eq!(ids(&server.list(&json!({}))).len(), 1, "it is not stored");
    assert_eq!(together(["t", "u"]), [stored.clone(), stored]);
}

#[test]
fn writes_one_after_the_other_are_no_conflict() {
    let server = hardest();
    for offset in 0..10 {
        server.write(offset, &json!({}));
    }
    let refused = server.post(
        &format!("/memories/{DEFAULT_MEMORY_ID}/events"),
        &json!({"actorId": "a", "sessionId": "s"}),
    );
    assert_eq!(refused.status, 400, "a refused write holds nothing");
    server.write(10, &json!({}));
}

#[test]
fn a_fresh_event_is_listed_late() {
    let server = start_with(|options| options.switches.unfiltered_lag_ms = 60_000);
    let id = server.write(0, &json!({}));
    assert_eq!(ids(&server.list(&json!({}))), [""; 0]);
    let path = format!(
        "/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s/events/{}",
        id.replace('#', "%23")
    );
    assert_eq!(server.get(&path).status, 200, "only listings lag");
    server.emulator.advance_clock(Duration::from_mins(1));
    assert_eq!(ids(&server.list(&json!({}))), [id]);
}

#[test]
fn a_clock_that_stands_still_hides_nothing_for_good() {
    let server = hardest();
    let id = server.write(0, &json!({"metadata": {"k": {"stringValue": "v"}}}));
    let filter = json!({"eventMetadata": [{"left": {"metadataKey": "k"}, "operator": "EXISTS"}]});
    let written = Instant::now();
    while ids(&server.list(&json!({"filter": filter}))).is_empty() {
        assert!(written.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(20));
    }
    assert!(written.elapsed() >= Duration::from_millis(900));
    assert_eq!(ids(&server.list(&json!({}))), [id]);
}
