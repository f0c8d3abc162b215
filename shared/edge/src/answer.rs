//! The bodies of answers, the same whichever way a function was called.

use std::collections::BTreeMap;

use codec::model::{Message, Object};
use conversation::{Advice, Context, Loaded, Report, Stored};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::claim_check::ClaimCheck;
use crate::shown::Written;
use crate::subject::Subject;
use crate::summary::SummaryBody;

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
    pub(crate) summarize: AdviceBody<'a>,
    pub(crate) report: ReportBody<'a>,
}

/// The answer to a load that lies elsewhere.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimedBody<'a> {
    pub(crate) claim_check: ClaimCheck,
    pub(crate) head: Option<&'a str>,
    pub(crate) summarize: AdviceBody<'a>,
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
    summarize: AdviceBody<'a>,
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
    summary: Option<SummaryBody<'a>>,
}

/// One agent's state.
#[derive(Serialize)]
struct StateBody<'a> {
    value: &'a Object,
    version: u64,
}

/// Whether it is time to summarise.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdviceBody<'a> {
    advised: bool,
    because: &'a str,
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
    tokens: u64,
    context_window_tokens: u64,
    context_share: f64,
    mended: BTreeMap<&'static str, u64>,
    shortened: usize,
    truncated: bool,
}

/// What became of the messages on their way into the answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Showing {
    /// How many messages of the window had to go for lack of room.
    pub(crate) cut: usize,
    /// How many tool results were shortened.
    pub(crate) shortened: usize,
    /// The tokens both saved.
    pub(crate) tokens_saved: u64,
    /// What was mended to make the messages valid for a model, and how often.
    pub(crate) mended: BTreeMap<&'static str, u64>,
}

impl<'a> LoadBody<'a> {
    pub(crate) fn new(
        subject: &'a Subject,
        loaded: &'a Loaded,
        written: Written,
        showing: Showing,
    ) -> Self {
        Self {
            context: ContextBody::new(subject, &loaded.context),
            messages: written.messages,
            prompt: written.prompt,
            head: loaded.head.as_deref(),
            summarize: AdviceBody::new(&loaded.advice),
            report: ReportBody::new(&loaded.report, showing),
        }
    }
}

impl<'a> StoreBody<'a> {
    pub(crate) fn new(subject: &'a Subject, stored: &'a Stored) -> Self {
        Self {
            context: ContextBody::new(subject, &stored.context),
            head: &stored.head,
            stored: stored.stored,
            replayed: stored.replayed,
            summarize: AdviceBody::new(&stored.advice),
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
            summary: context.summary.as_ref().map(SummaryBody::new),
        }
    }
}

impl<'a> AdviceBody<'a> {
    pub(crate) fn new(advice: &'a Advice) -> Self {
        Self {
            advised: advice.advised,
            because: &advice.because,
        }
    }
}

impl<'a> ReportBody<'a> {
    pub(crate) fn new(report: &'a Report, showing: Showing) -> Self {
        let cut = u64::try_from(showing.cut).unwrap_or(u64::MAX);
        let tokens = report.tokens.saturating_sub(showing.tokens_saved);
        Self {
            stored: report.stored,
            returned: report.returned.saturating_sub(cut),
            evicted: report.evicted.saturating_add(cut),
            summarized: report.summarized,
            expired: report.expired,
            foreign: report.foreign,
            skipped: report.skipped,
            uncommitted: report.uncommitted,
            duplicates: report.duplicates,
            mismatches: report.mismatches,
            notes: &report.notes,
            tokens,
            context_window_tokens: report.context_window_tokens,
            context_share: share(tokens, report.context_window_tokens),
            mended: showing.mended,
            shortened: showing.shortened,
            truncated: cut > 0,
        }
    }
}

/// A share in four digits: more would claim a precision that an estimate does not have.
fn share(part: u64, whole: u64) -> f64 {
    let parts = u128::from(part) * 10_000 / u128::from(whole.max(1));
    f64::from(u32::try_from(parts).unwrap_or(u32::MAX)) / 10_000.0
}
