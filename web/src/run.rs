//! Running the server: from listening to shutdown.

use crate::crawler_identity::{CrawlerIdentity, KeySetError, read_keys};
use crate::feed::Feed;
use crate::rate::Limiter;
use crate::secrets::{self, Secrets, SecretsError};
use crate::server::limits::{TooFewFiles, raise_file_limit};
use crate::server::{self, Limits};
use crate::{AppState, Config, app_until, metrics};
use admin::{Database, Part};
use export::daily;
use manifest::Timestamp;
use search::follower;
use search::metrics::Index;
use search::{SearchError, Searcher, embedding};
use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Role, Store, StoreError};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Pause after the index could not be written.
const FOLLOW_RETRY: Duration = Duration::from_secs(10);

/// Reason why the server cannot start, worded for the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Port in use by another program.
    #[error(
        "cannot listen on {0}: the port is in use; stop the other program or choose another address with --listen"
    )]
    PortInUse(SocketAddr),
    /// Permission denied by the system.
    #[error(
        "cannot listen on {0}: permission denied; ports below 1024 are reserved; choose a higher one with --listen"
    )]
    PortForbidden(SocketAddr),
    /// Address of another machine, or any other failure to bind it.
    #[error("cannot listen on {address}")]
    Address {
        /// Address as configured.
        address: SocketAddr,
        /// Error of the system.
        source: std::io::Error,
    },
    /// Too few open files for connections.
    #[error(transparent)]
    TooFewFiles(#[from] TooFewFiles),
}

/// Opens the database that `config` names, with its replica if there is one.
pub async fn store(config: &Config) -> Result<Arc<dyn Store>, StoreError> {
    match &config.read_database {
        Some(replica) => store::open_with_replica(&config.database, replica).await,
        None => store::open(&config.database, &[Role::Web]).await,
    }
}

/// Returns a searcher of the index that `config` names. The index may be missing or damaged: search
/// works as soon as it can be read.
///
/// Returns an error for a directory of other files, since no indexer would ever write there.
pub fn searcher(config: &Config) -> Result<Searcher, SearchError> {
    let models = embedding::shipped_unless(config.no_semantic);
    let searcher = Searcher::at(&config.index, models);
    match searcher.generation() {
        Ok(_) => {}
        Err(error @ SearchError::Foreign { .. }) => return Err(error),
        // This is normal before the first crawl.
        Err(error @ SearchError::NotBuilt { .. }) => tracing::info!("{error}"),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "search is unavailable until the index can be read: {error}"
        ),
    }
    Ok(searcher)
}

/// Opens the secrets that `config` names, and makes them if they are missing.
pub fn secrets(config: &Config) -> Result<Secrets, SecretsError> {
    Secrets::open(&secrets_file(config), admin::now())
}

/// Returns the path of the file of secrets, as given or the default.
pub fn secrets_file(config: &Config) -> PathBuf {
    let given = config.secrets.secrets.clone();
    given.unwrap_or_else(|| secrets::beside(&config.database))
}

/// Returns the identity of the crawler that `config` describes.
pub fn crawler(config: &Config) -> Result<CrawlerIdentity, KeySetError> {
    let published = &config.crawler;
    let keys = published.crawler_keys.as_deref().map(read_keys);
    Ok(CrawlerIdentity::new(
        &config.user_agent_token,
        &published.crawler_addresses,
        keys.transpose()?,
        admin::now(),
    ))
}

/// Keeps the index up to date with the agents of a store until it is stopped, if `config` asks for
/// that. A failure, such as a full disk, is logged and tried again: pages are answered meanwhile.
pub async fn follow(config: &Config, store: Arc<dyn Store>, stop: &CancellationToken) {
    if !config.follow {
        return;
    }
    let models = embedding::shipped_unless(config.no_semantic);
    let run = || {
        let store = Arc::clone(&store);
        follower::run(store, &config.index, models, false, admin::now, stop)
    };
    while let Err(error) = run().await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "the index falls behind, and writing it is tried again: {error}"
        );
        if follower::stopped_within(FOLLOW_RETRY, stop).await {
            return;
        }
    }
}

