//! One visit's requests, one after the other: pace, deadline, budget and receipts.

use super::host::Host;
use super::place::Place;
use super::{Observer, Settings};
use crate::fetch::redirect::{self, Rule};
use crate::fetch::{Fetch, FetchError, Limits, RedirectRefusal, Request, Response, Stage, header};
use crate::pace::{IpKey, Turn};
use crate::plan::{self, REQUEST_CAP};
use crate::politeness::{PATIENCE, Pace};
use crate::receipt::{Exchange, failure_word};
use crate::robots::{Answer, Policy, Validators};
use manifest::Timestamp;
use rand::Rng as _;
use rand::rngs::StdRng;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{KnownDocument, Lease, Receipt, RobotsState};
use tokio::time::Instant;
use url::{Position, Url};

/// All requests of a visit together, waits apart (P43).
const DEADLINE: Duration = Duration::from_mins(1);

/// A visit under way.
pub(super) struct Session<'a, F, O> {
    fetch: &'a F,
    observer: &'a O,
    settings: &'a Settings,
    lease: &'a Lease,
    random: &'a mut StdRng,
    started: Timestamp,
    start: Instant,
    active: Duration,
    hosts: HashMap<String, Host>,
    last_host: Option<String>,
    home: Option<IpKey>,
    /// At other addresses, to which redirects led.
    places: Vec<Place>,
    policies: HashMap<String, Arc<Policy>>,
    new_home: Option<Home>,
    pending: Option<Exchange>,
    /// A request was not made for want of files to open, so that the visit says nothing.
    pub(super) is_exhausted: bool,
    pub(super) receipts: Vec<Receipt>,
    pub(super) requests: u32,
    pub(super) bytes: u64,
}

/// The origin that the host of the seed has moved to for good (P15).
#[derive(Clone)]
pub(super) struct Home {
    pub(super) origin: Url,
    pub(super) policy: Arc<Policy>,
}

/// What robots.txt came to.
pub(super) struct Robots {
    pub(super) policy: Arc<Policy>,
    pub(super) state: RobotsState,
    pub(super) error: Option<FetchError>,
    /// Where the host said it moved to when it was asked.
    pub(super) moved_to: Option<Url>,
}

