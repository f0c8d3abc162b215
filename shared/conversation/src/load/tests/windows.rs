//! Windows: what each lets through, and how far a load reads for it.

use codec::model::Message;
use window::{Policy, SlidingRule};

use super::{calls, sliding, texts, turns, window};
use crate::load::Loaded;
use crate::ports::SystemWrite;
use crate::testing::{Call, World, append, assistant, call, pinned, result, system, user};

fn camunda(size: usize) -> Policy {
    let rule = SlidingRule::Camunda { system: false };
    Policy::Sliding { size, rule }
}

/// A conversation told in letters, each stored as a turn of its own: `u` a person, `a` the assistant, `c` it
/// calls a tool, `r` the result, `P` a pinned message.
fn told(letters: &str) -> World {
    let world = World::new();
    for letter in letters.chars() {
        world.say(&[match letter {
            'u' => user("u"),
            'a' => assistant("a"),
            'c' => call("c"),
            'r' => result("c"),
            'P' => pinned("P"),
            other => panic!("no message is written {other}"),
        }]);
    }
    world
}

fn letters(messages: &[Message]) -> String {
    let letter = |message: &Message| match message {
        Message::ToolResult(_) => "r".to_owned(),
        Message::Assistant(said) if !said.tool_calls.is_empty() => "c".to_owned(),
        other => crate::testing::text(other).to_owned(),
    };
    messages.iter().map(letter).collect()
}

fn load(world: &World, policies: &[Policy]) -> Loaded {
    world.load(window(world, policies)).unwrap()
}

#[test]
fn each_window_lets_through_what_its_table_says() {
    let tokens = |budget| Policy::Tokens { budget };
    let rows: &[(&str, &[Policy], &str)] = &[
        ("uaucraua", &[], "uaucraua"),
        ("uaucraua", &[Policy::None], "uaucraua"),
        ("uaucraua", &[sliding(6)], "ucraua"),
        ("uaucraua", &[sliding(5)], "ua"),
        ("uaucraua", &[sliding(2)], "ua"),
        ("uaucraua", &[sliding(1)], "uaucraua"),
        ("ucrcrcr", &[sliding(4)], "crcr"),
        ("ucrcrcr", &[sliding(3)], "cr"),
        ("uaua", &[camunda(3)], "ua"),
        ("ucraua", &[camunda(6)], "ucraua"),
        ("ucraua", &[camunda(5)], "ua"),
        ("ucra", &[camunda(1)], "ucra"),
        ("uaucraua", &[turns(2)], "ucraua"),
        ("uaucraua", &[turns(9)], "uaucraua"),
        ("uauaua", &[tokens(4)], "uaua"),
        ("uauaua", &[tokens(3)], "ua"),
        ("uauaua", &[tokens(1)], "ua"),
        ("uauaua", &[turns(2), tokens(2)], "ua"),
        ("uauaua", &[turns(1), tokens(99)], "ua"),
        ("uaPaua", &[turns(1)], "Pua"),
        ("uaua", &[Policy::Summarizing], "uaua"),
    ];
    for (talk, policies, expected) in rows {
        let loaded = load(&told(talk), policies);
        assert_eq!(&letters(&loaded.messages), expected, "{talk} {policies:?}");
        let report = &loaded.report;
        assert_eq!(report.returned, expected.len() as u64);
        assert_eq!(report.returned + report.evicted, talk.len() as u64);
        let pins = expected.matches('P').count();
        assert_eq!(loaded.pinned, pins, "{talk} {policies:?}");
    }
}

#[test]
fn camundas_window_counts_the_system_message() {
    let world = told("uaua");
    assert_eq!(letters(&load(&world, &[camunda(4)]).messages), "uaua");
    let request = crate::store::StoreRequest {
        system: Some(SystemWrite::Put(system("be kind"))),
        ..append(&world, &[])
    };
    world.store(request).unwrap();
    assert_eq!(letters(&load(&world, &[camunda(4)]).messages), "ua");
    assert_eq!(letters(&load(&world, &[camunda(5)]).messages), "uaua");
}

