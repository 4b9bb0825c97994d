//! Parts that the examples of rules share, in all dialects.

use crate::rule::Example;

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

/// Returns an example at the usual path.
pub(super) const fn text(body: &'static str) -> Example {
    Example::at(PLACE, body)
}
