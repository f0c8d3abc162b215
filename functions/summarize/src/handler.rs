//! Parse, summarize, answer.

use conversation::ports::{Clock, ContextReader, ContextWriter, EventReader, SummaryWriter};
use edge::{Deps, Failure, Fault, Invocation, Operation, Record, SummarizeCall, remaining_for};

use crate::models::Models;

/// Serves one invocation, however it came.
///
/// # Errors
/// A direct call that failed. Over HTTP a failure is an answer too.
pub async fn handle<E, C, S>(
    deps: &Deps<E, C, S, Models>,
    invocation: &Invocation,
    payload: &str,
) -> Result<String, Fault>
where
    E: EventReader,
    C: ContextReader + ContextWriter + SummaryWriter,
{
    let mut record = Record::begin(Operation::Summarize, deps.clock.now_ms(), payload);
    let body = summarize(deps, invocation, &mut record, payload).await;
    deps.end(invocation, &record, body).await
}

async fn summarize<E, C, S>(
    deps: &Deps<E, C, S, Models>,
    invocation: &Invocation,
    record: &mut Record,
    payload: &str,
) -> Result<String, Failure>
where
    E: EventReader,
    C: ContextReader + ContextWriter + SummaryWriter,
{
    let call = record.read(payload)?;
    let asked = SummarizeCall::read(&call, &deps.identity)?;
    record.subject(&asked.subject);

    let now_ms = deps.clock.now_ms();
    let deadline = remaining_for(call.source(), invocation.deadline_ms, now_ms);
    let request = asked.request(&deps.memory, deadline);
    let ports = deps.ports(&record.counts);
    let models = deps.models.counted(&record.counts);
    // On the heap, since the futures below are nested deeper than the compiler likes to lay out in one piece.
    let summarize = conversation::summarize(&ports, &deps.settings, &models, request);
    let summarized = Box::pin(summarize).await?;
    record.summarized(&summarized);

    asked.answer(&summarized)
}
