//! Connections made before the first call needs them.

use std::time::Duration;

use conversation::Conversation;
use conversation::ports::{ContextReader, EventReader};
use edge::Operation;
use futures_util::future::{join_all, join3};

use crate::connect::AwsDeps;

/// How long the first call may be held up. A service that takes longer will be met by the call itself.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Models that can be made ready before the first call needs them.
pub trait Warm {
    /// Has connections made. Whether that works does not matter yet.
    fn warm(&self) -> impl Future<Output = ()>;
}

/// A function that asks no model.
impl Warm for () {
    async fn warm(&self) {}
}

/// Reads a conversation nobody has from both services at once, and has the models made ready, so that name resolution, TLS and the first
/// use of the clients happen while Lambda starts the function. What comes back does not matter.
pub(crate) async fn warm<M: Warm>(operation: Operation, deps: &AwsDeps<M>) {
    let nobody = Conversation {
        memory: deps.memory.clone(),
        actor: "warm-up".to_owned(),
        session: "warm-up".to_owned(),
    };
    let pages = (0..connections(operation)).map(|_| deps.events.page(&nobody, None, None));
    let calls = join3(
        join_all(pages),
        deps.context.items(&nobody),
        deps.models.warm(),
    );
    let _ = tokio::time::timeout(PATIENCE, calls).await;
}

/// How many connections to the event log a usual call has use for at the same time.
fn connections(operation: Operation) -> usize {
    match operation {
        Operation::Load | Operation::Summarize => 1,
        // What a user said and what the model answered are written side by side.
        Operation::Store => 2,
    }
}
