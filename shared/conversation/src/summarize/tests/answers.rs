//! What is summarised, and what the record says of it.

use std::time::Duration;

use codec::model::{Message, UserMessage};
use serde_json::json;
use summary::{Budget, Ratio, Redactor};

use super::{asked, go_on, request, said, summary_of, talk};
use crate::error::Error;
use crate::ports::{Clock, ContextReader, SummarizerError};
use crate::store::StoreRequest;
use crate::summarize::{Extractive, SummarizeReason, SummarizeRequest, Summarizers};
use crate::testing::{Call, Fault, START_MS, World, append, call, result, user};

const DAY: Duration = Duration::from_hours(24);

#[test]
fn the_oldest_third_is_summarised_and_nothing_is_removed() {
    let world = talk(40);
    let before = world.all();
    let (answer, made, _) = world.observe(|| world.summarize(request(&world)).unwrap());
    assert_eq!((made[&Call::Items], made[&Call::Page]), (1, 1));
    assert_eq!((made[&Call::Model], made[&Call::PutSummary]), (1, 1));
    assert_eq!(made.len(), 4, "and nothing else");
    let record = answer.context.summary.clone().unwrap();
    assert_eq!(record.text, "summary 1 of 12 lines");
    assert_eq!(
        (answer.summarized, record.first_seq, record.last_seq),
        (12, 0, 11)
    );
    assert_eq!((record.input_tokens, record.output_tokens), (100, 10));
    assert_eq!((record.model.as_str(), record.prompt_version), ("model", 1));
    assert_eq!(record.previous, None);
    assert!(record.created_at_ms > START_MS);
    assert_eq!(record.id, record.id_in(&world.conversation, None));
    let after = world.all();
    assert_eq!(answer.context, after.context);
    assert_eq!(after.messages, before.messages);
    assert_eq!(after.context.summary, Some(record));
    let said = &asked(&world)[0];
    assert!(said.contains("question 0.") && said.contains("answer 11."));
    assert!(!said.contains("question 12."));
}

