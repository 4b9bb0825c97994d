//! The requests of one visit, one after the other: rate, deadline, budget and receipts.

mod edge;
mod hop;
pub(super) mod robots;
mod send;

use super::host::Host;
use super::permit::Permit;
use super::shared::Settings;
use crate::crawl_delay::{LONGEST_WAIT, longest_pause};
use crate::fetch::address::check_url;
use crate::fetch::redirect::{self, RequestKind};
use crate::fetch::{Fetch, FetchError, Limits, Request, Response};
use crate::observer::{Observer, PauseRequest};
use crate::plan::{self, request_cap};
use crate::rate_limit::{IpKey, LONGEST_ANSWER};
use crate::receipt::Exchange;
use crate::robots::Policy;
use crate::schedule;
use manifest::{Domain, Timestamp};
use rand::Rng as _;
use rand::rngs::StdRng;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{DocumentKind, Lease, Receipt};
use tokio::time::Instant;
use url::Url;

/// Time for all requests of a visit together, without the waits (P43).
const DEADLINE: Duration = Duration::from_mins(1);

/// A visit in progress.
pub(super) struct Session<'a, F, O> {
    fetch: &'a F,
    observer: &'a O,
    pub(super) settings: &'a Settings,
    lease: &'a Lease,
    random: &'a mut StdRng,
    started: Timestamp,
    start: Instant,
    active: Duration,
    /// A list, as it is faster than a map for so few.
    hosts: Vec<(String, Host)>,
    last_host: Option<usize>,
    home: Option<IpKey>,
    /// Permits at other addresses, to which redirects led.
    permits: Vec<Permit>,
    policies: HashMap<String, Arc<Policy>>,
    new_home: Option<Home>,
    pending: Option<Exchange>,
    /// True if a request was not sent for lack of file descriptors; the visit then proves nothing.
    pub(super) is_exhausted: bool,
    /// True if a request was not sent because the crawler is stopping.
    pub(super) is_stopped: bool,
    /// True if a host may still be answering, because the crawler stopped before the answer.
    pub(super) is_abandoned: bool,
    /// The longest pause reported to the observer so far; only a longer one is reported.
    owed: Duration,
    pub(super) receipts: Vec<Receipt>,
    pub(super) requests: u32,
    /// Maximum number of requests (P7).
    pub(super) most: u32,
    pub(super) bytes: u64,
}

/// The origin that the seed's host has permanently moved to (P15).
#[derive(Clone)]
pub(super) struct Home {
    pub(super) origin: Url,
    pub(super) policy: Arc<Policy>,
}

/// The result of requesting one path.
pub(super) struct ProbeResult {
    /// Number of requests sent for it.
    pub(super) sent: u32,
    /// The target of the last redirect, followed or not.
    pub(super) redirect: Option<Url>,
    /// The last answer and the URL that gave it.
    pub(super) end: Result<(Url, Response), FetchError>,
}

impl<'a, F: Fetch, O: Observer> Session<'a, F, O> {
    pub(super) fn new(
        fetch: &'a F,
        observer: &'a O,
        settings: &'a Settings,
        lease: &'a Lease,
        started: Timestamp,
        random: &'a mut StdRng,
    ) -> Self {
        Self {
            fetch,
            observer,
            settings,
            lease,
            random,
            started,
            start: Instant::now(),
            active: Duration::ZERO,
            hosts: Vec::new(),
            last_host: None,
            home: None,
            permits: Vec::new(),
            policies: HashMap::new(),
            new_home: None,
            pending: None,
            is_exhausted: false,
            is_stopped: false,
            is_abandoned: false,
            owed: Duration::ZERO,
            receipts: Vec::new(),
            requests: 0,
            most: request_cap(lease),
            bytes: 0,
        }
    }

    /// Returns the time, on a clock that never goes back.
    pub(super) fn now(&self) -> Timestamp {
        self.started.after(self.start.elapsed())
    }

    /// Returns a random number from 0 to 1.
    pub(super) fn jitter(&mut self) -> f64 {
        self.random.random()
    }

