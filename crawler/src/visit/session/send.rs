//! One request at its time: rate, deadline, budget and receipt.

use super::{DEADLINE, Session};
use crate::contained::contained;
use crate::crawl_delay::{self, LONGEST_WAIT, SMALLEST_GAP};
use crate::fetch::address::Refusal;
use crate::fetch::{Fetch, FetchError, Request, Response, Stage};
use crate::membership::Guest;
use crate::observer::Observer;
use crate::rate_limit::{ADDRESS_PAUSE, IpKey, Turn};
use crate::receipt::Exchange;
use crate::visit::findings::broken;
use crate::visit::host::Host;
use crate::visit::permit::Permit;
use crate::visit::shared::{TakenTurn, report_edge};
use manifest::Domain;
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// Reports whether a request is to be repeated over HTTP/1.1 (P13).
pub(super) fn asks_for_http1(result: &Result<Response, FetchError>) -> bool {
    match result {
        Ok(response) => response.status == 421,
        Err(error) => error.is_of_the_usual_client(),
    }
}

/// Returns the registrable domain of a host.
fn site_of(name: &str) -> String {
    let domain = Domain::parse(name);
    domain.map_or_else(|_| name.to_owned(), |it| it.registrable().to_owned())
}

/// Permission for a request.
#[derive(Debug)]
enum Permission {
    /// The turn was taken at the gate of this crawler.
    Own(TakenTurn),
    /// Another crawler granted it until this time since boot.
    Granted(Duration),
}

/// Returns the stay at an address of another crawler, if it is one.
fn guest_at(permits: &[Permit], address: IpAddr) -> Option<&Guest> {
    let key = IpKey::of(address);
    permits.iter().find(|it| it.key() == key)?.guest()
}

/// Time that a visit waits beyond [`ADDRESS_PAUSE`], the pause of an address (P35).
const SLACK: Duration = Duration::from_secs(6);

