//! Requests to a host that follow from redirects of others (P26, P35, P38a, P42).

use super::log::{Exchange, Log};
use super::{Terms, Violation};
use manifest::Domain;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use url::Url;

/// Requests within an hour to a host to which the robots.txt files of other sites lead (P38a).
const MOST: usize = 4;
const HOUR: u64 = 3_600_000;

/// Time after a redirect within which a request to its target counts as following it.
const LATEST: u64 = 300_000;

/// A redirect that is not followed yet.
struct Lead {
    at: u64,
    /// The registrable domain that it began at, when it is one of robots.txt.
    robots_of: Option<String>,
}

/// Returns the positions in the log of the requests that followed a redirect from another host.
pub(super) fn requests(log: &Log) -> BTreeSet<usize> {
    follow(log).into_keys().collect()
}

/// Returns time and host of the requests that follow redirects of a robots.txt.
pub(super) fn robots(log: &Log) -> HashSet<(u64, &str)> {
    let redirected = follow(log).into_iter().filter(|(_, from)| from.is_some());
    redirected
        .map(|(place, _)| &log.exchanges[place])
        .map(|exchange| (exchange.at, exchange.host.as_str()))
        .collect()
}

/// Returns those requests, each with the registrable domain whose robots.txt led there, if one did.
fn follow(log: &Log) -> BTreeMap<usize, Option<String>> {
    let mut leads: HashMap<(&str, String, String), Vec<Lead>> = HashMap::new();
    let mut found = BTreeMap::new();
    for (place, exchange) in log.exchanges.iter().enumerate() {
        // A crawler follows the redirects that it received itself.
        let agent = exchange.agent();
        let key = (agent, exchange.host.clone(), exchange.path.clone());
        let lead = leads.get_mut(&key).and_then(|leads| {
            leads.retain(|lead| exchange.at <= lead.at + LATEST);
            (!leads.is_empty()).then(|| leads.remove(0))
        });
        let robots_of = match lead {
            Some(lead) => {
                found.insert(place, lead.robots_of.clone());
                lead.robots_of
            }
            None if exchange.is_robots() => site(&exchange.host),
            None => None,
        };
        if exchange.is_redirect()
            && let Some((host, path)) = target(exchange)
            && host != exchange.host
        {
            let at = exchange.ended;
            let lead = Lead { at, robots_of };
            leads.entry((agent, host, path)).or_default().push(lead);
        }
    }
    found
}

/// Checks that redirects of robots.txt files do not overload their target (P38a).
pub(super) fn check(log: &Log, terms: &Terms, found: &mut Vec<Violation>) {
    let mut hosts: BTreeMap<&str, Vec<&Exchange>> = BTreeMap::new();
    let own = log.visiting_connections();
    for (place, from) in follow(log) {
        let exchange = &log.exchanges[place];
        let connection = (exchange.connection, exchange.host.as_str());
        let is_own = exchange.is_robots() && own.contains(&connection);
        let is_elsewhere = from.is_some() && from != site(&exchange.host);
        if is_elsewhere && !is_own && !terms.may_be_forgotten(exchange, exchange.at) {
            hosts.entry(&exchange.host).or_default().push(exchange);
        }
    }
    for (host, exchanges) in hosts {
        for window in exchanges.windows(MOST + 1) {
            let (first, last) = (window[0], window[MOST]);
            if last.at + terms.slack_ms < first.at + HOUR {
                found.push(Violation {
                    rule: "P38a",
                    whom: host.to_owned(),
                    at: last.at,
                    what: format!(
                        "robots.txt files of others cost it more than {MOST} requests in {} s",
                        (last.at - first.at) / 1_000
                    ),
                });
            }
        }
    }
}

fn site(host: &str) -> Option<String> {
    let domain = Domain::parse(host).ok()?;
    Some(domain.registrable().to_owned())
}

/// Returns the host and path to which a redirect leads.
pub(super) fn target(exchange: &Exchange) -> Option<(String, String)> {
    let base = Url::parse(&format!("https://{}{}", exchange.host, exchange.path)).ok()?;
    let target = base.join(exchange.answer_header("location")?).ok()?;
    let path = target[url::Position::BeforePath..url::Position::AfterQuery].to_owned();
    Some((target.host_str()?.to_owned(), path))
}
