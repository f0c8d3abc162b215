//! One connection, which a fault may cut off.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::AnswerBody;
use crate::dispatch::dispatch;
use crate::world::World;

/// The end of a connection without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CutOff {
    /// The peer sees a reset.
    #[error("the fault plan resets the connection")]
    Reset,
    /// The peer sees an orderly end.
    #[error("the fault plan closes the connection")]
    Close,
}

/// Serves a connection until its end.
pub(crate) async fn serve(world: Arc<World>, stream: TcpStream) {
    // Small answers must not wait for more data to fill a packet.
    let _ = stream.set_nodelay(true);
    let reset = Arc::new(AtomicBool::new(false));
    let service = service_fn(|request| {
        let world = Arc::clone(&world);
        let reset = Arc::clone(&reset);
        // Boxed because the connection can be polled to its end without a shutdown only if the future may move.
        Box::pin(async move {
            let answer: Result<hyper::Response<AnswerBody>, CutOff> =
                dispatch(&world, request).await;
            reset.fetch_or(
                answer.as_ref().err() == Some(&CutOff::Reset),
                Ordering::SeqCst,
            );
            answer
        })
    });
    let mut connection = http1::Builder::new()
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    // The socket is taken back before it is closed, since only then can it be told to reset the peer.
    let ended = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let stream = connection.into_parts().io.into_inner();
    if reset.load(Ordering::SeqCst) {
        let _ = stream.set_zero_linger();
    } else if ended.is_ok() {
        let mut stream = stream;
        let _ = tokio::io::AsyncWriteExt::shutdown(&mut stream).await;
    }
}
