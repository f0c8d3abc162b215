//! One connection.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;

use super::service::Service;
use super::stopping::Stopping;

/// Serves a connection until its client leaves or the server stops; then the request under way is finished.
pub(crate) async fn serve(service: Arc<Service>, stream: TcpStream, mut stopping: Stopping) {
    // Small answers must not wait for more data to fill a packet.
    let _ = stream.set_nodelay(true);
    let permit = Arc::clone(&service.connections).try_acquire_owned();
    let is_welcome = permit.is_ok();
    let limits = service.limits;
    let handler = service_fn(move |request| {
        let service = Arc::clone(&service);
        async move {
            let answer = if is_welcome {
                service.answer(request).await
            } else {
                service.turn_away()
            };
            Ok::<_, Infallible>(answer)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(stream), handler);
    let mut connection = pin!(connection);
    tokio::select! {
        // How a client leaves is its own business.
        _ = connection.as_mut() => {}
        () = stopping.told() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
    drop(permit);
}