    /// Records the address of the origin, at which the visit was admitted.
    pub(super) fn admit(&mut self, origin: &Url, address: IpAddr) {
        self.host(origin).address = Some(address);
        self.home = Some(IpKey::of(address));
    }

    /// Returns the wait until every host of the visit may receive the next request.
    pub(super) fn pause(&self) -> Duration {
        let now = self.now();
        let waits = self.hosts.iter().map(|(_, host)| host.wait(now));
        let answer = if self.is_abandoned {
            LONGEST_ANSWER
        } else {
            Duration::ZERO
        };
        answer + waits.max().unwrap_or_default()
    }

    /// Returns the wait until each host of the visit may receive the next request, except those whose
    /// wait is longer than that of a visit, and these, each with its wait.
    pub(super) fn rest(&self) -> (Duration, Vec<(Domain, Duration)>) {
        let (now, longest) = (self.now(), longest_pause(LONGEST_WAIT, None));
        let waits = self.hosts.iter().map(|(name, host)| (name, host.wait(now)));
        let (slow, others): (Vec<_>, Vec<_>) = waits.partition(|(_, wait)| *wait > longest);
        let answer = if self.is_abandoned {
            LONGEST_ANSWER
        } else {
            Duration::ZERO
        };
        let rest = others.into_iter().map(|(_, wait)| wait).max();
        let slow = slow.into_iter();
        let slow = slow.filter_map(|(name, wait)| Some((Domain::parse(name).ok()?, wait)));
        (answer + rest.unwrap_or_default(), slow.collect())
    }

    /// Returns the host of the last request.
    fn last(&self) -> Option<&(String, Host)> {
        self.hosts.get(self.last_host?)
    }

    /// Reports whether the last request went to a host other than that of the seed.
    pub(super) fn is_redirected(&self) -> bool {
        let last = self.last();
        last.is_some_and(|(name, _)| name != self.lease.domain.as_str())
    }

    /// Reports whether the last request went to the address, and the usual port, at which the visit
    /// was admitted.
    pub(super) fn is_at_home(&self) -> bool {
        let last = self.last().and_then(|(_, host)| host.address);
        let is_usual = self.lease.port.is_none_or(|port| port == 443);
        is_usual && last.map(IpKey::of) == self.home
    }

    /// Returns the pause that the host asks for with this answer (P35).
    pub(super) fn pause_of(&self, end: &Result<(Url, Response), FetchError>) -> Option<Duration> {
        let (_, response) = end.as_ref().ok()?;
        self.requested_pause(response)
    }

    fn requested_pause(&self, response: &Response) -> Option<Duration> {
        if !matches!(response.status, 429 | 503) {
            return None;
        }
        // The number of failures is not known for the target of a redirect.
        let fails = if self.is_redirected() {
            0
        } else {
            self.lease.fails
        };
        Some(schedule::pause(
            response.pause(self.now()),
            fails.saturating_add(1),
        ))
    }

    /// Records for all visits that the last host asks for a pause. Its address pauses as well,
    /// unless a redirect led there (P35).
    pub(super) async fn record_pause(&self, pause: Duration) {
        let Some((name, host)) = self.last() else {
            return;
        };
        let address = host.address.filter(|_| !self.is_redirected());
        let site = self.lease.domain.registrable();
        let address = self.settings.gate.pause((site, name), address, pause);
        if let Ok(host) = Domain::parse(name) {
            let request = PauseRequest {
                host,
                pause,
                address,
            };
            self.observer.throttled(request).await;
        }
    }

    /// Returns the origin that replaces the seed's after a move.
    pub(super) fn new_home(&self) -> Option<&Home> {
        self.new_home.as_ref()
    }

    /// Sends the further requests of the visit to the origin of `url`, whose robots.txt gave
    /// `policy`.
    pub(super) fn move_to(&mut self, url: &Url, policy: Arc<Policy>) {
        let mut origin = url.clone();
        origin.set_path("/");
        origin.set_query(None);
        self.keep(&origin, Arc::clone(&policy));
        self.new_home = Some(Home { origin, policy });
    }

