//! The labels that several operations check in the same way.

use crate::error::ApiError;
use crate::event::Place;
use crate::route::Labels;
use crate::switches::MemoryIdEcho;
use crate::validate::{ACTOR_ID, EVENT_ID, SESSION_ID, Violations, memory_id};
use crate::world::Context;

/// Memory, actor and session of the path, checked for their form.
pub(super) fn place(labels: &Labels, mut violations: Violations) -> Result<Place, ApiError> {
    let memory = memory_id(&labels.memory)?;
    violations.text("actorId", &labels.actor, &ACTOR_ID);
    violations.text("sessionId", &labels.session, &SESSION_ID);
    violations.finish()?;
    Ok(Place {
        memory: memory.to_owned(),
        actor: labels.actor.clone(),
        session: labels.session.clone(),
    })
}

/// The same for paths that end in an event id.
pub(super) fn place_of_event(labels: &Labels) -> Result<Place, ApiError> {
    let mut violations = Violations::default();
    violations.text("eventId", &labels.event, &EVENT_ID);
    place(labels, violations)
}

/// One text for a session, by which its rate limits are counted.
pub(super) fn session_key(place: &Place) -> String {
    format!("{} {} {}", place.memory, place.actor, place.session)
}

/// The memory id to show to a caller that asked for `given`.
pub(super) fn shown_memory<'a>(context: &Context<'_>, given: &'a str, place: &'a Place) -> &'a str {
    match context.world.options.switches.memory_id_echo {
        MemoryIdEcho::Id => &place.memory,
        MemoryIdEcho::AsGiven => given,
    }
}

pub(super) fn event_not_found(id: &str) -> ApiError {
    ApiError::not_found(format!("Unable to find event with id {id}"))
}
