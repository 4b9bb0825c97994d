//! Requests of a crawler that wakes after a long stop (P51).

use super::budget::broken;
use super::log::{Exchange, Log};
use super::{Signal, Signalled, Terms, Violation};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::thread::available_parallelism;

/// Time after which no thread still sends what it meant to send before, in milliseconds.
const WAKING_MS: u64 = 1_000;
/// Time after which a membership that is not renewed has ended, in milliseconds.
const TERM_MS: u64 = 10_000;

/// Checks that a crawler that was stopped for longer than its term sends nothing when it wakes, and returns
/// the log without what it sent nevertheless.
///
/// A thread that was stopped while its request was on the way to the socket sends that one.
pub(super) fn check(log: &Log, terms: &Terms, found: &mut Vec<Violation>) -> Log {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let mut sent: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    let mut exchanges = Vec::new();
    for exchange in &log.exchanges {
        let Some(woken) = terms.awakening(exchange, log) else {
            exchanges.push(exchange.clone());
            continue;
        };
        let number = sent.entry((&woken.contact, woken.at)).or_default();
        *number += 1;
        if *number > threads {
            let what = format!("{number} requests of a crawler that was stopped");
            found.push(broken("P51", exchange, what));
        }
    }
    Log {
        exchanges,
        connections: log.connections.clone(),
    }
}

impl Terms {
    /// Returns the end of a long stop before which the crawler of an exchange meant to send it: its
    /// connection is no new one. As a new member, the crawler may have networks at once.
    pub(crate) fn awakening(&self, exchange: &Exchange, log: &Log) -> Option<&Signalled> {
        let signals: Vec<_> = self.signals_to(exchange).collect();
        let ends = signals.windows(2).filter(|pair| {
            pair[0].signal == Signal::Stop
                && pair[1].signal == Signal::Continue
                && pair[1].at >= pair[0].at + TERM_MS
        });
        let is_new = |at| {
            let mut connections = log.connections.iter();
            connections.any(|it| it.number == exchange.connection && it.opened > at)
        };
        ends.map(|pair| pair[1])
            .filter(|woken| (woken.at..=woken.at + WAKING_MS).contains(&exchange.at))
            .find(|woken| !is_new(woken.at))
    }
}
