//! The way of a call: body, route, faults, signature, operation, log, answer.

use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use serde_json::{Map, Value};

use crate::admin;
use crate::calls::Call;
use crate::error::{ApiError, Shape};
use crate::faults::FaultAction;
use crate::http::{Answer, AnswerBody, CutOff, Received, receive};
use crate::operations;
use crate::route::{Operation, Route, route};
use crate::sigv4;
use crate::validate::memory_id;
use crate::world::{Context, Reply, World, lock, parse_body};

/// Answers one request, or ends the connection where the fault plan says so.
pub(crate) async fn dispatch(
    world: &World,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, CutOff> {
    let signed = sigv4::Parts::of(&request);
    let method = request.method().as_str().to_owned();
    let path = request.uri().path().to_owned();
    if path.starts_with("/_emulator") {
        let Received::Whole(body) = receive(request, admin::MOST_BYTES).await else {
            return Ok(too_large(world).into_response());
        };
        return Ok(admin::answer(world, &method, &path, &body)
            .await
            .into_response());
    }
    let body = match receive(request, world.options.switches.max_body_bytes).await {
        Received::Whole(body) => body,
        Received::TooLarge => return Ok(too_large(world).into_response()),
        Received::Broken => return Err(CutOff::Close),
    };
    let mut call = CallInProgress::new(&method, &path, &body);
    let verified = sigv4::verify(&world.options.auth, &signed, &body);
    let answer = call.carry_out(world, verified).await;
    call.log(world, &answer);
    answer.map(|mut answer| {
        answer.request_id = world.random.uuid();
        answer.into_response()
    })
}

/// The front end's answer to an oversize body: it says nothing.
fn too_large(world: &World) -> Answer {
    Answer {
        request_id: world.random.uuid(),
        close: true,
        ..Answer::new(413, String::new())
    }
}

struct CallInProgress {
    route: Result<Route, ApiError>,
    body: Result<Map<String, Value>, ApiError>,
    actor: Option<String>,
    session: Option<String>,
    status: u16,
}

impl CallInProgress {
    fn new(method: &str, path: &str, body: &[u8]) -> Self {
        let route = route(method, path).and_then(|route| {
            let unknown = || {
                ApiError::new(
                    Shape::UnknownOperation,
                    format!("no operation is at {method} {path}"),
                )
            };
            route.ok_or_else(unknown)
        });
        let has_body = matches!(method, "POST" | "PUT");
        let body = if has_body {
            parse_body(body)
        } else {
            Ok(Map::new())
        };
        let label = |pick: fn(&Route) -> &String, member: &str| {
            let in_path = route
                .as_ref()
                .ok()
                .map(pick)
                .filter(|label| !label.is_empty());
            let in_body = || body.as_ref().ok()?.get(member)?.as_str().map(str::to_owned);
            in_path.cloned().or_else(in_body)
        };
        let actor = label(|route| &route.labels.actor, "actorId");
        let session = label(|route| &route.labels.session, "sessionId");
        Self {
            route,
            body,
            actor,
            session,
            status: 0,
        }
    }

    fn name(&self) -> &'static str {
        self.route
            .as_ref()
            .map_or("Unknown", |route| route.operation.name())
    }

    async fn carry_out(
        &mut self,
        world: &World,
        verified: Result<(), ApiError>,
    ) -> Result<Answer, CutOff> {
        let least_hold = world.options.switches.conflict_hold_ms;
        let held = least_hold
            .and_then(|_| self.written_session())
            .map(|session| world.holds.take(session));
        let faults =
            lock(&world.faults).strike(self.name(), self.actor.as_deref(), self.session.as_deref());
        if faults.contains(&FaultAction::ResetBefore) {
            return Err(CutOff::Reset);
        }
        for fault in &faults {
            if let FaultAction::DelayMs(millis) = fault {
                tokio::time::sleep(Duration::from_millis(*millis)).await;
            }
        }
        let skew: i64 = faults
            .iter()
            .map(|fault| {
                if let FaultAction::ClockSkewMs(millis) = fault {
                    *millis
                } else {
                    0
                }
            })
            .sum();
        let context = Context {
            world,
            now: world.clock.now().saturating_add_signed(skew),
            faults: &faults,
            contended: matches!(held, Some(None)),
        };
        let mut outcome = verified.and_then(|()| self.run(&context));
        if let Ok(Reply {
            ticket: Some(ticket),
            ..
        }) = &mut outcome
        {
            // The answer is an acknowledgement, so it waits until the change is on disk.
            if let Err(error) = ticket
                .await
                .unwrap_or_else(|_| Err("the disk is closed".to_owned()))
            {
                outcome = Err(ApiError::new(
                    Shape::Service,
                    format!("cannot write to the data directory: {error}"),
                ));
            }
        }
        let mut answer = match &outcome {
            Ok(reply) => Answer::new(reply.status, reply.body.clone()),
            Err(error) => Answer::error(error),
        };
        if let (Some(least), Some(Some(hold)), Ok(_)) = (least_hold, held, &outcome) {
            hold.release_after(Duration::from_millis(least)).await;
        }
        self.status = answer.status;
        answer.date = (skew != 0).then_some(context.now);
        afterwards(&faults, answer).await
    }

    /// The session a write goes to, where it names one.
    fn written_session(&self) -> Option<String> {
        let route = self.route.as_ref().ok()?;
        if route.operation != Operation::CreateEvent {
            return None;
        }
        let memory = memory_id(&route.labels.memory).ok()?;
        let (actor, session) = (self.actor.as_ref()?, self.session.as_ref()?);
        Some(format!("{memory} {actor} {session}"))
    }

    fn run(&mut self, context: &Context<'_>) -> Result<Reply, ApiError> {
        let route = self.route.as_ref().map_err(Clone::clone)?;
        if let Some(error) = context
            .faults
            .iter()
            .find_map(|fault| injected(fault, route.operation))
        {
            return Err(error);
        }
        let body = self.body.as_ref().map_err(Clone::clone)?;
        operations::run(context, route.operation, &route.labels, body)
    }

    fn log(self, world: &World, answer: &Result<Answer, CutOff>) {
        let token = self
            .body
            .as_ref()
            .ok()
            .and_then(|body| body.get("clientToken")?.as_str().map(str::to_owned));
        let call = Call {
            operation: self.name().to_owned(),
            memory_id: self
                .route
                .ok()
                .map(|route| route.labels.memory)
                .filter(|memory| !memory.is_empty()),
            actor_id: self.actor,
            session_id: self.session,
            status: self.status,
            client_token: token,
            at: world.clock.now(),
            answered: answer.is_ok(),
        };
        lock(&world.calls).record(call);
    }
}

