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
    // The file name `agent.json` belongs to IntentQL, whose own place is the root; an older copy or
    // an A2A card at the other place does not lead.
    let place = match (is_intentql, is_well_known, path) {
        (true, _, "/agent.json") => 0,
        (_, true, _) => 1,
        (false, false, _) => 2,
        (true, false, _) => 3,
    };
    (kind, place, document.url.to_string())
}
