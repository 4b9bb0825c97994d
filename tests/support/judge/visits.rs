//! Assignment of requests to visits.
//!
//! A visit is made by one crawler. It begins with a host's robots.txt, unless a redirect of a visit under
//! way leads to that host.

use super::log::{Exchange, Log};
use super::redirected::target;
use super::robots::Policy;
use super::{RECORDED_LATE_MS, RECORDED_MS, Signal, Terms};
use manifest::Domain;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One visit, according to the log of the servers.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    /// The host whose robots.txt came first.
    pub(super) seed: &'a str,
    /// Its requests in the order of arrival.
    pub(super) exchanges: Vec<&'a Exchange>,
    /// The robots.txt in force, by host; a host without an answer other than a redirect is missing.
    pub(super) policies: BTreeMap<&'a str, Policy>,
    /// The crawler was killed while it went on or later, so that it may never have been recorded.
    pub(super) is_interrupted: bool,
    /// It goes on where an earlier one stopped, under a long crawl delay (P24).
    pub(super) is_resumed: bool,
    /// True if it was requested (P47).
    pub(super) is_requested: bool,
}

impl Visit<'_> {
    pub(super) fn started(&self) -> u64 {
        self.exchanges[0].at
    }

    pub(super) fn ended(&self) -> u64 {
        let ends = self.exchanges.iter().map(|exchange| exchange.ended);
        ends.max().unwrap_or_default()
    }

    /// Reports whether its crawler received a signal that may have ended it before it was recorded.
    fn may_be_unrecorded(&self, terms: &Terms) -> bool {
        let mut signals = terms.signals_to(self.exchanges[0]);
        terms.may_be_forgotten(self.exchanges[0], self.started())
            || signals.any(|it| {
                let wait = match it.signal {
                    Signal::Terminate => RECORDED_MS,
                    Signal::Kill | Signal::Stop | Signal::Continue => RECORDED_LATE_MS,
                };
                (self.started()..=self.ended() + wait).contains(&it.at)
            })
    }
}

/// Returns every visit of a log, in the order of their first requests.
pub(super) fn of<'a>(log: &'a Log, terms: &Terms) -> Vec<Visit<'a>> {
    let mut visits: Vec<Visit<'a>> = Vec::new();
    let own = log.visiting_connections();
    // The visit of a crawler that a host belongs to, or is led to by a redirect.
    let mut current: HashMap<(&'a str, &'a str), usize> = HashMap::new();
    let mut redirected: HashMap<(&'a str, String), (usize, String)> = HashMap::new();
    // The last visit of a crawler to a site.
    let mut of_site: HashMap<(&'a str, String), usize> = HashMap::new();
    let mut slow: HashMap<&'a str, Policy> = HashMap::new();
    for exchange in &log.exchanges {
        let (agent, host) = (exchange.agent(), exchange.host.as_str());
        let target_of = (agent, host.to_owned());
        // The robots.txt of another site leads to a robots.txt, and to no visit.
        let is_led = |(place, path): &&(usize, String)| {
            if !exchange.is_robots() && current.contains_key(&(agent, host)) {
                return *path == exchange.path;
            }
            !exchange.is_robots()
                || site(visits[*place].seed) == site(host)
                || !own.contains(&(exchange.connection, host))
        };
        let followed = redirected
            .get(&target_of)
            .filter(is_led)
            .map(|(place, _)| *place);
        let followed = followed.or_else(|| {
            let is_named = terms.named.contains(host) && exchange.is_robots();
            let visited = site(host).filter(|_| is_named)?;
            of_site.get(&(agent, visited)).copied()
        });
        let place = match (followed, current.get(&(agent, host))) {
            (Some(place), _) => {
                redirected.remove(&target_of);
                place
            }
            (None, Some(place)) if !exchange.is_robots() && !slow.contains_key(host) => *place,
            (None, _) => {
                let is_resumed = !exchange.is_robots() && slow.contains_key(host);
                let known = slow.get(host).filter(|_| is_resumed);
                visits.push(Visit {
                    seed: host,
                    exchanges: Vec::new(),
                    policies: known.map(|it| (host, it.clone())).into_iter().collect(),
                    is_interrupted: false,
                    is_resumed,
                    is_requested: false,
                });
                visits.len() - 1
            }
        };
        current.insert((agent, host), place);
        of_site.extend(site(host).map(|site| ((agent, site), place)));
        let visit = &mut visits[place];
        visit.exchanges.push(exchange);
        if exchange.is_robots() {
            slow.remove(host);
            if let Some(policy) = Policy::of(exchange, &terms.token) {
                if policy.delay_ms.is_some_and(|delay| delay > 30_000) {
                    slow.insert(host, policy.clone());
                }
                visit.policies.insert(host, policy);
            }
        }
        if exchange.is_redirect()
            && let Some((target, path)) = target(exchange)
            && !hosts(visit).contains(target.as_str())
        {
            redirected.insert((agent, target), (place, path));
        }
    }
    for visit in &mut visits {
        visit.is_interrupted = visit.may_be_unrecorded(terms);
    }
    for (host, at) in &terms.requested {
        let mut after = visits.iter_mut();
        if let Some(visit) = after.find(|it| it.seed == host && it.started() >= *at) {
            visit.is_requested = true;
        }
    }
    visits
}

fn site(host: &str) -> Option<String> {
    let domain = Domain::parse(host).ok()?;
    Some(domain.registrable().to_owned())
}

fn hosts<'a>(visit: &Visit<'a>) -> BTreeSet<&'a str> {
    visit.exchanges.iter().map(|it| it.host.as_str()).collect()
}
