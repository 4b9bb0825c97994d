//! Reading new documents, or keeping an index up to date with what another process reads.
//!
//! On a server, one process at a time reads documents. The others keep their indexes up to date, and one
//! of them takes over once that process has ended.

use crate::config::Config;
use crate::database::Database;
use indexer::pipeline::WorkCounts;
use indexer::run::{self, Until};
use search::follower::{self, FollowCounts, FollowError, Outage, stopped_within};
use search::metrics::Index;
use std::sync::Arc;
use std::time::Duration;
use store::blocklist::Blocklist;
use store::{Role, Store, StoreError};
use tokio_util::sync::CancellationToken;

/// Pause between two trials to take over: with the time for which a role outlives its process, this is
/// less than ten seconds.
const TRIAL: Duration = Duration::from_secs(1);

/// Does the work of `indexer` without a command.
pub(crate) async fn index(
    database: &Database<'_>,
    stop: &CancellationToken,
) -> anyhow::Result<WorkCounts> {
    let config = database.config;
    let listener = admin::bind(config.admin_listen).await?;
    let stands_by = config.watch && store::is_postgres(&config.database);
    let roles: &[Role] = if config.index_only || stands_by {
        &[]
    } else {
        &[Role::Indexer]
    };
    let store = database.open(roles).await.map_err(advised)?;
    let parts: Vec<Box<dyn admin::Part>> = vec![
        Box::new(admin::Database(Arc::clone(&store))),
        Box::new(Index::written(&config.index, Arc::clone(&store))),
    ];
    let working = async {
        if config.index_only {
            let followed = follow(config, store, stop).await;
            Ok(counts(followed?))
        } else if stands_by {
            take_turns(database, store, stop).await
        } else {
            read(database, store, stop).await
        }
    };
    tokio::select! {
        done = working => done,
        never = admin::serve(listener, parts) => match never {},
    }
}

/// Names the option for a machine whose index alone is to be updated, if another process reads.
fn advised(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(StoreError::InUse { .. }) => error
            .context("cannot read documents; --index-only updates the index without reading any"),
        _ => error,
    }
}

/// Keeps the index up to date, once or until it is stopped.
async fn follow(
    config: &Config,
    store: Arc<dyn Store>,
    stop: &CancellationToken,
) -> anyhow::Result<FollowCounts> {
    let watched = Arc::clone(&store);
    let is_once = !config.watch;
    tokio::select! {
        done = follower::run(store, &config.index, config.models(), is_once, admin::now, stop) => Ok(done?),
        error = watched.watch() => Err(error.into()),
    }
}

fn counts(followed: FollowCounts) -> WorkCounts {
    let mut counts = WorkCounts::default();
    counts.follow(followed);
    counts
}

/// Reads new documents while no other process does, and keeps the index up to date meanwhile, until it
/// is stopped.
async fn take_turns(
    database: &Database<'_>,
    store: Arc<dyn Store>,
    stop: &CancellationToken,
) -> anyhow::Result<WorkCounts> {
    let mut total = WorkCounts::default();
    let mut outage = Outage::default();
    while !stop.is_cancelled() {
        let reader = match store::open(&database.config.database, &[Role::Indexer]).await {
            Ok(reader) => reader,
            Err(StoreError::InUse { holder, .. }) => {
                tracing::info!(
                    "indexer {holder} reads the documents: this one keeps its index up to date, and stands by"
                );
                let (followed, reader) =
                    stand_by(database.config, Arc::clone(&store), stop).await?;
                total.follow(followed);
                match reader {
                    Some(reader) => reader,
                    None => break,
                }
            }
            Err(error @ StoreError::Away { .. }) => {
                outage.began(&error);
                stopped_within(TRIAL, stop).await;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        outage.ended();
        tracing::info!("this process reads the documents now");
        let done = read(database, Arc::clone(&reader), stop).await;
        reader.close().await;
        let error = match done {
            Ok(done) => {
                total.add(done);
                continue;
            }
            Err(error) => error,
        };
        match of_store(&error) {
            Some(StoreError::RoleLost { .. }) => tracing::warn!(
                "another indexer reads the documents now: this one could not renew its role"
            ),
            // The database, or the replica for the exports.
            Some(away @ StoreError::Away { .. }) => {
                outage.began(away);
                stopped_within(TRIAL, stop).await;
            }
            _ => return Err(error),
        }
    }
    Ok(total)
}

/// Keeps the index up to date until no other process reads documents; returns the store of this one as
/// the reader then, or none if it was stopped.
async fn stand_by(
    config: &Config,
    store: Arc<dyn Store>,
    stop: &CancellationToken,
) -> anyhow::Result<(FollowCounts, Option<Arc<dyn Store>>)> {
    let phase = stop.child_token();
    let following = follow(config, store, &phase);
    tokio::pin!(following);
    let reader = tokio::select! {
        done = &mut following => return Ok((done?, None)),
        reader = free_role(&config.database) => reader?,
    };
    // The index has one writer at a time.
    phase.cancel();
    match following.await {
        Ok(followed) => Ok((followed, Some(reader))),
        Err(error) => {
            // Another indexer takes over at once.
            reader.close().await;
            Err(error)
        }
    }
}

/// Waits until no other process reads documents, and takes its place.
async fn free_role(database: &str) -> Result<Arc<dyn Store>, StoreError> {
    loop {
        tokio::time::sleep(TRIAL).await;
        match store::open(database, &[Role::Indexer]).await {
            Err(StoreError::InUse { .. } | StoreError::Away { .. }) => {}
            taken => return taken,
        }
    }
}

/// Returns the error of the store that ended the work; `None` if it was another one.
fn of_store(error: &anyhow::Error) -> Option<&StoreError> {
    match error.downcast_ref() {
        Some(FollowError::Store(error)) => Some(error),
        _ => error.downcast_ref(),
    }
}

/// Reads new documents as the only process that does, and updates the index.
async fn read(
    database: &Database<'_>,
    store: Arc<dyn Store>,
    stop: &CancellationToken,
) -> anyhow::Result<WorkCounts> {
    let config = database.config;
    let until = if config.watch {
        Until::Stopped
    } else {
        Until::CaughtUp
    };
    let blocklist = config.blocklist.as_deref();
    let mut blocklist = blocklist.map(Blocklist::open).transpose()?;
    if let Some(blocklist) = &mut blocklist {
        blocklist.apply(&*store, admin::now()).await?;
    }
    let (followed, watched) = (Arc::clone(&store), Arc::clone(&store));
    let following = async {
        match blocklist {
            Some(blocklist) => blocklist.follow(&*followed, admin::now).await,
            None => std::future::pending().await,
        }
    };
    let exports = config.exports();
    let exported = if config.watch {
        database.open_to_export().await?
    } else {
        Arc::clone(&store)
    };
    let copied = Arc::clone(&exported);
    let phase = stop.child_token();
    let exporting = async {
        if config.watch {
            run::export_daily(exported, &exports, &phase).await;
        }
        Ok(())
    };
    let indexing = Box::pin(run::run(
        store,
        &config.index,
        config.models(),
        until,
        &phase,
    ));
    let mut working = Box::pin(async { tokio::try_join!(indexing, exporting) });
    tokio::select! {
        done = &mut working => Ok(done?.0),
        never = following => match never {},
        error = watched.watch() => {
            if matches!(error, StoreError::RoleLost { .. }) {
                // The process goes on with the same index, which has one writer at a time. Most often
                // the work ends with the same error.
                phase.cancel();
                let _ = working.await;
            }
            Err(error.into())
        }
        error = copied.watch(), if config.read_database.is_some() => Err(error.into()),
    }
}
