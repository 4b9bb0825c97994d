//! The server: accepts connections, serves them, and closes those that waste resources.
//!
//! `axum::serve` has no limits: neither on the first byte, nor on a head, nor on connections. Here
//! each connection takes one of a limited number of permits (`places`), fewer than files may be
//! open. Its activity (`activity`) records whether the client or the server has to act next, as
//! reported by its socket (`stream`), its requests and its responses (`exchange`). A connection
//! ends when its client exceeds a time limit (`connection`).
//!
//! Event streams need no exemption, since time limits apply only while the client has to act: while
//! a response has no data to send, the server has to act. An event stream ends when its client does
//! not read the events.

mod activity;
mod connection;
mod exchange;
pub mod limits;
mod permits;
mod stream;

pub use limits::Limits;

use crate::client::Peer;
use axum::Router;
use permits::Permits;
use socket2::SockRef;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Time for open requests to finish during shutdown.
const GRACE: Duration = Duration::from_secs(2);

/// Time between two attempts to accept while the system cannot open another connection: long enough
/// to cause no load, short enough to go unnoticed.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Bytes of a response that the system accepts beyond those that it has sent. By itself it accepts up to
/// 4 MiB, so that a slow client would hold them, and seem to read nothing for minutes.
const UNSENT: u32 = 32 << 10;

/// Serves `site` on `listener` until `shutdown` resolves; open requests may finish.
pub async fn serve(
    listener: TcpListener,
    site: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let permits = Arc::new(Permits::new(limits));
    let mut connections = JoinSet::new();
    tokio::select! {
        () = shutdown => {}
        () = accept(&listener, &site, &permits, &mut connections) => {}
    }
    drop(listener);
    permits.close();
    let all_closed = async { while connections.join_next().await.is_some() {} };
    // Dropping the set closes the connections that are still open.
    let _ = timeout(GRACE, all_closed).await;
}

/// Accepts connections until it is dropped.
async fn accept(
    listener: &TcpListener,
    site: &Router,
    permits: &Arc<Permits>,
    connections: &mut JoinSet<()>,
) {
    let protocols = Arc::new(connection::protocols());
    loop {
        let (socket, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) if is_of_the_client(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                permits.make_room();
                sleep(ACCEPT_RETRY).await;
                continue;
            }
        };
        while connections.try_join_next().is_some() {}
        let Some(permit) = permits.take(peer.ip()).await else {
            tracing::debug!("a client has reached its limit of connections");
            continue;
        };
        // Responses are written whole; without the option they are only a little slower.
        let _ = socket.set_nodelay(true);
        // Without the option, the speed of the client is seen too late or not at all.
        let _ = SockRef::from(&socket).set_tcp_notsent_lowat(UNSENT);
        let (protocols, site) = (Arc::clone(&protocols), site.clone());
        connections.spawn(async move {
            let peer = Peer(peer.ip());
            let (activity, limits) = (permit.activity(), permit.limits());
            connection::serve(&protocols, socket, peer, site, activity, limits).await;
        });
    }
}

/// Reports whether a client hung up before it was accepted.
fn is_of_the_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests;
