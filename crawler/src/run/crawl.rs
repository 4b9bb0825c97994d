//! The loop of a crawl: lease, visit, record.
//!
//! One task owns the loop; each visit is a task of its own that only reads the network.
//! Everything is bounded: visits in flight, leases that wait for their site, results to record.

#[cfg(test)]
mod soak;

use super::arriving::Arriving;
use super::leasing::{self, Leasing};
use super::leaving::Leaving;
use super::outage::{Canary, Outage};
use super::queue::{Moved, Queue};
use super::sites::{Sites, Turn};
use super::{Control, RunError, Stop, now, while_doing};
use crate::config::Config;
use crate::fetch::{Fetch, FetchError};
use crate::pace::uplink::{Line, Reach};
use crate::pace::{Ending, IpKey};
use crate::politeness;
use crate::report::{self, Report};
use crate::visit::{Entrance, Observer, Settings, SharedGate, Visited, elsewhere, look_up, visit};
use manifest::{Domain, Timestamp};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{Lease, Store, Visit};
use tokio::task::{AbortHandle, Id, JoinSet};
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

/// A run waits so long for domains that it put off itself, because their address was crowded.
const CROWDED: Duration = Duration::from_hours(1);
/// A run waits for a domain whose address was busy if it is to be asked again within this.
const AWAITED: Duration = Duration::from_mins(5);
/// What becomes of a lease that waited when its domain was excluded (P4); it is never recorded.
const EXCLUDED: FetchError = FetchError::Protocol("excluded");

/// How often those that wait for an address are looked after.
const SWEEP: Duration = Duration::from_secs(1);

/// A visit, ready to be recorded.
pub(super) struct Done {
    pub(super) visit: Visit,
    ending: Ending,
    pub(super) reach: Reach,
    put_off: Option<Duration>,
    agents: u64,
    findings: u64,
    line: Option<String>,
    elsewhere: Vec<Domain>,
}

/// A lookup that has ended, for a visit that may begin then.
type LookedUp = (Instant, Lease, Result<IpAddr, FetchError>);

/// What a visit under way holds.
struct Running {
    domain: Domain,
    /// Where the gate let it in.
    address: Option<IpAddr>,
    task: AbortHandle,
}

struct Crawl<'a, F> {
    config: &'a Config,
    settings: Arc<Settings>,
    fetch: F,
    store: Arc<dyn Store>,
    control: &'a Control,
    report: &'a mut Report,
    lookups: JoinSet<LookedUp>,
    visits: JoinSet<Done>,
    running: HashMap<Id, Running>,
    sites: Sites,
    queue: Queue,
    /// Leases to be taken later.
    later: Vec<(Lease, Timestamp)>,
    /// Until when domains that were put off fall due, which this run waits for.
    awaited: Instant,
    outage: Outage,
    leaving: Leaving,
    arriving: Arriving,
    done: Vec<Done>,
    record_at: Option<Instant>,
    leasing: Leasing,
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
    let mut crawl = Crawl::new(config, fetch, store, control, report).await?;
    crawl.go().await
}

/// Takes up the wishes of addresses that an earlier run was told of (P35).
async fn load_blocks(store: &dyn Store, gate: &SharedGate) -> Result<(), RunError> {
    let wall = now();
    let blocks = store
        .address_blocks(wall)
        .await
        .map_err(while_doing("read which addresses want to be left alone"))?;
    for (address, until) in blocks {
        gate.lock()
            .block(address, until.since(wall), Instant::now());
    }
    Ok(())
}

