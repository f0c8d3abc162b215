//! Store: a turn appended exactly once, whole or not at all.

mod append;
mod base;
mod commit;
mod judge;
mod mine;
mod orphans;
mod outcome;
mod plan;
mod renewal;
mod request;
mod storing;
mod sync;
mod turnstile;

use std::collections::HashSet;

use codec::Dialect;
use codec::model::Message;

pub(crate) use renewal::expires_at;
pub use request::{StoreMode, StoreRequest, Stored};

use self::append::Appending;
use self::commit::{Committing, Key};
use self::plan::{Content, SystemChange};
use self::storing::Storing;
use crate::deadline::Deadline;
use crate::error::{Error, InvalidReason};
use crate::fingerprint;
use crate::id::{KeyHash, is_main_line};
use crate::ports::{
    Clock, ContextReader, ContextWriter, Entropy, EventReader, EventWriter, SystemWrite,
};
use crate::retry::Retry;
use crate::settings::{Ports, Settings};
use crate::token::Token;

/// How often the calls of one store may be repeated altogether, and how often more for each message.
const RETRIES: u32 = 20;
const RETRIES_EACH: u32 = 4;

/// Stores a turn, and what else the request changes, in one commit.
///
/// # Errors
///
/// On any error but [`Error::Unavailable`] nothing was changed. On that one the turn may be committed,
/// whole; the same request with the same head token or idempotency key finds out, and stores it at most
/// once.
pub async fn store<E, C, K, R>(
    ports: &Ports<E, C, K, R>,
    settings: &Settings,
    mut request: StoreRequest,
) -> Result<Stored, Error>
where
    E: EventReader + EventWriter,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    request.branch = request.branch.filter(|name| !is_main_line(name));
    let deadline = Deadline::after(&ports.clock, request.deadline);
    let count = u32::try_from(request.messages.len()).unwrap_or(u32::MAX);
    let budget = count.saturating_mul(RETRIES_EACH).saturating_add(RETRIES);
    let retry = Retry::new(&ports.clock, &ports.entropy, deadline, budget);
    let key = match &request.key {
        Some(key) => Some(Key {
            hash: KeyHash::new(request.branch.as_deref(), key),
            body: request.body()?,
        }),
        None => None,
    };
    let token = match &request.head {
        Some(text) => Some(Token::decode(&request.conversation, text)?),
        None => None,
    };
    check_states(&request)?;
    let content = content(&request, settings.dialect)?;
    let salt = ports.entropy.next_u64();
    let storing = Storing {
        settings,
        request: &request,
        content: &content,
        appending: Appending {
            events: &ports.events,
            retry: &retry,
            conversation: &request.conversation,
            salt,
        },
        committing: Committing {
            ports,
            settings,
            retry: &retry,
            conversation: &request.conversation,
            branch: request.branch.as_deref(),
            content: &content,
            states: &request.states,
            key,
            pinned: token.is_some(),
            salt,
        },
    };
    storing.run(token).await
}

/// One commit can write an agent's state once.
fn check_states(request: &StoreRequest) -> Result<(), Error> {
    let mut agents = HashSet::new();
    for (index, write) in request.states.iter().enumerate() {
        if !agents.insert(&write.agent) {
            let pointer = format!("/states/{index}");
            return Err(Error::invalid(pointer, InvalidReason::DuplicateAgent));
        }
    }
    Ok(())
}

/// Takes the system messages out. The last one counts, unless the request says otherwise.
fn content(request: &StoreRequest, dialect: Dialect) -> Result<Content, Error> {
    let mut system = None;
    let mut messages = Vec::with_capacity(request.messages.len());
    let mut indices = Vec::with_capacity(request.messages.len());
    for (index, message) in request.messages.iter().enumerate() {
        if let Message::System(message) = message {
            system = Some(SystemWrite::Put(message.clone()));
        } else {
            messages.push(message.clone());
            indices.push(index);
        }
    }
    let system = match request.system.clone().or(system) {
        None => None,
        Some(write) => Some(SystemChange {
            hash: match &write {
                SystemWrite::Put(message) => fingerprint::of_system(Some(message))?,
                SystemWrite::Remove => fingerprint::of_system(None)?,
            },
            write,
        }),
    };
    Ok(Content {
        mode: request.mode,
        messages,
        indices,
        system,
        writes_state: !request.states.is_empty(),
        keeps_pins: dialect != Dialect::Seed,
    })
}

#[cfg(test)]
mod tests;
