//! The server: takes connections, answers over them, and closes those that only cost.
//!
//! `axum::serve` has no limit at all: not for the first byte, nor for a head, nor for connections. Here each
//! connection has a place (`places`), of which there are fewer than files may be open; each has an account of whose
//! turn it is (`activity`), to which its socket (`stream`), its requests and its answers (`exchange`) report;
//! and each ends when its client's time is over (`connection`).
//!
//! Event streams need no exemption, since only the client's time runs: while an answer has nothing to hand out, it is
//! our turn, however long that is. An event stream ends when its client does not take the events it is sent.

mod activity;
mod client;
mod connection;
mod exchange;
pub mod limits;
mod places;
mod stream;

pub use limits::Limits;

use axum::Router;
use places::Places;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How long open requests may take to finish once we are asked to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Between two tries to accept, when the system has no room for another connection: long enough to be no load, short
/// enough not to be noticed.
const BREATH: Duration = Duration::from_millis(100);

/// Answers with `site` what comes to `listener` until `shutdown` resolves; open requests may finish.
pub async fn serve(
    listener: TcpListener,
    site: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let places = Arc::new(Places::new(limits));
    let mut connections = JoinSet::new();
    tokio::select! {
        () = shutdown => {}
        () = accept(&listener, &site, &places, &mut connections) => {}
    }
    drop(listener);
    places.close();
    let all_closed = async { while connections.join_next().await.is_some() {} };
    // What is still open then is closed with the set.
    let _ = timeout(GRACE, all_closed).await;
}

/// Accepts connections for ever.
async fn accept(
    listener: &TcpListener,
    site: &Router,
    places: &Arc<Places>,
    connections: &mut JoinSet<()>,
) {
    let protocols = Arc::new(connection::protocols());
    loop {
        let (socket, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) if is_of_the_client(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                places.make_room();
                sleep(BREATH).await;
                continue;
            }
        };
        while connections.try_join_next().is_some() {}
        let Some(place) = places.take(peer.ip()).await else {
            tracing::debug!("a client has all the connections that it may have");
            continue;
        };
        // Answers are written whole; a system that refuses costs a little time.
        let _ = socket.set_nodelay(true);
        let (protocols, site) = (Arc::clone(&protocols), site.clone());
        connections.spawn(async move {
            connection::serve(&protocols, socket, site, place.activity(), place.limits()).await;
        });
    }
}

/// True when a client hung up before it was accepted.
fn is_of_the_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests;
