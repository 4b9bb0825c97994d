//! A whole crawl: adds seeds to the store, visits due domains, records results, and stops cleanly.
//!
//! Together with `main.rs` the only place that reads the clock. [`run`] can be called from another
//! program, which passes a stop signal and reads the progress.

mod address_queue;
mod claims;
mod control;
mod crawl;
mod error;
mod exclusions;
mod fleet;
mod intake;
mod leasing;
mod outage;
mod seeding;
mod site_queue;
#[cfg(test)]
mod tests;
mod visit_record;

use crate::clock::Clock;
use crate::config::Config;
use crate::crawl_delay::SMALLEST_GAP;
use crate::descriptors::{self, TooFew};
use crate::rate_limit::LONGEST_ANSWER;
use crate::report::Report;
use crate::summary::{Summary, WaitingTally};
use crate::visit::SharedGate;
pub use control::Control;
use crawl::{Common, Crawl};
pub use error::RunError;
use error::while_doing;
use fleet::Fleet;
use manifest::{Domain, Timestamp};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::convert::Infallible;
use std::error::Error;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};
use store::{Store, StoreError};
use tokio::time::sleep;

/// Maximum number of due domains that an operator may visit without contact information (P3).
const MAX_WITHOUT_CONTACT: u32 = 1_000;

/// Interval between two attempts to use a database that is away.
const RETRY: Duration = Duration::from_secs(1);

/// Maximum delay (P24, P35); a domain that is due later is waiting for its recrawl.
const LONGEST_BACK_OFF: Duration = Duration::from_hours(24);

/// Crawls until no domain is due, the limit is reached, or the stop signal arrives.
pub async fn run(
    config: &Config,
    store: Arc<dyn Store>,
    control: Control,
) -> Result<Summary, RunError> {
    let config = &within_limits(config)?;
    let clock = time_of(&*store, clock()).await?;
    let mut random = random();
    let http = config.network.open(clock, &mut random)?;
    let mut report = Report::open(config.report.as_deref())?;
    if !config.network.has_contact {
        tracing::warn!("no --contact: site owners cannot reach you");
    }
    let started = clock.now();
    let corrected = store
        .rebase(started)
        .await
        .map_err(while_doing("prepare the frontier"))?;
    if corrected > 0 {
        tracing::warn!(
            "the clock was set back since the last run: {corrected} domains with future times \
             are visited after their usual interval"
        );
    }
    let mut interrupted = release_leases(&*store, config.network.delay, clock.now())
        .await
        .map_err(while_doing("release the leases of an earlier run"))?;
    seeding::read_all(config, &*store, &control, clock).await?;
    check_contact(config.network.has_contact, &*store, clock.now()).await?;
    loop {
        let gate = SharedGate::new(config.network.pace.clone());
        let fleet = Fleet::join(config, &store, &gate, clock).await;
        let is_stopped = control.stop.is_cancelled();
        let fleet = match fleet {
            Err(error) if config.watch && error.is_away() && !is_stopped => {
                sleep(RETRY).await;
                continue;
            }
            fleet => fleet?,
        };
        let common = Common {
            store: Arc::clone(&store),
            gate,
            membership: fleet.membership(),
        };
        let random = StdRng::from_rng(&mut random);
        let crawl = Crawl::new(
            config,
            http.clone(),
            common,
            &control,
            &mut report,
            clock,
            random,
        );
        let crawled = async {
            let mut crawl = crawl.await?;
            tokio::select! {
                crawled = crawl.run(&interrupted) => crawled,
                never = count_due(&*store, &control, clock.now()) => match never {},
            }
        };
        match crawled.await {
            Err(error) if fleet.has_ended(&error).await => {
                let cause: &dyn Error = &error;
                tracing::warn!(
                    error = cause,
                    "this crawler begins anew as another member of the fleet"
                );
                interrupted.clear();
            }
            crawled => {
                fleet.leave().await;
                crawled?;
                break;
            }
        }
    }
    match count_waiting(&*store, started, clock.now(), &control).await {
        Err(error) if !error.is_away() => return Err(error),
        Ok(()) | Err(_) => {}
    }
    Ok(control.progress.snapshot())
}

