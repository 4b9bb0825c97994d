//! The robots.txt of each origin that a visit contacts.

use super::Session;
use super::send::asks_for_http1;
use crate::crawl_delay::LONGEST_WAIT;
use crate::fetch::address::check_url;
use crate::fetch::redirect::{self, RequestKind};
use crate::fetch::{Fetch, FetchError, Limits, RedirectRefusal, Request, Response, Stage};
use crate::membership::Reservation;
use crate::observer::Observer;
use crate::probes::{self, Probe};
use crate::rate_limit::LONGEST_ANSWER;
use crate::receipt::failure_word;
use crate::robots::{Answer, Policy, Validators};
use crate::visit::robots_cache::{self, Permission, Target};
use manifest::{Domain, Timestamp};
use std::sync::Arc;
use std::time::Duration;
use store::{EdgeAnswer, KnownDocument, Lease, RobotsState};
use tokio::time::{Instant, sleep, timeout};
use url::{Position, Url};

/// Time after which the target of a redirect that another crawler visits is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// The result of reading robots.txt.
pub(in crate::visit) struct Robots {
    pub(in crate::visit) policy: Arc<Policy>,
    pub(in crate::visit) state: RobotsState,
    pub(in crate::visit) error: Option<FetchError>,
    /// The target, if the host has permanently moved.
    pub(in crate::visit) moved_to: Option<Url>,
    /// The answer, if it may be a refusal of the host itself (P49).
    pub(in crate::visit) edge: Option<EdgeAnswer>,
    /// Targets of the `Link` headers of an answer of the host itself (DS-10).
    pub(in crate::visit) links: Vec<String>,
}

/// The answer to a request for robots.txt, and its source.
enum RobotsAnswer {
    /// An answer to this visit.
    Now(Response),
    /// An answer that another visit received from the target of the redirect (P31).
    Shared(Response),
    /// The stored policy of the target of the redirect, valid until this time; nothing was
    /// requested (P31).
    Stored(Policy, Timestamp),
}

