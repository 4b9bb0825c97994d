//! The loop of a crawl: lease, visit, record.
//!
//! One task owns the loop; each visit is a task of its own that only uses the network. Everything
//! is bounded: visits in flight, leases that wait for their site, results to record.

mod begin;
mod checks;
mod outcome;
mod record;
mod stopping;
#[cfg(test)]
mod tests;

use super::address_queue::Queue;
use super::claims::Claims;
use super::control::Control;
use super::done::{Batch, Ended};
use super::error::{RunError, while_doing};
use super::exclusions::ReloadedExclusions;
use super::intake::Intake;
use super::leasing::Leasing;
use super::outage::Outage;
use super::site_queue::{Sites, Turn};
use crate::clock::{Clock, Step};
use crate::config::Config;
use crate::crawl_delay;
use crate::fetch::{Fetch, FetchError, redirect};
use crate::rate_limit::LONGEST_ANSWER;
use crate::report::Report;
use crate::summary::Awaited;
use crate::visit::{RobotsCache, Settings, SharedGate};
use manifest::{Domain, Timestamp};
use rand::rngs::StdRng;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{Lease, Store};
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Duration of a lease: longer than any visit with its waits.
const LEASE: Duration = Duration::from_mins(30);
/// Number of leases taken at once.
const LEASE_BATCH: usize = 512;
/// Maximum number of visits recorded in one transaction.
const RECORD_BATCH: usize = 256;
/// Maximum time until a finished visit is recorded.
const RECORD_AFTER: Duration = Duration::from_millis(250);
/// Interval between two queries of an empty frontier.
const POLL: Duration = Duration::from_secs(1);
/// The same if a domain will be due in a moment.
const SHORTEST_POLL: Duration = Duration::from_millis(200);
/// Action named in errors of the frontier.
const NEXT: &str = "ask the database what is due next";
/// A run waits for domains that fall due within this time, such as those leased by a killed run.
const HORIZON: Duration = Duration::from_secs(40);

/// A run waits this long for domains that it postponed itself because their address was busy.
const CROWDED: Duration = Duration::from_hours(1);
/// A run waits for a domain with a busy address if it is to be tried again within this time.
const AWAITED: Duration = Duration::from_mins(5);
/// Detail of a waiting lease whose domain was excluded (P4); it is never recorded.
const EXCLUDED: FetchError = FetchError::Protocol("excluded");

/// Interval between two checks of the visits that wait for an address.
const SWEEP: Duration = Duration::from_secs(1);

/// Finished lookup of a visit, which may begin then.
type LookedUp = (Instant, Lease, Result<IpAddr, FetchError>);

/// Resources of a visit in flight.
struct Running {
    domain: Domain,
    /// Address at which the gate admitted it.
    address: Option<IpAddr>,
    /// Number of the claim that it checks, instead of a visit.
    claim: Option<i64>,
    task: AbortHandle,
}

/// A run in progress.
pub(super) struct Crawl<'a, F> {
    clock: Clock,
    config: &'a Config,
    settings: Arc<Settings>,
    fetch: F,
    store: Arc<dyn Store>,
    control: &'a Control,
    report: &'a mut Report,
    lookups: JoinSet<LookedUp>,
    visits: JoinSet<Ended>,
    running: HashMap<Id, Running>,
    sites: Sites,
    queue: Queue,
    /// Leases to be taken later.
    later: Vec<(Lease, Timestamp)>,
    /// Time until which postponed domains fall due for which this run waits.
    awaited: Instant,
    outage: Outage,
    exclusions: ReloadedExclusions,
    intake: Intake,
    claims: Claims,
    done: Batch,
    record_at: Option<Instant>,
    leasing: Leasing,
    begun: u64,
    random: StdRng,
    /// Leases of visits that had not begun when the stop signal arrived.
    unbegun: Vec<Lease>,
    /// True if the operator was informed that the machine's clock was set.
    is_step_told: bool,
    /// Time when the number of visits begins to grow (P21).
    started: Instant,
    /// Start of the run, which a restart after an outage does not change.
    since: Timestamp,
}

