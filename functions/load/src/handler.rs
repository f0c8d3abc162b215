//! Parse, load, answer.

use conversation::ports::{Clock, ContextReader, EventReader};
use edge::{ClaimChecks, Deps, Failure, Fault, Invocation, LoadCall, Operation, Record, remaining};

/// Serves one invocation, however it came.
///
/// # Errors
/// A direct call that failed. Over HTTP a failure is an answer too.
pub async fn handle<E, C, S>(
    deps: &Deps<E, C, S>,
    invocation: &Invocation,
    payload: &str,
) -> Result<String, Fault>
where
    E: EventReader,
    C: ContextReader,
    S: ClaimChecks,
{
    let mut record = Record::begin(Operation::Load, deps.clock.now_ms(), payload);
    let body = load(deps, invocation, &mut record, payload).await;
    deps.end(invocation, &record, body).await
}

async fn load<E, C, S>(
    deps: &Deps<E, C, S>,
    invocation: &Invocation,
    record: &mut Record,
    payload: &str,
) -> Result<String, Failure>
where
    E: EventReader,
    C: ContextReader,
    S: ClaimChecks,
{
    let call = record.read(payload)?;
    let asked = LoadCall::read(&call, &deps.identity)?;
    record.subject(&asked.subject);

    let deadline = remaining(invocation.deadline_ms, deps.clock.now_ms());
    let request = asked.request(&deps.memory, deadline);
    let ports = deps.ports(&record.counts);
    // On the heap, since the futures below are nested deeper than the compiler likes to lay out in one piece.
    let loaded = Box::pin(conversation::load(&ports, &deps.settings, request)).await?;
    record.loaded(&loaded);

    let fitted = asked
        .answer(call.source(), &loaded, deps.claim_checks.as_ref())
        .await?;
    record.fitted(&fitted);
    Ok(fitted.body)
}
