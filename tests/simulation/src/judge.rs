//! What every answer is held against: the ledger as it was while the call ran.

use codec::Dialect;
use codec::model::Message;
use conversation::{Cause, Error, Policy};

use crate::ledger::View;
use crate::operation::{Known, Mode, OpId, Outcome, essence};
use crate::protocol::{Finished, LoadAnswer, LoadCall, StoreAnswer};
use crate::scenario::AMPLE_MS;
use crate::simulation::{Doing, Done, Simulation};
use crate::world::{State, conversation};

/// How severe to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Things go wrong: a call may fail, as long as it says nothing untrue.
    Stormy,
    /// Nothing goes wrong any more: every call must succeed, or be refused for a reason.
    Calm,
}

/// Judges a finished call and lets its client learn from it.
pub(crate) fn judge(simulation: &mut Simulation, done: Done, mood: Mood) {
    match (done.doing, done.finished) {
        (Doing::Store(op), Finished::Store(Ok(answer))) => {
            stored(simulation, done.client, op, answer);
        }
        (Doing::Store(op), Finished::Store(Err(error))) => {
            not_stored(simulation, done.client, op, &error, mood);
        }
        (Doing::Load { call, since, .. }, Finished::Load(Ok(answer))) => {
            loaded(simulation, done.client, &call, since, *answer);
        }
        (
            Doing::Load {
                call, deadline_ms, ..
            },
            Finished::Load(Err(error)),
        ) => {
            not_loaded(
                &mut simulation.world.state(),
                &call,
                deadline_ms,
                &error,
                mood,
            );
        }
        _ => unreachable!("a call is answered in its own kind"),
    }
}

fn stored(simulation: &mut Simulation, client: usize, id: OpId, answer: StoreAnswer) {
    let mut state = simulation.world.state();
    let op = state.ledger.ops[id].clone();
    let talk = conversation(op.conversation);
    let view = state
        .ledger
        .view(&talk, op.branch.as_deref(), state.ledger.moment(&talk));
    let position = state.ledger.position(&talk, id);
    let twins_count = op.expected.is_some() || state.scenario.lost_answer + state.scenario.late > 0;
    state.ledger.coverage.hit(if answer.replayed {
        "store replayed"
    } else {
        "store acknowledged"
    });
    state.ledger.ops[id].outcome = Outcome::Acknowledged;
    match position {
        // On one head the same messages are the same turn. With a token that is what the caller asked for;
        // without one it can only happen to a caller that lost an answer, and it is not promised otherwise.
        None if twins_count && state.ledger.has_twin(&talk, &op) => {
            state.ledger.coverage.hit("same turn as another's");
            return;
        }
        None if op.mode == Mode::Append && !op.messages.is_empty() => {
            state
                .ledger
                .violation(format!("store {id} was acknowledged and never committed"));
        }
        None if op.mode == Mode::Sync && answer.stored > 0 => {
            state.ledger.violation(format!(
                "sync {id} claims messages that were never committed"
            ));
        }
        None => {
            // Nothing was read or written, so the answer says no more than the caller knew.
            state.ledger.coverage.hit("nothing to store");
            return;
        }
        Some(position) if !answer.replayed && answer.count != position as u64 => {
            let count = answer.count;
            state.ledger.violation(format!(
                "store {id} answered a count of {count}, not {position}"
            ));
        }
        Some(position) if answer.count < position as u64 => {
            state
                .ledger
                .violation(format!("store {id} answered a count before its own turn"));
        }
        Some(_) if op.mode == Mode::Append && answer.stored != op.messages.len() as u64 => {
            state.ledger.violation(format!(
                "store {id} answered that it stored {}",
                answer.stored
            ));
        }
        Some(_) => {}
    }
    let count = usize::try_from(answer.count).unwrap();
    let Some(content) = view.content.get(..count) else {
        state.ledger.violation(format!(
            "store {id} answered a count beyond what is committed"
        ));
        return;
    };
    let mut sum = 0;
    let turns = view.turns.iter().take_while(|(messages, _)| {
        sum += messages;
        sum <= count
    });
    let known = Known {
        token: answer.token,
        branch: op.branch.clone(),
        content: content.to_vec(),
        turns: turns.cloned().collect(),
    };
    drop(state);
    simulation.clients[client]
        .known
        .entry((op.conversation, op.branch))
        .or_default()
        .push(known);
}

