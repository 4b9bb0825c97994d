//! The loop of a crawl: lease, visit, record.
//!
//! One task owns the loop; each visit is a task of its own that only reads the network.
//! Everything is bounded: visits in flight, leases that wait for their site, results to record.

use super::sites::{Sites, Turn};
use super::{Control, RunError, Stop, now, while_doing};
use crate::config::Config;
use crate::fetch::Fetch;
use crate::politeness;
use crate::report::{self, Report};
use crate::visit::{Observer, Settings, Visited, visit};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::{Lease, Store, Visit};
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep_until};

/// How long a lease holds: longer than any visit, its waits included.
const LEASE: Duration = Duration::from_mins(30);
/// Leases taken at once.
const LEASE_BATCH: usize = 512;
/// Visits recorded in one transaction.
const RECORD_BATCH: usize = 256;
/// The longest that a finished visit waits to be recorded.
const RECORD_AFTER: Duration = Duration::from_millis(250);
/// How often the frontier is asked again when it had nothing.
const POLL: Duration = Duration::from_secs(1);
/// A run waits for domains that fall due within this, such as those that a killed run had leased.
const HORIZON: Duration = Duration::from_secs(40);
/// Visits in flight at the start; the limit grows to the full number within [`RAMP`] (P21).
const RAMP_START: usize = 64;
/// How long the ramp takes.
const RAMP: Duration = Duration::from_mins(1);

/// A visit, ready to be recorded.
struct Done {
    visit: Visit,
    agents: u64,
    findings: u64,
    line: Option<String>,
}

struct Crawl<'a, F> {
    config: &'a Config,
    settings: Arc<Settings>,
    fetch: F,
    store: Arc<dyn Store>,
    control: &'a Control,
    report: &'a mut Report,
    visits: JoinSet<Done>,
    domains: HashMap<Id, manifest::Domain>,
    sites: Sites,
    done: Vec<Done>,
    record_at: Option<Instant>,
    poll_at: Instant,
    begun: u64,
    started: Instant,
}