    /// Records the policy of an origin and reports its crawl delay to the observer.
    pub(super) async fn adopt(&mut self, origin: &Url, policy: Arc<Policy>) {
        let delay = policy.crawl_delay();
        self.keep(origin, policy);
        if let Some(delay) = delay {
            self.observer.crawl_delay(delay).await;
        }
    }

    /// Requests one path of the plan and follows its redirects as far as permitted (P42).
    pub(super) async fn probe(&mut self, origin: &Url, step: &plan::Request) -> ProbeResult {
        let before = self.requests;
        let mut redirect = None;
        let home = self.new_home.as_ref().map_or(origin, |home| &home.origin);
        let end = match home.join(&step.target) {
            Ok(url) if url.host() != home.host() => {
                self.ask_sibling(url, step, &mut redirect).await
            }
            Ok(url) => self.follow(url, step, &mut redirect).await,
            Err(_) => Err(FetchError::Protocol("the path does not form a URL")),
        };
        ProbeResult {
            sent: self.requests - before,
            redirect,
            end,
        }
    }

    /// Requests a document on another host of the registrable domain, under that host's own
    /// robots.txt and rate limit (P9).
    async fn ask_sibling(
        &mut self,
        url: Url,
        step: &plan::Request,
        redirect: &mut Option<Url>,
    ) -> Result<(Url, Response), FetchError> {
        check_url(&url, self.lease.port).map_err(FetchError::Blocked)?;
        let last_request = self.last_request(step);
        let policy = self.hop_policy(&url, last_request).await?;
        self.allow_hop(&url, &policy, last_request)?;
        self.follow(url, step, redirect).await
    }

    /// Returns the number of the last request that a step may send.
    fn last_request(&self, step: &plan::Request) -> u32 {
        self.requests.saturating_add(step.hops).min(self.most)
    }

    async fn follow(
        &mut self,
        mut url: Url,
        step: &plan::Request,
        redirect: &mut Option<Url>,
    ) -> Result<(Url, Response), FetchError> {
        let last_request = self.last_request(step);
        let mut chain = vec![url.clone()];
        loop {
            let request = conditional(url.clone(), self.lease.port, step);
            let is_conditional = request.is_conditional();
            let response = self.exchange(request, last_request).await?;
            if response.status == 304 && !is_conditional {
                return Err(FetchError::Protocol(
                    "304 without a condition in the request",
                ));
            }
            if !redirect::is_redirect(response.status) {
                return Ok((url, response));
            }
            let target = redirect::location(&url, &response)?;
            *redirect = Some(target.clone());
            redirect::check(&chain, &target, RequestKind::Probe)?;
            check_url(&target, self.lease.port).map_err(FetchError::Blocked)?;
            let policy = self.hop_policy(&target, last_request).await?;
            if chain.len() == 1
                && self.new_home.is_none()
                && redirect::are_twins(&url, &target)
                && redirect::is_move(response.status, &url, &target)
            {
                self.move_to(&target, Arc::clone(&policy));
            }
            self.allow_hop(&target, &policy, last_request)?;
            self.settle("redirect", target.as_str());
            chain.push(target.clone());
            url = target;
        }
    }
}

/// Builds the request for `url`. Validators are sent only to the URL that gave them, as they mean
/// nothing to another one (RFC 9110 section 13).
fn conditional(url: Url, port: Option<u16>, step: &plan::Request) -> Request {
    let known = step.known.as_ref();
    let known = known.filter(|known| known.url == url.as_str());
    let limits = match step.kind {
        DocumentKind::Manifest => Limits::MANIFEST,
        DocumentKind::Api => Limits::OPENAPI,
        DocumentKind::Skill => Limits::SKILL,
    };
    let mut request = Request::new(url, port, limits);
    if let Some(known) = known {
        request.etag.clone_from(&known.etag);
        request.last_modified.clone_from(&known.last_modified);
    }
    request
}
