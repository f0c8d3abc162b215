//! `CreateEvent`.

use std::sync::Arc;

use serde_json::{Map, Value};
use sha2::Digest as _;

use super::payload::render_payload;
use super::place::{session_key, shown_memory};
use crate::error::{ApiError, Reason};
use crate::event::{EventId, Place, StoredEvent};
use crate::limits::Counted;
use crate::options::{ExpiryBasis, Switches, TokenMismatch, TokenRepeat, TokenScope};
use crate::random::Random;
use crate::route::{Labels, Operation};
use crate::store::{BranchOrigin, Digest, Session, Store};
use crate::timestamp::parse_millis;
use crate::validate::{
    ACTOR_ID, BRANCH_NAME, EVENT_ID, METADATA_KEY, METADATA_VALUE, SESSION_ID, Violations,
    list_member, member, memory_id, object_member, text_member,
};
use crate::world::{Context, Reply};

const MAIN: &str = "main";
const MOST_METADATA: usize = 15;

/// A request whose every member has the right form.
#[derive(Debug, Clone, PartialEq)]
struct NewEvent {
    actor: String,
    session: Option<String>,
    millis: u64,
    payload: String,
    conversational: bool,
    branch: Option<(String, Option<String>)>,
    metadata: Vec<(String, String)>,
    token: Option<String>,
    extraction: Option<String>,
}

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
        expires_at: expiry_base(switches.expiry_basis, context.now, request.millis)
            .saturating_add(expiry),
        branch: Arc::from(branch),
        root_given,
        metadata: request.metadata,
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

impl NewEvent {
    fn parse(body: &Map<String, Value>, switches: &Switches, now: u64) -> Result<Self, ApiError> {
        let mut violations = Violations::default();
        let actor = text_member(body, "actorId")?;
        match actor {
            Some(actor) => violations.text("actorId", actor, &ACTOR_ID),
            None => violations.missing("actorId"),
        }
        let session = text_member(body, "sessionId")?;
        if let Some(session) = session {
            violations.text("sessionId", session, &SESSION_ID);
        }
        let millis = parse_timestamp(body, switches, now, &mut violations)?;
        let items = list_member(body, "payload")?;
        if items.is_none() {
            violations.missing("payload");
        }
        let items = items.map(Vec::as_slice).unwrap_or_default();
        let (payload, conversational) = render_payload(items, switches, &mut violations)?;
        let branch = parse_branch(body, &mut violations)?;
        let metadata = parse_metadata(body, &mut violations)?;
        let extraction = text_member(body, "extractionMode")?;
        if let Some(mode) = extraction {
            violations.one_of("extractionMode", mode, &["SKIP"]);
        }
        object_member(body, "extractionConfig")?;
        let token = text_member(body, "clientToken")?;
        violations.finish()?;
        Ok(Self {
            actor: actor.unwrap_or_default().to_owned(),
            session: session.map(str::to_owned),
            millis,
            payload,
            conversational,
            branch,
            metadata,
            token: token.map(str::to_owned),
            extraction: extraction.map(str::to_owned),
        })
    }

    fn scoped_token(&self, scope: TokenScope, place: &Place) -> Option<String> {
        let token = self.token.as_ref()?;
        // Without a session of its own each call would make up another one, so the actor must do.
        let session = self.session.as_deref().unwrap_or_default();
        match scope {
            TokenScope::Ignored => None,
            TokenScope::Account => Some(token.clone()),
            TokenScope::Memory => Some(format!("{} {token}", place.memory)),
            TokenScope::Session => Some(format!(
                "{} {} {session} {token}",
                place.memory, place.actor
            )),
        }
    }

    /// SHA-256 over everything but the token, each part led by its length.
    fn digest(&self, memory: &str) -> Digest {
        let mut hash = sha2::Sha256::new();
        let mut add = |part: &str| {
            hash.update(part.len().to_be_bytes());
            hash.update(part.as_bytes());
        };
        let (branch, root) = self
            .branch
            .as_ref()
            .map_or(("", None), |(name, root)| (name.as_str(), root.as_deref()));
        let session = self.session.as_deref().unwrap_or_default();
        let millis = self.millis.to_string();
        let extraction = self.extraction.as_deref().unwrap_or_default();
        for part in [
            memory,
            &self.actor,
            session,
            &millis,
            &self.payload,
            branch,
            root.unwrap_or_default(),
            extraction,
        ] {
            add(part);
        }
        let mut metadata: Vec<_> = self.metadata.iter().collect();
        metadata.sort();
        for (key, value) in metadata {
            add(key);
            add(value);
        }
        hash.finalize().into()
    }
}

fn parse_timestamp(
    body: &Map<String, Value>,
    switches: &Switches,
    now: u64,
    violations: &mut Violations,
) -> Result<u64, ApiError> {
    let Some(value) = member(body, "eventTimestamp") else {
        violations.missing("eventTimestamp");
        return Ok(0);
    };
    let Some(number) = value.as_number() else {
        return Err(ApiError::cannot_parse(
            "member 'eventTimestamp' must be a number of epoch seconds",
        ));
    };
    let Some(millis) = parse_millis(number.as_str()) else {
        violations.add(
            "eventTimestamp",
            "Member must be a time from 1970 on, in epoch seconds",
        );
        return Ok(0);
    };
    let latest = switches
        .max_future_seconds
        .map(|seconds| now.saturating_add(seconds.saturating_mul(1_000)));
    if latest.is_some_and(|latest| millis > latest) {
        violations.add(
            "eventTimestamp",
            "Member must not lie further in the future",
        );
    }
    Ok(millis)
}

fn parse_branch(
    body: &Map<String, Value>,
    violations: &mut Violations,
) -> Result<Option<(String, Option<String>)>, ApiError> {
    let Some(branch) = object_member(body, "branch")? else {
        return Ok(None);
    };
    let name = text_member(branch, "name")?;
    match name {
        Some(name) => violations.text("branch.name", name, &BRANCH_NAME),
        None => violations.missing("branch.name"),
    }
    let root = text_member(branch, "rootEventId")?;
    if let Some(root) = root {
        violations.text("branch.rootEventId", root, &EVENT_ID);
    }
    Ok(Some((
        name.unwrap_or_default().to_owned(),
        root.map(str::to_owned),
    )))
}

fn parse_metadata(
    body: &Map<String, Value>,
    violations: &mut Violations,
) -> Result<Vec<(String, String)>, ApiError> {
    let Some(metadata) = object_member(body, "metadata")? else {
        return Ok(Vec::new());
    };
    violations.length("metadata", metadata.len(), 0, MOST_METADATA);
    let mut pairs = Vec::with_capacity(metadata.len());
    for (key, value) in metadata {
        violations.text("metadata.key", key, &METADATA_KEY);
        let path = format!("metadata.{key}.value");
        let Some(value) = value.as_object() else {
            return Err(ApiError::cannot_parse(format!(
                "member '{path}' must be an object"
            )));
        };
        match text_member(value, "stringValue")? {
            Some(text) => {
                violations.text(&path, text, &METADATA_VALUE);
                pairs.push((key.clone(), text.to_owned()));
            }
            None => violations.add(
                path,
                "Exactly one member of the union must be set: [stringValue]",
            ),
        }
    }
    Ok(pairs)
}
