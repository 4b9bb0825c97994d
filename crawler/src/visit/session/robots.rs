//! The robots.txt of the origins that a visit asks, and whether a redirect may be followed by it.

use super::Session;
use crate::fetch::address::check_url;
use crate::fetch::redirect::{self, Rule};
use crate::fetch::{Fetch, FetchError, Limits, RedirectRefusal, Request, Response, Stage, header};
use crate::plan::REQUEST_CAP;
use crate::politeness::{PATIENCE, Pace};
use crate::receipt::failure_word;
use crate::robots::{Answer, Policy, Validators};
use crate::schedule;
use crate::visit::led::{self, Leave, Target};
use crate::visit::{Observer, says_enough};
use manifest::{Domain, Timestamp};
use std::sync::Arc;
use std::time::Duration;
use store::{Outcome, RobotsState};
use tokio::time::{Instant, timeout};
use url::{Position, Url};

/// What robots.txt came to.
pub(in crate::visit) struct Robots {
    pub(in crate::visit) policy: Arc<Policy>,
    pub(in crate::visit) state: RobotsState,
    pub(in crate::visit) error: Option<FetchError>,
    /// Where the host said it moved to when it was asked.
    pub(in crate::visit) moved_to: Option<Url>,
}

/// What a request for robots.txt came to.
enum Said {
    /// An answer.
    Now(Response),
    /// What another visit was told where it leads (P31).
    Told(Response),
    /// Nobody was asked where it leads: what is kept of that holds until then (P31).
    Before(Policy, Timestamp),
}