fn not_stored(simulation: &mut Simulation, client: usize, id: OpId, error: &Error, mood: Mood) {
    let mut state = simulation.world.state();
    let op = state.ledger.ops[id].clone();
    let talk = conversation(op.conversation);
    let position = state.ledger.position(&talk, id);
    state.ledger.coverage.hit(word(error));
    let legal = match error {
        Error::Conflict { .. } => {
            op.expected.is_some() || op.key.is_some() || op.state.is_some() || op.mode == Mode::Sync
        }
        // Only a store on a branch can name one that is not there yet, without a turn to start it from or
        // without one to start it with.
        Error::Invalid { .. } => {
            let nothing = op.messages.is_empty() || op.mode == Mode::Sync;
            op.branch.is_some()
                && (nothing
                    || op
                        .expected
                        .as_ref()
                        .is_none_or(|known| known.content.is_empty()))
        }
        Error::Integrity { .. } => state.ledger.tampered.contains(&talk),
        Error::AccessDenied(_) => state.scenario.denied > 0 || mood == Mood::Stormy,
        // Where the chain is damaged or has expired, nobody can tell whether an old turn is in it.
        Error::Unavailable(Cause::UnknownOutcome) => {
            mood == Mood::Stormy || state.ledger.tampered.contains(&talk) || state.ledger.era > 0
        }
        Error::Throttled(_) | Error::Unavailable(_) | Error::DeadlineExceeded => {
            mood == Mood::Stormy
        }
        // A store asks no model.
        Error::NotFound(_) | Error::QuotaExceeded | Error::TooLarge { .. } | Error::Model(_) => {
            false
        }
    };
    if !legal {
        state
            .ledger
            .violation(format!("store {id} failed without cause: {error}"));
    }
    let unknown =
        matches!(error, Error::Unavailable(cause) if !matches!(cause, Cause::Contended(_)));
    // A conflict speaks for all attempts where something ties them together; every other error only for
    // its own.
    let tied = op.key.is_some() || op.expected.is_some();
    let definite = match error {
        Error::Conflict { .. } => tied || !op.in_doubt,
        _ => !unknown && !op.in_doubt,
    };
    if definite {
        state.ledger.ops[id].outcome = Outcome::Refused;
        // A change of context alone leaves no trace in the chain by which a later attempt could know it.
        let known = if op.in_doubt {
            state.ledger.has_turn(&talk, id)
        } else {
            position.is_some()
        };
        if known {
            state.ledger.violation(format!(
                "store {id} was refused though it is committed: {error}"
            ));
        }
    } else {
        state.ledger.ops[id].in_doubt = true;
        drop(state);
        simulation.clients[client].open = Some(id);
    }
}

fn loaded(
    simulation: &mut Simulation,
    client: usize,
    call: &LoadCall,
    since: usize,
    answer: LoadAnswer,
) {
    let mut state = simulation.world.state();
    let talk = conversation(call.conversation);
    let branch = call.branch.as_deref();
    let until = state.ledger.moment(&talk);
    state.ledger.coverage.hit("load answered");
    for (count, name) in [
        (answer.report.duplicates, "load dropped duplicates"),
        (answer.report.uncommitted, "load skipped uncommitted events"),
        (answer.report.expired, "load met expired turns"),
        (answer.report.mismatches, "load reported a mismatch"),
        (answer.report.evicted, "load evicted messages"),
        (answer.pinned, "load kept pinned messages"),
    ] {
        if count > 0 {
            state.ledger.coverage.hit(name);
        }
    }
    let found = (since..=until).rev().find_map(|moment| {
        let view = state.ledger.view(&talk, branch, moment);
        shows(&state, &view, call, &answer).then_some(view)
    });
    let Some(view) = found else {
        let excused = state.ledger.tampered.contains(&talk)
            && answer.report.mismatches > 0
            && !state.scenario.enforce;
        if !excused {
            let view = state.ledger.view(&talk, branch, until);
            let words = difference(&view, &answer);
            state
                .ledger
                .violation(format!("a load showed what never was: {words}"));
        }
        return;
    };
    if answer.report.mismatches > 0 && !state.ledger.tampered.contains(&talk) {
        state
            .ledger
            .violation("a load reported a mismatch where nobody tampered");
    }
    let Some(token) = answer.token else { return };
    let known = Known {
        token,
        branch: call.branch.clone(),
        content: view.content,
        turns: view.turns,
    };
    drop(state);
    simulation.clients[client]
        .known
        .entry((call.conversation, call.branch.clone()))
        .or_default()
        .push(known);
}

fn not_loaded(state: &mut State, call: &LoadCall, deadline_ms: u64, error: &Error, mood: Mood) {
    let talk = conversation(call.conversation);
    let tampered = state.ledger.tampered.contains(&talk);
    state.ledger.coverage.hit(match error {
        Error::Integrity { .. } => "load refused: integrity",
        Error::Unavailable(Cause::NotYetVisible(_)) => "load refused: not yet visible",
        _ => "load failed",
    });
    let legal = match error {
        Error::Integrity { .. } => tampered,
        // No lag is longer than an ample deadline.
        Error::Unavailable(Cause::NotYetVisible(_)) => tampered || deadline_ms < AMPLE_MS,
        // A load may look for a removed event until its time is over.
        Error::DeadlineExceeded => mood == Mood::Stormy || tampered,
        Error::Unavailable(_) | Error::Throttled(_) | Error::AccessDenied(_) => {
            mood == Mood::Stormy
        }
        _ => false,
    };
    if !legal {
        state
            .ledger
            .violation(format!("a load failed without cause: {error}"));
    }
}

