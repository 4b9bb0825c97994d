//! Limits of the requests of one visit (P7, P8, P13, P31, P36, P37, P40, P47).

use super::log::Exchange;
use super::visits::Visit;
use super::withheld;
use super::{Terms, Violation};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Request limit of a visit (P7).
const CAP: usize = 12;
/// Request limit of later visits to a host that answers every path with one page (P8).
const CATCH_ALL_AGAIN: usize = 3;
/// Request limit of later visits to a host without manifests (P8).
const NOTHING_AGAIN: usize = 6;
/// Request limit of a requested visit to a host with manifests (P47).
const RECHECK: usize = 6;
/// Request limit for paths that failed in a previous visit without manifests (P36).
const FAILED_AGAIN: usize = 4;

/// Longest time for which a connection stays idle, in milliseconds (P13).
const IDLE_MS: u64 = 35_000;

pub(super) fn broken(rule: &'static str, exchange: &Exchange, what: String) -> Violation {
    Violation {
        rule,
        whom: exchange.host.clone(),
        at: exchange.at,
        what,
    }
}

/// Checks the number of requests of a visit, and that none is repeated.
pub(super) fn check(visit: &Visit<'_>, found: &mut Vec<Violation>) {
    let exchanges = &visit.exchanges;
    if let Some(over) = exchanges.get(CAP) {
        let what = format!("a visit of {} requests", exchanges.len());
        found.push(broken("P7", over, what));
    }
    let mut last: HashMap<(&str, &str), &Exchange> = HashMap::new();
    for exchange in exchanges {
        let key = (exchange.host.as_str(), exchange.path.as_str());
        if let Some(before) = last.insert(key, exchange)
            && before.status != 421
        {
            let rule = match before.status {
                500 | 502 | 504 | 520..=599 => "P36",
                _ => "P37",
            };
            let what = format!("{} is asked again after {}", exchange.path, before.status);
            found.push(broken(rule, exchange, what));
        }
    }
}

/// Checks that a visit uses one connection to each host (P13).
pub(super) fn check_connection(visit: &Visit<'_>, found: &mut Vec<Violation>) {
    let mut last: BTreeMap<&str, &Exchange> = BTreeMap::new();
    for exchange in &visit.exchanges {
        if let Some(before) = last.insert(&exchange.host, exchange)
            && before.connection != exchange.connection
            // The server misdirected the request, or closed the connection.
            && !matches!(before.status, 421 | 0)
            // A connection is closed when it was idle for long.
            && exchange.at < before.ended + IDLE_MS
        {
            let what = format!("{} goes over another connection", exchange.path);
            found.push(broken("P13", exchange, what));
        }
    }
}

