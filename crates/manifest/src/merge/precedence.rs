//! Precedence of documents (PR-01, PR-02).

use crate::{Document, Reading};

#[cfg(test)]
mod tests;

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
    let place = match path {
        // Neither an older copy nor a card of another format hides it.
        "/agent.json" if is_intentql => 0,
        // A catalogue leads to the documents of its agents.
        _ if reading.format.as_str() == "ai-catalog" => 3,
        _ if is_well_known => 1,
        _ => 2,
    };
    (kind, place, document.url.to_string())
}
