//! The rules of all dialects as one table, with the parts that their examples share.

use super::{
    adp, agents_protocol, agents_protocol_legacy, agents_txt_com, common, free_keys, other, prose,
    robots_like, well_known,
};
use crate::rule::{Example, Rule};

/// Format label of the rules on files without a specification.
pub(super) const INFORMAL: &str = "agents.txt by habit";

/// Path of most examples.
pub(super) const PLACE: &str = "/.well-known/agents.txt";

/// A file without a fault.
pub(super) const GOOD: &[Example] = &[text(
    "\
# agents.txt
Name: Harbour Books
URL: https://shop.example
Description: Second-hand books, shipped from the harbour.
Contact: books@shop.example
Capabilities: search, cart.add, checkout
Capabilities-URL: https://shop.example/.well-known/agents.json
Agent-API: https://shop.example/agents/api
Docs: https://shop.example/docs
Rate-Limit: 60
Session-Endpoint: https://shop.example/agents/api/session
Session-TTL: 3600
Audit: true
",
)];

const TABLES: [&[&Rule]; 10] = [
    common::RULES,
    agents_protocol_legacy::rules::RULES,
    agents_protocol::rules::RULES,
    well_known::rules::RULES,
    agents_txt_com::rules::RULES,
    prose::RULES,
    robots_like::RULES,
    free_keys::RULES,
    adp::RULES,
    other::RULES,
];

/// All rules, dialect by dialect.
pub(super) const ALL: [&Rule; count()] = joined();

const fn count() -> usize {
    let mut count = 0;
    let mut table = 0;
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
}

const fn joined() -> [&'static Rule; count()] {
    let mut all = [TABLES[0][0]; count()];
    let (mut table, mut row, mut next) = (0, 0, 0);
    while table < TABLES.len() {
        if row == TABLES[table].len() {
            table += 1;
            row = 0;
        } else {
            all[next] = TABLES[table][row];
            row += 1;
            next += 1;
        }
    }
    all
}

/// Returns an example at the usual path.
pub(super) const fn text(body: &'static str) -> Example {
    Example::at(PLACE, body)
}
