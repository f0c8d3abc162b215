//! `GetEvent`.

use super::place::{event_not_found, place_of_event, session_key, shown_memory};
use crate::error::ApiError;
use crate::event::EventId;
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::world::{Context, Reply};

pub(super) fn run(context: &Context<'_>, labels: &Labels) -> Result<Reply, ApiError> {
    let place = place_of_event(labels)?;
    let (found, _) = context.world.with_store(|store| {
        store.active_memory(&place.memory, context.now)?;
        context.admit(&Counted {
            operation: Operation::GetEvent,
            session: Some(&session_key(&place)),
            conversational: false,
        })?;
        let session = store.session(&place, context.world.clock.now());
        let id = EventId::parse(&labels.event);
        Ok(id.and_then(|id| session?.event(id).cloned()))
    });
    let event = found?.ok_or_else(|| event_not_found(&labels.event))?;
    let event = event.render(shown_memory(context, &labels.memory, &place), &place, true);
    Ok(Reply::new(200, format!(r#"{{"event":{event}}}"#)))
}
