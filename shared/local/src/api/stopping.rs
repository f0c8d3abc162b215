//! The word that the server is to stop.

use tokio::sync::watch;

/// What connections watch for it.
#[derive(Clone, Debug)]
pub(crate) struct Stopping(watch::Receiver<bool>);

impl Stopping {
    /// The word to be given, and what watches for it.
    pub(crate) fn channel() -> (watch::Sender<bool>, Self) {
        let (say, heard) = watch::channel(false);
        (say, Self(heard))
    }

    /// Waits for it. A server that is gone without a word has stopped too.
    pub(crate) async fn told(&mut self) {
        let _ = self.0.wait_for(|stopping| *stopping).await;
    }
}
