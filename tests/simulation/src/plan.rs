//! What the clients want: stores and loads of every kind, drawn from the run's seed.

use codec::model::{
    AssistantMessage, Content, Fields, Message, ToolCall, ToolResult, ToolResultMessage,
    UserMessage,
};
use conversation::{Policy, SlidingRule};

use crate::operation::{Known, Mode, Op, OpId, Outcome};
use crate::protocol::LoadCall;
use crate::random::Random;
use crate::simulation::Simulation;
use crate::world::conversation;

/// A client's next call.
pub(crate) enum Plan {
    Store(OpId),
    Load(LoadCall),
}

/// Draws what an idle client does next.
pub(crate) fn next(simulation: &mut Simulation, client: usize, random: &mut Random) -> Plan {
    let retry = simulation.world.state().scenario.retry;
    if let Some(op) = simulation.clients[client].open
        && random.chance(retry)
    {
        simulation.clients[client].open = None;
        if can_be_retried(&simulation.world.state().ledger.ops[op]) {
            simulation
                .world
                .state()
                .ledger
                .coverage
                .hit("retry after an unknown outcome");
            return Plan::Store(op);
        }
    }
    let (conversations, branches) = {
        let state = simulation.world.state();
        (state.scenario.conversations, state.scenario.branches)
    };
    let conversation = random.index(conversations);
    let branch = (branches && random.chance(400)).then(|| format!("branch{}", random.index(2)));
    if random.chance(300) {
        let window = window(random);
        return Plan::Load(LoadCall {
            conversation,
            branch,
            window,
        });
    }
    let op = store(simulation, client, conversation, branch, random);
    let mut state = simulation.world.state();
    state.ledger.ops.push(op);
    Plan::Store(state.ledger.ops.len() - 1)
}

fn window(random: &mut Random) -> Vec<Policy> {
    let sliding = Policy::Sliding {
        size: 1 + random.index(6),
        rule: SlidingRule::Strands,
    };
    let turns = Policy::Turns {
        count: 1 + random.index(3),
    };
    match random.index(8) {
        0 | 1 => vec![sliding],
        2 => vec![turns],
        3 => vec![sliding, turns],
        4 => vec![Policy::None],
        _ => Vec::new(),
    }
}

/// A plain append, as a caller without any knowledge makes it.
pub(crate) fn append(
    simulation: &mut Simulation,
    conversation: usize,
    branch: Option<String>,
) -> OpId {
    let mut state = simulation.world.state();
    let id = state.ledger.ops.len();
    state.ledger.ops.push(Op {
        conversation,
        branch,
        mode: Mode::Append,
        messages: vec![user(format!("op{id} last"))],
        system: None,
        state: None,
        expected: None,
        key: None,
        attempts: 0,
        in_doubt: false,
        outcome: Outcome::Open,
    });
    id
}

/// Lets other software begin each conversation.
pub(crate) fn begin_foreign(simulation: &mut Simulation, random: &mut Random) {
    let mut state = simulation.world.state();
    for number in 0..state.scenario.conversations {
        let talk = conversation(number);
        let texts: Vec<String> = (0..=random.index(4))
            .map(|i| format!("talk{number} foreign{i}"))
            .collect();
        for text in &texts {
            state.write_foreign(&talk, text);
        }
        state
            .ledger
            .begins_with(&talk, texts.into_iter().map(user).collect());
    }
}

/// So many messages of one store.
pub(crate) fn lines(op: OpId, count: usize) -> Vec<Message> {
    (0..count)
        .map(|number| user(format!("op{op} message{number}")))
        .collect()
}

/// A repetition is safe only where something tells the attempts of one store from two stores.
pub(crate) fn can_be_retried(op: &Op) -> bool {
    op.outcome == Outcome::Open
        && (op.key.is_some() || op.expected.is_some() || op.mode == Mode::Sync)
}