/// Returns the rate limit of clients.
pub fn limiter(config: &Config) -> Limiter {
    Limiter::new(config.clients.rate_limit, &config.proxies.trusted_proxy)
}

/// Returns the parts of the server that the operator sees.
pub fn parts(state: &AppState) -> Vec<Box<dyn Part>> {
    vec![
        Box::new(Database(Arc::clone(&state.store))),
        Box::new(Index::searched(
            state.searcher.clone(),
            Arc::clone(&state.store),
        )),
        Box::new(metrics::Server {
            metrics: state.metrics.clone(),
            feed: state.feed.clone(),
            store: Arc::clone(&state.store),
            now: state.now,
        }),
    ]
}

/// Returns the change feed, with the exports in the folder that `config` names.
pub fn feed(config: &Config) -> Feed {
    let folder = config.export.clone();
    Feed::new(folder.unwrap_or_else(|| daily::beside(&config.database)))
}

/// Binds the address that `config` names.
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

/// Binds the address of `config` and serves the registry until it is stopped.
pub async fn serve(
    config: &Config,
    state: AppState,
    stop: &CancellationToken,
) -> Result<(), ServeError> {
    let limits = limits(config, raise_file_limit())?;
    serve_on(listen(config).await?, state, limits, stop).await;
    Ok(())
}

/// Returns the limits for clients if the process may have `files` open files; `None` is unlimited.
pub fn limits(config: &Config, files: Option<u64>) -> Result<Limits, TooFewFiles> {
    Ok(Limits {
        proxies: config.proxies.trusted_proxy.clone(),
        ..Limits::within(files)?
    })
}

/// Serves the registry on `listener` until it is stopped; open requests may finish.
pub async fn serve_on(
    listener: TcpListener,
    state: AppState,
    limits: Limits,
    stop: &CancellationToken,
) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, "the registry is at http://{address}");
        if !address.ip().is_loopback() && state.public_url == format!("http://{address}") {
            tracing::warn!(
                "links and manifests name {}, which visitors cannot use: give the URL of the registry with --public-url",
                state.public_url
            );
        }
    }
    let (secrets, now) = (state.secrets.clone(), state.now);
    let feed = state.feed.clone();
    let shutdown = async {
        stop.cancelled().await;
        feed.stop();
    };
    let stopping = CancellationToken::new();
    let site = app_until(state, &stopping);
    // Only after the time that open requests have to finish.
    let _stopped = stopping.drop_guard();
    tokio::select! {
        () = server::serve(listener, site, limits, shutdown) => {}
        never = renew(&secrets, now) => match never {},
    }
}

/// Renews the secrets for as long as the server runs.
async fn renew(secrets: &Secrets, now: fn() -> Timestamp) -> Infallible {
    loop {
        tokio::time::sleep(secrets::RENEWAL).await;
        if let Err(error) = secrets.renew(now()) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the keys stay as they are: {error}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawler_identity::DEFAULT_TOKEN;
    use crate::rate::RateLimit;
    use crate::state::Shared;
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
                "cannot listen on {address}: the port is in use; stop the other program or choose another address with --listen"
            )
        );
    }

    #[tokio::test]
    async fn the_error_names_an_address_of_another_machine() {
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
            contact: None,
            crawler: CrawlerIdentity::new(DEFAULT_TOKEN, &[], None, admin::now()),
            limiter: Limiter::new(RateLimit::OFF, &[]),
            feed: Feed::new(folder.path().join("export")),
            shared: Shared::default(),
            secrets: Secrets::open(&folder.path().join("a.secrets"), admin::now()).unwrap(),
            metrics: metrics::Metrics::default(),
            now: admin::now,
        };
        let config = config("127.0.0.1:0".parse().unwrap());
        let stop = CancellationToken::new();
        stop.cancel();
        serve(&config, state, &stop).await.unwrap();
    }
}
