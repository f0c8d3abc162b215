//! The calls under test, and their answers cut down to what is judged.

use std::fmt;
use std::time::Duration;

use codec::model::{Content, Message, Object, SystemMessage};
use conversation::ports::{StateWrite, SystemWrite};
use conversation::{
    Error, IntegrityMode, LoadRequest, Policy, Ports, Report, Settings, StoreMode, StoreRequest,
};

use crate::operation::{Mode, Op, essence};
use crate::scenario::{RETENTION_DAYS, Scenario};
use crate::world::{Port, conversation};

/// The one agent whose state the simulated clients fight over.
const AGENT: &str = "agent";

/// A load as its caller means it.
#[derive(Clone, Debug)]
pub(crate) struct LoadCall {
    pub(crate) conversation: usize,
    pub(crate) branch: Option<String>,
    pub(crate) window: Vec<Policy>,
}

/// A call's answer.
#[derive(Clone, Debug)]
pub(crate) enum Finished {
    Store(Result<StoreAnswer, Error>),
    Load(Result<Box<LoadAnswer>, Error>),
}

/// What a store said.
#[derive(Clone, Debug)]
pub(crate) struct StoreAnswer {
    pub(crate) token: String,
    pub(crate) count: u64,
    pub(crate) stored: u64,
    pub(crate) replayed: bool,
}

/// What a load said.
#[derive(Clone, Debug)]
pub(crate) struct LoadAnswer {
    pub(crate) messages: Vec<Message>,
    pub(crate) pinned: u64,
    pub(crate) count: u64,
    pub(crate) system: Option<String>,
    pub(crate) state: u64,
    pub(crate) token: Option<String>,
    pub(crate) report: Report,
}

/// The settings a scenario asks for.
pub(crate) fn settings(scenario: &Scenario) -> Settings {
    Settings {
        dialect: scenario.dialect,
        layout: scenario.layout,
        retention: Duration::from_hours(24 * RETENTION_DAYS.unsigned_abs()),
        integrity: if scenario.enforce {
            IntegrityMode::Enforce
        } else {
            IntegrityMode::Report
        },
        ..Settings::default()
    }
}

/// Runs a store.
pub(crate) async fn store(port: Port, settings: Settings, op: Op, deadline: Duration) -> Finished {
    let request = StoreRequest {
        conversation: conversation(op.conversation),
        branch: op.branch,
        mode: match op.mode {
            Mode::Append => StoreMode::Append,
            Mode::Sync => StoreMode::Sync,
        },
        messages: op.messages,
        system: op.system.map(|text| SystemWrite::Put(system(text))),
        states: op.state.map(state).into_iter().collect(),
        head: op.expected.map(|known| known.token),
        key: op.key,
        deadline,
    };
    let answer = conversation::store(&ports(&port), &settings, request).await;
    Finished::Store(answer.map(|stored| StoreAnswer {
        token: stored.head,
        count: stored.context.stored_message_count,
        stored: stored.stored,
        replayed: stored.replayed,
    }))
}

/// Runs a load.
pub(crate) async fn load(
    port: Port,
    settings: Settings,
    call: LoadCall,
    deadline: Duration,
) -> Finished {
    let request = LoadRequest {
        branch: call.branch,
        window: call.window,
        ..LoadRequest::all(conversation(call.conversation), deadline)
    };
    let answer = conversation::load(&ports(&port), &settings, request).await;
    Finished::Load(answer.map(|loaded| {
        Box::new(LoadAnswer {
            count: loaded.context.stored_message_count,
            system: loaded
                .context
                .system
                .map(|system| essence(&Message::System(system))),
            state: loaded
                .context
                .states
                .get(AGENT)
                .map_or(0, |state| state.version),
            messages: loaded.messages,
            pinned: loaded.pinned as u64,
            token: loaded.head,
            report: loaded.report,
        })
    }))
}

fn ports(port: &Port) -> Ports<Port, Port, Port, Port> {
    Ports {
        events: port.clone(),
        context: port.clone(),
        clock: port.clone(),
        entropy: port.clone(),
    }
}

fn system(text: String) -> SystemMessage {
    SystemMessage {
        content: vec![Content::text(text)],
        ..SystemMessage::default()
    }
}

fn state(expected_version: u64) -> StateWrite {
    StateWrite {
        agent: AGENT.to_owned(),
        value: Object::new(),
        expected_version: Some(expected_version),
    }
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(Ok(answer)) => write!(
                f,
                "{} stored, {} in all{}",
                answer.stored,
                answer.count,
                if answer.replayed { ", replayed" } else { "" }
            ),
            Self::Load(Ok(answer)) => {
                write!(
                    f,
                    "{} of {} messages, {:?}",
                    answer.messages.len(),
                    answer.count,
                    answer.report
                )
            }
            Self::Store(Err(error)) | Self::Load(Err(error)) => write!(f, "{error}"),
        }
    }
}
