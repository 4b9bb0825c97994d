//! The end of an outage of the own connection (P38): a host that answered before is tried.

use super::Crawl;
use crate::crawl_delay;
use crate::fetch::{Fetch, FetchError, Limits, Request};
use crate::rate_limit::uplink::Reach;
use crate::rate_limit::{LONGEST_ANSWER, Turn};
use crate::run::error::RunError;
use crate::run::outage::{Canary, KnownHost};
use crate::visit::{Settings, TakenTurn};
use manifest::Domain;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Trial of a host with its result; `None` if it was excluded meanwhile, or its address is one of another
/// crawler.
pub(super) type Trial = Option<(KnownHost, Reach)>;

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
    pub(super) fn judge_trial(&mut self, trial: Trial) {
        let now = Instant::now();
        match trial {
            Some((host, reach)) => self.outage.judge(host, reach, now),
            None => self.outage.drop_host(now),
        }
        if !self.outage.is_on() {
            tracing::warn!("a host or a name server answers again: the crawl continues");
            self.end_outage();
        }
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
        Err(error) => return Some((host, error.reach())),
    };
    let membership = &settings.membership;
    let name = host.url.host_str().and_then(|it| Domain::parse(it).ok())?;
    let site = name.registrable();
    let Ok(Some((mut reservation, Duration::ZERO))) = membership.reserve_site(site, None).await
    else {
        return Some((host, Reach::Unasked));
    };
    if !membership.is_current() {
        return Some((host, Reach::Unasked));
    }
    if settings.exclusions.covers(&name) {
        return None;
    }
    let gate = &settings.gate;
    let turn = {
        let mut gate = gate.lock();
        // A slot is given up under the same lock.
        if !membership.has(address) {
            return None;
        }
        gate.site_turn(site, name.as_str(), address, Instant::now())
    };
    if !matches!(turn, Turn::Now) {
        return Some((host, Reach::Unasked));
    }
    let turn = TakenTurn::new(gate, address);
    reservation.rest(LONGEST_ANSWER);
    let fetch = fetch.for_visit(&name, address);
    let Some(answer) = membership.while_current(fetch.get(&request)).await else {
        return Some((host, Reach::Unasked));
    };
    let now = Instant::now();
    let rest = crawl_delay::longest_pause(settings.delay, host.delay);
    {
        let mut gate = gate.lock();
        gate.host_answered(name.as_str(), now + rest, now);
        gate.site_answered(site, address, now);
    }
    turn.end();
    reservation.rest(rest);
    let reach = answer
        .as_ref()
        .err()
        .map_or(Reach::Reached, FetchError::reach);
    Some((host, reach))
}