impl<'a, F: Fetch + Clone + Send + 'static> Crawl<'a, F> {
    /// Loads the state of an earlier run.
    pub(super) async fn new(
        config: &'a Config,
        fetch: F,
        store: Arc<dyn Store>,
        control: &'a Control,
        report: &'a mut Report,
        clock: Clock,
        random: StdRng,
    ) -> Result<Self, RunError> {
        let start = Instant::now();
        let gate = SharedGate::new(config.network.pace.clone());
        gate.load_pauses(&*store, clock.now())
            .await
            .map_err(while_doing("read the blocked addresses and hosts"))?;
        let exclusions =
            ReloadedExclusions::load(&*store, config.blocklist.as_deref(), clock.now()).await?;
        Ok(Self {
            clock,
            config,
            settings: Arc::new(Settings {
                token: config.network.token.clone(),
                delay: config.network.delay,
                extra: config.network.extra.clone(),
                http_fallback: config.network.http_fallback,
                gate,
                robots_cache: RobotsCache::default(),
                stopping: control.stop.child_token(),
                late: CancellationToken::new(),
                exclusions: exclusions.shared(),
            }),
            fetch,
            store,
            control,
            report,
            lookups: JoinSet::new(),
            visits: JoinSet::new(),
            running: HashMap::new(),
            sites: Sites::new(4 * config.concurrency),
            queue: Queue::new(4 * config.concurrency),
            later: Vec::new(),
            awaited: start,
            outage: Outage::new(start),
            exclusions,
            intake: Intake::new(config),
            claims: Claims::new(config.watch),
            done: Batch::default(),
            record_at: None,
            // The last request of an earlier run may be very recent (P19).
            leasing: Leasing::new(config.concurrency, start + config.network.pace.gap),
            begun: 0,
            random,
            unbegun: Vec::new(),
            is_step_told: false,
            started: start,
            since: clock.now(),
        })
    }

    /// Visits due domains, more cautiously if the previous run was killed, which interrupted the
    /// visits to these domains.
    pub(super) async fn run(&mut self, interrupted: &[Domain]) -> Result<(), RunError> {
        if !interrupted.is_empty() {
            self.started += crawl_delay::RAMP_DELAY;
        }
        self.wait_for_answers(interrupted);
        self.go().await?;
        if self.report.is_reader_gone() {
            return Err(RunError::ReaderGone);
        }
        Ok(())
    }

    /// Keeps visits away from hosts that may still be answering a request of the previous run: the
    /// other hosts of an interrupted visit, and its own for visits of others that are led there
    /// (P16).
    fn wait_for_answers(&mut self, interrupted: &[Domain]) {
        let now = Instant::now();
        let mut gate = self.settings.gate.lock();
        for domain in interrupted {
            self.sites.rest(domain, now + LONGEST_ANSWER);
            gate.host_asked(domain.as_str(), now);
            gate.host_asked(&redirect::twin(domain.as_str()), now);
        }
    }

    async fn go(&mut self) -> Result<(), RunError> {
        loop {
            if self.control.stop.is_cancelled() {
                return self.finish().await;
            }
            if Instant::now() >= self.exclusions.reload_at() {
                self.tell_step();
            }
            if self
                .exclusions
                .reload(&*self.store, self.clock.now())
                .await?
            {
                self.break_off_excluded();
            }
            if self.intake.take(&*self.store, self.clock.now()).await? {
                self.leasing.poll_at(Instant::now());
            }
            self.take_claims().await?;
            if self.lease_at().is_some_and(|at| Instant::now() >= at) {
                self.lease().await?;
            }
            self.end_outage().await?;
            if self.is_idle() {
                self.done.extend(self.outage.accept());
                self.record().await?;
                match self.next_due().await? {
                    Some(due) => self.leasing.poll_at(due),
                    None => return Ok(()),
                }
            }
            let sweep_at = (self.queue.waiting() > 0).then(|| Instant::now() + SWEEP);
            let lease_at = self.lease_at();
            let reload_at = Some(self.exclusions.reload_at());
            let outage_at = self.outage.retry_at();
            let take_at = self.intake.poll_at();
            let wakes = [
                self.claims.poll_at(),
                self.record_at,
                lease_at,
                sweep_at,
                outage_at,
                reload_at,
                take_at,
            ];
            let wake = wakes.into_iter().flatten().min();
            tokio::select! {
                Some(found) = self.lookups.join_next() => {
                    self.admit(found);
                    while let Some(found) = self.lookups.try_join_next() {
                        self.admit(found);
                    }
                }
                Some(looked_up) = self.claims.lookups.join_next() => {
                    self.judge_texts(looked_up).await?;
                }
                Some(joined) = self.visits.join_next_with_id() => {
                    self.take(joined).await?;
                    while self.done.len() < RECORD_BATCH {
                        let Some(joined) = self.visits.try_join_next_with_id() else { break };
                        self.take(joined).await?;
                    }
                }
                () = self.control.stop.cancelled() => {}
                () = sleep_until(wake.unwrap_or(self.started)), if wake.is_some() => self.sweep(),
            }
            self.put_off().await?;
            self.count_in_line();
            let is_late = self.record_at.is_some_and(|at| Instant::now() >= at);
            if is_late || self.done.len() >= RECORD_BATCH {
                self.record().await?;
            }
            if self.report.is_reader_gone() {
                return self.finish().await;
            }
        }
    }

    /// Informs the operator once that the machine's clock was set: this run continues by its own
    /// clock.
    fn tell_step(&mut self) {
        if self.is_step_told {
            return;
        }
        let (by, way) = match self.clock.step() {
            None => return,
            Some(Step::Ahead(by)) => (by, "ahead"),
            Some(Step::Back(by)) => (by, "back"),
        };
        self.is_step_told = true;
        tracing::warn!(
            "the clock of this machine was set {way} by {by:.0?}: this run continues by its own clock, and the \
             next run uses the new time"
        );
    }

    /// Reports whether no visit is in flight or waiting.
    fn is_idle(&self) -> bool {
        self.under_way() == 0 && self.sites.waiting() == 0 && self.queue.waiting() == 0
    }

    /// Returns the number of lookups and visits.
    fn under_way(&self) -> usize {
        self.lookups.len() + self.visits.len()
    }

    fn is_limit_reached(&self) -> bool {
        self.config.limit.is_some_and(|limit| self.begun >= limit)
    }

    /// Returns the time when more visits may begin, if any.
    fn lease_at(&self) -> Option<Instant> {
        if self.is_limit_reached() || self.outage.is_on() {
            return None;
        }
        let allowed = self.allowed();
        let room = allowed.saturating_sub(self.under_way());
        self.leasing.due(room, allowed)
    }

    /// Returns the number of concurrent visits permitted at this time after the start (P21).
    fn allowed(&self) -> usize {
        crawl_delay::ramp(self.leasing.most(), self.started.elapsed())
    }

    async fn lease(&mut self) -> Result<(), RunError> {
        self.leasing.ask(Instant::now());
        let room = self.allowed() - self.under_way();
        let remaining = self
            .config
            .limit
            .map_or(u64::MAX, |limit| limit - self.begun);
        let wanted = room
            .min(LEASE_BATCH)
            .min(usize::try_from(remaining).unwrap_or(usize::MAX));
        let now = self.clock.now();
        let leases = self
            .store
            .lease_domains(
                now,
                now.after(LEASE),
                u32::try_from(wanted).unwrap_or(u32::MAX),
            )
            .await
            .map_err(while_doing("take due domains from the database"))?;
        if leases.len() < wanted {
            // Domains of a killed run fall due in a moment, which is pause enough.
            let soon = self.store.next_due().await.map_err(while_doing(NEXT))?;
            let wait = soon
                .map_or(POLL, |due| due.since(now))
                .clamp(SHORTEST_POLL, POLL);
            self.leasing.poll_at(Instant::now() + wait);
        }
        if !leases.is_empty() {
            self.control
                .progress
                .update(|summary| summary.awaited = None);
        }
        for lease in self.exclusions.admit(leases, &*self.store, now).await? {
            self.begun += 1;
            match self.sites.enter(lease) {
                Turn::At(start, lease) => self.look_up(start, lease),
                Turn::Waits => {}
                Turn::Later(lease, delay) => self.later.push((lease, now.after(delay))),
            }
        }
        self.put_off().await
    }

    /// Returns leases that are to be taken later.
    async fn put_off(&mut self) -> Result<(), RunError> {
        if self.later.is_empty() {
            return Ok(());
        }
        let later = std::mem::take(&mut self.later);
        self.claims.drop_all(later.iter().map(|(lease, _)| lease));
        self.begun -= later.len() as u64;
        self.store
            .postpone_leases(&later)
            .await
            .map_err(while_doing("postpone domains whose site is busy"))?;
        self.control
            .progress
            .update(|summary| summary.put_offs += later.len() as u64);
        Ok(())
    }

    /// Returns the time of the next query of the frontier; `None` if this run is over.
    async fn next_due(&self) -> Result<Option<Instant>, RunError> {
        if self.is_limit_reached() {
            return Ok(None);
        }
        let due = self.store.next_due().await.map_err(while_doing(NEXT))?;
        let wait = due.map(|due| due.since(self.clock.now()));
        Ok(match wait {
            _ if self.config.watch => {
                let wait = wait.unwrap_or(POLL).clamp(Duration::from_millis(50), POLL);
                Some(Instant::now() + wait)
            }
            Some(wait) if wait <= HORIZON || Instant::now() + wait <= self.awaited => {
                self.tell_awaited().await?;
                Some(Instant::now() + wait.max(Duration::from_millis(50)))
            }
            Some(_) | None => None,
        })
    }

    /// Updates the progress with the number of domains that this run waits for, and until when.
    async fn tell_awaited(&self) -> Result<(), RunError> {
        let (wall, monotonic) = (self.clock.now(), Instant::now());
        let longest = HORIZON.max(self.awaited.saturating_duration_since(monotonic));
        let waiting = self
            .store
            .waiting(wall, wall.after(longest), self.since)
            .await
            .map_err(while_doing("count the domains that this run waits for"))?;
        self.control.progress.update(|summary| {
            summary.awaited = waiting.last.map(|last| Awaited {
                domains: waiting.domains,
                until: monotonic + last.since(wall),
            });
        });
        Ok(())
    }

    fn count_in_line(&self) {
        let taken = self.under_way() + self.sites.waiting() + self.queue.waiting();
        self.control.progress.update(|summary| {
            summary.in_line = (taken as u64).saturating_sub(summary.in_flight);
        });
    }
}