#[test]
fn the_next_summary_continues_the_one_before() {
    let world = talk(40);
    let first = summary_of(&world);
    go_on(&world, 40, 60);
    let second = world.summarize(request(&world)).unwrap();
    let record = second.context.summary.unwrap();
    // 48 messages are left of which 14.4 are 30 %.
    assert_eq!((second.summarized, record.last_seq), (14, 25));
    assert_eq!((record.first_seq, record.previous), (0, Some(first.id)));
    assert!(record.covered_tokens > first.covered_tokens);
    let said = &asked(&world)[1];
    assert!(said.contains(r#"{"speaker":"earlier summary","text":"summary 1 of 12 lines"}"#));
    assert!(!said.contains("answer 11.") && said.contains("question 12."));
}

#[test]
fn a_summary_ends_at_the_turn_of_its_last_message() {
    let world = World::new();
    let turn: Vec<Message> = (0..30).map(said).collect();
    world.say(&turn);
    let turn = world.all().head;
    let answer = world.summarize(request(&world)).unwrap();
    let record = answer.context.summary.unwrap();
    assert_eq!(record.last_seq, 8, "in the middle of the turn");
    let ends_at = record.ends_at;
    world.say(&[said(30)]);
    let answer = world.summarize(SummarizeRequest {
        preserve_recent: Some(1),
        ratio: Ratio::thousandths(800),
        ..request(&world)
    });
    let record = answer.unwrap().context.summary.unwrap();
    assert_eq!((record.last_seq, record.ends_at), (25, ends_at));
    assert_ne!(world.all().head, turn);
}

#[test]
fn a_store_goes_on_with_the_token_it_had() {
    let world = talk(40);
    let head = world.all().head;
    let answer = world.summarize(request(&world)).unwrap();
    let with = |head, text| StoreRequest {
        head,
        ..append(&world, &[user(text)])
    };
    let stored = world.store(with(head, "more")).unwrap();
    assert_eq!(stored.context.stored_message_count, 41);
    let late = world.store(with(answer.head, "late"));
    assert!(matches!(late, Err(Error::Conflict { .. })), "{late:?}");
    // The other way round: the answer's own token is as good.
    let answer = world.summarize(request(&world)).unwrap();
    world.store(with(answer.head, "again")).unwrap();
}

#[test]
fn nothing_to_summarise_is_an_answer() {
    let world = talk(10);
    let (answer, made, _) = world.observe(|| world.summarize(request(&world)).unwrap());
    assert_eq!((answer.context.summary, answer.summarized), (None, 0));
    assert_eq!(answer.head, world.all().head);
    assert!(!made.contains_key(&Call::Model));
    go_on(&world, 10, 20);
    let record = world.summarize(request(&world)).unwrap().context.summary;
    let again = SummarizeRequest {
        preserve_recent: Some(100),
        ..request(&world)
    };
    let answer = world.summarize(again).unwrap();
    assert_eq!(
        (answer.context.summary, answer.summarized),
        (record, 0),
        "as it was"
    );
}

#[test]
fn no_conversation_at_all_is_an_answer_too() {
    let world = World::new();
    let answer = world.summarize(request(&world)).unwrap();
    assert_eq!((answer.context.summary, answer.summarized), (None, 0));
    assert_eq!(answer.context.stored_message_count, 0);
    assert_eq!(answer.head, world.all().head);
}

#[test]
fn an_overflow_takes_more_until_it_fits() {
    let world = World::new();
    let long = |number: usize| user(&format!("{number} {}", "word ".repeat(798)));
    let messages: Vec<Message> = (0..50).map(long).collect();
    world.say(&messages);
    let taken = |target_tokens| {
        let request = SummarizeRequest {
            reason: SummarizeReason::Overflow,
            target_tokens,
            ..request(&world)
        };
        world.summarize(request).unwrap().summarized
    };
    // Each has a good thousand tokens, and half of the window takes them all: the least is taken.
    assert_eq!(taken(None), 15);
    // 35 are left, of which 18 may stay beside a summary of 2 048 tokens.
    assert_eq!(taken(Some(20_400)), 17);
    assert_eq!(taken(Some(1)), 14, "of 18 at most four fifths");
}

#[test]
fn tool_calls_stay_with_their_results() {
    let world = World::new();
    let turn = [user("a"), call("1"), result("1"), user("b"), user("c")];
    world.say(&turn);
    let answer = world.summarize(SummarizeRequest {
        preserve_recent: Some(0),
        ratio: Ratio::thousandths(400),
        ..request(&world)
    });
    assert_eq!(answer.unwrap().summarized, 3, "not two: that is the result");
}

#[test]
fn what_is_pinned_is_not_what_the_summary_saves() {
    let pinned = |text: &str| {
        let Message::User(mut message) = user(text) else {
            unreachable!()
        };
        message.metadata = json!({"custom": {"pinned": true}})
            .as_object()
            .unwrap()
            .clone()
            .into();
        Message::User(UserMessage { ..message })
    };
    let world = World::new();
    world.say(&[pinned("rules"), user("hello there")]);
    let one = |preserve_recent| SummarizeRequest {
        preserve_recent: Some(preserve_recent),
        ratio: Ratio::thousandths(800),
        ..request(&world)
    };
    let answer = world.summarize(one(1)).unwrap();
    assert_eq!(answer.summarized, 0, "nothing but pins");
    world.say(&[user("and so on")]);
    let record = world.summarize(one(1)).unwrap().context.summary.unwrap();
    assert_eq!((record.last_seq, record.covered_tokens), (1, 3));
}

#[test]
fn more_than_a_model_takes_is_folded() {
    let world = talk(40);
    let mut summarizers = Summarizers::new(vec![&world.model]);
    summarizers.budget = Budget {
        step_tokens: 50,
        ..Budget::default()
    };
    let record = world
        .summarize_with(&summarizers, request(&world))
        .unwrap()
        .context
        .summary
        .unwrap();
    let asked = asked(&world);
    assert!(asked.len() > 2);
    assert!(asked[1].contains(r#"{"speaker":"earlier summary","text":"summary 1 of"#));
    for number in 0..12 {
        let line = said_line(number);
        let times = asked.iter().filter(|step| step.contains(&line)).count();
        assert_eq!(times, 1, "{line}");
    }
    assert_eq!(record.input_tokens, 100 * asked.len() as u64);
    assert!(
        record
            .text
            .starts_with(&format!("summary {} of", asked.len()))
    );
}

fn said_line(number: usize) -> String {
    if number.is_multiple_of(2) {
        format!("question {number}.")
    } else {
        format!("answer {number}.")
    }
}

#[test]
fn a_step_that_is_too_long_is_made_smaller_once() {
    let world = talk(40);
    world.fail(Call::Model, [Some(Fault::TooLarge)]);
    let mut summarizers = Summarizers::new(vec![&world.model]);
    summarizers.budget.step_tokens = 400;
    world.summarize_with(&summarizers, request(&world)).unwrap();
    let lengths: Vec<usize> = asked(&world).iter().map(String::len).collect();
    assert!(lengths.len() > 2 && lengths[1] < lengths[0], "{lengths:?}");
    let world = talk(40);
    world.fail(Call::Model, vec![Some(Fault::TooLarge); 2]);
    let error = world.summarize(request(&world)).unwrap_err();
    assert_eq!(error, Error::Model(SummarizerError::TooLong));
}

#[test]
fn without_a_model_the_record_says_so() {
    let world = talk(40);
    let summarizers = Summarizers::new(vec![Extractive]);
    let answer = world.summarize_with(&summarizers, request(&world)).unwrap();
    let record = answer.context.summary.unwrap();
    assert_eq!(record.model, "extractive/1");
    assert!(
        record.text.contains("- user: question 10."),
        "{}",
        record.text
    );
    assert_eq!((record.input_tokens, record.output_tokens), (0, 0));
}

#[test]
fn personal_data_is_taken_out_where_that_is_wanted() {
    let world = World::new();
    world.say(&[user("I am ann@example.com"), user("ok"), user("so")]);
    let mut summarizers = Summarizers::new(vec![&world.model]);
    let wanted = || SummarizeRequest {
        preserve_recent: Some(1),
        ..request(&world)
    };
    summarizers.redactor = Some(Redactor::built_in());
    world.summarize_with(&summarizers, wanted()).unwrap();
    assert!(asked(&world)[0].contains("I am [e-mail]"));
}

#[test]
fn a_summary_outlives_what_it_stands_for() {
    let world = talk(40);
    let record = world.summarize(request(&world)).unwrap().context.summary;
    world.clock.advance(6 * DAY);
    go_on(&world, 40, 50);
    world.clock.advance(2 * DAY);
    let messages = world.all();
    assert_eq!((messages.messages.len(), messages.report.expired), (10, 40));
    let answer = world.summarize(SummarizeRequest {
        preserve_recent: Some(4),
        ..request(&world)
    });
    let answer = answer.unwrap();
    let next = answer.context.summary.unwrap();
    assert_eq!(
        (answer.summarized, next.first_seq, next.last_seq),
        (3, 0, 42)
    );
    assert_eq!(next.previous, record.map(|record| record.id));
}

#[test]
fn what_expired_unseen_is_not_in_the_range() {
    let world = talk(10);
    world.clock.advance(6 * DAY);
    go_on(&world, 10, 30);
    world.clock.advance(2 * DAY);
    assert!(world.clock.now_ms() > START_MS);
    let record = summary_of(&world);
    assert_eq!((record.first_seq, record.last_seq), (10, 15));

    // What is gone is not held against the conversation any more: only the tail is left to summarise.
    let items = world.ports.context.items(&world.conversation);
    let items = crate::memory::run(&world.clock, items).unwrap().unwrap();
    let head = &items.heads[""];
    let left = world.all().messages.split_off(6);
    let left: u64 = left.iter().map(window::estimate::message).sum();
    assert_eq!(head.tokens - head.summarized, left);
}
