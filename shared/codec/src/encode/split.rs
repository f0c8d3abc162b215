//! A message beyond the limits of one event.

use super::{camunda, size};
use crate::error::EncodeError;
use crate::limits::Limits;
use crate::model::Message;
use crate::payload::Payload;

/// The events of a message that is too large for one.
pub(super) fn events(message: &Message, limits: &Limits) -> Result<Vec<Vec<Payload>>, EncodeError> {
    let payloads = camunda::event(message, limits);
    size::check(&payloads, limits)?;
    Ok(vec![payloads])
}
