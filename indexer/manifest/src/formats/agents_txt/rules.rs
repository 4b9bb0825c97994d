//! The rules of all dialects as one table, and what their examples share.

use super::{common, d1, d2, d3, d4, d11, d12, d13, d14, other};
use crate::rules::{Example, Rule};

/// What the rules on files without a specification are about.
pub(super) const HABIT: &str = "agents.txt by habit";

/// Where most examples lie.
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

const TABLES: [&[Rule]; 10] = [
    common::RULES,
    d1::rules::RULES,
    d2::rules::RULES,
    d3::rules::RULES,
    d4::rules::RULES,
    d11::RULES,
    d12::RULES,
    d13::RULES,
    d14::RULES,
    other::RULES,
];

/// All rules, dialect by dialect.
pub(super) const ALL: [Rule; count()] = joined();

const fn count() -> usize {
    let mut count = 0;
    let mut table = 0;
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
}

const fn joined() -> [Rule; count()] {
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

/// A file in its usual place.
pub(super) const fn text(body: &'static str) -> Example {
    Example::at(PLACE, body)
}
