//! Precedence of documents (PR-01, PR-02).

use crate::{Document, Reading};

/// Returns the key by which documents are sorted; the leading document has the least.
///
/// Files are ordered by name (PR-01), then by path (PR-02), then by URL, so that any two documents
/// have an order.
pub(super) fn of(document: &Document, reading: &Reading) -> (u8, u8, String) {
    let path = document.path();
    let file = path.rsplit('/').next().unwrap_or_default();
    let kind = match file {
        "agent-card.json" => 0,
        "agents.json" => 1,
        "agent.json" => 2,
        "agents.txt" => 4,
        _ => 3,
    };
    let is_well_known = path.starts_with("/.well-known/");
    let is_intentql = reading.format.as_str().starts_with("intentql");
    let place = match (is_intentql, is_well_known, path) {
        (true, _, "/agent.json") | (false, true, _) => 0,
        (true, true, _) | (false, false, _) => 1,
        (true, false, _) => 2,
    };
    (kind, place, document.url.to_string())
}