fn store(
    simulation: &Simulation,
    client: usize,
    number: usize,
    branch: Option<String>,
    random: &mut Random,
) -> Op {
    let state = simulation.world.state();
    let ledger = &state.ledger;
    let id = ledger.ops.len();
    let known = known(simulation, client, number, branch.as_ref(), random);
    let mode = if random.chance(250) {
        Mode::Sync
    } else {
        Mode::Append
    };
    let new = turn(id, random);
    let messages = match mode {
        Mode::Append => new,
        Mode::Sync => synced(known.as_ref(), new, random),
    };
    let now = ledger.view(
        &conversation(number),
        branch.as_deref(),
        ledger.moment(&conversation(number)),
    );
    let key = random.chance(400).then(|| {
        // Now and then a key is taken that was used before, for another body.
        let number = if random.chance(80) {
            random.index(id + 1)
        } else {
            id
        };
        format!("key{number}")
    });
    let must_fork = branch.is_some() && now.content.is_empty();
    Op {
        conversation: number,
        mode,
        messages,
        system: random
            .chance(150)
            .then(|| format!("system {}", random.index(3))),
        state: random
            .chance(150)
            .then(|| now.state.saturating_sub(u64::from(random.chance(200)))),
        expected: known.filter(|_| must_fork || random.chance(600)),
        key,
        attempts: 0,
        in_doubt: false,
        outcome: Outcome::Open,
        branch,
    }
}

/// A token of the branch, mostly the newest the client has; for a new branch one of another.
fn known(
    simulation: &Simulation,
    client: usize,
    conversation: usize,
    branch: Option<&String>,
    random: &mut Random,
) -> Option<Known> {
    let all = &simulation.clients[client].known;
    let of = |branch: Option<String>| {
        let known = all.get(&(conversation, branch))?;
        known
            .iter()
            .any(|known| !known.content.is_empty())
            .then_some(known)
    };
    let tokens = of(branch.cloned())
        .or_else(|| of(None))
        .or_else(|| all.get(&(conversation, branch.cloned())))?;
    let back = if random.chance(150) {
        random.index(tokens.len())
    } else {
        0
    };
    tokens.get(tokens.len() - 1 - back).cloned()
}

/// The whole memory of a caller, which is not always what it should be.
fn synced(known: Option<&Known>, new: Vec<Message>, random: &mut Random) -> Vec<Message> {
    let mut messages = known.map(|known| known.content.clone()).unwrap_or_default();
    match random.index(10) {
        // A windowed memory has lost its oldest message.
        0 if !messages.is_empty() => {
            messages.remove(0);
        }
        1 if !messages.is_empty() => {
            let index = random.index(messages.len());
            messages[index] = user(format!("never stored {}", random.bits()));
        }
        _ => {}
    }
    messages.extend(new);
    messages
}

/// The messages of one turn, each unlike any other of the run.
fn turn(op: OpId, random: &mut Random) -> Vec<Message> {
    let text = |number: usize| format!("op{op} message{number}");
    match random.index(12) {
        0 => Vec::new(),
        // Some things are said again and again, by several at once.
        1 => vec![user("yes".to_owned())],
        2 => vec![pinned(text(0))],
        3 | 4 => vec![user(text(0))],
        5..=8 => vec![user(text(0)), assistant(text(1))],
        9 | 10 => vec![
            user(text(0)),
            call(op, text(1)),
            result(op, text(2)),
            assistant(text(3)),
        ],
        _ => lines(op, 7),
    }
}

fn user(text: String) -> Message {
    Message::User(UserMessage {
        content: vec![Content::text(text)],
        ..UserMessage::default()
    })
}

/// What a user says and wants to be remembered.
fn pinned(text: String) -> Message {
    let custom = serde_json::json!({"pinned": true});
    Message::User(UserMessage {
        content: vec![Content::text(text)],
        metadata: Fields::from_iter([("custom".to_owned(), custom)]),
        ..UserMessage::default()
    })
}

fn assistant(text: String) -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![Content::text(text)],
        ..AssistantMessage::default()
    })
}

fn call(op: OpId, text: String) -> Message {
    let call = ToolCall {
        id: format!("call{op}").into(),
        name: "look".into(),
        arguments: Fields::new(),
        extra: Fields::new(),
    };
    Message::Assistant(AssistantMessage {
        content: vec![Content::text(text)],
        tool_calls: vec![call],
        ..AssistantMessage::default()
    })
}

fn result(op: OpId, text: String) -> Message {
    let result = ToolResult {
        id: Some(format!("call{op}").into()),
        name: Some("look".into()),
        content: vec![Content::text(text)],
        ..ToolResult::default()
    };
    Message::ToolResult(ToolResultMessage {
        results: vec![result],
        ..ToolResultMessage::default()
    })
}