impl<F: Fetch, O: Observer> Session<'_, F, O> {
    /// Records the policy of an origin for redirects that lead there, and the crawl delay of its
    /// host.
    pub(super) fn keep(&mut self, origin: &Url, policy: Arc<Policy>) {
        if let Some(delay) = policy.crawl_delay() {
            self.slow_down(origin, delay);
        }
        self.policies.insert(origin_of(origin), policy);
    }

    /// Applies the crawl delay of a host to this visit and to all others that are redirected there
    /// (P24).
    fn slow_down(&mut self, url: &Url, delay: Duration) {
        let (usual, jitter) = (self.settings.delay, self.jitter());
        self.host(url).slow_down(delay, usual, jitter);
        let name = url.host_str().unwrap_or_default();
        let mut gate = self.settings.gate.lock();
        gate.host_slowed(name, delay, Instant::now());
    }

    /// Requests the robots.txt of an origin before anything else (P6, P26), conditionally if a
    /// state of it was `kept` (P31).
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
        self.leave_other_sites();
        // A pause that another visit was asked for was recorded by that visit.
        let requested_pause = match &answer {
            Ok(RobotsAnswer::Now(response)) => self.requested_pause(response),
            _ => None,
        };
        let is_redirected = asked.host() != origin.host();
        let (links, edge) = match &answer {
            Ok(RobotsAnswer::Now(response)) if !is_redirected => {
                let edge = self.edge_answer(&asked, response);
                (response.links.clone(), edge)
            }
            _ => (Vec::new(), None),
        };
        let mut error = None;
        let mut expires = None;
        let policy = match (answer, known) {
            (Ok(RobotsAnswer::Stored(policy, until)), _) => {
                expires = Some(until);
                policy
            }
            (
                Ok(RobotsAnswer::Now(response) | RobotsAnswer::Shared(response)),
                Some((policy, state)),
            ) if response.status == 304 => {
                validators = Validators {
                    etag: response.etag.or_else(|| state.etag.clone()),
                    last_modified: state.last_modified.clone(),
                    url: state.validated_url.clone(),
                };
                policy
            }
            (Ok(RobotsAnswer::Now(response) | RobotsAnswer::Shared(response)), _)
                if is_redirected && matches!(response.status, 429 | 500..=599) =>
            {
                // The pause holds for the host that asked for it, not for the one that redirects
                // there (P35).
                Policy::from_answer(&self.settings.token, &Answer::RedirectFailed)
            }
            (Ok(RobotsAnswer::Now(response) | RobotsAnswer::Shared(response)), _) => {
                validators = Validators {
                    etag: response.etag.clone(),
                    last_modified: response.last_modified.clone(),
                    url: Some(asked.to_string()),
                };
                Policy::from_answer(&self.settings.token, &self.answer(response))
            }
            (Err(failure), _) if is_redirected && failure.is_host_failure() => {
                // The first host did answer; the failure is not its own (P29).
                self.settle(failure_word(&failure), &failure.to_string());
                Policy::from_answer(&self.settings.token, &Answer::RedirectFailed)
            }
            (Err(failure), _) => {
                let answer = Answer::Failed(failure.outcome());
                error = Some(failure);
                Policy::from_answer(&self.settings.token, &answer)
            }
        };
        let policy = Arc::new(policy);
        if is_redirected && &asked[Position::BeforePath..] == "/robots.txt" {
            // It is also the robots.txt of that host.
            if let Some(delay) = policy.crawl_delay() {
                self.slow_down(&asked, delay);
            }
        }
        match &error {
            Some(error) => self.settle(failure_word(error), &error.to_string()),
            None => self.settle("robots", policy.why()),
        }
        if let Some(pause) = requested_pause {
            self.record_pause(pause).await;
        }
        self.adopt(origin, Arc::clone(&policy)).await;
        let mut state = policy.state(&validators, self.now());
        state.expires = expires.unwrap_or(state.expires);
        Robots {
            policy,
            state,
            error,
            moved_to,
            edge,
            links,
        }
    }

    /// Returns the same host over http, if nothing listened for https and the operator enabled the
    /// fallback (P14).
    ///
    /// A port from a seed list is supported with https only.
    pub(in crate::visit) fn plain_origin(
        &self,
        origin: &Url,
        error: Option<&FetchError>,
    ) -> Option<Url> {
        let is_unreachable = matches!(
            error,
            Some(
                FetchError::Refused | FetchError::Unreachable | FetchError::Timeout(Stage::Connect)
            )
        );
        if !(self.settings.http_fallback && is_unreachable && self.lease.port.is_none()) {
            return None;
        }
        let mut plain = origin.clone();
        plain.set_scheme("http").ok()?;
        Some(plain)
    }

    /// Returns the answer at the end of the redirects; `asked` becomes the last URL requested.
    async fn robots_answer(
        &mut self,
        asked: &mut Url,
        kept: Option<&RobotsState>,
        moved_to: &mut Option<Url>,
    ) -> Result<RobotsAnswer, FetchError> {
        asked.set_path("/robots.txt");
        asked.set_query(None);
        let mut chain = vec![asked.clone()];
        loop {
            let url = asked.clone();
            let mut request = Request::new(url.clone(), self.lease.port, Limits::ROBOTS);
            // Validators say nothing of any other resource, whose 304 would keep a permission that
            // it never gave.
            if let Some(kept) = kept.filter(|it| it.validated_url.as_deref() == Some(url.as_str()))
            {
                request.etag.clone_from(&kept.etag);
                request.last_modified.clone_from(&kept.last_modified);
            }
            let is_conditional = request.is_conditional();
            let (response, is_now) = if chain.len() == 1 && self.is_home(&url) {
                (self.exchange(request, self.most).await?, true)
            } else if chain.len() > 1
                && let Some((policy, until)) = self.stored_policy(&url).await
            {
                return Ok(RobotsAnswer::Stored(policy, until));
            } else {
                self.redirect_target(request).await?
            };
            match response.status {
                304 if !is_conditional => {
                    return Err(FetchError::Protocol(
                        "304 without a condition in the request",
                    ));
                }
                status if redirect::is_redirect(status) => {
                    let target = redirect::location(&url, &response)?;
                    redirect::check(&chain, &target, RequestKind::Robots)?;
                    check_url(&target, self.lease.port).map_err(FetchError::Blocked)?;
                    if self.requests >= self.most {
                        return Err(FetchError::RedirectRefused(RedirectRefusal::Budget));
                    }
                    self.settle("redirect", target.as_str());
                    let is_move = chain.len() == 1 && redirect::is_move(status, &url, &target);
                    *moved_to = is_move.then(|| target.clone());
                    chain.push(target.clone());
                    *asked = target;
                }
                _ if is_now => return Ok(RobotsAnswer::Now(response)),
                _ => return Ok(RobotsAnswer::Shared(response)),
            }
        }
    }

    /// Reports whether a URL is on the host of the seed or its twin with or without `www.`; limits
    /// for redirects from other sites do not apply there.
    fn is_home(&self, url: &Url) -> bool {
        let bare = |name| str::strip_prefix(name, "www.").unwrap_or(name);
        bare(url.host_str().unwrap_or_default()) == bare(self.lease.domain.as_str())
    }

    /// Returns the stored policy of the host at whose robots.txt, `url`, a redirect points, if it
    /// is still valid and covers the paths of this visit.
    pub(super) async fn stored_policy(&self, url: &Url) -> Option<(Policy, Timestamp)> {
        let is_default = url.scheme() == "https" && url.port().is_none();
        if !is_default || &url[Position::BeforePath..] != "/robots.txt" {
            return None;
        }
        let domain = Domain::parse(url.host_str()?).ok()?;
        if domain == self.lease.domain {
            return None;
        }
        let state = self.observer.stored_robots(&domain).await?;
        let policy = Policy::fresh(&state, self.now())?;
        is_sufficient(&state, self.lease, &self.settings.extra).then_some((policy, state.expires))
    }

    /// Returns the answer for a robots.txt that another host redirects to, and whether this visit
    /// requested it; an answer to another visit is reused.
    async fn redirect_target(&mut self, request: Request) -> Result<(Response, bool), FetchError> {
        let answer = self
            .settings
            .robots_cache
            .answer(&request.url, Instant::now());
        let patient = timeout(LONGEST_WAIT, answer.lock());
        let patient = self.settings.stopping.run_until_cancelled(patient).await;
        self.is_stopped |= patient.is_none();
        let patient = patient.ok_or(FetchError::Stopped)?;
        let mut answer = patient.map_err(|_| FetchError::Busy(LONGEST_WAIT))?;
        match &*answer {
            Some((result, until)) if Instant::now() < *until => {
                return result.clone().map(|response| (response, false));
            }
            Some(_) | None => {}
        }
        let shared = self.settings.robots_cache.clone();
        let asked = request.url.clone();
        let target = Target::new(&request.url, &self.lease.domain);
        let ask = || {
            let target = target.as_ref();
            target.map_or(Permission::Now, |target| shared.ask(target, Instant::now()))
        };
        let mut reserved = None;
        match (ask(), &*answer) {
            (Permission::Now, _) => {}
            (Permission::Failed(result), _) => return (*result).map(|response| (response, false)),
            (Permission::Later(_), Some((result, _))) => {
                return result.clone().map(|response| (response, false));
            }
            (Permission::Later(pause), None) => return Err(FetchError::Busy(pause)),
        }
        let once = self.requests + 1;
        let mut result = match self.reserve(target.as_ref()).await {
            Ok(reservation) => {
                reserved = reservation;
                self.exchange(request.clone(), once).await
            }
            Err(error) => Err(error),
        };
        if asks_for_http1(&result)
            && self.requests < self.most
            && let Permission::Now = ask()
        {
            self.settle_repeated(&result);
            result = self.exchange(request, once + 1).await;
        }
        // A request counts if it may have reached the host, even if only by a connection.
        let is_sent = result
            .as_ref()
            .map_or_else(FetchError::may_be_noticed, |_| true);
        let life = robots_cache::life(&result, self.now());
        let now = Instant::now();
        if let Some(target) = &target {
            shared.note(target, is_sent, &result, life, now);
        }
        if let Some(reservation) = reserved.as_mut().filter(|_| !self.is_abandoned) {
            let now = self.now();
            reservation.rest(self.host(&asked).wait(now));
        }
        *answer = life.map(|life| (result.clone(), now + life));
        result.map(|response| (response, true))
    }

    /// Reserves the site of a redirect's target among the crawlers of a fleet, and waits until it has
    /// rested.
    async fn reserve(
        &mut self,
        target: Option<&Target>,
    ) -> Result<Option<Reservation>, FetchError> {
        let Some(target) = target else {
            return Ok(None);
        };
        let (site, most) = target.limit();
        let membership = &self.settings.membership;
        let deadline = Instant::now() + LONGEST_WAIT;
        let reserved = async {
            loop {
                let reserved = membership.reserve_site(site, Some(most)).await;
                match reserved {
                    Ok(Some((_, rest))) if rest > LONGEST_WAIT => {
                        return Err(FetchError::Busy(rest));
                    }
                    Ok(Some((mut reservation, rest))) => {
                        sleep(rest).await;
                        reservation.rest(LONGEST_ANSWER);
                        return Ok(Some(reservation));
                    }
                    Ok(None) if Instant::now() < deadline => sleep(RETRY).await,
                    Ok(None) => return Err(FetchError::Busy(LONGEST_WAIT)),
                    Err(error) => {
                        tracing::warn!(%error, site, "cannot reserve the target of a redirect: {error}");
                        return Err(FetchError::Busy(LONGEST_WAIT));
                    }
                }
            }
        };
        let reserved = self.settings.stopping.run_until_cancelled(reserved).await;
        self.is_stopped |= reserved.is_none();
        reserved.unwrap_or(Err(FetchError::Stopped))
    }

    fn answer(&self, response: Response) -> Answer {
        Answer::Response {
            status: response.status,
            max_age: response.max_age(),
            retry_after: response.pause(self.now()),
            body: response.body,
        }
    }
}

pub(super) fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Reports whether the stored state of a robots.txt covers the paths that a visit will request.
pub(in crate::visit) fn is_sufficient(state: &RobotsState, lease: &Lease, extra: &[Probe]) -> bool {
    let in_table = |known: &KnownDocument| {
        Url::parse(&known.requested).is_ok_and(|url| probes::has(&url[Position::BeforePath..]))
    };
    let is_all = extra.is_empty() && state.hints.is_empty() && lease.named.is_empty();
    let is_usual = |path: &String| !path.starts_with('/') || probes::has(path);
    let is_all = is_all && lease.unanswered.iter().all(is_usual);
    state.is_open || (is_all && lease.known.iter().all(in_table))
}
