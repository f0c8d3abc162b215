//! The bodies of answers, the same whichever way a function was called.

use std::collections::BTreeMap;

use codec::converse::{ConverseMessage, to_converse};
use codec::model::{Message, Object};
use conversation::{Context, Loaded, Report, Stored};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::claim_check::ClaimCheck;
use crate::format::Format;
use crate::subject::Subject;

/// The answer to a load.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadBody<'a> {
    pub(crate) context: ContextBody<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) messages: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
    pub(crate) head: Option<&'a str>,
    pub(crate) report: ReportBody<'a>,
}

/// The answer to a load that lies elsewhere.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimedBody<'a> {
    pub(crate) claim_check: ClaimCheck,
    pub(crate) head: Option<&'a str>,
    pub(crate) report: ReportBody<'a>,
}

/// The answer to a store.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoreBody<'a> {
    context: ContextBody<'a>,
    head: &'a str,
    stored: u64,
    replayed: bool,
}

/// The context under the names of the seed documents.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContextBody<'a> {
    conversation_id: &'a str,
    memory_id: &'a str,
    actor_id: &'a str,
    session_id: &'a str,
    stored_message_count: u64,
    system_message: Option<Message>,
    state: BTreeMap<&'a str, StateBody<'a>>,
}

/// One agent's state.
#[derive(Serialize)]
struct StateBody<'a> {
    value: &'a Object,
    version: u64,
}

/// The report of a load.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportBody<'a> {
    stored: u64,
    returned: u64,
    evicted: u64,
    summarized: u64,
    expired: u64,
    foreign: u64,
    skipped: u64,
    uncommitted: u64,
    duplicates: u64,
    mismatches: u64,
    notes: &'a BTreeMap<String, u64>,
    truncated: bool,
}

impl<'a> LoadBody<'a> {
    /// The answer with the messages from `start` on.
    pub(crate) fn new(
        subject: &'a Subject,
        format: Format,
        loaded: &'a Loaded,
        start: usize,
    ) -> Result<Self, serde_json::Error> {
        let messages = loaded.messages.get(start..).unwrap_or_default();
        let (written, prompt) = match format {
            Format::Messages => (Some(to_raw_value(messages)?), None),
            Format::Converse => {
                let converted = to_converse(messages);
                let values: Vec<_> = converted
                    .into_iter()
                    .map(ConverseMessage::into_value)
                    .collect();
                (Some(to_raw_value(&values)?), None)
            }
            Format::Prompt => (None, Some(codec::to_prompt(messages))),
        };
        Ok(Self {
            context: ContextBody::new(subject, &loaded.context),
            messages: written,
            prompt,
            head: loaded.head.as_deref(),
            report: ReportBody::new(&loaded.report, start),
        })
    }
}

impl<'a> StoreBody<'a> {
    pub(crate) fn new(subject: &'a Subject, stored: &'a Stored) -> Self {
        Self {
            context: ContextBody::new(subject, &stored.context),
            head: &stored.head,
            stored: stored.stored,
            replayed: stored.replayed,
        }
    }
}

impl<'a> ContextBody<'a> {
    pub(crate) fn new(subject: &'a Subject, context: &'a Context) -> Self {
        let states = context.states.iter().map(|(agent, state)| {
            let body = StateBody {
                value: &state.value,
                version: state.version,
            };
            (agent.as_str(), body)
        });
        Self {
            conversation_id: &subject.session,
            memory_id: &context.conversation.memory,
            actor_id: &subject.actor,
            session_id: &subject.session,
            stored_message_count: context.stored_message_count,
            system_message: context.system.clone().map(Message::System),
            state: states.collect(),
        }
    }
}

impl<'a> ReportBody<'a> {
    /// The report where the first `cut` messages of the window had to go for lack of room.
    pub(crate) fn new(report: &'a Report, cut: usize) -> Self {
        let cut_messages = u64::try_from(cut).unwrap_or(u64::MAX);
        Self {
            stored: report.stored,
            returned: report.returned.saturating_sub(cut_messages),
            evicted: report.evicted.saturating_add(cut_messages),
            summarized: report.summarized,
            expired: report.expired,
            foreign: report.foreign,
            skipped: report.skipped,
            uncommitted: report.uncommitted,
            duplicates: report.duplicates,
            mismatches: report.mismatches,
            notes: &report.notes,
            truncated: cut > 0,
        }
    }
}
