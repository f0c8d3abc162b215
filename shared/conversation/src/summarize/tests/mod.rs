//! Summarize on the memory ports.

mod answers;
mod failures;
mod foreign;
mod races;

use codec::model::Message;

use crate::summarize::{SummarizeRequest, SummaryRecord};
use crate::testing::{World, assistant, user};

const TIME: std::time::Duration = std::time::Duration::from_mins(1);

/// A world with a conversation of so many messages, one turn of two after the other.
fn talk(messages: usize) -> World {
    let world = World::new();
    go_on(&world, 0, messages);
    world
}

/// Says more: messages number `from` up to `until`.
fn go_on(world: &World, from: usize, until: usize) {
    let messages: Vec<Message> = (from..until).map(said).collect();
    for turn in messages.chunks(2) {
        world.say(turn);
    }
}

fn said(number: usize) -> Message {
    if number.is_multiple_of(2) {
        user(&format!("question {number}."))
    } else {
        assistant(&format!("answer {number}."))
    }
}

fn request(world: &World) -> SummarizeRequest {
    SummarizeRequest::new(world.conversation.clone(), TIME)
}

/// Summarises, and gives the record there is then.
fn summary_of(world: &World) -> SummaryRecord {
    let summarized = world.summarize(request(world)).unwrap();
    summarized.context.summary.unwrap()
}

/// What the model was asked so far.
fn asked(world: &World) -> Vec<String> {
    world.model.inner.lock().unwrap().clone()
}
