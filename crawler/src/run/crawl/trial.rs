//! The end of an outage of the own connection (P38): a host that answered before is tried.

use super::Crawl;
use crate::crawl_delay::{self, SMALLEST_GAP};
use crate::fetch::{Fetch, FetchError, Limits, Request, Response};
use crate::observer::{PauseRequest, store_pause};
use crate::rate_limit::uplink::Reach;
use crate::rate_limit::{LONGEST_ANSWER, Turn};
use crate::run::error::RunError;
use crate::run::outage::{Canary, KnownHost};
use crate::schedule;
use crate::visit::{Settings, TakenTurn};
use manifest::Domain;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Trial of a host; `None` if it was excluded meanwhile, or its address belongs to another crawler.
pub(super) type Trial = Option<Tried>;

/// Host that was tried.
pub(super) struct Tried {
    host: KnownHost,
    reach: Reach,
    answer: Option<Answer>,
}

/// Answer of a host that was tried.
struct Answer {
    address: IpAddr,
    result: Result<Response, FetchError>,
    /// Time for which its site rests.
    rest: Duration,
}

impl Tried {
    /// Returns the trial of a host that was sent no request.
    fn without_request(host: KnownHost, reach: Reach) -> Self {
        Self {
            host,
            reach,
            answer: None,
        }
    }
}

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Returns the time of the next trial.
    pub(super) fn trial_at(&self) -> Option<Instant> {
        self.outage.retry_at().filter(|_| self.trials.is_empty())
    }

    /// Begins a trial if it is time.
    pub(super) fn try_known_host(&mut self) -> Result<(), RunError> {
        if !self.trials.is_empty() {
            return Ok(());
        }
        let exclusions = &self.exclusions;
        let is_excluded = |domain: &Domain| exclusions.covers(domain);
        match self.outage.take_canary(Instant::now(), is_excluded) {
            None => {}
            // One visit at a time (P18): in a fleet, the reservation sees to it.
            Some(Canary::Robots(host)) if self.queues.has_site(&host.domain) => {
                self.outage.judge(host, Reach::Unasked, Instant::now());
            }
            Some(Canary::Robots(host)) => {
                let (fetch, settings) = (self.fetch.clone(), Arc::clone(&self.settings));
                self.trials.spawn(try_host(fetch, settings, host));
            }
            Some(Canary::None) if self.config.watch => self.end_outage(),
            Some(Canary::None) => return Err(RunError::Offline),
        }
        Ok(())
    }

    /// Takes the result of a trial in.
    pub(super) async fn judge_trial(&mut self, trial: Trial) {
        let now = Instant::now();
        match trial {
            Some(Tried {
                host,
                reach,
                answer,
            }) => {
                let domain = host.domain.clone();
                self.outage.judge(host, reach, now);
                if let Some(answer) = answer {
                    self.queues.rest(&domain, now + answer.rest);
                    self.pause_tried(&domain, &answer).await;
                }
            }
            None => self.outage.drop_host(now),
        }
        if !self.outage.is_on() {
            tracing::warn!("a host or a name server answers again: the crawl continues");
            self.end_outage();
        }
    }

    /// Notes the pause that a host asks for with its answer (P35).
    async fn pause_tried(&mut self, host: &Domain, answer: &Answer) {
        let wall = self.clocks.now();
        let response = answer.result.as_ref().ok();
        let Some(response) = response.filter(|it| matches!(it.status, 429 | 503)) else {
            return;
        };
        // It may not be tried for long.
        self.outage.forget(host);
        let pause = schedule::pause(response.pause(wall), 1);
        let names = (host.registrable(), host.as_str());
        let address = Some(answer.address);
        let request = PauseRequest {
            host: host.clone(),
            pause,
            address: self.settings.gate.pause(names, address, pause),
        };
        store_pause(&*self.store, &request, wall).await;
    }

    /// Visits as before the outage.
    fn end_outage(&mut self) {
        self.settings.robots_cache.clear();
        self.settings.membership.take_share();
        self.leasing.ramp_after(Duration::ZERO);
    }
}

/// Requests the robots.txt of a host once host, site and address permit it (P16, P18, P19), at an address
/// that no other crawler has (P51).
async fn try_host<F: Fetch + Clone>(fetch: F, settings: Arc<Settings>, host: KnownHost) -> Trial {
    let request = Request::new(host.url.clone(), host.port, Limits::ROBOTS);
    let address = match fetch.resolve(&request).await {
        Ok(address) => address,
        Err(error) => return Some(Tried::without_request(host, error.reach())),
    };
    let (membership, gate) = (&settings.membership, &settings.gate);
    let (site, name) = (host.domain.registrable(), host.domain.as_str());
    let reserved = membership.reserve_site(site, None).await;
    let Ok(Some((mut reservation, Duration::ZERO))) = reserved else {
        return Some(Tried::without_request(host, Reach::Unasked));
    };
    if settings.exclusions.covers(&host.domain) {
        return None;
    }
    if !membership.is_current() {
        return Some(Tried::without_request(host, Reach::Unasked));
    }
    let turn = {
        let mut gate = gate.lock();
        // A slot is given up under the same lock.
        if !membership.has(address) {
            return None;
        }
        gate.site_turn(site, name, address, Instant::now())
    };
    if !matches!(turn, Turn::Now) {
        return Some(Tried::without_request(host, Reach::Unasked));
    }
    let turn = TakenTurn::new(gate, address);
    reservation.rest(LONGEST_ANSWER);
    let sent = Instant::now();
    let fetch = fetch.for_visit(&host.domain, address);
    let Some(result) = membership.while_current(fetch.get(&request)).await else {
        return Some(Tried::without_request(host, Reach::Unasked));
    };
    let now = Instant::now();
    let patience = crawl_delay::patience(now - sent).max(SMALLEST_GAP);
    let delay = settings.delay.max(patience);
    let rest = crawl_delay::longest_pause(delay, host.delay);
    {
        let mut gate = gate.lock();
        gate.host_answered(name, now + rest, now);
        gate.site_answered(site, address, now);
    }
    turn.end();
    reservation.rest(rest);
    let reach = result
        .as_ref()
        .map_or_else(FetchError::reach, |_| Reach::Reached);
    let answer = Answer {
        address,
        result,
        rest,
    };
    Some(Tried {
        host,
        reach,
        answer: Some(answer),
    })
}
