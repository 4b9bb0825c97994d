//! A whole crawl: seeds into the store, due domains out of it, visits, results, a clean stop.
//!
//! Together with `main.rs` the only place that reads the clock.
//! [`run`] can be called from another program: it takes its stop signal and hands out its progress.

mod arriving;
mod clock;
mod crawl;
mod leasing;
mod leaving;
mod outage;
mod queue;
mod seeding;
mod sites;
#[cfg(test)]
mod soak;

use crate::config::Config;
use crate::descriptors::{self, TooFew};
use crate::fetch::http::HttpError;
use crate::report::{Report, ReportError};
use crate::seeds::SeedError;
use crate::summary::{Progress, Summary, WaitingTally};
use clock::{Clock, Step};
use manifest::Timestamp;
use std::convert::Infallible;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};
use store::{Store, StoreError};
use tokio::sync::watch;

/// The most due domains that an operator may visit without saying who they are (P3).
const MOST_WITHOUT_CONTACT: u32 = 1_000;

/// Nobody is put off for longer (P24, P35); what falls due later is a recrawl.
const LONGEST_BACK_OFF: Duration = Duration::from_hours(24);

/// Whether to go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// Go on.
    #[default]
    No,
    /// Finish the visits in flight, begin no other.
    Finish,
    /// Give up the visits in flight; their domains are visited again later.
    Now,
}

/// The two ends that a running crawl has to the outside.
#[derive(Clone, Debug)]
pub struct Control {
    /// Whether to go on.
    pub stop: watch::Receiver<Stop>,
    /// What has happened so far.
    pub progress: Arc<Progress>,
}

/// Why a crawl ended early. What had been recorded stays; the same command carries on from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Too many domains for one who cannot be reached.
    #[error(
        "more than {0} domains are due and site owners could not reach you: give --contact, a web page about this crawler or a mailbox"
    )]
    NoContact(u32),
    /// Our own line is down (P38).
    #[error(
        "nobody answers: neither name servers nor hosts; it looks like our own line, so nothing was recorded"
    )]
    Offline,
    /// There is no room for the connections of a single visit.
    #[error(transparent)]
    TooFewFiles(#[from] TooFew),
    /// A seed list is not there.
    #[error("cannot read --seeds {path}")]
    OpenSeeds {
        /// The file.
        path: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// A seed list is not usable.
    #[error("cannot use --seeds {path}")]
    Seeds {
        /// The file.
        path: String,
        /// Why not.
        #[source]
        source: SeedError,
    },
    /// The database failed.
    #[error("cannot {doing}")]
    Store {
        /// What was going on.
        doing: &'static str,
        /// Why not.
        #[source]
        source: StoreError,
    },
    /// The network cannot be set up.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// Nobody reads the report any more; what was visited is recorded.
    #[error("nobody reads the report any more")]
    ReaderGone,
    /// The report cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunError {
    /// True when the command was wrong, rather than the world.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoContact(_) | Self::OpenSeeds { .. })
    }
}

/// Names what was going on when the store failed.
fn while_doing(doing: &'static str) -> impl Fn(StoreError) -> RunError {
    move |source| RunError::Store { doing, source }
}

/// Crawls until nothing is due, the limit is reached or somebody says stop.
pub async fn run(
    config: &Config,
    store: Arc<dyn Store>,
    control: Control,
) -> Result<Summary, RunError> {
    let config = &within_limits(config)?;
    let http = config.network.open()?;
    let mut report = Report::open(config.report.as_deref())?;
    if !config.network.has_contact {
        tracing::warn!("no --contact: site owners cannot reach you");
    }
    let started = now();
    let mended = store
        .rebase(started)
        .await
        .map_err(while_doing("mend what a clock that was ahead has stamped"))?;
    if mended > 0 {
        tracing::warn!(
            "the clock was set back since the last run: {mended} domains that it had put into the future \
             come back after their usual interval"
        );
    }
    let gap_ms = u32::try_from(config.network.delay.as_millis()).unwrap_or(u32::MAX);
    let left = store
        .release_leases(now(), gap_ms.max(1_000))
        .await
        .map_err(while_doing("release the leases of an earlier run"))?;
    seeding::read_all(config, &*store, &control).await?;
    check_contact(config.network.has_contact, &*store).await?;
    let counted = Arc::clone(&store);
    tokio::select! {
        crawled = crawl::crawl(config, http, store, &control, &mut report, left > 0) => crawled?,
        never = count_due(&*counted, &control) => match never? {},
    }
    count_waiting(&*counted, started, &control).await?;
    Ok(control.progress.snapshot())
}