/// Whether an answer shows exactly this view, as far as its events have not expired.
fn shows(state: &State, view: &View, call: &LoadCall, answer: &LoadAnswer) -> bool {
    let gone = answer.report.expired;
    let remaining = view
        .content
        .len()
        .checked_sub(usize::try_from(gone).unwrap());
    let Some(remaining) = remaining.filter(|left| may_remain(state, view, call, *left)) else {
        return false;
    };
    let rest = &view.content[view.content.len() - remaining..];
    let expected = seen(state, call, rest, gone > 0);
    // Of other software's events a load counts only those it has read, and then gives no token.
    let partly = answer.token.is_none() && answer.count < view.content.len() as u64;
    (answer.count == view.content.len() as u64 || partly)
        && answer.system == view.system.as_ref().map(|text| format!("system {text}"))
        && answer.state == view.state
        && answer.messages.len() == expected.len()
        && answer
            .messages
            .iter()
            .zip(expected)
            .all(|(a, b)| essence(a) == essence(b))
        && answer.report.stored == answer.count
        && answer.report.returned == answer.messages.len() as u64
}

/// Only whole turns expire, and only those of which an event is really gone.
fn may_remain(state: &State, view: &View, call: &LoadCall, remaining: usize) -> bool {
    let talk = conversation(call.conversation);
    let mut kept = 0;
    for (messages, turn) in view.turns.iter().rev() {
        if kept == remaining {
            // Everything from here back counts as expired: so this turn must be.
            return state.has_expired(&talk, turn);
        }
        kept += messages;
    }
    kept == remaining
}

/// Where a window begins, by its own definition; `older` says that there was more before it.
fn begin(window: &[Policy], messages: &[Message], older: bool) -> usize {
    let is_user = |message: &Message| matches!(message, Message::User(_));
    let begins = window.iter().map(|policy| match policy {
        Policy::Sliding { size, .. } => {
            let earliest = messages.len().saturating_sub(*size);
            if messages.len() < *size || (earliest == 0 && !older) {
                return 0;
            }
            let answered = |at: &usize| {
                let (this, next) = (&messages[*at], messages.get(at + 1));
                matches!(this, Message::Assistant(said) if !said.tool_calls.is_empty())
                    && matches!(next, Some(Message::ToolResult(_)))
            };
            let user = (earliest..messages.len()).find(|at| is_user(&messages[*at]));
            user.or_else(|| (earliest..messages.len()).find(answered))
                .unwrap_or(0)
        }
        Policy::Turns { count } => {
            let users = (0..messages.len())
                .rev()
                .filter(|at| is_user(&messages[*at]));
            users.take(*count).last().unwrap_or(messages.len())
        }
        _ => 0,
    });
    begins.max().unwrap_or(0)
}

/// What a load has to show of `messages`: pinned ones, where the dialect keeps the mark, then the window.
fn seen<'m>(
    state: &State,
    call: &LoadCall,
    messages: &'m [Message],
    older: bool,
) -> Vec<&'m Message> {
    let (before, window) = messages.split_at(begin(&call.window, messages, older));
    let keeps_pins = state.scenario.dialect != Dialect::Seed;
    let is_pinned = |message: &&Message| match message {
        Message::User(user) => keeps_pins && !user.metadata.is_empty(),
        _ => false,
    };
    before.iter().filter(is_pinned).chain(window).collect()
}

fn difference(view: &View, answer: &LoadAnswer) -> String {
    let due: Vec<String> = view.content.iter().map(essence).collect();
    let is: Vec<String> = answer.messages.iter().map(essence).collect();
    format!(
        "count {}, system {:?}, state {}, {:?}, messages {is:?}; due: system {:?}, state {}, messages {due:?}",
        answer.count, answer.system, answer.state, answer.report, view.system, view.state
    )
}

fn word(error: &Error) -> &'static str {
    match error {
        Error::Conflict { .. } => "store refused: conflict",
        Error::Throttled(_) => "store failed: throttled",
        Error::Unavailable(Cause::UnknownOutcome) => "store failed: unknown outcome",
        Error::Unavailable(Cause::Contended(_)) => "store failed: contended",
        Error::Unavailable(_) => "store failed: unavailable",
        Error::AccessDenied(_) => "store failed: access denied",
        Error::DeadlineExceeded => "store failed: deadline exceeded",
        Error::Invalid { .. } => "store refused: invalid",
        _ => "store failed: other",
    }
}
