//! Identity of the crawler (P1 to P3): the same in every request.

use super::log::Exchange;
use super::{Terms, Violation};

/// Headers that would reveal more about the crawler than intended.
const NEVER: [&str; 5] = [
    "cookie",
    "referer",
    "authorization",
    "proxy-authorization",
    "origin",
];

/// Checks the headers of one request.
pub(super) fn check(exchange: &Exchange, terms: &Terms, found: &mut Vec<Violation>) {
    let mut broken = |rule, what: String| {
        found.push(Violation {
            rule,
            whom: exchange.host.clone(),
            at: exchange.at,
            what,
        });
    };
    let agent = exchange.asked("user-agent").unwrap_or_default();
    if !agent.starts_with(&format!("{}/", terms.token)) {
        broken("P1", format!("User-Agent is {agent:?}"));
    }
    if !agent.contains(&terms.contact) {
        broken("P3", format!("User-Agent {agent:?} names no contact"));
    }
    let is_mailbox = terms.contact.contains('@');
    let from = exchange.asked("from");
    if from != is_mailbox.then_some(terms.contact.as_str()) {
        broken("P2", format!("From is {from:?}"));
    }
    let coding = exchange.asked("accept-encoding").unwrap_or_default();
    if coding.replace(' ', "") != "gzip,br" {
        broken("P2", format!("Accept-Encoding is {coding:?}"));
    }
    for name in NEVER {
        if let Some(value) = exchange.asked(name) {
            broken("P2", format!("{name} is sent: {value:?}"));
        }
    }
}