impl<F: Fetch, O: Observer> Session<'_, F, O> {
    /// Sends a request, and repeats it once over HTTP/1.1 after an answer of 421 (RFC 9110 section
    /// 15.5.20) or one with a head that the usual client refuses, if the budget of the visit permits
    /// (P13).
    pub(super) async fn exchange(
        &mut self,
        request: Request,
        last_request: u32,
    ) -> Result<Response, FetchError> {
        let again = request.clone();
        let result = self.send(request).await;
        let host = self.host(&again.url);
        if !asks_for_http1(&result) || host.only_http1 {
            return result;
        }
        host.only_http1 = true;
        if self.requests >= last_request {
            return result;
        }
        self.settle_repeated(&result);
        self.send(again).await
    }

    /// Completes the receipt of a request that is repeated over HTTP/1.1.
    pub(super) fn settle_repeated(&mut self, result: &Result<Response, FetchError>) {
        let verdict = match result {
            Ok(_) => "misdirected",
            Err(error) => error.outcome().as_str(),
        };
        self.settle(verdict, "repeated over HTTP/1.1");
    }

    /// Sends a request, unless an earlier one failed for lack of file descriptors or the crawler is
    /// stopping.
    async fn send(&mut self, request: Request) -> Result<Response, FetchError> {
        if self.is_exhausted {
            return Err(FetchError::Exhausted);
        }
        let result = self.send_in_turn(request).await;
        self.is_exhausted = matches!(result, Err(FetchError::Exhausted));
        self.is_stopped |= matches!(&result, Err(error) if error.is_stop());
        result
    }

    /// Sends a request once host and address permit it, within the deadline of the visit.
    async fn send_in_turn(&mut self, mut request: Request) -> Result<Response, FetchError> {
        let remaining = DEADLINE.saturating_sub(self.active);
        if remaining.is_zero() {
            return Err(FetchError::Timeout(Stage::Visit));
        }
        request.limits.total = request.limits.total.min(remaining);
        let stopping = self.settings.stopping.clone();
        let turn = stopping.run_until_cancelled(self.turn(&request)).await;
        let turn = turn.unwrap_or(Err(FetchError::Stopped))?;
        let index = self.host_index(&request.url);
        self.last_host = Some(index);
        request.only_http1 = self.hosts[index].1.only_http1;
        request.is_separate = self.is_elsewhere(&self.hosts[index].0);
        if request.is_separate
            && let Ok(host) = Domain::parse(&self.hosts[index].0)
        {
            self.observer.asked_elsewhere(&host).await;
        }
        self.check_turn(&request, &turn)?;
        let at = self.now();
        let asked = contained(self.fetch.get(&request));
        let asked = self.settings.membership.while_current(asked);
        let asked = self.settings.late.run_until_cancelled(asked);
        let result = match asked.await.flatten() {
            Some(result) => result.unwrap_or_else(|fault| Err(broken(&request.url, &fault))),
            None => Err(FetchError::Abandoned),
        };
        self.is_abandoned |= matches!(result, Err(FetchError::Abandoned));
        let ended = self.now();
        let took = ended.since(at);
        self.active += took;
        let (delay, jitter) = (self.settings.delay, self.jitter());
        let (name, host) = &mut self.hosts[index];
        if let Ok(response) = &result {
            host.is_own = response.is_own_host;
        }
        host.answered(ended, took, delay, jitter);
        let (wait, address) = (host.wait(ended), host.address);
        let guest = address.and_then(|it| guest_at(&self.permits, it));
        if let Some(guest) = guest {
            guest.ended(wait);
        }
        {
            let now = Instant::now();
            let mut gate = self.settings.gate.lock();
            gate.host_answered(name, now + wait, now);
            // The gate of another crawler has what is known of the address of a guest.
            if let Some(address) = address.filter(|_| guest.is_none()) {
                let site = site_of(name);
                gate.site_answered(&site, address, now);
                if let Ok(response) = &result
                    && site == self.lease.domain.registrable()
                {
                    let change = gate.learn(&site, address, response.marks, now);
                    report_edge(change, address);
                }
                let is_well =
                    matches!(&result, Ok(response) if !matches!(response.status, 429 | 503));
                if is_well && *name == self.lease.domain.as_str() {
                    gate.answered_well(self.lease.domain.registrable(), address);
                }
            }
        }
        if let Permission::Own(turn) = turn {
            turn.end();
        }
        let (status, bytes, was_sent) = match &result {
            Ok(response) => (Some(response.status), response.body.len() as u64, true),
            Err(error) => (None, 0, error.was_sent()),
        };
        if !was_sent && address.map(IpKey::of) != self.home {
            // There is no connection to that address, and the name may have been pointed at an
            // unrelated one.
            self.hosts[index].1.address = None;
            self.return_permits();
        }
        self.requests += u32::from(was_sent);
        self.bytes += bytes;
        self.pending = Some(Exchange {
            at,
            took,
            url: request.url,
            status,
            bytes,
        });
        self.report_pause(wait).await;
        result
    }

    /// Reports to the observer a pause that is longer than the usual one and than any reported
    /// before, both with maximum jitter. If this process dies, the next one observes the pause
    /// (P17).
    async fn report_pause(&mut self, pause: Duration) {
        let usual = crawl_delay::longest_pause(self.settings.delay.max(SMALLEST_GAP), None);
        if pause > usual.max(self.owed) {
            self.owed = crawl_delay::longest_pause(pause, None);
            self.observer.owed(pause).await;
        }
    }

    /// Waits until the host and its address accept a request (P16, P19).
    async fn turn(&mut self, request: &Request) -> Result<Permission, FetchError> {
        let now = self.now();
        let wait = self.host(&request.url).wait(now);
        // Even a timer of zero length waits for the next tick.
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let address = match self.host(&request.url).address {
            Some(address) => address,
            None => self.find_address(request).await?,
        };
        // Another visit may just have been redirected here, also while this one waited. For the gap
        // due to that, a visit waits as long as for its own requests (P24), and at least as long as
        // an address pauses when one of its sites asks for it (P35).
        let patience = crawl_delay::longest_pause(LONGEST_WAIT, None).max(ADDRESS_PAUSE + SLACK);
        let deadline = Instant::now() + wait + patience;
        let name = request.url.host_str().unwrap_or_default();
        let site = site_of(name);
        if let Some(guest) = guest_at(&self.permits, address) {
            return self.guest_turn(guest, (&site, name), deadline).await;
        }
        loop {
            let now = Instant::now();
            let turn = {
                let mut gate = self.settings.gate.lock();
                gate.site_turn(&site, name, address, now)
            };
            match turn {
                Turn::Now => {
                    let turn = TakenTurn::new(&self.settings.gate, address);
                    return Ok(Permission::Own(turn));
                }
                Turn::At(at) | Turn::After(_, at) if at > deadline => {
                    return Err(self.too_busy(name, at, now));
                }
                Turn::At(at) => tokio::time::sleep_until(at).await,
                Turn::After(answered, at) => {
                    // A timeout is treated like an answer: the gate decides what follows.
                    let _ = tokio::time::timeout_at(at, answered).await;
                }
            }
        }
    }

    /// Waits for a turn at an address of another crawler, once the host accepts a request.
    async fn guest_turn(
        &self,
        guest: &Guest,
        (site, name): (&str, &str),
        deadline: Instant,
    ) -> Result<Permission, FetchError> {
        loop {
            let now = Instant::now();
            let free_at = self.settings.gate.lock().host_free_at(name, now);
            match free_at {
                None => break,
                Some(at) if at > deadline => return Err(self.too_busy(name, at, now)),
                Some(at) => tokio::time::sleep_until(at).await,
            }
        }
        let turn = guest.turn(site, name, deadline).await;
        let turn = turn.ok_or(FetchError::Busy(ADDRESS_PAUSE))?;
        self.settings.gate.lock().host_asked(name, Instant::now());
        Ok(Permission::Granted(turn))
    }

    /// Returns an error for a request that this crawler may not send any more, because it was stopped
    /// for too long.
    fn check_turn(&self, request: &Request, turn: &Permission) -> Result<(), FetchError> {
        if !self.settings.membership.is_current() {
            return Err(FetchError::Stopped);
        }
        let name = request.url.host_str().unwrap_or_default();
        let known = self.hosts.iter().find(|(known, _)| known == name);
        let address = known.and_then(|(_, host)| host.address);
        let guest = address.and_then(|it| guest_at(&self.permits, it));
        match (guest, turn) {
            (Some(guest), Permission::Granted(until)) if !guest.is_valid(*until) => {
                guest.ended(Duration::ZERO);
                Err(FetchError::Busy(ADDRESS_PAUSE))
            }
            _ => Ok(()),
        }
    }

    /// Reports whether a host belongs to another site; only the redirect of a robots.txt leads to
    /// one.
    fn is_elsewhere(&self, name: &str) -> bool {
        let site = Domain::parse(name);
        site.is_ok_and(|it| it.registrable() != self.lease.domain.registrable())
    }

    /// Closes the connections to other sites and returns the permits at their addresses, as nothing
    /// more is requested there.
    pub(super) fn leave_other_sites(&mut self) {
        let name = |index: usize| self.hosts[index].0.as_str();
        let elsewhere: Vec<usize> = (0..self.hosts.len())
            .filter(|index| self.is_elsewhere(name(*index)))
            .collect();
        if elsewhere.is_empty() {
            return;
        }
        for index in elsewhere {
            self.hosts[index].1.address = None;
        }
        self.fetch.close_separate();
        self.return_permits();
    }

    /// Returns the permits at addresses where no host of the visit is.
    fn return_permits(&mut self) {
        let hosts = &self.hosts;
        self.permits.retain(|permit| {
            let mut addresses = hosts.iter().filter_map(|(_, host)| host.address);
            addresses.any(|address| IpKey::of(address) == permit.key())
        });
    }

    /// Returns the error for a host that accepts no request before `at`.
    fn too_busy(&self, name: &str, at: Instant, now: Instant) -> FetchError {
        let paused_until = self.settings.gate.lock().host_paused_until(name, now);
        match paused_until {
            Some(until) if until >= at && name != self.lease.domain.as_str() => {
                FetchError::TargetPaused(until - now)
            }
            Some(_) | None => FetchError::Busy(at - now),
        }
    }

    /// Looks up a host that a redirect led to, and acquires a permit at its address.
    async fn find_address(&mut self, request: &Request) -> Result<IpAddr, FetchError> {
        let host = request.url.host_str().unwrap_or_default();
        let is_excluded = Domain::parse(host).is_ok_and(|it| self.settings.exclusions.covers(&it));
        if is_excluded {
            return Err(FetchError::Blocked(Refusal::Excluded));
        }
        let address = self.fetch.resolve(request).await?;
        let key = IpKey::of(address);
        let permits = || {
            self.home
                .into_iter()
                .chain(self.permits.iter().map(Permit::key))
        };
        if !permits().any(|it| it == key) {
            // A visit counts once per network; otherwise visits that lead to neighbours would wait
            // for each other (P20).
            let is_in_same_network = permits().any(|it| it.network() == key.network());
            let permit = Permit::take(self.settings, address, is_in_same_network, LONGEST_WAIT);
            self.permits.push(permit.await?);
        }
        self.host(&request.url).address = Some(address);
        Ok(address)
    }

    pub(super) fn host(&mut self, url: &Url) -> &mut Host {
        let index = self.host_index(url);
        &mut self.hosts[index].1
    }

    fn host_index(&mut self, url: &Url) -> usize {
        let name = url.host_str().unwrap_or_default();
        let known = self.hosts.iter().position(|(known, _)| known == name);
        known.unwrap_or_else(|| {
            self.hosts.push((name.to_owned(), Host::default()));
            self.hosts.len() - 1
        })
    }

    /// Completes the receipt of the last request with its verdict.
    pub(in crate::visit) fn settle(&mut self, verdict: &str, why: &str) {
        if let Some(exchange) = self.pending.take() {
            let receipt = exchange.judged(verdict, why);
            // The receipt is recorded first, in case the observer panics.
            self.receipts.push(receipt.clone());
            self.observer.receipt(&receipt);
        }
    }
}
