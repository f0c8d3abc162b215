//! `CreateEvent`.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};

use super::new_event::NewEvent;
use super::place::{session_key, shown_memory};
use crate::error::{ApiError, Reason, Shape};
use crate::event::{EventId, Place, StoredEvent};
use crate::limits::Counted;
use crate::random::Random;
use crate::route::{Labels, Operation};
use crate::store::{BranchOrigin, Digest, Session, Store};
use crate::switches::{ExpiryBasis, TokenMismatch, TokenRepeat};
use crate::validate::memory_id;
use crate::world::{Context, Reply};

const MAIN: &str = "main";

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let switches = &context.world.options.switches;
    let request = NewEvent::parse(body, switches, context.now)?;
    let memory = memory_id(&labels.memory)?.to_owned();
    let (outcome, ticket) = context.world.with_store(|store| {
        store.active_memory(&memory, context.now)?;
        store_event(context, store, &memory, request)
    });
    let (place, event) = outcome?;
    let event = event.render(shown_memory(context, &labels.memory, &place), &place, true);
    Ok(Reply {
        status: 201,
        body: format!(r#"{{"event":{event}}}"#),
        ticket,
    })
}

/// The part that runs under the store's lock.
fn store_event(
    context: &Context<'_>,
    store: &mut Store,
    memory: &str,
    request: NewEvent,
) -> Result<(Place, Arc<StoredEvent>), ApiError> {
    let world = context.world;
    let switches = &world.options.switches;
    let session = request
        .session
        .clone()
        .unwrap_or_else(|| world.random.uuid());
    let place = Place {
        memory: memory.to_owned(),
        actor: request.actor.clone(),
        session,
    };
    context.admit(&Counted {
        operation: Operation::CreateEvent,
        session: Some(&session_key(&place)),
        conversational: request.conversational,
    })?;
    if context.contended {
        return Err(ApiError::new(
            Shape::RetryableConflict,
            "Another write to the session is in progress, please retry",
        ));
    }
    let token = request
        .scoped_token(switches.token_scope, &place)
        .map(|token| (token, request.digest(memory)));
    if let Some((token, digest)) = &token
        && let Some(first) = repeated(context, store, token, digest)?
    {
        return Ok(first);
    }
    let (root_given, origin) = branch_origin(store, &place, &request, world.clock.now())?;
    let expiry = store.memory(memory, context.now)?.info.expiry_ms();
    let branch = request
        .branch
        .as_ref()
        .map_or(MAIN, |(name, _)| name.as_str());
    let event = StoredEvent {
        id: fresh_id(
            request.millis,
            &world.random,
            store.session(&place, world.clock.now()).as_deref(),
        ),
        sequence: 0,
        created_at: context.now,
        taken_at: Some(Instant::now()),
        expires_at: expiry_base(switches.expiry_basis, context.now, request.millis)
            .saturating_add(expiry),
        branch: Arc::from(branch),
        root_given,
        metadata: request.metadata.into_iter().collect(),
        payload: request.payload.into(),
    };
    let stored = store.insert_event(&place, event, origin, token);
    stored
        .map(|event| (place, event))
        .ok_or_else(|| ApiError::not_found(format!("Memory not found: {memory}")))
}

/// The answer to a token that was used before, if it was.
fn repeated(
    context: &Context<'_>,
    store: &mut Store,
    token: &str,
    digest: &Digest,
) -> Result<Option<(Place, Arc<StoredEvent>)>, ApiError> {
    let switches = &context.world.options.switches;
    let window = switches.token_window_seconds.saturating_mul(1_000);
    let Some(first) = store.tokens.recall(token, context.now, window) else {
        return Ok(None);
    };
    if first.digest != *digest && switches.token_mismatch == TokenMismatch::Error {
        return Err(ApiError::validation(
            Reason::IdempotentParameterMismatch,
            "The client token was used before with other parameters",
        ));
    }
    let mut event = Arc::clone(&first.event);
    if switches.token_repeat == TokenRepeat::FreshId {
        let mut fresh = StoredEvent::clone(&event);
        fresh.id.suffix = context.world.random.suffix();
        event = Arc::new(fresh);
    }
    Ok(Some((first.place.clone(), event)))
}

/// The root to echo, and where the branch leaves its parent.
fn branch_origin(
    store: &mut Store,
    place: &Place,
    request: &NewEvent,
    now: u64,
) -> Result<(Option<EventId>, Option<BranchOrigin>), ApiError> {
    let Some((name, root)) = &request.branch else {
        return Ok((None, None));
    };
    let session = store.session(place, now);
    let known = session
        .as_ref()
        .and_then(|session| session.branches.get(name.as_str()).cloned());
    let Some(root) = root else {
        return match known {
            Some(origin) => Ok((None, Some(origin))),
            None if name == MAIN => Ok((None, None)),
            None => Err(refused(format!(
                "A new branch needs a rootEventId: branch {name} does not exist"
            ))),
        };
    };
    if name == MAIN {
        return Err(refused("The branch main has no root event"));
    }
    let id = EventId::parse(root);
    if let Some(origin) = known {
        return if Some(origin.root) == id {
            Ok((id, Some(origin)))
        } else {
            Err(ApiError::validation(
                Reason::ResourceConflict,
                format!("Branch {name} exists with another root event"),
            ))
        };
    }
    let found = id.and_then(|id| session.as_ref()?.event(id).cloned());
    match found {
        Some(event) => Ok((
            Some(event.id),
            Some(BranchOrigin {
                root: event.id,
                parent: Arc::clone(&event.branch),
            }),
        )),
        None if id.is_some_and(|id| {
            store
                .memories
                .get(&place.memory)
                .is_some_and(|memory| memory.holds(id))
        }) =>
        {
            Err(ApiError::validation(
                Reason::EventInOtherSession,
                format!("The root event {root} belongs to another session"),
            ))
        }
        None => Err(ApiError::not_found(format!(
            "Unable to find event with id {root}"
        ))),
    }
}

fn refused(message: impl Into<String>) -> ApiError {
    ApiError::validation(Reason::FieldValidationFailed, message)
}

/// An id that no event of the session has.
fn fresh_id(millis: u64, random: &Random, session: Option<&Session>) -> EventId {
    loop {
        let id = EventId {
            millis,
            suffix: random.suffix(),
        };
        if session.is_none_or(|session| session.event(id).is_none()) {
            return id;
        }
    }
}

fn expiry_base(basis: ExpiryBasis, now: u64, millis: u64) -> u64 {
    match basis {
        ExpiryBasis::Creation => now,
        ExpiryBasis::Earlier => now.min(millis),
    }
}