impl<F: Fetch, O: Observer> Session<'_, F, O> {
    /// Keeps the policy of an origin for redirects that lead there, and its host's pace.
    pub(super) fn keep(&mut self, origin: &Url, policy: Arc<Policy>) {
        if let Some(delay) = policy.crawl_delay() {
            self.slow_down(origin, delay);
        }
        self.policies.insert(origin_of(origin), policy);
    }

    /// Keeps to the crawl delay of a host, with everybody else who is led there (P24).
    fn slow_down(&mut self, url: &Url, delay: Duration) {
        let (usual, jitter) = (self.settings.delay, self.jitter());
        self.host(url).slow_down(delay, usual, jitter);
        let name = url.host_str().unwrap_or_default();
        let mut gate = self.settings.gate.lock();
        gate.host_slowed(name, delay, Instant::now());
    }

    /// Asks an origin for its robots.txt, before anything else (P6, P26); with what was `kept` of it,
    /// whether it has changed (P31).
    pub(in crate::visit) async fn robots(
        &mut self,
        origin: &Url,
        kept: Option<&RobotsState>,
    ) -> Robots {
        let mut validators = Validators::default();
        let mut moved_to = None;
        let kept = kept.filter(|it| it.etag.is_some() || it.last_modified.is_some());
        let known = kept.and_then(Policy::kept).zip(kept);
        let state = known.as_ref().map(|(_, state)| *state);
        let mut asked = origin.clone();
        let answer = self.robots_answer(&mut asked, state, &mut moved_to).await;
        self.part();
        // A plea that another visit heard was passed on by that visit.
        let plea = match &answer {
            Ok(Said::Now(response)) => self.plea_in(response),
            _ => None,
        };
        let is_led = asked.host() != origin.host();
        let mut error = None;
        let mut expires = None;
        let policy = match (answer, known) {
            (Ok(Said::Before(policy, until)), _) => {
                expires = Some(until);
                policy
            }
            (Ok(Said::Now(response) | Said::Told(response)), Some((policy, state)))
                if response.status == 304 =>
            {
                validators.etag = response.etag.or_else(|| state.etag.clone());
                validators.last_modified.clone_from(&state.last_modified);
                policy
            }
            (Ok(Said::Now(response) | Said::Told(response)), _)
                if is_led && matches!(response.status, 429 | 500..=599) =>
            {
                // Its plea binds the host that made it, not the one that leads there (P35).
                Policy::from_answer(&self.settings.token, &Answer::LedAstray)
            }
            (Ok(Said::Now(response) | Said::Told(response)), _) => {
                validators.etag.clone_from(&response.etag);
                validators.last_modified.clone_from(&response.last_modified);
                Policy::from_answer(&self.settings.token, &self.answer(response))
            }
            (Err(failure), _) if is_led && failure.is_hosts_own() => {
                // The host that was to be asked did answer: nothing of this is its own failure (P29).
                self.settle(failure_word(&failure), &failure.to_string());
                Policy::from_answer(&self.settings.token, &Answer::LedAstray)
            }
            (Err(failure), _) => {
                let answer = Answer::Failed(failure.outcome());
                error = Some(failure);
                Policy::from_answer(&self.settings.token, &answer)
            }
        };
        let policy = Arc::new(policy);
        if is_led && &asked[Position::BeforePath..] == "/robots.txt" {
            // It is the robots.txt of that host as well.
            if let Some(delay) = policy.crawl_delay() {
                self.slow_down(&asked, delay);
            }
        }
        match &error {
            Some(error) => self.settle(failure_word(error), &error.to_string()),
            None => self.settle("robots", policy.why()),
        }
        if let Some(pause) = plea {
            self.leave_alone(pause).await;
        }
        self.adopt(origin, Arc::clone(&policy)).await;
        let mut state = policy.state(&validators, self.now());
        state.expires = expires.unwrap_or(state.expires);
        Robots {
            policy,
            state,
            error,
            moved_to,
        }
    }

    /// The same host over http, when nobody answered https there and the operator wants that tried (P14).
    ///
    /// A port that a seed list names is for https alone.
    pub(in crate::visit) fn plain_origin(
        &self,
        origin: &Url,
        error: Option<&FetchError>,
    ) -> Option<Url> {
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

    /// The answer at the end of its redirects; `asked` is where that was asked for last.
    async fn robots_answer(
        &mut self,
        asked: &mut Url,
        kept: Option<&RobotsState>,
        moved_to: &mut Option<Url>,
    ) -> Result<Said, FetchError> {
        asked.set_path("/robots.txt");
        asked.set_query(None);
        let mut chain = vec![asked.clone()];
        loop {
            let url = asked.clone();
            let mut request = Request::new(url.clone(), self.lease.port, Limits::ROBOTS);
            // What was kept came from this origin itself, or from where it leads: either may say 304.
            if let Some(kept) = kept {
                request.etag.clone_from(&kept.etag);
                request.last_modified.clone_from(&kept.last_modified);
            }
            let (response, is_now) = if chain.len() == 1 && self.is_home(&url) {
                (self.exchange(request, REQUEST_CAP).await?, true)
            } else if chain.len() > 1
                && let Some((policy, until)) = self.kept_elsewhere(&url).await
            {
                return Ok(Said::Before(policy, until));
            } else {
                self.led(request).await?
            };
            match response.status {
                304 if kept.is_none() => return Err(FetchError::Protocol("not modified, unasked")),
                status if redirect::is_redirect(status) => {
                    let target = redirect::location(&url, &response)?;
                    redirect::check(&chain, &target, Rule::Robots)?;
                    check_url(&target, self.lease.port).map_err(FetchError::Blocked)?;
                    if self.requests >= REQUEST_CAP {
                        return Err(FetchError::RedirectRefused(RedirectRefusal::Budget));
                    }
                    self.settle("redirect", target.as_str());
                    let is_move = chain.len() == 1 && redirect::is_move(status, &url, &target);
                    *moved_to = is_move.then(|| target.clone());
                    chain.push(target.clone());
                    *asked = target;
                }
                _ if is_now => return Ok(Said::Now(response)),
                _ => return Ok(Said::Told(response)),
            }
        }
    }

    /// True for the host of the seed and its twin with or without `www.`, to which nobody else leads.
    fn is_home(&self, url: &Url) -> bool {
        let bare = |name| str::strip_prefix(name, "www.").unwrap_or(name);
        bare(url.host_str().unwrap_or_default()) == bare(self.lease.domain.as_str())
    }

    /// What is kept of the robots.txt of another host, at whose `url` a redirect points, when it still holds and
    /// says enough for this visit.
    async fn kept_elsewhere(&self, url: &Url) -> Option<(Policy, Timestamp)> {
        let is_default = url.scheme() == "https" && url.port().is_none();
        if !is_default || &url[Position::BeforePath..] != "/robots.txt" {
            return None;
        }
        let domain = Domain::parse(url.host_str()?).ok()?;
        if domain == self.lease.domain {
            return None;
        }
        let state = self.observer.kept_robots(&domain).await?;
        let policy = Policy::fresh(&state, self.now())?;
        says_enough(&state, self.lease, &self.settings.extra).then_some((policy, state.expires))
    }

    /// The answer of a robots.txt that another host leads to, and whether this visit asked for it: what another
    /// one was told holds for this one.
    async fn led(&mut self, request: Request) -> Result<(Response, bool), FetchError> {
        let answer = self.settings.led_to.answer(&request.url, Instant::now());
        let patient = timeout(PATIENCE, answer.lock()).await;
        let mut answer = patient.map_err(|_| FetchError::Busy(PATIENCE))?;
        match &*answer {
            Some((told, until)) if Instant::now() < *until => {
                return told.clone().map(|response| (response, false));
            }
            Some(_) | None => {}
        }
        let led_to = self.settings.led_to.clone();
        let target = Target::new(&request.url, &self.lease.domain);
        let ask = || {
            let target = target.as_ref();
            target.map_or(Leave::Now, |target| led_to.ask(target, Instant::now()))
        };
        match (ask(), &*answer) {
            (Leave::Now, _) => {}
            (Leave::Failed(told), _) => return (*told).map(|response| (response, false)),
            (Leave::Later(_), Some((told, _))) => {
                return told.clone().map(|response| (response, false));
            }
            (Leave::Later(pause), None) => return Err(FetchError::Busy(pause)),
        }
        let once = self.requests + 1;
        let mut told = self.exchange(request.clone(), once).await;
        let is_misdirected = matches!(&told, Ok(response) if response.status == 421);
        if is_misdirected
            && self.requests < REQUEST_CAP
            && let Leave::Now = ask()
        {
            self.settle("misdirected", "asked again over HTTP/1.1");
            told = self.exchange(request, once + 1).await;
        }
        // What may have reached the host counts, be it but a connection.
        let is_sent = told
            .as_ref()
            .map_or_else(FetchError::has_reached_out, |_| true);
        let life = led::life(&told, self.now());
        let now = Instant::now();
        if let Some(target) = &target {
            led_to.note(target, is_sent, &told, life, now);
        }
        *answer = life.map(|life| (told.clone(), now + life));
        told.map(|response| (response, true))
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

    /// What the robots.txt of a hop's origin says, asking for it first when it is new.
    pub(super) async fn hop_policy(
        &mut self,
        target: &Url,
        last_request: u32,
    ) -> Result<Arc<Policy>, FetchError> {
        let path = &target[Position::BeforePath..Position::AfterQuery];
        match self.policies.get(&origin_of(target)) {
            Some(policy) if !policy.is_silent_on(path) => Ok(Arc::clone(policy)),
            known => {
                let is_new = known.is_none();
                if is_new && let Some(policy) = self.kept_for_hop(target).await {
                    return Ok(policy);
                }
                if self.requests + 1 >= last_request {
                    return Err(FetchError::RedirectRefused(RedirectRefusal::Budget));
                }
                self.settle("redirect", target.as_str());
                let robots = self.robots(target, None).await;
                match robots.error {
                    // Nobody was asked: that is no policy of the target's owner to remember.
                    Some(
                        error @ (FetchError::Blocked(_)
                        | FetchError::Busy(_)
                        | FetchError::LeftAlone(_)),
                    ) => {
                        self.policies.remove(&origin_of(target));
                        Err(error)
                    }
                    // As any plea, it ends the visit (P10).
                    None if robots.policy.outcome() == Outcome::Throttled => {
                        let pause = schedule::pause(robots.policy.retry_after(), 1);
                        Err(FetchError::LeftAlone(pause))
                    }
                    Some(_) | None => Ok(robots.policy),
                }
            }
        }
    }

    /// What is kept of the robots.txt of a hop's origin, when it says something of the path.
    async fn kept_for_hop(&mut self, target: &Url) -> Option<Arc<Policy>> {
        let mut url = target.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        let (policy, _) = self.kept_elsewhere(&url).await?;
        let path = &target[Position::BeforePath..Position::AfterQuery];
        if policy.is_silent_on(path) {
            return None;
        }
        let policy = Arc::new(policy);
        self.keep(target, Arc::clone(&policy));
        Some(policy)
    }

    /// Whether a hop may be followed: there is a request left for it, its host lets us, and does not
    /// want a longer pause than a visit waits for (P24).
    pub(super) fn allow_hop(
        &self,
        target: &Url,
        policy: &Policy,
        last_request: u32,
    ) -> Result<(), FetchError> {
        let refuse = |refusal| Err(FetchError::RedirectRefused(refusal));
        let has_rules = matches!(
            policy.outcome(),
            Outcome::RobotsDisallow | Outcome::OptedOut
        );
        if policy.is_closed() && !has_rules {
            return refuse(RedirectRefusal::RobotsUnreadable);
        }
        if policy.is_closed() || !policy.allows(&target[Position::BeforePath..Position::AfterQuery])
        {
            return refuse(RedirectRefusal::Robots);
        }
        match Pace::new(self.settings.delay, policy.crawl_delay()) {
            Pace::InPlace(_) if self.requests >= last_request => refuse(RedirectRefusal::Budget),
            Pace::InPlace(_) => Ok(()),
            Pace::OnePerLease(_) | Pace::RobotsOnly => refuse(RedirectRefusal::CrawlDelay),
        }
    }
}

fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}