/// The error that a fault puts in the place of the operation.
fn injected(fault: &FaultAction, operation: Operation) -> Option<ApiError> {
    let on_model = operation == Operation::Converse;
    match fault {
        FaultAction::Throttle if on_model => Some(ApiError::new(
            Shape::ModelThrottling,
            "Too many requests, please wait before trying again.",
        )),
        FaultAction::Throttle => Some(ApiError::throttled()),
        FaultAction::Error500 if on_model => Some(ApiError::new(
            Shape::ModelInternal,
            "Injected by the fault plan",
        )),
        FaultAction::Error500 => Some(ApiError::new(Shape::Service, "Injected by the fault plan")),
        FaultAction::Conflict409 => Some(ApiError::new(
            Shape::RetryableConflict,
            "Injected by the fault plan",
        )),
        FaultAction::Quota402 => Some(ApiError::new(
            Shape::ServiceQuotaExceeded,
            "Injected by the fault plan",
        )),
        FaultAction::Denied403 => Some(ApiError::new(
            Shape::AccessDenied,
            "Injected by the fault plan",
        )),
        _ => None,
    }
}

/// What faults do to an answer whose effect is done.
async fn afterwards(faults: &[FaultAction], mut answer: Answer) -> Result<Answer, CutOff> {
    for fault in faults {
        match fault {
            FaultAction::ResetAfter => return Err(CutOff::Reset),
            FaultAction::LostAnswer => return Err(CutOff::Close),
            FaultAction::NoAnswerMs(millis) => {
                tokio::time::sleep(Duration::from_millis(*millis)).await;
                return Err(CutOff::Close);
            }
            FaultAction::Error500After => {
                let error = ApiError::new(
                    Shape::Service,
                    "Injected by the fault plan, after the effect",
                );
                answer = Answer {
                    slow: answer.slow,
                    date: answer.date,
                    ..Answer::error(&error)
                };
            }
            FaultAction::DelayAfterMs(millis) => {
                tokio::time::sleep(Duration::from_millis(*millis)).await;
            }
            FaultAction::SlowBody(slow) => answer.slow = Some(*slow),
            _ => {}
        }
    }
    Ok(answer)
}
