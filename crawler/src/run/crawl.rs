//! The loop of a crawl: lease, visit, record.
//!
//! One task owns the loop; each visit is a task of its own that only uses the network. Everything
//! is bounded: visits in flight, leases that wait for their site, results to record.
//!
//! The type `Crawl` has its steps in the modules below: `frontier` leases domains, `begin` starts visits,
//! `outcome` takes their results, `record` writes these, `checks` verifies claims, `fleet` shares the work
//! with other crawlers, `clocks` has the time of the run, and `stopping` ends it.

mod begin;
mod checks;
mod clocks;
mod fleet;
mod frontier;
mod in_flight;
mod outcome;
mod queues;
mod record;
mod stopping;
#[cfg(test)]
mod tests;
mod trial;

use super::claims::Claims;
use super::control::Control;
use super::error::{RunError, while_doing};
use super::exclusions::ReloadedExclusions;
use super::intake::Intake;
use super::leasing::Leasing;
use super::outage::Outage;
use super::visit_record::Batch;
use crate::clock::Clock;
use crate::config::Config;
use crate::crawl_delay;
use crate::fetch::{Fetch, redirect};
use crate::membership::Membership;
use crate::rate_limit::LONGEST_ANSWER;
use crate::report::Report;
use crate::visit::{RobotsCache, Sender, Settings, SharedGate};
use clocks::Clocks;
use in_flight::{InFlight, TaskEnd};
use manifest::Domain;
use queues::Queues;
use rand::rngs::StdRng;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Interval between two attempts to use a database that is away.
const AWAY: Duration = Duration::from_millis(500);

/// Position of a step in a run.
enum Step {
    Next,
    Last,
}

/// A run in progress.
pub(super) struct Crawl<'a, F> {
    clocks: Clocks,
    config: &'a Config,
    settings: Arc<Settings>,
    fetch: F,
    store: Arc<dyn Store>,
    control: &'a Control,
    report: &'a mut Report,
    exclusions: ReloadedExclusions,
    leasing: Leasing,
    queues: Queues,
    in_flight: InFlight,
    batch: Batch,
    outage: Outage,
    trials: JoinSet<trial::Trial>,
    shared: fleet::Shared,
    intake: Intake,
    claims: Claims,
    random: StdRng,
}

/// Parts of a crawl that its process also uses elsewhere.
pub(super) struct Common {
    pub(super) store: Arc<dyn Store>,
    pub(super) gate: SharedGate,
    pub(super) membership: Membership,
}

impl Common {
    /// Returns those of the only crawler of a database.
    #[cfg(test)]
    pub(super) fn alone(config: &Config, store: &Arc<dyn Store>) -> Self {
        Self {
            store: Arc::clone(store),
            gate: SharedGate::new(config.network.pace.clone()),
            membership: Membership::none(),
        }
    }
}

