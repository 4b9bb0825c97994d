//! Requests of a crawler that wakes after a long stop (P51).

use super::budget::broken;
use super::log::{Exchange, Log};
use super::{Signal, Signalled, Terms, Violation};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::thread::available_parallelism;

/// Time in which a crawler cannot become a member again and have networks, in milliseconds.
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
        let Some(woken) = terms.awakening(exchange) else {
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
    /// Returns the end of a long stop during which the crawler of an exchange meant to send it.
    pub(crate) fn awakening(&self, exchange: &Exchange) -> Option<&Signalled> {
        let signals: Vec<_> = self.signals_to(exchange).collect();
        let ends = signals.windows(2).filter(|pair| {
            pair[0].signal == Signal::Stop
                && pair[1].signal == Signal::Continue
                && pair[1].at >= pair[0].at + TERM_MS
        });
        ends.map(|pair| pair[1])
            .find(|woken| (woken.at..=woken.at + WAKING_MS).contains(&exchange.at))
    }
}
