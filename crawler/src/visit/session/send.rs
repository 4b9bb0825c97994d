//! One request in its turn: pace, deadline, budget and receipt.

use super::{DEADLINE, Session};
use crate::contained::contained;
use crate::fetch::address::Refusal;
use crate::fetch::{Fetch, FetchError, Request, Response, Stage};
use crate::pace::{IpKey, PLEA_PAUSE, Turn};
use crate::politeness::{self, PATIENCE};
use crate::receipt::Exchange;
use crate::visit::host::{Host, SMALLEST_GAP};
use crate::visit::place::Place;
use crate::visit::{Observer, broken};
use manifest::Domain;
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// So much longer than a pause a visit waits that was asked for when that began.
const SLACK: Duration = Duration::from_secs(6);

impl<F: Fetch, O: Observer> Session<'_, F, O> {
    /// One request, and a second one over HTTP/1.1 to a host that took the first for somebody else's
    /// (RFC 9110 section 15.5.20, P13), if the visit may send so many.
    pub(super) async fn exchange(
        &mut self,
        request: Request,
        last_request: u32,
    ) -> Result<Response, FetchError> {
        let again = request.clone();
        let response = self.send(request).await?;
        let host = self.host(&again.url);
        if response.status != 421 || host.only_http1 {
            return Ok(response);
        }
        host.only_http1 = true;
        if self.requests >= last_request {
            return Ok(response);
        }
        self.settle("misdirected", "asked again over HTTP/1.1");
        self.send(again).await
    }

    /// One request; none any more once this process had too many files open for one.
    async fn send(&mut self, request: Request) -> Result<Response, FetchError> {
        if self.is_exhausted {
            return Err(FetchError::Exhausted);
        }
        let result = self.send_in_turn(request).await;
        self.is_exhausted = matches!(result, Err(FetchError::Exhausted));
        result
    }

    /// One request, in its turn and within the visit's deadline.
    async fn send_in_turn(&mut self, mut request: Request) -> Result<Response, FetchError> {
        let left = DEADLINE.saturating_sub(self.active);
        if left.is_zero() {
            return Err(FetchError::Timeout(Stage::Visit));
        }
        request.limits.total = request.limits.total.min(left);
        self.turn(&request).await?;
        let index = self.host_index(&request.url);
        self.last_host = Some(index);
        request.only_http1 = self.hosts[index].1.only_http1;
        request.is_apart = self.is_elsewhere(&self.hosts[index].0);
        let at = self.now();
        let result = contained(self.fetch.get(&request)).await;
        let result = result.unwrap_or_else(|fault| Err(broken(&request.url, &fault)));
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
        {
            let now = Instant::now();
            let mut gate = self.settings.gate.lock();
            gate.host_answered(name, now + wait, now);
            if let Some(address) = address {
                gate.answered(address, now);
                let is_well =
                    matches!(&result, Ok(response) if !matches!(response.status, 429 | 503));
                if is_well && *name == self.lease.domain.as_str() {
                    gate.answered_well(self.lease.domain.registrable(), address);
                }
            }
        }
        let (status, bytes, was_sent) = match &result {
            Ok(response) => (Some(response.status), response.body.len() as u64, true),
            Err(error) => (None, 0, error.was_sent()),
        };
        if !was_sent && address.map(IpKey::of) != self.home {
            // Nobody is connected there, whose name may have been pointed at somebody else's address.
            self.hosts[index].1.address = None;
            self.leave_places();
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
        self.note_owed(wait).await;
        result
    }

    /// Tells the observer of a pause that is longer than the usual one and than any told before, with what chance
    /// may add: should this process die, the next one keeps it (P17).
    async fn note_owed(&mut self, pause: Duration) {
        let usual = politeness::longest_pause(self.settings.delay.max(SMALLEST_GAP), None);
        if pause > usual.max(self.owed) {
            self.owed = politeness::longest_pause(pause, None);
            self.observer.owed(pause).await;
        }
    }

    /// Waits until the host and its address may be asked (P16, P19).
    async fn turn(&mut self, request: &Request) -> Result<(), FetchError> {
        let now = self.now();
        let wait = self.host(&request.url).wait(now);
        // Even a timer of no length waits for the next tick.
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let address = match self.host(&request.url).address {
            Some(address) => address,
            None => self.find(request).await?,
        };
        // Another visit may have been led here a moment ago, also while this one waited: for what it owes the
        // host, a visit waits in place as long as for its own requests (P24), and it outlasts the pause that a
        // neighbour's plea means for its address (P35).
        let patience = politeness::longest_pause(PATIENCE, None).max(PLEA_PAUSE + SLACK);
        let deadline = Instant::now() + wait + patience;
        let name = request.url.host_str().unwrap_or_default();
        loop {
            let now = Instant::now();
            let turn = self.settings.gate.lock().host_turn(name, address, now);
            match turn {
                Turn::Now => return Ok(()),
                Turn::At(at) | Turn::After(_, at) if at > deadline => {
                    return Err(self.too_busy(name, at, now));
                }
                Turn::At(at) => tokio::time::sleep_until(at).await,
                Turn::After(answered, at) => {
                    // Late is as good as answered: the gate says what then.
                    let _ = tokio::time::timeout_at(at, answered).await;
                }
            }
        }
    }

    /// True for a host of another site, to which a robots.txt alone may lead.
    fn is_elsewhere(&self, name: &str) -> bool {
        let site = Domain::parse(name);
        site.is_ok_and(|it| it.registrable() != self.lease.domain.registrable())
    }

    /// Leaves the hosts of other sites, which are asked nothing more: however long the rest of the visit takes, its
    /// places there are for others.
    pub(super) fn part(&mut self) {
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
        self.fetch.part();
        self.leave_places();
    }

    /// Gives the places up at addresses where no host of the visit is.
    fn leave_places(&mut self) {
        let hosts = &self.hosts;
        self.places.retain(|place| {
            let mut addresses = hosts.iter().filter_map(|(_, host)| host.address);
            addresses.any(|address| IpKey::of(address) == place.key())
        });
    }

    /// Why a host cannot be asked before `at`.
    fn too_busy(&self, name: &str, at: Instant, now: Instant) -> FetchError {
        let pleaded = self.settings.gate.lock().host_pleaded(name, now);
        match pleaded {
            Some(until) if until >= at && name != self.lease.domain.as_str() => {
                FetchError::LeftAlone(until - now)
            }
            Some(_) | None => FetchError::Busy(at - now),
        }
    }

    /// Looks up a host that a redirect led to, and takes a place at its address.
    async fn find(&mut self, request: &Request) -> Result<IpAddr, FetchError> {
        let host = request.url.host_str().unwrap_or_default();
        let is_excluded = Domain::parse(host).is_ok_and(|it| self.settings.exclusions.covers(&it));
        if is_excluded {
            return Err(FetchError::Blocked(Refusal::Excluded));
        }
        let address = self.fetch.resolve(request).await?;
        let key = IpKey::of(address);
        let held = || {
            self.home
                .into_iter()
                .chain(self.places.iter().map(Place::key))
        };
        if !held().any(|it| it == key) {
            // One visit counts once in a network, or visits that lead to neighbours would wait for each
            // other (P20).
            let is_besides = held().any(|it| it.network() == key.network());
            let place = Place::take(&self.settings.gate, address, is_besides, PATIENCE).await;
            self.places.push(place.map_err(FetchError::Busy)?);
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

    /// Says what the last request came to.
    pub(in crate::visit) fn settle(&mut self, verdict: &str, why: &str) {
        if let Some(exchange) = self.pending.take() {
            let receipt = exchange.judged(verdict, why);
            // It is kept whatever becomes of who hears of it.
            self.receipts.push(receipt.clone());
            self.observer.receipt(&receipt);
        }
    }
}
