//! The rules of a load, one test each.

mod branches;
mod calls;
mod errors;
mod foreign;
mod missing;
mod summaries;
mod uncommitted;
mod verification;
mod windows;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use codec::model::Message;
use codec::{Payload, Role};
use window::{Policy, SlidingRule};

use crate::load::LoadRequest;
use crate::memory::run;
use crate::ports::{BranchRoot, EventId, EventWriter, NewEvent, StoredEvent};
use crate::settings::Layout;
use crate::testing::{Call, START_MS, World, append, everything, text, user};

pub(super) fn texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(text).collect()
}

pub(super) fn calls(expected: &[(Call, u32)]) -> HashMap<Call, u32> {
    expected.iter().copied().collect()
}

/// A conversation of so many messages, in turns of up to 500.
pub(super) fn long(messages: usize) -> World {
    let mut world = World::new();
    let all: Vec<_> = (0..messages).map(|i| user(&i.to_string())).collect();
    world.settings.layout = Layout::Message;
    for turn in all.chunks(500) {
        let request = crate::store::StoreRequest {
            deadline: Duration::from_mins(10),
            ..append(&world, turn)
        };
        world.store(request).unwrap();
    }
    world
}

pub(super) fn window(world: &World, window: &[Policy]) -> LoadRequest {
    LoadRequest {
        window: window.to_vec(),
        ..everything(world)
    }
}

pub(super) fn sliding(size: usize) -> Policy {
    let rule = SlidingRule::Strands;
    Policy::Sliding { size, rule }
}

pub(super) fn turns(count: usize) -> Policy {
    Policy::Turns { count }
}

pub(super) fn on_branch(world: &World, branch: &str) -> LoadRequest {
    LoadRequest {
        branch: Some(branch.to_owned()),
        ..everything(world)
    }
}

pub(super) fn foreign(
    world: &World,
    ms: i64,
    payload: Payload,
    branch: Option<(&str, &EventId)>,
) -> EventId {
    foreign_with(world, ms, payload, branch, BTreeMap::new())
}

pub(super) fn foreign_with(
    world: &World,
    ms: i64,
    payload: Payload,
    branch: Option<(&str, &EventId)>,
    metadata: BTreeMap<String, String>,
) -> EventId {
    let event = NewEvent {
        timestamp_ms: START_MS + ms,
        client_token: format!("foreign {ms} {payload:?}"),
        payload: vec![payload],
        metadata,
        branch: branch.map(|(name, root)| BranchRoot {
            name: name.to_owned(),
            root: Some(root.clone()),
        }),
    };
    run(
        &world.clock,
        world.log().create(&world.conversation, &event),
    )
    .unwrap()
    .unwrap()
}

pub(super) fn prose(text: &str) -> Payload {
    Payload::Conversational {
        role: Role::User,
        text: text.to_owned(),
    }
}

pub(super) fn stored(world: &World) -> Vec<StoredEvent> {
    world.log().events(&world.conversation)
}

pub(super) fn delete(world: &World, event: &StoredEvent) {
    run(
        &world.clock,
        world.log().delete(&world.conversation, &event.id),
    )
    .unwrap()
    .unwrap();
}
