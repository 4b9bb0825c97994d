//! Runs the pipeline once or until shutdown. This module reads the clock.

use crate::housekeeping::Housekeeping;
use crate::pipeline::{Pipeline, WorkCounts};
use export::daily;
use search::embedding::Models;
use search::follower::{FollowError, Follower, LOCKED_PAUSE, Outage, PAUSE, stopped_within};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

/// Interval between two checks whether an export is due.
const EXPORT_PAUSE: Duration = Duration::from_mins(1);
/// Pause after an export failed.
const EXPORT_RETRY: Duration = Duration::from_mins(10);

/// Condition that ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// No unread document, no pending change and no agent without its sentence vector is left.
    CaughtUp,
    /// The shutdown future completed.
    Stopped,
}

/// Reads new documents and updates the index, with vectors if there are models.
///
/// When it is stopped, the current domain is finished first.
pub async fn run(
    store: Arc<dyn Store>,
    index_dir: &Path,
    models: Option<Models>,
    until: Until,
    stop: &CancellationToken,
) -> Result<WorkCounts, FollowError> {
    let mut pipeline = Pipeline::open(Arc::clone(&store), index_dir, models)?;
    let mut housekeeping = Housekeeping::new(store);
    let mut total = WorkCounts::default();
    let mut outage = Outage::default();
    while !stop.is_cancelled() {
        let round = async {
            let done = pipeline.step(admin::now(), stop).await?;
            let kept_house = until == Until::Stopped && housekeeping.step(admin::now()).await?;
            Ok((done, kept_house))
        };
        let (done, kept_house) = match round.await {
            Ok(done) => done,
            Err(FollowError::Store(
                error @ (StoreError::Locked { .. } | StoreError::Away { .. }),
            )) if until == Until::Stopped => {
                outage.began(&error);
                stopped_within(LOCKED_PAUSE, stop).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        outage.ended();
        total.add(done);
        if done.is_nothing() {
            if until == Until::CaughtUp || !kept_house && stopped_within(PAUSE, stop).await {
                break;
            }
        } else if done.domains > 0 || done.indexed > 0 {
            tracing::info!(
                domains = done.domains,
                documents = done.documents,
                changes = done.indexed,
                "read {} documents of {} domains, {} changes are searchable",
                done.documents,
                done.domains,
                done.indexed
            );
        }
    }
    Ok(total)
}

/// Rebuilds the index from the agents in the store; returns `false` if it was stopped before the
/// end.
pub async fn rebuild(
    store: Arc<dyn Store>,
    index_dir: &Path,
    models: Option<Models>,
    stop: &CancellationToken,
) -> Result<bool, FollowError> {
    let mut follower = Follower::open(store, index_dir, models)?;
    follower.rebuild(stop).await
}

/// Exports all agents once a day, and soon after agents were withdrawn, and drops old entries of the
/// change log, until it is stopped. A failure is logged and tried again.
pub async fn export_daily(store: Arc<dyn Store>, folder: &Path, stop: &CancellationToken) {
    while let Some(kept) = stop
        .run_until_cancelled(daily::keep(&*store, folder, admin::now()))
        .await
    {
        let pause = match kept {
            Ok(None) => EXPORT_PAUSE,
            Ok(Some((latest, dropped))) => {
                tracing::info!(
                    agents = latest.agents,
                    changes = latest.seq,
                    dropped,
                    "exported {} agents, and dropped {dropped} old changes",
                    latest.agents
                );
                EXPORT_PAUSE
            }
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the export failed and is tried again: {error}"
                );
                EXPORT_RETRY
            }
        };
        if stopped_within(pause, stop).await {
            return;
        }
    }
}