impl<'a, F: Fetch + Clone + Send + 'static> Crawl<'a, F> {
    /// Takes up what an earlier run left.
    async fn new(
        config: &'a Config,
        fetch: F,
        store: Arc<dyn Store>,
        control: &'a Control,
        report: &'a mut Report,
    ) -> Result<Self, RunError> {
        let start = Instant::now();
        let gate = SharedGate::new(config.network.pace.clone());
        load_blocks(&*store, &gate).await?;
        let leaving = Leaving::load(&*store).await?;
        Ok(Self {
            config,
            settings: Arc::new(Settings {
                token: config.network.token.clone(),
                delay: config.network.delay,
                http_fallback: config.network.http_fallback,
                gate,
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
            leaving,
            arriving: Arriving::new(config),
            done: Vec::new(),
            record_at: None,
            leasing: Leasing::new(config.concurrency, start),
            begun: 0,
            started: start,
        })
    }

    async fn go(&mut self) -> Result<(), RunError> {
        let mut stop = self.control.stop.clone();
        loop {
            let stopping = *stop.borrow_and_update();
            if stopping != Stop::No {
                return self.finish(stopping).await;
            }
            if self.leaving.reload(&*self.store).await? {
                self.break_off_excluded();
            }
            if self.arriving.take(&*self.store).await? {
                self.leasing.poll_at(Instant::now());
            }
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
            let reload_at = Some(self.leaving.reload_at());
            let outage_at = self.outage.retry_at();
            let take_at = self.arriving.poll_at();
            let wakes = [
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
                Some(joined) = self.visits.join_next_with_id() => {
                    self.take(joined).await?;
                    while self.done.len() < RECORD_BATCH {
                        let Some(joined) = self.visits.try_join_next_with_id() else { break };
                        self.take(joined).await?;
                    }
                }
                // A sender that is gone will never say stop.
                Ok(()) = stop.changed() => {}
                () = sleep_until(wake.unwrap_or(self.started)), if wake.is_some() => self.sweep(),
            }
            self.put_off().await?;
            let is_late = self.record_at.is_some_and(|at| Instant::now() >= at);
            if is_late || self.done.len() >= RECORD_BATCH {
                self.record().await?;
            }
        }
    }

    /// Nothing in flight and nothing waiting for its turn.
    fn is_idle(&self) -> bool {
        self.under_way() == 0 && self.sites.waiting() == 0 && self.queue.waiting() == 0
    }

    /// Lookups and visits.
    fn under_way(&self) -> usize {
        self.lookups.len() + self.visits.len()
    }

    fn is_limit_reached(&self) -> bool {
        self.config.limit.is_some_and(|limit| self.begun >= limit)
    }

    /// When more visits may begin, if they may.
    fn lease_at(&self) -> Option<Instant> {
        if self.is_limit_reached() || self.outage.is_on() {
            return None;
        }
        let allowed = self.allowed();
        let room = allowed.saturating_sub(self.under_way());
        self.leasing.due(room, allowed)
    }

    /// Visits allowed at the same time, so long after the start (P21).
    fn allowed(&self) -> usize {
        politeness::ramp(self.leasing.most(), self.started.elapsed())
    }

    async fn lease(&mut self) -> Result<(), RunError> {
        self.leasing.ask(Instant::now());
        let room = self.allowed() - self.under_way();
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
            self.leasing.poll_at(Instant::now() + POLL);
        }
        for lease in self.leaving.admit(leases, &*self.store).await? {
            self.begun += 1;
            match self.sites.enter(lease) {
                Turn::At(start, lease) => self.look_up(start, lease),
                Turn::Waits => {}
                Turn::Later(lease, delay) => self.later.push((lease, now.after(delay))),
            }
        }
        self.put_off().await
    }

    /// Gives leases back that are to be taken later.
    async fn put_off(&mut self) -> Result<(), RunError> {
        if self.later.is_empty() {
            return Ok(());
        }
        let later = std::mem::take(&mut self.later);
        self.begun -= later.len() as u64;
        self.store
            .postpone_leases(&later)
            .await
            .map_err(while_doing("put domains off whose site is busy"))?;
        self.control
            .progress
            .update(|summary| summary.put_offs += later.len() as u64);
        Ok(())
    }

    /// The first stage of a visit: no name server is asked for a domain whose turn is not near.
    fn look_up(&mut self, start: Instant, lease: Lease) {
        let fetch = self.fetch.clone();
        let is_excluded = self.leaving.covers(&lease.domain);
        self.lookups.spawn(async move {
            let found = if is_excluded {
                Err(EXCLUDED)
            } else {
                look_up(&fetch, &lease).await
            };
            (start, lease, found)
        });
        self.count_in_flight();
    }

    /// The second stage: a place at the address.
    fn admit(&mut self, found: Result<LookedUp, tokio::task::JoinError>) {
        match found {
            Ok((start, lease, Ok(address))) => {
                let mut gate = self.settings.gate.lock();
                let ready = (start, lease, address);
                let moved = self.queue.enter(&mut gate, ready, Instant::now());
                drop(gate);
                self.go_on(moved);
            }
            Ok((start, lease, Err(error))) => self.begin(start, lease, Entrance::Closed(error)),
            // Its lease runs out, and the domain is looked up again.
            Err(error) => tracing::error!(%error, "a lookup broke off"),
        }
    }

    /// Begins visits that were let in, and puts off those that were not.
    fn go_on(&mut self, moved: Moved) {
        for (ready, expected) in moved.admitted {
            let entrance = Entrance::Open(ready.address, expected);
            self.begin(ready.start, ready.lease, entrance);
        }
        let (wall, monotonic) = (now(), Instant::now());
        let crowded = moved
            .crowded
            .into_iter()
            .map(|(ready, until)| (ready, until, true));
        let blocked = moved
            .blocked
            .into_iter()
            .map(|(ready, until)| (ready, until, false));
        for (ready, until, is_awaited) in crowded.chain(blocked) {
            let wait = until.saturating_duration_since(monotonic);
            let until = wall.after(wait);
            if is_awaited {
                let awaited = monotonic + wait.min(CROWDED);
                self.awaited = self.awaited.max(awaited);
            }
            // Nobody was asked, so the rest that the site still had stays.
            let rest = ready.start.saturating_duration_since(monotonic);
            let (next, expired) = self.sites.leave(&ready.lease.domain, rest);
            self.later.push((ready.lease, until));
            self.later
                .extend(expired.into_iter().map(|lease| (lease, wall)));
            if let Some((start, lease)) = next {
                self.look_up(start, lease);
            }
        }
    }

    /// Looks after those that wait for an address.
    fn sweep(&mut self) {
        if self.queue.waiting() > 0 {
            let mut gate = self.settings.gate.lock();
            let moved = self.queue.wake_all(&mut gate, Instant::now());
            drop(gate);
            self.go_on(moved);
        }
    }

    fn begin(&mut self, start: Instant, lease: Lease, entrance: Entrance) {
        let domain = lease.domain.clone();
        let address = match &entrance {
            Entrance::Open(address, _) => Some(*address),
            Entrance::Closed(_) => None,
        };
        let entrance = if self.leaving.covers(&domain) {
            Entrance::Closed(EXCLUDED)
        } else {
            entrance
        };
        let observer = Noting {
            store: Arc::clone(&self.store),
            lease: lease.clone(),
        };
        // A client is dear in comparison with a name that does not resolve.
        let fetch = match entrance {
            Entrance::Open(address, _) => self.fetch.for_visit(&domain, address),
            Entrance::Closed(_) => self.fetch.clone(),
        };
        let settings = Arc::clone(&self.settings);
        let wants_line = self.report.is_wanted();
        let admits_special_use = self.arriving.admits_special_use;
        let task = self.visits.spawn(async move {
            sleep_until(start).await;
            let mut random = StdRng::from_os_rng();
            let begun = now();
            let visited = visit(
                &fetch,
                &observer,
                &settings,
                lease,
                entrance,
                begun,
                &mut random,
            )
            .await;
            Done::new(visited, wants_line, admits_special_use)
        });
        let running = Running {
            domain,
            address,
            task,
        };
        self.running.insert(running.task.id(), running);
        self.count_in_flight();
    }

    /// Stops the visits under way to domains that have been excluded (P4).
    fn break_off_excluded(&self) {
        for running in self.running.values() {
            if self.leaving.covers(&running.domain) {
                running.task.abort();
            }
        }
    }

    async fn take(
        &mut self,
        joined: Result<(Id, Done), tokio::task::JoinError>,
    ) -> Result<(), RunError> {
        let id = match &joined {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let running = self.running.remove(&id);
        let mut rest = politeness::longest_pause(self.settings.delay, None);
        let mut ending = Ending::Unasked;
        match joined {
            Ok((_, done)) => {
                rest = self.rest_after(&done.visit);
                ending = done.ending;
                self.keep(done).await?;
            }
            Err(error) if error.is_cancelled() => {}
            // Its lease runs out, and the domain is visited again.
            Err(error) => {
                let domain = running.as_ref().map(|running| &running.domain);
                tracing::error!(%error, ?domain, "a visit broke off");
            }
        }
        if let Some(running) = running {
            if let Some(address) = running.address {
                let mut gate = self.settings.gate.lock();
                gate.leave(address, ending, Instant::now());
                let moved = self.queue.wake(&mut gate, address, Instant::now());
                drop(gate);
                self.go_on(moved);
            }
            let (next, expired) = self.sites.leave(&running.domain, rest);
            if let Some((start, lease)) = next {
                self.look_up(start, lease);
            }
            self.give_back(&expired).await?;
        }
        self.count_in_flight();
        Ok(())
    }

    /// Keeps a visit to be recorded, unless nobody answered and that may be our own fault (P38).
    async fn keep(&mut self, done: Done) -> Result<(), RunError> {
        if done.reach == Reach::Unasked {
            self.put_off_exhausted(done.visit);
            return Ok(());
        }
        if let Some(pause) = done.put_off {
            self.put_off_busy(done.visit, pause);
            return Ok(());
        }
        match self.outage.note(done, Instant::now()) {
            (Line::Up, known) => {
                if !known.is_empty() {
                    self.record_at.get_or_insert(Instant::now() + RECORD_AFTER);
                }
                self.done.extend(known);
                Ok(())
            }
            (Line::Doubtful, _) => Ok(()),
            (Line::Down, lost) => {
                let leases: Vec<_> = lost.into_iter().map(|done| done.visit.lease).collect();
                if self.outage.has_begun() {
                    self.control.progress.update(|summary| summary.outages += 1);
                    tracing::error!(
                        "nobody answers any more: taken for an outage of our own line, nothing is \
                         recorded until somebody does"
                    );
                }
                self.give_back(&leases).await
            }
        }
    }

    /// Puts a visit off for which this process had too many files open: it is nobody's fault (row 100).
    fn put_off_exhausted(&mut self, visit: Visit) {
        let now = Instant::now();
        let in_flight = self.under_way();
        if let Some(most) = self.leasing.shrink(in_flight, now) {
            tracing::warn!(
                "too many open files with {in_flight} visits in flight: no more than {most} from now on; \
                 raise the limit with `ulimit -n`"
            );
        }
        let pause = leasing::EXHAUSTED.max(self.rest_after(&visit));
        self.awaited = self.awaited.max(now + pause);
        self.later.push((visit.lease, super::now().after(pause)));
    }

    /// Puts a visit off whose address had no room for it, or wants to be left alone.
    fn put_off_busy(&mut self, visit: Visit, pause: Duration) {
        let pause = pause.max(self.rest_after(&visit));
        // Room is soon; who wants to be left alone may want it for hours.
        if pause <= AWAITED {
            self.awaited = self.awaited.max(Instant::now() + pause);
        }
        self.later.push((visit.lease, now().after(pause)));
    }

    /// Tries during an outage whether a host that answered before does so again.
    async fn end_outage(&mut self) -> Result<(), RunError> {
        let Some(canary) = self.outage.take_canary(Instant::now()) else {
            return Ok(());
        };
        let request = match canary {
            Canary::Robots(request) => request,
            Canary::Nobody if self.config.watch => return Ok(()),
            Canary::Nobody => return Err(RunError::Offline),
        };
        let answer = self.fetch.get(&request).await;
        let reach = answer
            .as_ref()
            .err()
            .map_or(Reach::Reached, FetchError::reach);
        self.outage.judge(reach, Instant::now());
        if !self.outage.is_on() {
            tracing::warn!("somebody answers again: the crawl goes on");
            self.started = Instant::now();
        }
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
        let mut done = std::mem::take(&mut self.done);
        done.retain(|done| !self.leaving.covers(&done.visit.lease.domain));
        let mut tallies = Vec::with_capacity(done.len());
        let mut visits = Vec::with_capacity(done.len());
        let mut elsewhere = Vec::with_capacity(done.len());
        for done in done {
            tallies.push((done.agents, done.findings, done.line));
            elsewhere.push(done.elsewhere);
            visits.push(done.visit);
        }
        let recorded = self
            .store
            .record_visits(&visits)
            .await
            .map_err(while_doing("record visits in the database"))?;
        let led = visits.iter().zip(elsewhere.iter().map(Vec::as_slice));
        self.arriving.discover(led, &*self.store).await?;
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
            Some(wait) if wait <= HORIZON || Instant::now() + wait <= self.awaited => {
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
        let mut waiting = self.sites.drain();
        waiting.extend(self.queue.drain());
        while stopping != Stop::Now && !self.lookups.is_empty() {
            tokio::select! {
                Some(found) = self.lookups.join_next() => {
                    waiting.extend(found.ok().map(|(_, lease, _)| lease));
                }
                Ok(()) = stop.changed() => stopping = *stop.borrow_and_update(),
            }
        }
        self.lookups.abort_all();
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
        self.done.extend(self.outage.accept());
        self.put_off().await?;
        self.record().await
    }

    fn count_in_flight(&self) {
        let in_flight = self.under_way() as u64;
        self.control
            .progress
            .update(|summary| summary.in_flight = in_flight);
    }
}

impl Done {
    fn new(visited: Visited, wants_line: bool, admits_special_use: bool) -> Self {
        let merged = report::merged(&visited);
        let domain = &visited.visit.lease.domain;
        Self {
            agents: merged.listings.len() as u64,
            findings: report::findings(&visited, &merged) as u64,
            line: wants_line.then(|| report::line(&visited, &merged)),
            elsewhere: elsewhere(domain, &visited.readings, admits_special_use),
            ending: visited.ending,
            reach: visited.reach,
            put_off: visited.put_off,
            visit: visited.visit,
        }
    }
}

/// Tells the store of crawl delays and pleas at once, so that they hold even when this process is killed.
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

    async fn throttled(&self, address: IpAddr, pause: Duration) {
        let until = now().after(pause);
        let noted = self
            .store
            .block_address(IpKey::of(address).address(), until);
        if let Err(error) = noted.await {
            tracing::warn!(%error, domain = %self.lease.domain, "plea not noted");
        }
    }
}