impl<'a, F: Fetch + Clone + Send + 'static> Crawl<'a, F> {
    /// Loads the state of an earlier run.
    pub(super) async fn new(
        config: &'a Config,
        fetch: F,
        common: Common,
        control: &'a Control,
        report: &'a mut Report,
        clock: Clock,
        random: StdRng,
    ) -> Result<Self, RunError> {
        let Common {
            store,
            gate,
            membership,
        } = common;
        let start = Instant::now();
        gate.load_pauses(&*store, clock.now())
            .await
            .map_err(while_doing("read the blocked addresses and hosts"))?;
        let exclusions =
            ReloadedExclusions::load(&*store, config.blocklist.as_deref(), clock.now()).await?;
        // The last request of an earlier run may be very recent (P19).
        let first = start + config.network.pace.gap;
        Ok(Self {
            clocks: Clocks::new(clock),
            config,
            settings: Arc::new(Settings {
                token: config.network.token.clone(),
                sender: Sender::from(&config.network.identity),
                delay: config.network.delay,
                extra: config.network.extra.clone(),
                http_fallback: config.network.http_fallback,
                gate,
                membership: membership.clone(),
                robots_cache: RobotsCache::default(),
                stopping: control.stop.child_token(),
                late: CancellationToken::new(),
                exclusions: exclusions.shared(),
            }),
            fetch,
            store,
            control,
            report,
            exclusions,
            leasing: Leasing::new(config.concurrency, config.limit, start, first),
            queues: Queues::new(4 * config.concurrency, membership, start),
            in_flight: InFlight::default(),
            batch: Batch::default(),
            outage: Outage::new(start),
            trials: JoinSet::new(),
            shared: fleet::Shared::default(),
            intake: Intake::new(config),
            claims: Claims::new(config.watch),
            random,
        })
    }

    /// Visits due domains, more cautiously if the previous run was killed, which interrupted the
    /// visits to these domains.
    pub(super) async fn run(&mut self, interrupted: &[Domain]) -> Result<(), RunError> {
        if !interrupted.is_empty() {
            self.leasing.ramp_after(crawl_delay::RAMP_DELAY);
        }
        self.wait_for_answers(interrupted);
        self.visit_due().await?;
        let released = if self.control.stop.is_cancelled() {
            Ok(())
        } else {
            self.release_all().await
        };
        if self.report.is_reader_gone() {
            return Err(RunError::ReaderGone);
        }
        released
    }

    /// Keeps visits away from hosts that may still be answering a request of the previous run: the
    /// other hosts of an interrupted visit, and its own for visits of others that are led there
    /// (P16).
    fn wait_for_answers(&mut self, interrupted: &[Domain]) {
        let now = Instant::now();
        let mut gate = self.settings.gate.lock();
        for domain in interrupted {
            self.queues.rest(domain, now + LONGEST_ANSWER);
            gate.host_asked(domain.as_str(), now);
            gate.host_asked(&redirect::twin(domain.as_str()), now);
        }
    }

    /// Leases, visits and records until nothing is left to do or the crawl is stopped. While the server of
    /// the database is away, a crawl that watches goes on with the visits that have begun.
    async fn visit_due(&mut self) -> Result<(), RunError> {
        while !self.control.stop.is_cancelled() {
            match self.step().await {
                Ok(Step::Next) => {}
                Ok(Step::Last) => return Ok(()),
                Err(error) if self.may_wait(&error) => {
                    let stopping = &self.control.stop;
                    let _ = stopping.run_until_cancelled(tokio::time::sleep(AWAY)).await;
                }
                Err(error) => return Err(error),
            }
        }
        self.finish().await
    }

    /// Reports whether the crawl goes on after an error.
    fn may_wait(&self, error: &RunError) -> bool {
        error.is_away() && (self.config.watch || self.control.stop.is_cancelled())
    }

    /// Does what is due, and waits for the next thing to do. After an error, the next step tries it again.
    async fn step(&mut self) -> Result<Step, RunError> {
        self.check_membership()?;
        if Instant::now() >= self.exclusions.reload_at() {
            self.clocks.report_step();
        }
        if self
            .exclusions
            .reload(&*self.store, self.clocks.now())
            .await?
        {
            self.abort_excluded();
        }
        if self.intake.take(&*self.store, self.clocks.now()).await? {
            self.leasing.poll_at(Instant::now());
        }
        self.take_claims().await?;
        if self.lease_at().is_some_and(|at| Instant::now() >= at) {
            self.lease().await?;
        }
        self.try_known_host()?;
        if self.in_flight.len() == 0 && self.queues.waiting() == 0 {
            self.batch.extend(self.outage.accept());
            self.record().await?;
            match self.next_due().await? {
                Some(due) => self.leasing.poll_by(due),
                None => return Ok(Step::Last),
            }
        }
        let wake_at = self.wake_at();
        tokio::select! {
            Some(end) = self.in_flight.next() => {
                self.end_task(end).await?;
                while !self.batch.is_full() {
                    let Some(end) = self.in_flight.try_next() else { break };
                    self.end_task(end).await?;
                }
            }
            Some(lookup) = self.claims.lookups.join_next() => self.judge_texts(lookup).await?,
            Some(Ok(trial)) = self.trials.join_next() => self.judge_trial(trial).await,
            () = self.control.stop.cancelled() => {}
            () = self.settings.membership.expelled() => {}
            () = sleep_until(wake_at) => {
                let openings = self.queues.sweep(&self.settings.gate, self.clocks.now());
                self.proceed(openings);
            }
        }
        self.return_postponed().await?;
        self.hand_on().await?;
        self.exchange_released().await?;
        self.count_in_line();
        if self.batch.is_due() {
            self.record().await?;
        }
        if self.report.is_reader_gone() {
            return self.finish().await.map(|()| Step::Last);
        }
        Ok(Step::Next)
    }

    /// Returns the next time at which the loop has something to do, even if no task ends.
    fn wake_at(&self) -> Instant {
        let times = [
            self.batch.record_at(),
            self.lease_at(),
            self.queues.sweep_at(),
            self.trial_at(),
            self.intake.poll_at(),
            self.claims.poll_at(),
            self.shared.exchange_at(),
        ];
        let reload_at = self.exclusions.reload_at();
        times.into_iter().flatten().fold(reload_at, Instant::min)
    }

    /// Continues after the end of a task.
    async fn end_task(&mut self, end: TaskEnd) -> Result<(), RunError> {
        match end {
            TaskEnd::Lookup(lookup) => {
                self.admit(*lookup);
                Ok(())
            }
            TaskEnd::Visit(result, running) => self.end_visit(result, running).await,
        }
    }

    fn count_in_line(&self) {
        let leased = self.in_flight.len() + self.queues.waiting();
        let learned = self.settings.gate.lock().learned_edges();
        let membership = &self.settings.membership;
        let ((crawlers, slots), turns) = (membership.share(), membership.turns());
        self.control.progress.update(|summary| {
            summary.learned_edges = learned as u64;
            summary.crawlers = crawlers as u64;
            summary.slots = slots as u64;
            summary.guest_turns = turns;
            summary.in_line = (leased as u64).saturating_sub(summary.in_flight);
        });
    }
}
