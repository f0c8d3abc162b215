//! Parse, store, answer.

use conversation::ports::{Clock, ContextReader, ContextWriter, EventReader, EventWriter};
use edge::{Deps, Failure, Fault, Invocation, Operation, Record, StoreCall, remaining};

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
    E: EventReader + EventWriter,
    C: ContextReader + ContextWriter,
{
    let mut record = Record::begin(Operation::Store, deps.clock.now_ms(), payload);
    let body = store(deps, invocation, &mut record, payload).await;
    deps.end(invocation, &record, body).await
}

async fn store<E, C, S>(
    deps: &Deps<E, C, S>,
    invocation: &Invocation,
    record: &mut Record,
    payload: &str,
) -> Result<String, Failure>
where
    E: EventReader + EventWriter,
    C: ContextReader + ContextWriter,
{
    let call = record.read(payload)?;
    let asked = StoreCall::read(&call, &deps.identity)?;
    record.subject(&asked.subject);

    let deadline = remaining(invocation.deadline_ms, deps.clock.now_ms());
    let subject = asked.subject.clone();
    let request = asked.request(&deps.memory, deadline);
    let ports = deps.ports(&record.counts);
    // On the heap, since the futures below are nested deeper than the compiler likes to lay out in one piece.
    let stored = Box::pin(conversation::store(&ports, &deps.settings, request)).await?;
    record.stored(&stored);

    StoreCall::answer(&subject, &stored)
}
