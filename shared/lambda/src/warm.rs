//! Connections made before the first call needs them.

use std::time::Duration;

use conversation::Conversation;
use conversation::ports::{ContextReader, EventReader};
use futures_util::future::join3;

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
pub(crate) async fn warm<M: Warm>(deps: &AwsDeps<M>) {
    let nobody = Conversation {
        memory: deps.memory.clone(),
        actor: "warm-up".to_owned(),
        session: "warm-up".to_owned(),
    };
    let calls = join3(
        deps.events.page(&nobody, None, None),
        deps.context.items(&nobody),
        deps.models.warm(),
    );
    let _ = tokio::time::timeout(PATIENCE, calls).await;
}