/// Counts what the run leaves behind because its time has not come.
async fn count_waiting(
    store: &dyn Store,
    started: Timestamp,
    control: &Control,
) -> Result<(), RunError> {
    let ended = now();
    let waiting = store
        .waiting(ended, ended.after(LONGEST_BACK_OFF), started)
        .await
        .map_err(while_doing("count what waits"))?;
    control.progress.update(|summary| {
        summary.waiting = waiting.next.map(|next| WaitingTally {
            domains: waiting.domains,
            next_in: next.since(ended),
        });
    });
    Ok(())
}

/// Counts what is due for whoever looks on, while the first visits begin: of millions it takes a while.
async fn count_due(store: &dyn Store, control: &Control) -> Result<Infallible, RunError> {
    let due = store
        .due(now(), u32::MAX)
        .await
        .map_err(while_doing("count what is due"))?;
    control.progress.update(|summary| summary.due = due);
    std::future::pending().await
}

/// Lowers the number of visits at the same time to what this process may have open.
fn within_limits(config: &Config) -> Result<Config, TooFew> {
    let mut config = config.clone();
    let limit = descriptors::raise();
    let room = descriptors::room(limit)?;
    if room < config.concurrency {
        tracing::warn!(
            limit,
            "{room} visits at the same time instead of {}: this process may not have more files open, raise \
             the limit with `ulimit -n`",
            config.concurrency
        );
        config.concurrency = room;
    }
    Ok(config)
}

/// Refuses to visit many sites on behalf of one who cannot be reached (P3).
async fn check_contact(has_contact: bool, store: &dyn Store) -> Result<(), RunError> {
    if has_contact {
        return Ok(());
    }
    let due = store
        .due(now(), MOST_WITHOUT_CONTACT + 1)
        .await
        .map_err(while_doing("count what is due"))?;
    if due <= u64::from(MOST_WITHOUT_CONTACT) {
        Ok(())
    } else {
        Err(RunError::NoContact(MOST_WITHOUT_CONTACT))
    }
}

/// The time of this process: the wall clock when it was first asked, counted on by the machine's own clock.
static CLOCK: LazyLock<Clock> = LazyLock::new(|| Clock::new(wall(), uptime()));

/// The time, which nothing sets: what falls due and how long a lease holds go by it (row 100).
pub fn now() -> Timestamp {
    let now = CLOCK.at(uptime());
    // A test that drives tokio's clock drives this one with it.
    #[cfg(test)]
    let now = now.after(tokio::time::Instant::now().into_std() - std::time::Instant::now());
    now
}

/// Returns the step by which the wall clock was set since this process began, if it was.
fn step() -> Option<Step> {
    CLOCK.step(wall(), uptime())
}

/// The wall clock.
#[expect(
    clippy::disallowed_methods,
    reason = "run.rs is where the clock is read"
)]
fn wall() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let wall = Timestamp(0).after(since_epoch.unwrap_or_default());
    #[cfg(test)]
    let wall = Timestamp(wall.0 + tests::STEP_MS.get());
    wall
}

/// How long the machine is up, the time asleep included: steered by NTP, and set by nothing.
#[cfg(target_os = "linux")]
fn uptime() -> Duration {
    let uptime = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::try_from(uptime).unwrap_or_default()
}

/// How long this process has been asking.
#[cfg(not(target_os = "linux"))]
fn uptime() -> Duration {
    static START: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use store::{Seed, SeedSource};

    thread_local! {
        /// How far this thread's wall clock was set, in milliseconds.
        pub(super) static STEP_MS: Cell<i64> = const { Cell::new(0) };
    }

    /// Sets this thread's wall clock ahead, or back.
    pub(in crate::run) fn set_clock(step_ms: i64) {
        // What it was set from.
        now();
        STEP_MS.set(step_ms);
    }

    #[tokio::test]
    async fn p03_more_than_a_thousand_sites_want_a_contact() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let store = store::open(&url, &[]).await.unwrap();
        let seeds: Vec<Seed> = (0..1_001)
            .map(|number| Seed {
                domain: format!("h{number}.example").parse().unwrap(),
                port: None,
                source: SeedSource::Seed,
            })
            .collect();
        store
            .add_seeds(&seeds[..1_000], false, now())
            .await
            .unwrap();
        assert!(check_contact(false, &*store).await.is_ok());
        store.add_seeds(&seeds, false, now()).await.unwrap();
        assert!(check_contact(true, &*store).await.is_ok());
        let refused = check_contact(false, &*store).await.unwrap_err();
        assert!(refused.is_usage());
        assert!(refused.to_string().contains("--contact"), "{refused}");
    }
}
