//! One visit's requests, one after the other: pace, deadline, budget and receipts.

use super::{Observer, Settings};
use crate::fetch::redirect::{self, Rule};
use crate::fetch::{Fetch, FetchError, Limits, RedirectRefusal, Request, Response, Stage, header};
use crate::plan::{self, REQUEST_CAP};
use crate::politeness::{HostGate, Pace};
use crate::receipt::Exchange;
use crate::robots::{Answer, Policy};
use manifest::Timestamp;
use rand::Rng as _;
use rand::rngs::StdRng;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::{KnownDocument, Lease, Outcome, Receipt};
use tokio::time::Instant;
use url::{Position, Url};

/// All requests of a visit together, waits apart (P43).
const DEADLINE: Duration = Duration::from_mins(1);
/// The gap that nobody may undercut but the owner of the host (P16).
const SMALLEST_GAP: Duration = Duration::from_secs(1);
/// A slow host is given this many times its last response time (P17).
const LATENCY_FACTOR: u32 = 5;
/// The longest wait for the sake of a slow host (P17).
const LONGEST_LATENCY_GAP: Duration = Duration::from_secs(30);

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
    policies: HashMap<String, Arc<Policy>>,
    pending: Option<Exchange>,
    pub(super) receipts: Vec<Receipt>,
    pub(super) requests: u32,
    pub(super) bytes: u64,
}

/// What is known of a host that was asked.
#[derive(Default)]
struct Host {
    gate: HostGate,
    crawl_delay: Option<Duration>,
    is_own: bool,
    /// When the last answer ended, and how long it took.
    last: Option<(Timestamp, Duration)>,
}

/// What robots.txt came to.
pub(super) struct Robots {
    pub(super) policy: Arc<Policy>,
    pub(super) etag: Option<String>,
    pub(super) error: Option<FetchError>,
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
            policies: HashMap::new(),
            pending: None,
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

    pub(super) async fn resolve(&mut self, origin: &Url) -> Result<(), FetchError> {
        let request = Request::new(origin.clone(), self.lease.port, Limits::ROBOTS);
        self.fetch.resolve(&request).await
    }

    /// Keeps the policy of an origin for redirects that lead there, and its host's pace.
    pub(super) async fn adopt(&mut self, origin: &Url, policy: Arc<Policy>) {
        if let Some(delay) = policy.crawl_delay() {
            self.host(origin).crawl_delay = Some(delay);
            // It counts from the answer that said so.
            self.pace(origin);
            self.observer.crawl_delay(delay).await;
        }
        self.policies.insert(origin_of(origin), policy);
    }

    /// Asks an origin for its robots.txt, before anything else (P6, P26).
    pub(super) async fn robots(&mut self, origin: &Url) -> Robots {
        let mut etag = None;
        let (answer, error) = match self.robots_answer(origin).await {
            Ok(response) => {
                etag.clone_from(&response.etag);
                (self.answer(response), None)
            }
            Err(error) => (Answer::Failed(error.outcome()), Some(error)),
        };
        let policy = Arc::new(Policy::from_answer(&self.settings.token, &answer));
        match &error {
            Some(error) => self.settle(failure_word(error), &error.to_string()),
            None => self.settle("robots", policy.why()),
        }
        self.adopt(origin, Arc::clone(&policy)).await;
        Robots {
            policy,
            etag,
            error,
        }
    }

    async fn robots_answer(&mut self, origin: &Url) -> Result<Response, FetchError> {
        let mut url = origin.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        let mut chain = vec![url];
        loop {
            let url = chain.last().unwrap_or(origin).clone();
            let request = Request::new(url.clone(), self.lease.port, Limits::ROBOTS);
            let response = self.exchange(request).await?;
            match response.status {
                304 => return Err(FetchError::Protocol("not modified, unasked")),
                status if redirect::is_redirect(status) => {
                    let target = redirect::location(&url, &response)?;
                    redirect::check(&chain, &target, Rule::Robots)?;
                    if self.requests >= REQUEST_CAP {
                        return Err(FetchError::RedirectRefused(RedirectRefusal::Budget));
                    }
                    self.settle("redirect", target.as_str());
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
        let end = match origin.join(&step.path) {
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
        url: Url,
        step: &plan::Request,
        redirect: &mut Option<Url>,
    ) -> Result<(Url, Response), FetchError> {
        let last_request = self.requests.saturating_add(step.hops).min(REQUEST_CAP);
        let mut known = step.known.as_ref();
        let mut chain = vec![url.clone()];
        let mut url = url;
        loop {
            // Validators belong to the URL asked for first.
            let request = conditional(url.clone(), self.lease.port, known.take());
            let is_conditional = request.is_conditional();
            let response = self.exchange(request).await?;
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
            self.allow_hop(&target, last_request).await?;
            chain.push(target.clone());
            url = target;
        }
    }

    /// Whether the robots.txt of the hop's origin allows it, asking for that first when it is new.
    async fn allow_hop(&mut self, target: &Url, last_request: u32) -> Result<(), FetchError> {
        let refuse = |refusal| Err(FetchError::RedirectRefused(refusal));
        let policy = match self.policies.get(&origin_of(target)) {
            Some(policy) => Arc::clone(policy),
            None if self.requests + 1 >= last_request => return refuse(RedirectRefusal::Budget),
            None => self.robots(target).await.policy,
        };
        if self.requests >= last_request {
            return refuse(RedirectRefusal::Budget);
        }
        if !policy.allows(&target[Position::BeforePath..Position::AfterQuery]) {
            return refuse(RedirectRefusal::Robots);
        }
        Ok(())
    }

    /// One request, in its turn and within the visit's deadline.
    async fn exchange(&mut self, mut request: Request) -> Result<Response, FetchError> {
        let left = DEADLINE.saturating_sub(self.active);
        if left.is_zero() {
            return Err(FetchError::Timeout(Stage::Visit));
        }
        request.limits.total = request.limits.total.min(left);
        let now = self.now();
        let wait = self.host(&request.url).gate.wait(now);
        tokio::time::sleep(wait).await;
        let at = self.now();
        let result = self.fetch.get(&request).await;
        let ended = self.now();
        let took = ended.since(at);
        self.active += took;
        let host = self.host(&request.url);
        host.last = Some((ended, took));
        if let Ok(response) = &result {
            host.is_own = response.is_own_host;
        }
        self.pace(&request.url);
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

    /// Sets when the host may be asked again (P16, P17, P24).
    fn pace(&mut self, url: &Url) {
        let delay = self.settings.delay;
        let jitter = self.jitter();
        let host = self.host(url);
        let Some((ended, took)) = host.last else {
            return;
        };
        let is_hurried = host.is_own && delay < SMALLEST_GAP;
        let (delay, patience) = if is_hurried {
            (delay, Duration::ZERO)
        } else {
            let patience = (took * LATENCY_FACTOR).min(LONGEST_LATENCY_GAP);
            (delay.max(SMALLEST_GAP), patience)
        };
        let gap = match Pace::new(delay, host.crawl_delay) {
            Pace::InPlace(gap) => gap,
            // The plan sends no second request under such a delay.
            Pace::OnePerLease(_) | Pace::RobotsOnly => delay,
        };
        host.gate.response_ended(ended, gap.max(patience), jitter);
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

/// The word for a failure in receipts.
pub(super) fn failure_word(error: &FetchError) -> &'static str {
    match error.outcome() {
        Outcome::Down => error.kind().unwrap_or("down"),
        outcome => outcome.as_str(),
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
