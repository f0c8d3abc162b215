//! The request of `CreateEvent`, checked for its form.

use serde_json::{Map, Value};
use sha2::Digest as _;

use super::payload::render_payload;
use crate::error::ApiError;
use crate::event::Place;
use crate::store::Digest;
use crate::switches::{Switches, TokenScope};
use crate::timestamp::parse_millis;
use crate::validate::{
    ACTOR_ID, BRANCH_NAME, EVENT_ID, METADATA_KEY, METADATA_VALUE, SESSION_ID, Violations,
    list_member, member, object_member, text_member,
};

const MOST_METADATA: usize = 15;

/// A request whose every member has the right form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NewEvent {
    pub(super) actor: String,
    pub(super) session: Option<String>,
    pub(super) millis: u64,
    pub(super) payload: String,
    pub(super) conversational: bool,
    pub(super) branch: Option<(String, Option<String>)>,
    pub(super) metadata: Vec<(String, String)>,
    pub(super) token: Option<String>,
    pub(super) extraction: Option<String>,
}

impl NewEvent {
    pub(super) fn parse(
        body: &Map<String, Value>,
        switches: &Switches,
        now: u64,
    ) -> Result<Self, ApiError> {
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

    pub(super) fn scoped_token(&self, scope: TokenScope, place: &Place) -> Option<String> {
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
    pub(super) fn digest(&self, memory: &str) -> Digest {
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
