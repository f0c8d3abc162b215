//! The window that follows the summary, and what a summary does to advice.

use std::time::Duration;

use window::Policy;

use super::{calls, delete, sliding, stored, texts, turns, window};
use crate::load::Loaded;
use crate::store::StoreRequest;
use crate::summarize::{SummarizeRequest, SummaryRecord};
use crate::testing::{Call, TIME, World, append, assistant, pinned, user};

const DAY: Duration = Duration::from_hours(24);

/// Turns of a question and an answer of 25 tokens each, `from` up to `until`.
fn talk(world: &World, from: usize, until: usize) {
    for turn in from..until {
        let said = |who: char| format!("{who}{turn:<99}");
        world.say(&[user(&said('q')), assistant(&said('a'))]);
    }
}

/// Summarises all but the last so many messages.
fn summarize(world: &World, preserve: usize) -> SummaryRecord {
    let request = SummarizeRequest {
        ratio: summary::Ratio::thousandths(800),
        preserve_recent: Some(preserve),
        target_tokens: Some(1),
        ..SummarizeRequest::new(world.conversation.clone(), TIME)
    };
    world.summarize(request).unwrap().context.summary.unwrap()
}

fn load(world: &World, policies: &[Policy]) -> Loaded {
    world.load(window(world, policies)).unwrap()
}

fn words(loaded: &Loaded) -> Vec<&str> {
    let texts = texts(&loaded.messages).into_iter();
    texts.map(str::trim_end).collect()
}

#[test]
fn a_load_stops_at_the_summarys_edge() {
    let world = World::new();
    talk(&world, 0, 150);
    let record = summarize(&world, 60);
    let covered = record.covered();
    assert!((200..=240).contains(&covered), "{covered} of 300");
    let (loaded, made, ticks) = world.observe(|| load(&world, &[Policy::Summarizing]));
    assert_eq!(made, calls(&[(Call::Page, 1), (Call::Items, 1)]));
    assert_eq!(ticks, 1);
    assert_eq!(loaded.messages.len() as u64, 300 - covered);
    assert_eq!(loaded.context.summary, Some(record.clone()));
    assert_eq!(
        (loaded.report.summarized, loaded.report.evicted),
        (covered, 0)
    );
    let own = record.text.chars().count().div_ceil(4) as u64;
    assert_eq!(loaded.report.tokens, (300 - covered) * 25 + own);

    // Tighter windows beside it count as ever.
    let both = load(&world, &[Policy::Summarizing, turns(2)]);
    assert_eq!(words(&both), ["q148", "a148", "q149", "a149"]);
    assert_eq!(
        (both.report.summarized, both.report.evicted),
        (covered, 300 - covered - 4)
    );
    let wider = load(&world, &[Policy::Summarizing, sliding(290)]);
    assert_eq!(wider.messages.len() as u64, 300 - covered);

    // A window of another kind takes no notice of the summary.
    let all = world.all();
    assert_eq!((all.messages.len(), all.report.summarized), (300, 0));
    assert_eq!(all.context.summary, Some(record));
}

#[test]
fn what_a_summary_covers_may_expire() {
    let world = World::new();
    talk(&world, 0, 20);
    let record = summarize(&world, 0);
    let open = 40 - record.covered();
    world.clock.advance(6 * DAY);
    talk(&world, 20, 22);
    world.clock.advance(2 * DAY);
    let loaded = load(&world, &[Policy::Summarizing]);
    assert_eq!(words(&loaded), ["q20", "a20", "q21", "a21"]);
    let report = &loaded.report;
    assert_eq!(report.expired, open, "only what the summary does not cover");
    assert_eq!((report.summarized, report.evicted), (record.covered(), 0));
    assert_eq!(world.all().report.expired, 40);

    let newer = summarize(&world, 1);
    let loaded = load(&world, &[Policy::Summarizing]);
    assert_eq!(loaded.report.expired, 0, "all of it is covered now");
    assert_eq!(loaded.report.summarized, newer.covered());
}

#[test]
fn what_a_summary_covers_may_be_lost() {
    let world = World::new();
    talk(&world, 0, 10);
    summarize(&world, 4);
    world.clock.advance(Duration::from_hours(1));
    for event in stored(&world).iter().take(2) {
        delete(&world, event);
    }
    assert!(world.load(window(&world, &[])).is_err());
    load(&world, &[Policy::Summarizing]);
}

#[test]
fn a_pinned_message_is_kept_beside_the_summary() {
    let world = World::new();
    talk(&world, 0, 5);
    world.say(&[pinned("remember"), assistant("yes")]);
    talk(&world, 5, 150);
    let record = summarize(&world, 4);
    let loaded = load(&world, &[Policy::Summarizing, turns(1)]);
    assert_eq!(words(&loaded), ["remember", "q149", "a149"]);
    assert_eq!(loaded.pinned, 1);
    let report = &loaded.report;
    assert_eq!(report.summarized, record.covered());
    // Each message is one of: shown, covered (the pinned one is both), left out by the window.
    let left_out = 302 - record.covered() - 2;
    assert_eq!((report.returned, report.evicted), (3, left_out));
}

#[test]
fn a_summary_of_a_branch_is_not_that_of_another() {
    let world = World::new();
    talk(&world, 0, 10);
    let head = world.all().head;
    let fork = StoreRequest {
        branch: Some("side".to_owned()),
        head,
        ..append(&world, &[user("elsewhere")])
    };
    world.store(fork).unwrap();
    summarize(&world, 4);
    let request = crate::load::LoadRequest {
        branch: Some("side".to_owned()),
        ..window(&world, &[Policy::Summarizing])
    };
    let side = world.load(request).unwrap();
    assert_eq!((side.messages.len(), side.context.summary), (21, None));
}

#[test]
fn advice_comes_with_the_threshold_and_goes_with_the_summary() {
    let mut world = World::new();
    world.settings.context_window_tokens = 1_000;
    talk(&world, 0, 14);
    assert!(!load(&world, &[turns(1)]).advice.advised, "700 of 1000");
    let stored = world.say(&[user("one more")]);
    assert!(stored.advice.advised, "702 of 1000");
    let loaded = load(&world, &[turns(1)]);
    assert!(loaded.advice.advised);
    assert!(
        loaded.advice.because.contains("about 702 tokens"),
        "{:?}",
        loaded.advice
    );

    let record = summarize(&world, 4);
    let loaded = load(&world, &[turns(1)]);
    assert!(!loaded.advice.advised, "{:?}", loaded.advice);
    let own = record.text.chars().count().div_ceil(4) as u64;
    let left = 702 - record.covered_tokens + own;
    let words = format!("about {left} tokens");
    assert!(
        loaded.advice.because.contains(&words),
        "{:?}",
        loaded.advice
    );

    // A token from before the summary knows nothing of it; one from after it does, and so does a head that
    // is read.
    let say = |head: Option<String>| {
        let request = StoreRequest {
            head,
            ..append(&world, &[user("on")])
        };
        world.store(request).unwrap()
    };
    let stale = say(Some(stored.head));
    assert!(stale.advice.advised);
    let fresh = load(&world, &[turns(1)]).head;
    assert!(!say(fresh).advice.advised);
    assert!(!say(None).advice.advised);
}
