//! `DeleteEvent`.

use serde_json::json;

use super::place::{event_not_found, place_of_event, session_key};
use crate::error::ApiError;
use crate::event::EventId;
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::world::{Context, Reply};

pub(super) fn run(context: &Context<'_>, labels: &Labels) -> Result<Reply, ApiError> {
    let place = place_of_event(labels)?;
    let (removed, ticket) = context.world.with_store(|store| {
        store.active_memory(&place.memory, context.now)?;
        context.admit(&Counted {
            operation: Operation::DeleteEvent,
            session: Some(&session_key(&place)),
            conversational: false,
        })?;
        let id = EventId::parse(&labels.event);
        Ok(id.and_then(|id| store.remove_event(&place, id, context.world.clock.now())))
    });
    removed?.ok_or_else(|| event_not_found(&labels.event))?;
    Ok(Reply {
        status: 200,
        body: json!({"eventId": labels.event}).to_string(),
        ticket,
    })
}
