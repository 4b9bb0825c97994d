//! Gives the site a socket, and takes it away again.

use crate::server::limits::{TooFewFiles, raise_file_limit};
use crate::server::{self, Limits};
use crate::{AppState, Config, app};
use indexer::search::{SearchError, Searcher, semantic};
use manifest::Timestamp;
use std::io::ErrorKind;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Why the registry cannot be served, worded for the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Another program listens there.
    #[error(
        "cannot listen on {0}: the port is in use; stop the other program or give another address with --listen"
    )]
    PortInUse(SocketAddr),
    /// The system does not let us.
    #[error(
        "cannot listen on {0}: permission denied; ports below 1024 are reserved, give a higher one with --listen"
    )]
    PortForbidden(SocketAddr),
    /// The address is not ours, or something else is wrong with it.
    #[error("cannot listen on {address}")]
    Address {
        /// As given.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is no room for connections.
    #[error(transparent)]
    TooFewFiles(#[from] TooFewFiles),
}

/// The index that `config` names, in whatever state it is: searches are answered from the moment that it is whole.
///
/// A folder of other files is refused, since no indexer would ever write there.
pub fn searcher(config: &Config) -> Result<Searcher, SearchError> {
    let table = semantic::shipped_unless(config.no_semantic);
    let searcher = Searcher::at(&config.index, table);
    match searcher.generation() {
        Ok(_) => {}
        Err(error @ SearchError::Foreign { .. }) => return Err(error),
        // So it is before the first crawl.
        Err(error @ SearchError::NotBuilt { .. }) => tracing::info!("{error}"),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "searches wait for the index: {error}"
        ),
    }
    Ok(searcher)
}

/// Takes the address that `config` names.
pub async fn listen(config: &Config) -> Result<TcpListener, ServeError> {
    let address = config.listen;
    TcpListener::bind(address)
        .await
        .map_err(|source| match source.kind() {
            ErrorKind::AddrInUse => ServeError::PortInUse(address),
            ErrorKind::PermissionDenied => ServeError::PortForbidden(address),
            _ => ServeError::Address { address, source },
        })
}

/// Listens where `config` says and serves the registry until `shutdown` resolves.
pub async fn serve(
    config: &Config,
    state: AppState,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let limits = limits(config, raise_file_limit())?;
    serve_on(listen(config).await?, state, limits, shutdown).await;
    Ok(())
}

/// What a client may take of a registry that may have so many files open; `None` when there is no limit to that.
pub fn limits(config: &Config, files: Option<u64>) -> Result<Limits, TooFewFiles> {
    Ok(Limits {
        proxies: config.proxies.trusted_proxy.clone(),
        ..Limits::within(files)?
    })
}

/// Serves the registry on `listener` until `shutdown` resolves; open requests may finish.
pub async fn serve_on(
    listener: TcpListener,
    state: AppState,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, "the registry is at http://{address}");
    }
    server::serve(listener, app(state), limits, shutdown).await;
}

/// Resolves when the operator asks us to stop: Ctrl-C or SIGTERM.
pub async fn asked_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = interrupted => {}
        () = terminated => {}
    }
}

/// The time of day.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where `web` reads the clock"
)]
pub fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn config(address: SocketAddr) -> Config {
        Config::parse_from(["web", "--listen", &address.to_string()])
    }

    #[tokio::test]
    async fn a_port_in_use_is_told_with_what_to_do() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let error = listen(&config(address)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "cannot listen on {address}: the port is in use; stop the other program or give another address with --listen"
            )
        );
    }

    #[tokio::test]
    async fn an_address_of_somebody_else_is_refused_by_name() {
        let error = listen(&config("192.0.2.1:80".parse().unwrap()))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("192.0.2.1:80"), "{error}");
    }

    #[tokio::test]
    async fn the_server_ends_when_it_is_asked_to() {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite:{}", folder.path().join("a.db").display());
        let state = AppState {
            store: store::open(&database, &[]).await.unwrap(),
            searcher: Searcher::open(&folder.path().join("index"), None).unwrap(),
            public_url: String::new(),
            now,
        };
        let config = config("127.0.0.1:0".parse().unwrap());
        serve(&config, state, std::future::ready(())).await.unwrap();
    }
}
