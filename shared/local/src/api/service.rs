//! One request: admitted, read, handed to its function, answered.

use std::sync::Arc;

use conversation::ports::{Clock, Entropy};
use edge::Invocation;
use hyper::Request;
use hyper::body::Incoming;
use system::{SystemClock, SystemEntropy};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::body::{Received, receive};
use super::event::event;
use super::limits::Limits;
use super::problem;
use super::response::{self, Answer};
use crate::functions::Functions;

/// What all connections share.
pub(crate) struct Service {
    pub(crate) functions: Functions,
    pub(crate) limits: Limits,
    /// A permit for each request that may be worked on.
    pub(crate) requests: Semaphore,
    /// A permit for each connection that may be open.
    pub(crate) connections: Arc<Semaphore>,
    clock: SystemClock,
    entropy: SystemEntropy,
}

impl Service {
    pub(crate) fn new(functions: Functions, limits: Limits) -> Self {
        Self {
            functions,
            limits,
            requests: Semaphore::new(limits.requests),
            connections: Arc::new(Semaphore::new(limits.connections)),
            clock: SystemClock::new(),
            entropy: SystemEntropy::new(),
        }
    }

    /// Answers a request, or turns it away.
    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let request_id = format!("{:016x}", self.entropy.next_u64());
        // Waiting in line would only make everybody late, so there is no line.
        let Ok(_permit) = self.requests.try_acquire() else {
            return response::of_problem(&problem::overloaded(), &request_id);
        };
        let (head, body) = request.into_parts();
        let body = match timeout(self.limits.body, receive(body, self.limits.body_bytes)).await {
            Ok(Received::Whole(body)) => body,
            Ok(Received::TooLarge(size)) => {
                return response::of_problem(
                    &problem::too_large(size, self.limits.body_bytes),
                    &request_id,
                );
            }
            // Nobody is left to read an answer to half a request, but one has to be given.
            Ok(Received::Broken) | Err(_) => {
                return response::of_problem(&problem::too_slow(), &request_id);
            }
        };
        let event = event(&head, body, &request_id);
        let invocation = self.invocation(request_id);
        let call = self.functions.call(head.uri.path(), &invocation, &event);
        match timeout(self.limits.work, call).await {
            Ok(outcome) => response::of_function(outcome),
            Err(_) => response::of_problem(&problem::no_answer(), &invocation.request_id),
        }
    }

    /// The answer to a request on a connection too many.
    pub(crate) fn turn_away(&self) -> Answer {
        let request_id = format!("{:016x}", self.entropy.next_u64());
        response::of_problem(&problem::overloaded(), &request_id)
    }

    fn invocation(&self, request_id: String) -> Invocation {
        let now = u64::try_from(self.clock.now_ms()).unwrap_or_default();
        let work = u64::try_from(self.limits.work.as_millis()).unwrap_or(u64::MAX);
        Invocation {
            request_id,
            deadline_ms: now.saturating_add(work),
            cold_start: false,
            trace: None,
        }
    }
}
