//! The judge: reads the log of a web, and reports which politeness rules were broken.
//!
//! It knows the log alone, not the crawler: the extent of a visit, the robots.txt in force and the
//! length of each delay follow from the requests that the servers received. Where the log cannot
//! tell, the crawler is given the benefit of the doubt. Each rule is a function over the visits; a
//! violation is data with the rule's id.

mod awakening;
mod budget;
mod edges;
mod identity;
pub(crate) mod log;
mod pace;
mod redirected;
mod refused;
mod robots;
mod skills;
mod visits;
mod withheld;

use log::{Exchange, Log};
use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write as _};
use visits::Visit;

/// Time from an answer until it is written down for all crawlers of a fleet, in milliseconds.
const WRITTEN_MS: u64 = 5_000;
/// Time from the last request of a visit until it is recorded, in milliseconds.
const RECORDED_MS: u64 = 10_000;
/// The same if a crawler of a fleet may have waited for turns of another one in vain meanwhile.
const RECORDED_LATE_MS: u64 = 90_000;
/// Longest time of a request, in milliseconds (P43).
const LONGEST_REQUEST_MS: u64 = 20_000;
/// Time after which a server has noticed that its client is gone, in milliseconds.
const NOTICED_MS: u64 = 250;

/// Signal to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGKILL.
    Kill,
    /// SIGSTOP.
    Stop,
    /// SIGCONT.
    Continue,
    /// SIGTERM.
    Terminate,
}

/// Signal that a crawler of a fleet received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signalled {
    /// Contact in its User-Agent, which no other crawler has.
    pub(crate) contact: String,
    /// Time in milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) signal: Signal,
}

/// Settings of the crawler, and what else the judge must know.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// Its product token in robots.txt files.
    pub(crate) token: String,
    /// The contact in its User-Agent; a mailbox must be in From as well.
    pub(crate) contact: String,
    /// Delay between two requests to one host, in milliseconds (P16).
    pub(crate) delay_ms: u64,
    /// A slow host gets five times its last response time (P17).
    pub(crate) latency: bool,
    /// Delay between two requests to one address, in milliseconds, with at most two connections to
    /// one and four visits in its network (P19, P20); `None` when lifted.
    pub(crate) address_delay_ms: Option<u64>,
    /// The address of a host that throttles pauses, too (P35), unless it is shared by unrelated
    /// thousands.
    pub(crate) throttled_addresses: bool,
    /// robots.txt is asked for conditionally on later visits (P31).
    pub(crate) conditional_robots: bool,
    /// Host and path of what was kept, so that later visits must ask conditionally (P40).
    pub(crate) kept: BTreeSet<(String, String)>,
    /// Hosts that only documents of other hosts of their sites lead to: what is asked of them belongs to
    /// the visit of such a host (P9).
    pub(crate) named: BTreeSet<String>,
    /// Times, in milliseconds since 1970, at which visits to hosts were asked for (P47).
    pub(crate) requested: BTreeSet<(String, u64)>,
    /// Time of the crawler's last kill, in milliseconds since 1970: the log does not tell what had
    /// been written down by then, so nothing before obliges a later run.
    pub(crate) killed: Option<u64>,
    /// Signals that crawlers of a fleet received.
    pub(crate) signals: Vec<Signalled>,
    /// Greatest difference of two clocks, in milliseconds.
    pub(crate) slack_ms: u64,
}

impl Terms {
    /// Reports whether an exchange may oblige nothing: the crawler was killed after this moment of it.
    ///
    /// The other crawlers of a fleet live on, so one that was killed or stopped is excused only for what
    /// it had just learned.
    fn may_be_forgotten(&self, exchange: &Exchange, moment: u64) -> bool {
        let is_unwritten = |it: &Signalled| {
            matches!(it.signal, Signal::Kill | Signal::Stop)
                && (moment..=moment + WRITTEN_MS).contains(&it.at)
        };
        self.killed.is_some_and(|killed| moment <= killed)
            || self.signals_to(exchange).any(is_unwritten)
    }