/// Returns the clock with the time of the database, if several crawlers share that.
async fn time_of(store: &dyn Store, clock: Clock) -> Result<Clock, RunError> {
    let time = store.time(clock.now()).await;
    let time = time.map_err(while_doing("read the time of this database"))?;
    Ok(clock.at_time(time, uptime()))
}

/// Releases the leases of a crawler that was killed, and returns their domains: each waits until
/// its host cannot be answering any more, and then for `delay`, a second at least (P16).
pub(crate) async fn release_leases(
    store: &dyn Store,
    delay: Duration,
    now: Timestamp,
) -> Result<Vec<Domain>, StoreError> {
    let [gap_ms, answer_ms] = [delay.max(SMALLEST_GAP), LONGEST_ANSWER]
        .map(|time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX));
    store.release_leases(now, gap_ms, answer_ms).await
}

/// Counts the domains that the run leaves because they are not due yet.
async fn count_waiting(
    store: &dyn Store,
    started: Timestamp,
    ended: Timestamp,
    control: &Control,
) -> Result<(), RunError> {
    let waiting = store
        .waiting(ended, ended.after(LONGEST_BACK_OFF), started)
        .await
        .map_err(while_doing("count the waiting domains"))?;
    control.progress.update(|summary| {
        summary.waiting = waiting.next.map(|next| WaitingTally {
            domains: waiting.domains,
            next_in: next.since(ended),
        });
    });
    Ok(())
}

/// Counts the due domains for the progress display while the first visits begin; with millions of
/// domains it takes a while.
async fn count_due(store: &dyn Store, control: &Control, now: Timestamp) -> Infallible {
    match store.due(now, u32::MAX).await {
        Ok(due) => control.progress.update(|summary| summary.due = due),
        Err(error) => tracing::warn!(%error, "cannot count the due domains: {error}"),
    }
    std::future::pending().await
}

/// Reduces the number of concurrent visits to what the limit of open files permits.
fn within_limits(config: &Config) -> Result<Config, TooFew> {
    let mut config = config.clone();
    let limit = descriptors::raise();
    let room = descriptors::room(limit)?;
    if room < config.concurrency {
        tracing::warn!(
            limit,
            "{room} concurrent visits instead of {}: the limit of open files permits no more; raise it with \
             `ulimit -n`",
            config.concurrency
        );
        config.concurrency = room;
    }
    Ok(config)
}

/// Refuses to visit many sites without contact information (P3).
async fn check_contact(
    has_contact: bool,
    store: &dyn Store,
    now: Timestamp,
) -> Result<(), RunError> {
    if has_contact {
        return Ok(());
    }
    let due = store
        .due(now, MAX_WITHOUT_CONTACT + 1)
        .await
        .map_err(while_doing("count the due domains"))?;
    if due <= u64::from(MAX_WITHOUT_CONTACT) {
        Ok(())
    } else {
        Err(RunError::NoContact(MAX_WITHOUT_CONTACT))
    }
}

/// Returns the clock of this process, started with its first use.
pub fn clock() -> Clock {
    static CLOCK: LazyLock<Clock> = LazyLock::new(|| Clock::start(wall, uptime));
    *CLOCK
}

/// Returns a generator of random numbers, seeded by the system.
pub fn random() -> StdRng {
    StdRng::from_os_rng()
}

/// Returns the wall clock.
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

/// Returns the time since boot, including suspend; it is disciplined by NTP and cannot be set.
#[cfg(target_os = "linux")]
fn uptime() -> Duration {
    let uptime = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::try_from(uptime).unwrap_or_default()
}

/// Returns the time since the start of this process.
#[cfg(not(target_os = "linux"))]
fn uptime() -> Duration {
    static START: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);
    START.elapsed()
}