#[test]
fn an_empty_conversation_is_empty() {
    let world = World::new();
    let loaded = world.all();
    assert_eq!(loaded.messages, []);
    assert_eq!(loaded.context, world.answer_context(0));
    assert!(loaded.head.is_some());
}

#[test]
fn a_window_is_read_no_further_than_it_needs() {
    // 400 messages of one token each, in turns of two, on pages of 100.
    let world = World::new();
    for _ in 0..200 {
        world.say(&[user("q"), assistant("a")]);
    }
    let rows: &[(&[Policy], usize, u32)] = &[
        (&[sliding(100)], 100, 1),
        (&[sliding(101)], 100, 2),
        (&[camunda(99)], 98, 1),
        (&[camunda(100)], 100, 2),
        (&[turns(50)], 100, 1),
        (&[turns(51)], 102, 2),
        (&[Policy::Tokens { budget: 99 }], 98, 1),
        (&[Policy::Tokens { budget: 250 }], 250, 3),
        (&[turns(50), Policy::Tokens { budget: 1_000 }], 100, 1),
        (&[Policy::None, turns(10)], 20, 1),
        (&[Policy::None], 400, 4),
    ];
    for (policies, kept, pages) in rows {
        let (loaded, made, ticks) = world.observe(|| load(&world, policies));
        assert_eq!(loaded.messages.len(), *kept, "{policies:?}");
        assert_eq!(
            made,
            calls(&[(Call::Page, *pages), (Call::Items, 1)]),
            "{policies:?}"
        );
        assert_eq!(ticks, u64::from(*pages));
    }
}

#[test]
fn a_pinned_message_is_found_however_far_back() {
    let world = World::new();
    world.say(&[user("first"), pinned("remember"), assistant("yes")]);
    for i in 0..150 {
        world.say(&[user(&i.to_string()), assistant("a")]);
    }
    let (loaded, made, _) = world.observe(|| load(&world, &[turns(1)]));
    assert_eq!(texts(&loaded.messages), ["remember", "149", "a"]);
    assert_eq!(loaded.pinned, 1);
    assert_eq!((loaded.report.returned, loaded.report.evicted), (3, 300));
    // Messages 2 and 3 of 303 lie on the fourth page.
    assert_eq!(made[&Call::Page], 4);

    // Once it is found there is no reason to read on.
    let newest = World::new();
    for i in 0..150 {
        newest.say(&[user(&i.to_string()), assistant("a")]);
    }
    newest.say(&[pinned("b"), assistant("c"), user("d")]);
    let (loaded, made, _) = newest.observe(|| load(&newest, &[turns(1)]));
    assert_eq!(texts(&loaded.messages), ["b", "d"]);
    assert_eq!(made[&Call::Page], 1);
}

#[test]
fn a_pinned_message_inside_the_window_is_where_it_was() {
    let loaded = load(&told("uaPaua"), &[turns(2)]);
    assert_eq!(letters(&loaded.messages), "Paua");
    assert_eq!(loaded.pinned, 0);
}

#[test]
fn the_report_says_what_the_answer_takes() {
    let mut world = World::new();
    world.settings.context_window_tokens = 100;
    world.say(&[user(&"x".repeat(40)), assistant(&"y".repeat(80))]);
    let loaded = load(&world, &[]);
    assert_eq!(loaded.report.tokens, 30);
    assert_eq!(loaded.report.context_window_tokens, 100);
    assert!(!loaded.advice.advised);
    let stored = world.say(&[user(&"x".repeat(164))]);
    assert!(stored.advice.advised, "71 of 100");
    let loaded = load(&world, &[sliding(1)]);
    assert_eq!(loaded.report.tokens, 41);
    assert!(
        loaded.advice.advised,
        "all of it counts, whatever the window"
    );
}