/// Checks a visit to a host in the light of the `earlier` ones.
pub(super) fn check_later(
    visit: &Visit<'_>,
    earlier: &[&Visit<'_>],
    terms: &Terms,
    found: &mut Vec<Violation>,
) {
    let is_later = !earlier.is_empty();
    let exchanges = &visit.exchanges;
    let conditional = exchanges.iter().filter(|it| it.is_conditional());
    // Requests for stored documents are not counted.
    let known = conditional.filter(|it| !it.is_robots()).count();
    if visit.is_requested {
        check_requested(visit, earlier, terms, found);
    } else if let Some(failed) = failed_paths(earlier, terms) {
        check_failed(visit, &failed, found);
    } else if is_later && is_catch_all(visit, terms) {
        if let Some(over) = exchanges.get(CATCH_ALL_AGAIN + known) {
            let count = exchanges.len();
            let what = format!("{count} requests to a host that answers everything alike");
            found.push(broken("P8", over, what));
        }
    } else if is_later
        && known == 0
        && !visit.is_resumed
        && had_nothing(visit, terms)
        && earlier.iter().all(|it| had_nothing(it, terms))
        && let Some(over) = exchanges.get(NOTHING_AGAIN)
    {
        let count = exchanges.len();
        let what = format!("{count} requests to a host where nothing was");
        found.push(broken("P8", over, what));
    }
    for exchange in exchanges {
        let before = earlier
            .iter()
            .rev()
            .flat_map(|visit| visit.exchanges.iter().rev())
            .find(|it| it.host == exchange.host && it.path == exchange.path);
        let Some(before) = before else { continue };
        let has_validator = before.answer_header("etag").is_some()
            || before.answer_header("last-modified").is_some();
        let is_withheld = withheld::refusal(before, &terms.token).is_some();
        if before.status != 200 || !has_validator || is_withheld || exchange.is_conditional() {
            continue;
        }
        if exchange.is_robots() {
            if terms.conditional_robots {
                let what = "robots.txt is asked for in full again".to_owned();
                found.push(broken("P31", exchange, what));
            }
        } else if is_kept(exchange, terms) {
            let what = format!("{} is asked for in full again", exchange.path);
            found.push(broken("P40", exchange, what));
        }
    }
}

/// Returns the paths that the last visit for paths got an error for, if it found nothing beside
/// them; one that was broken off, by a requested pause or by lost connections, does not count.
fn failed_paths<'a>(earlier: &[&Visit<'a>], terms: &Terms) -> Option<BTreeSet<&'a str>> {
    let mut newest_first = earlier.iter().rev();
    let last = newest_first.find(|visit| visit.exchanges.iter().any(|it| !it.is_robots()))?;
    let probes = || last.exchanges.iter().filter(|it| !it.is_robots());
    let is_broken_off = probes().any(|it| matches!(it.status, 0 | 401..=403 | 429 | 503));
    let failed: BTreeSet<&str> = probes()
        .filter(|it| matches!(it.status, 500 | 502 | 504 | 520..=599))
        .map(|it| it.path.as_str())
        .collect();
    let is_answer = !failed.is_empty() && !is_broken_off && had_nothing(last, terms);
    (is_answer && !last.is_resumed).then_some(failed)
}

/// Checks a visit after one with errors: it requests a few of the failed paths (P36).
fn check_failed(visit: &Visit<'_>, failed: &BTreeSet<&str>, found: &mut Vec<Violation>) {
    if let Some(over) = visit.exchanges.get(FAILED_AGAIN) {
        let what = format!("{} requests after errors", visit.exchanges.len());
        found.push(broken("P36", over, what));
    }
    for exchange in visit.exchanges.iter().filter(|it| !it.is_robots()) {
        if !failed.contains(exchange.path.as_str()) {
            let what = format!("{} was answered before", exchange.path);
            found.push(broken("P36", exchange, what));
        }
    }
}

/// Checks a later visit that was requested: fewer requests suffice where the host had manifests
/// (P47).
fn check_requested(
    visit: &Visit<'_>,
    earlier: &[&Visit<'_>],
    terms: &Terms,
    found: &mut Vec<Violation>,
) {
    let is_known = earlier.last().is_some_and(|it| !had_nothing(it, terms));
    if is_known && let Some(over) = visit.exchanges.get(RECHECK) {
        let count = visit.exchanges.len();
        let what = format!("{count} requests of a recheck of known documents");
        found.push(broken("P47", over, what));
    }
}

fn is_kept(exchange: &Exchange, terms: &Terms) -> bool {
    let key = (exchange.host.clone(), exchange.path.clone());
    terms.kept.contains(&key)
}

fn had_nothing(visit: &Visit<'_>, terms: &Terms) -> bool {
    let mut exchanges = visit.exchanges.iter();
    !exchanges.any(|it| is_kept(it, terms))
}

/// Reports whether two paths were answered by the same page, which is no manifest.
fn is_catch_all(visit: &Visit<'_>, terms: &Terms) -> bool {
    let mut seen = BTreeSet::new();
    let probes = visit.exchanges.iter().filter(|it| !it.is_robots());
    let mut pages = probes.filter_map(|it| {
        let same = match it.status {
            200 if !is_kept(it, terms) => it.answer_header("etag"),
            _ if it.is_redirect() => it.answer_header("location"),
            _ => None,
        };
        Some((it.status, same?))
    });
    pages.any(|page| !seen.insert(page))
}