/// What asking for one path came to.
pub(super) struct Probed {
    /// Requests sent for it.
    pub(super) sent: u32,
    /// Where the last redirect pointed, followed or not.
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
            hosts: HashMap::new(),
            last_host: None,
            home: None,
            places: Vec::new(),
            policies: HashMap::new(),
            new_home: None,
            pending: None,
            is_exhausted: false,
            receipts: Vec::new(),
            requests: 0,
            bytes: 0,
        }
    }

    /// The time, on a clock that only goes forward.
    pub(super) fn now(&self) -> Timestamp {
        self.started.after(self.start.elapsed())
    }

    /// A number from 0 to 1.
    pub(super) fn jitter(&mut self) -> f64 {
        self.random.random()
    }

    /// Takes over the place that the visit was given at the address of its origin.
    pub(super) fn admit(&mut self, origin: &Url, address: IpAddr) {
        self.host(origin).address = Some(address);
        self.home = Some(IpKey::of(address));
    }

    /// Lets everybody know that the address of the last host wants to be left alone (P35).
    pub(super) async fn leave_alone(&self, pause: Duration) {
        let host = self
            .last_host
            .as_ref()
            .and_then(|name| self.hosts.get(name));
        let Some(address) = host.and_then(|host| host.address) else {
            return;
        };
        self.settings
            .gate
            .lock()
            .block(address, pause, Instant::now());
        self.observer.throttled(address, pause).await;
    }

    /// The origin that is asked instead of the seed's, once that has moved.
    pub(super) fn new_home(&self) -> Option<&Home> {
        self.new_home.as_ref()
    }

    /// Asks the origin of `url` from now on, whose robots.txt says `policy`.
    pub(super) fn move_to(&mut self, url: &Url, policy: Arc<Policy>) {
        let mut origin = url.clone();
        origin.set_path("/");
        origin.set_query(None);
        self.keep(&origin, Arc::clone(&policy));
        self.new_home = Some(Home { origin, policy });
    }

    /// Keeps the policy of an origin, and tells of its crawl delay.
    pub(super) async fn adopt(&mut self, origin: &Url, policy: Arc<Policy>) {
        let delay = policy.crawl_delay();
        self.keep(origin, policy);
        if let Some(delay) = delay {
            self.observer.crawl_delay(delay).await;
        }
    }

    /// Keeps the policy of an origin for redirects that lead there, and its host's pace.
    fn keep(&mut self, origin: &Url, policy: Arc<Policy>) {
        if let Some(delay) = policy.crawl_delay() {
            let (usual, jitter) = (self.settings.delay, self.jitter());
            self.host(origin).slow_down(delay, usual, jitter);
        }
        self.policies.insert(origin_of(origin), policy);
    }

    /// Asks an origin for its robots.txt, before anything else (P6, P26); with what was `kept` of it,
    /// whether it has changed (P31).
    pub(super) async fn robots(&mut self, origin: &Url, kept: Option<&RobotsState>) -> Robots {
        let mut validators = Validators::default();
        let mut moved_to = None;
        let kept = kept.filter(|it| it.etag.is_some() || it.last_modified.is_some());
        let known = kept.and_then(Policy::kept).zip(kept);
        let state = known.as_ref().map(|(_, state)| *state);
        let answer = self.robots_answer(origin, state, &mut moved_to).await;
        let mut error = None;
        let policy = match (answer, known) {
            (Ok(response), Some((policy, state))) if response.status == 304 => {
                validators.etag = response.etag.or_else(|| state.etag.clone());
                validators.last_modified.clone_from(&state.last_modified);
                policy
            }
            (Ok(response), _) => {
                validators.etag.clone_from(&response.etag);
                validators.last_modified.clone_from(&response.last_modified);
                Policy::from_answer(&self.settings.token, &self.answer(response))
            }
            (Err(failure), _) => {
                let answer = Answer::Failed(failure.outcome());
                error = Some(failure);
                Policy::from_answer(&self.settings.token, &answer)
            }
        };
        let policy = Arc::new(policy);
        match &error {
            Some(error) => self.settle(failure_word(error), &error.to_string()),
            None => self.settle("robots", policy.why()),
        }
        self.adopt(origin, Arc::clone(&policy)).await;
        Robots {
            state: policy.state(&validators, self.now()),
            policy,
            error,
            moved_to,
        }
    }

    /// The same host over http, when nobody answered https there and the operator wants that tried (P14).
    ///
    /// A port that a seed list names is for https alone.
    pub(super) fn plain_origin(&self, origin: &Url, error: Option<&FetchError>) -> Option<Url> {
        let is_nobody = matches!(
            error,
            Some(
                FetchError::Refused | FetchError::Unreachable | FetchError::Timeout(Stage::Connect)
            )
        );
        if !(self.settings.http_fallback && is_nobody && self.lease.port.is_none()) {
            return None;
        }
        let mut plain = origin.clone();
        plain.set_scheme("http").ok()?;
        Some(plain)
    }

    async fn robots_answer(
        &mut self,
        origin: &Url,
        kept: Option<&RobotsState>,
        moved_to: &mut Option<Url>,
    ) -> Result<Response, FetchError> {
        let mut url = origin.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        let mut chain = vec![url];
        loop {
            let url = chain.last().unwrap_or(origin).clone();
            let mut request = Request::new(url.clone(), self.lease.port, Limits::ROBOTS);
            // What was kept came from this origin itself, or from where it leads: either may say 304.
            if let Some(kept) = kept {
                request.etag.clone_from(&kept.etag);
                request.last_modified.clone_from(&kept.last_modified);
            }
            let response = self.exchange(request, REQUEST_CAP).await?;
            match response.status {
                304 if kept.is_none() => return Err(FetchError::Protocol("not modified, unasked")),
                status if redirect::is_redirect(status) => {
                    let target = redirect::location(&url, &response)?;
                    redirect::check(&chain, &target, Rule::Robots)?;
                    if self.requests >= REQUEST_CAP {
                        return Err(FetchError::RedirectRefused(RedirectRefusal::Budget));
                    }
                    self.settle("redirect", target.as_str());
                    let is_move = chain.len() == 1 && redirect::is_move(status, &url, &target);
                    *moved_to = is_move.then(|| target.clone());
                    chain.push(target);
                }
                _ => return Ok(response),
            }
        }
    }

    fn answer(&self, response: Response) -> Answer {
        let now = self.now();
        Answer::Response {
            status: response.status,
            max_age: response.cache_control.as_deref().and_then(header::max_age),
            retry_after: response
                .retry_after
                .as_deref()
                .and_then(|value| header::retry_after(value, now)),
            body: response.body,
        }
    }

    /// Asks for one path of the plan, following redirects as far as they may be followed (P42).
    pub(super) async fn probe(&mut self, origin: &Url, step: &plan::Request) -> Probed {
        let before = self.requests;
        let mut redirect = None;
        let home = self.new_home.as_ref().map_or(origin, |home| &home.origin);
        let end = match home.join(&step.path) {
            Ok(url) => self.follow(url, step, &mut redirect).await,
            Err(_) => Err(FetchError::Protocol("a path that makes no URL")),
        };
        Probed {
            sent: self.requests - before,
            redirect,
            end,
        }
    }

    async fn follow(
        &mut self,
        mut url: Url,
        step: &plan::Request,
        redirect: &mut Option<Url>,
    ) -> Result<(Url, Response), FetchError> {
        let last_request = self.requests.saturating_add(step.hops).min(REQUEST_CAP);
        let mut known = step.known.as_ref();
        let mut chain = vec![url.clone()];
        loop {
            // Validators belong to the URL asked for first.
            let request = conditional(url.clone(), self.lease.port, known.take());
            let is_conditional = request.is_conditional();
            let response = self.exchange(request, last_request).await?;
            if response.status == 304 && !is_conditional {
                return Err(FetchError::Protocol("not modified, unasked"));
            }
            if !redirect::is_redirect(response.status) {
                return Ok((url, response));
            }
            let target = redirect::location(&url, &response)?;
            *redirect = Some(target.clone());
            redirect::check(&chain, &target, Rule::Probe)?;
            self.settle("redirect", target.as_str());
            let policy = self.hop_policy(&target, last_request).await?;
            if chain.len() == 1
                && self.new_home.is_none()
                && redirect::are_twins(&url, &target)
                && redirect::is_move(response.status, &url, &target)
            {
                self.move_to(&target, Arc::clone(&policy));
            }
            self.allow_hop(&target, &policy, last_request)?;
            chain.push(target.clone());
            url = target;
        }
    }

    /// What the robots.txt of a hop's origin says, asking for it first when it is new.
    async fn hop_policy(
        &mut self,
        target: &Url,
        last_request: u32,
    ) -> Result<Arc<Policy>, FetchError> {
        let path = &target[Position::BeforePath..Position::AfterQuery];
        match self.policies.get(&origin_of(target)) {
            Some(policy) if !policy.is_silent_on(path) => Ok(Arc::clone(policy)),
            _ if self.requests + 1 >= last_request => {
                Err(FetchError::RedirectRefused(RedirectRefusal::Budget))
            }
            _ => {
                let robots = self.robots(target, None).await;
                match robots.error {
                    // Nobody was asked: that is no policy of the target's owner to remember.
                    Some(error @ (FetchError::Blocked(_) | FetchError::Busy(_))) => {
                        self.policies.remove(&origin_of(target));
                        Err(error)
                    }
                    Some(_) | None => Ok(robots.policy),
                }
            }
        }
    }

    /// Whether a hop may be followed: there is a request left for it, its host lets us, and does not
    /// want a longer pause than a visit waits for (P24).
    fn allow_hop(
        &self,
        target: &Url,
        policy: &Policy,
        last_request: u32,
    ) -> Result<(), FetchError> {
        let refuse = |refusal| Err(FetchError::RedirectRefused(refusal));
        let pace = Pace::new(self.settings.delay, policy.crawl_delay());
        if self.requests >= last_request {
            return refuse(RedirectRefusal::Budget);
        }
        if policy.is_closed()
            || !matches!(pace, Pace::InPlace(_))
            || !policy.allows(&target[Position::BeforePath..Position::AfterQuery])
        {
            return refuse(RedirectRefusal::Robots);
        }
        Ok(())
    }

    /// One request, and a second one over HTTP/1.1 to a host that took the first for somebody else's
    /// (RFC 9110 section 15.5.20, P13), if the visit may send so many.
    async fn exchange(
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
        self.last_host = request.url.host_str().map(str::to_owned);
        request.only_http1 = self.host(&request.url).only_http1;
        let at = self.now();
        let result = self.fetch.get(&request).await;
        let ended = self.now();
        let took = ended.since(at);
        self.active += took;
        let (delay, jitter) = (self.settings.delay, self.jitter());
        let host = self.host(&request.url);
        if let Ok(response) = &result {
            host.is_own = response.is_own_host;
        }
        host.answered(ended, took, delay, jitter);
        let (wait, address) = (host.wait(ended), host.address);
        let now = Instant::now();
        let mut gate = self.settings.gate.lock();
        if let Some(name) = &self.last_host {
            gate.host_answered(name, now + wait, now);
        }
        if let Some(address) = address {
            gate.answered(address, now);
        }
        drop(gate);
        let (status, bytes, was_sent) = match &result {
            Ok(response) => (Some(response.status), response.body.len() as u64, true),
            Err(error) => (None, 0, error.was_sent()),
        };
        self.requests += u32::from(was_sent);
        self.bytes += bytes;
        self.pending = Some(Exchange {
            at,
            took,
            url: request.url,
            status,
            bytes,
        });
        result
    }

    /// Waits until the host and its address may be asked (P16, P19).
    async fn turn(&mut self, request: &Request) -> Result<(), FetchError> {
        let now = self.now();
        let wait = self.host(&request.url).wait(now);
        tokio::time::sleep(wait).await;
        let address = match self.host(&request.url).address {
            Some(address) => address,
            None => self.find(request).await?,
        };
        let deadline = Instant::now() + PATIENCE;
        let name = request.url.host_str().unwrap_or_default();
        // A redirect from another site may have led here a moment ago.
        while let Some(at) = self.host_turn(name) {
            if at > deadline {
                return Err(FetchError::Busy(at - Instant::now()));
            }
            tokio::time::sleep_until(at).await;
        }
        loop {
            let now = Instant::now();
            let turn = self.settings.gate.lock().turn(address, now);
            match turn {
                Turn::Now => return Ok(()),
                Turn::At(at) | Turn::After(_, at) if at > deadline => {
                    return Err(FetchError::Busy(at - now));
                }
                Turn::At(at) => tokio::time::sleep_until(at).await,
                Turn::After(answered, at) => {
                    // Late is as good as answered: the gate says what then.
                    let _ = tokio::time::timeout_at(at, answered).await;
                }
            }
        }
    }

    fn host_turn(&self, name: &str) -> Option<Instant> {
        self.settings.gate.lock().host_turn(name, Instant::now())
    }

    /// Looks up a host that a redirect led to, and takes a place at its address.
    async fn find(&mut self, request: &Request) -> Result<IpAddr, FetchError> {
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

    fn host(&mut self, url: &Url) -> &mut Host {
        let name = url.host_str().unwrap_or_default().to_owned();
        self.hosts.entry(name).or_default()
    }

    /// Says what the last request came to.
    pub(super) fn settle(&mut self, verdict: &str, why: &str) {
        if let Some(exchange) = self.pending.take() {
            let receipt = exchange.judged(verdict, why);
            self.observer.receipt(&receipt);
            self.receipts.push(receipt);
        }
    }
}

fn conditional(url: Url, port: Option<u16>, known: Option<&KnownDocument>) -> Request {
    let mut request = Request::new(url, port, Limits::MANIFEST);
    if let Some(known) = known {
        request.etag.clone_from(&known.etag);
        request.last_modified.clone_from(&known.last_modified);
    }
    request
}

fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}
