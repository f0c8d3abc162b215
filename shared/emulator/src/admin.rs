//! The `/_emulator` paths, by which tests look behind the API.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::calls::Calls;
use crate::disk::Ticket;
use crate::error::{ApiError, Shape};
use crate::event::{EventId, Place};
use crate::faults::{FaultPlan, Faults};
use crate::http::Answer;
use crate::model::ModelAnswer;
use crate::operations::render_payload;
use crate::route::segments;
use crate::validate::{
    Violations, integer_member, list_member, memory_id, object_member, text_member,
};
use crate::world::{World, lock, parse_body};

/// Largest body taken here.
pub(crate) const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Answers an administrative request. These are never logged, limited or struck by faults.
pub(crate) async fn answer(world: &World, method: &str, path: &str, body: &[u8]) -> Answer {
    match run(world, method, path, body) {
        Ok((value, ticket)) => {
            if let Some(ticket) = ticket {
                // A lost disk shows in the next call of the API itself.
                let _ = ticket.await;
            }
            Answer::new(200, value)
        }
        Err(error) => Answer::error(&error),
    }
}

fn run(
    world: &World,
    method: &str,
    path: &str,
    body: &[u8],
) -> Result<(String, Option<Ticket>), ApiError> {
    let segments = segments(path)?;
    let segments: Vec<&str> = segments.iter().skip(1).map(String::as_str).collect();
    let done = |value: Value| Ok((value.to_string(), None));
    match (method, segments.as_slice()) {
        ("GET", ["health"]) => done(json!({"status": "ok"})),
        ("GET", ["switches"]) => done(json!(world.options.switches)),
        ("GET", ["faults"]) => done(json!(lock(&world.faults).plan())),
        ("PUT", ["faults"]) => {
            let plan: FaultPlan = serde_json::from_slice(body)
                .map_err(|error| ApiError::cannot_parse(format!("not a fault plan: {error}")))?;
            *lock(&world.faults) = Faults::new(plan);
            done(json!({}))
        }
        ("DELETE", ["faults"]) => {
            *lock(&world.faults) = Faults::default();
            done(json!({}))
        }
        ("GET", ["calls"]) => done(json!(*lock(&world.calls))),
        ("DELETE", ["calls"]) => {
            *lock(&world.calls) = Calls::default();
            done(json!({}))
        }
        ("GET", ["clock"]) => done(show_clock(world)),
        ("POST", ["clock"]) => {
            move_clock(world, &parse_body(body)?)?;
            done(show_clock(world))
        }
        (_, ["events", memory, actor, session, event]) => {
            let place = Place {
                memory: memory_id(memory)?.to_owned(),
                actor: (*actor).to_owned(),
                session: (*session).to_owned(),
            };
            on_event(world, method, &place, event, body)
        }
        ("PUT", ["model"]) => {
            script(world, body)?;
            done(json!({}))
        }
        ("GET", ["model", "requests"]) => done(json!(lock(&world.model).requests)),
        ("DELETE", ["model"]) => {
            let mut model = lock(&world.model);
            model.script.clear();
            model.requests.clear();
            done(json!({}))
        }
        _ => Err(ApiError::new(
            Shape::UnknownOperation,
            format!("nothing is at {method} {path}"),
        )),
    }
}

fn show_clock(world: &World) -> Value {
    json!({"nowMs": world.clock.now(), "fixed": world.clock.is_fixed()})
}

fn move_clock(world: &World, body: &Map<String, Value>) -> Result<(), ApiError> {
    let number = |name: &str| -> Result<Option<u64>, ApiError> {
        let given = integer_member(body, name)?;
        given
            .map(|value| {
                u64::try_from(value).map_err(|_| {
                    ApiError::cannot_parse(format!("member '{name}' must not be negative"))
                })
            })
            .transpose()
    };
    let (advance, fixed) = (number("advanceMs")?, number("fixedMs")?);
    if advance.is_none() && fixed.is_none() {
        return Err(ApiError::cannot_parse("give advanceMs or fixedMs"));
    }
    if let Some(fixed) = fixed {
        world.clock.stop_at(fixed);
    }
    if let Some(advance) = advance {
        world.clock.advance(Duration::from_millis(advance));
    }
    Ok(())
}

fn on_event(
    world: &World,
    method: &str,
    place: &Place,
    event: &str,
    body: &[u8],
) -> Result<(String, Option<Ticket>), ApiError> {
    let missing = || ApiError::not_found(format!("Unable to find event with id {event}"));
    let id = EventId::parse(event).ok_or_else(missing)?;
    let now = world.clock.now();
    let (found, ticket) = match method {
        "GET" => world.with_store(|store| store.session(place, now)?.event(id).cloned()),
        "DELETE" => world.with_store(|store| store.remove_event(place, id, now)),
        "PUT" => tamper(world, place, id, &parse_body(body)?)?,
        _ => {
            return Err(ApiError::new(
                Shape::UnknownOperation,
                "use GET, PUT or DELETE on an event",
            ));
        }
    };
    let event = found.ok_or_else(missing)?;
    Ok((event.render(&place.memory, place, true), ticket))
}

type Tampered = (
    Option<std::sync::Arc<crate::event::StoredEvent>>,
    Option<Ticket>,
);

/// Replaces payload and metadata where they are given, in the form in which they will be served.
fn tamper(
    world: &World,
    place: &Place,
    id: EventId,
    body: &Map<String, Value>,
) -> Result<Tampered, ApiError> {
    let mut violations = Violations::default();
    let payload = match list_member(body, "payload")? {
        Some(items) => Some(render_payload(items, &world.options.switches, &mut violations)?.0),
        None => None,
    };
    violations.finish()?;
    let mut metadata = None;
    if let Some(given) = object_member(body, "metadata")? {
        let mut pairs = Vec::new();
        for (key, value) in given {
            let text = value
                .as_object()
                .map(|value| text_member(value, "stringValue"))
                .transpose()?
                .flatten();
            pairs.push((key.clone(), text.unwrap_or_default().to_owned()));
        }
        metadata = Some(pairs);
    }
    Ok(world.with_store(|store| {
        store.tamper_event(place, id, world.clock.now(), |event| {
            if let Some(payload) = payload {
                event.payload = payload.into();
            }
            if let Some(metadata) = metadata {
                event.metadata = metadata.into_iter().collect();
            }
        })
    }))
}

fn script(world: &World, body: &[u8]) -> Result<(), ApiError> {
    let body = parse_body(body)?;
    let answers = list_member(&body, "answers")?
        .ok_or_else(|| ApiError::cannot_parse("give a list of answers"))?;
    let answers: Result<Vec<ModelAnswer>, _> = answers
        .iter()
        .map(|answer| serde_json::from_value(answer.clone()))
        .collect();
    let answers =
        answers.map_err(|error| ApiError::cannot_parse(format!("not an answer: {error}")))?;
    lock(&world.model).script.extend(answers);
    Ok(())
}
