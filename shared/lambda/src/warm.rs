//! Connections made before the first call needs them.

use std::time::Duration;

use conversation::Conversation;
use conversation::ports::{ContextReader, EventReader};
use futures_util::future::join;

use crate::connect::AwsDeps;

/// How long the first call may be held up. A service that takes longer will be met by the call itself.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Reads a conversation nobody has from both services at once, so that name resolution, TLS and the first
/// use of the clients happen while Lambda starts the function. What comes back does not matter.
pub(crate) async fn warm(deps: &AwsDeps) {
    let nobody = Conversation {
        memory: deps.memory.clone(),
        actor: "warm-up".to_owned(),
        session: "warm-up".to_owned(),
    };
    let calls = join(
        deps.events.page(&nobody, None, None),
        deps.context.items(&nobody),
    );
    let _ = tokio::time::timeout(PATIENCE, calls).await;
}