/// Visits what is due.
pub(super) async fn crawl<F: Fetch + Clone + Send + 'static>(
    config: &Config,
    fetch: F,
    store: Arc<dyn Store>,
    control: &Control,
    report: &mut Report,
) -> Result<(), RunError> {
    let now = Instant::now();
    let mut crawl = Crawl {
        config,
        settings: Arc::new(Settings {
            token: config.network.token.clone(),
            delay: config.network.delay,
        }),
        fetch,
        store,
        control,
        report,
        visits: JoinSet::new(),
        domains: HashMap::new(),
        sites: Sites::new(4 * config.concurrency),
        done: Vec::new(),
        record_at: None,
        poll_at: now,
        begun: 0,
        started: now,
    };
    crawl.go().await
}

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    async fn go(&mut self) -> Result<(), RunError> {
        let mut stop = self.control.stop.clone();
        loop {
            let stopping = *stop.borrow_and_update();
            if stopping != Stop::No {
                return self.finish(stopping).await;
            }
            if self.has_room() && Instant::now() >= self.poll_at {
                self.lease().await?;
            }
            if self.is_idle() {
                self.record().await?;
                match self.next_due().await? {
                    Some(due) => self.poll_at = due,
                    None => return Ok(()),
                }
            }
            let wake = self.record_at.map_or(self.poll_at, |at| {
                if self.has_room() {
                    at.min(self.poll_at)
                } else {
                    at
                }
            });
            tokio::select! {
                Some(joined) = self.visits.join_next_with_id() => {
                    self.take(joined).await?;
                    while self.done.len() < RECORD_BATCH {
                        let Some(joined) = self.visits.try_join_next_with_id() else { break };
                        self.take(joined).await?;
                    }
                }
                // A sender that is gone will never say stop.
                Ok(()) = stop.changed() => {}
                () = sleep_until(wake), if self.record_at.is_some() || self.has_room() => {}
            }
            let is_late = self.record_at.is_some_and(|at| Instant::now() >= at);
            if is_late || self.done.len() >= RECORD_BATCH {
                self.record().await?;
            }
        }
    }

    /// Nothing in flight and nothing waiting for its turn.
    fn is_idle(&self) -> bool {
        self.visits.is_empty() && self.sites.waiting() == 0
    }

    fn is_limit_reached(&self) -> bool {
        self.config.limit.is_some_and(|limit| self.begun >= limit)
    }

    fn has_room(&self) -> bool {
        !self.is_limit_reached() && self.visits.len() < self.allowed()
    }

    /// Visits allowed at the same time, so long after the start (P21).
    fn allowed(&self) -> usize {
        let full = self.config.concurrency;
        let first = RAMP_START.min(full);
        let elapsed = self.started.elapsed().min(RAMP).as_millis();
        let grown = (full - first) as u128 * elapsed / RAMP.as_millis();
        first + usize::try_from(grown).unwrap_or(0)
    }

    async fn lease(&mut self) -> Result<(), RunError> {
        let room = self.allowed() - self.visits.len();
        let left = self
            .config
            .limit
            .map_or(u64::MAX, |limit| limit - self.begun);
        let wanted = room
            .min(LEASE_BATCH)
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        let now = now();
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
            self.poll_at = Instant::now() + POLL;
        }
        let mut later = Vec::new();
        for lease in leases {
            self.begun += 1;
            match self.sites.enter(lease) {
                Turn::At(start, lease) => self.begin(start, lease),
                Turn::Waits => {}
                Turn::Later(lease, delay) => later.push((lease, now.after(delay))),
            }
        }
        if later.is_empty() {
            return Ok(());
        }
        self.begun -= later.len() as u64;
        self.store
            .postpone_leases(&later)
            .await
            .map_err(while_doing("put domains off whose site is busy"))
    }

    fn begin(&mut self, start: Instant, lease: Lease) {
        let domain = lease.domain.clone();
        let observer = Noting {
            store: Arc::clone(&self.store),
            lease: lease.clone(),
        };
        let fetch = self.fetch.clone();
        let settings = Arc::clone(&self.settings);
        let wants_line = self.report.is_wanted();
        let task = self.visits.spawn(async move {
            sleep_until(start).await;
            let mut random = StdRng::from_os_rng();
            let visited = visit(&fetch, &observer, &settings, lease, now(), &mut random).await;
            Done::new(visited, wants_line)
        });
        self.domains.insert(task.id(), domain);
        self.count_in_flight();
    }

    async fn take(
        &mut self,
        joined: Result<(Id, Done), tokio::task::JoinError>,
    ) -> Result<(), RunError> {
        let id = match &joined {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let domain = self.domains.remove(&id);
        let mut rest = politeness::longest_pause(self.settings.delay, None);
        match joined {
            Ok((_, done)) => {
                rest = self.rest_after(&done.visit);
                self.record_at.get_or_insert(Instant::now() + RECORD_AFTER);
                self.done.push(done);
            }
            // Its lease runs out, and the domain is visited again.
            Err(error) => tracing::error!(%error, ?domain, "a visit broke off"),
        }
        if let Some(domain) = domain {
            let (next, expired) = self.sites.leave(&domain, rest);
            if let Some((start, lease)) = next {
                self.begin(start, lease);
            }
            self.give_back(&expired).await?;
        }
        self.count_in_flight();
        Ok(())
    }

    /// How long a site is left alone after a visit: not at all when nobody was asked.
    fn rest_after(&self, visit: &Visit) -> Duration {
        let asked = visit.robots.as_ref().and_then(|robots| robots.delay_ms);
        let asked = asked.map(|delay_ms| Duration::from_millis(delay_ms.into()));
        match visit.requests {
            0 => Duration::ZERO,
            _ => politeness::longest_pause(self.settings.delay, asked),
        }
    }

    async fn give_back(&mut self, leases: &[Lease]) -> Result<(), RunError> {
        if leases.is_empty() {
            return Ok(());
        }
        self.begun -= leases.len() as u64;
        self.store
            .return_leases(leases)
            .await
            .map_err(while_doing("give domains back to the frontier"))
    }

    /// Records finished visits, then reports and counts them: what is reported is never lost.
    async fn record(&mut self) -> Result<(), RunError> {
        self.record_at = None;
        if self.done.is_empty() {
            return Ok(());
        }
        let done = std::mem::take(&mut self.done);
        let mut tallies = Vec::with_capacity(done.len());
        let mut visits = Vec::with_capacity(done.len());
        for done in done {
            tallies.push((done.agents, done.findings, done.line));
            visits.push(done.visit);
        }
        let recorded = self
            .store
            .record_visits(&visits)
            .await
            .map_err(while_doing("record visits in the database"))?;
        for (_, _, line) in &tallies {
            if let Some(line) = line {
                self.report.write(line)?;
            }
        }
        self.report.flush()?;
        self.control.progress.update(|summary| {
            summary.fenced += recorded.fenced;
            summary.new_documents += recorded.documents;
            for (visit, (agents, findings, _)) in visits.iter().zip(&tallies) {
                summary.count(visit, *agents, *findings);
            }
        });
        Ok(())
    }

    /// When to ask the frontier again; `None` when this run is over.
    async fn next_due(&self) -> Result<Option<Instant>, RunError> {
        if self.is_limit_reached() {
            return Ok(None);
        }
        let due = self
            .store
            .next_due()
            .await
            .map_err(while_doing("ask the database what is due next"))?;
        let wait = due.map(|due| due.since(now()));
        Ok(match wait {
            _ if self.config.watch => {
                let wait = wait.unwrap_or(POLL).clamp(Duration::from_millis(50), POLL);
                Some(Instant::now() + wait)
            }
            Some(wait) if wait <= HORIZON => {
                Some(Instant::now() + wait.max(Duration::from_millis(50)))
            }
            Some(_) | None => None,
        })
    }

    /// A clean stop: nothing new begins, what is finished is recorded.
    async fn finish(&mut self, stopping: Stop) -> Result<(), RunError> {
        let mut stop = self.control.stop.clone();
        let mut stopping = stopping;
        self.control
            .progress
            .update(|summary| summary.interrupted = true);
        let waiting = self.sites.drain();
        self.give_back(&waiting).await?;
        while stopping != Stop::Now && !self.visits.is_empty() {
            tokio::select! {
                Some(joined) = self.visits.join_next_with_id() => {
                    self.take(joined).await?;
                    if self.done.len() >= RECORD_BATCH {
                        self.record().await?;
                    }
                }
                Ok(()) = stop.changed() => stopping = *stop.borrow_and_update(),
            }
        }
        self.visits.abort_all();
        self.record().await
    }

    fn count_in_flight(&self) {
        let in_flight = self.visits.len() as u64;
        self.control
            .progress
            .update(|summary| summary.in_flight = in_flight);
    }
}

impl Done {
    fn new(visited: Visited, wants_line: bool) -> Self {
        let merged = report::merged(&visited);
        Self {
            agents: merged.listings.len() as u64,
            findings: report::findings(&visited, &merged) as u64,
            line: wants_line.then(|| report::line(&visited, &merged)),
            visit: visited.visit,
        }
    }
}

/// Tells the store of a crawl delay at once, so that it holds even when this process is killed.
struct Noting {
    store: Arc<dyn Store>,
    lease: Lease,
}

impl Observer for Noting {
    async fn crawl_delay(&self, delay: Duration) {
        let delay_ms = u32::try_from(delay.as_millis()).unwrap_or(u32::MAX);
        if let Err(error) = self.store.note_delay(&self.lease, delay_ms).await {
            tracing::warn!(%error, domain = %self.lease.domain, "crawl delay not noted");
        }
    }
}