    /// Returns the time until which the host of an exchange may be busy with it: a server need not
    /// notice that its client was killed (P16).
    fn busy_until(&self, exchange: &Exchange) -> u64 {
        let seen = exchange.at..=exchange.ended + NOTICED_MS;
        let is_unanswered = self
            .signals_to(exchange)
            .any(|it| it.signal == Signal::Kill && seen.contains(&it.at));
        if is_unanswered {
            exchange.ended.max(exchange.at + LONGEST_REQUEST_MS)
        } else {
            exchange.ended
        }
    }

    /// Returns the signals that the crawler of an exchange received.
    pub(crate) fn signals_to(&self, exchange: &Exchange) -> impl Iterator<Item = &Signalled> {
        let contact = exchange.agent().split_once("(+").map(|(_, rest)| rest);
        let contact = contact.and_then(|rest| rest.strip_suffix(')'));
        let signals = self.signals.iter();
        signals.filter(move |it| Some(it.contact.as_str()) == contact)
    }

    /// Returns terms with all rules in force, for a crawler with this contact and delay.
    pub(crate) fn new(contact: &str, delay_ms: u64) -> Self {
        Self {
            token: "AgentdexBot".to_owned(),
            contact: contact.to_owned(),
            delay_ms,
            latency: true,
            address_delay_ms: Some(1_000),
            throttled_addresses: true,
            conditional_robots: true,
            kept: BTreeSet::new(),
            named: BTreeSet::new(),
            requested: BTreeSet::new(),
            killed: None,
            signals: Vec::new(),
            slack_ms: 2,
        }
    }
}

/// One rule broken once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The rule's id, such as `P16`.
    pub(crate) rule: &'static str,
    /// The affected host or address.
    pub(crate) whom: String,
    /// Time in milliseconds since 1970.
    pub(crate) at: u64,
    /// Description of the violation.
    pub(crate) what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            whom,
            at,
            what,
        } = self;
        write!(formatter, "{rule} {whom} at {at}: {what}")
    }
}

/// Returns every violation in a log, in the order of the rules' functions.
pub(crate) fn judge(log: &Log, terms: &Terms) -> Vec<Violation> {
    let mut found = Vec::new();
    let log = &awakening::check(log, terms, &mut found);
    let visits = visits::of(log, terms);
    for exchange in &log.exchanges {
        identity::check(exchange, terms, &mut found);
    }
    let redirected = redirected::robots(log);
    let mut complete: HashMap<&str, Vec<&Visit<'_>>> = HashMap::new();
    for visit in &visits {
        budget::check(visit, &mut found);
        robots::check(visit, &redirected, &mut found);
        budget::check_connection(visit, &mut found);
        refused::check(visit, &mut found);
        skills::check(visit, &mut found);
        pace::check_in_flight(visit, terms, &mut found);
        let earlier = complete.entry(visit.seed).or_default();
        budget::check_later(visit, earlier, terms, &mut found);
        if !visit.is_interrupted {
            earlier.push(visit);
        }
    }
    pace::check_hosts(log, terms, &mut found);
    pace::check_addresses(log, &visits, terms, &mut found);
    pace::check_sites(&visits, terms, &mut found);
    redirected::check(log, terms, &mut found);
    withheld::check(log, terms, &mut found);
    found
}

/// Formats the broken rules with their counts for an assertion message.
pub(crate) fn summary(violations: &[Violation]) -> String {
    let rules: BTreeSet<&str> = violations.iter().map(|it| it.rule).collect();
    let mut text = String::new();
    for rule in rules {
        let of_rule: Vec<_> = violations.iter().filter(|it| it.rule == rule).collect();
        let _ = writeln!(text, "{rule}: {} times", of_rule.len());
        for violation in of_rule.iter().take(5) {
            let _ = writeln!(text, "  {violation}");
        }
    }
    text
}
