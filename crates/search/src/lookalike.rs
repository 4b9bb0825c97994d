//! Agents whose names look like that of another one.

use super::schema::Fields;
use super::schema::lookalikes::{SEPARATOR, shapes};
use super::spelling::first_alive;
use manifest::AgentId;
use store::StoredAgent;
use tantivy::{Searcher, Term};

/// Maximum number of terms of one shape that are read in one segment.
const MAX_READ: usize = 1_000;

/// Returns the first agent of another registrable domain that has another name of the same shape.
pub(crate) fn of(
    stored: &StoredAgent,
    searcher: &Searcher,
    fields: &Fields,
) -> tantivy::Result<Option<AgentId>> {
    let agent = &stored.listing.agent;
    let own = stored.domain.registrable();
    for (shape, name) in shapes(agent) {
        let prefix = format!("{shape}{SEPARATOR}");
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(fields.lookalikes)?;
            let mut stream = index.terms().range().ge(&prefix).into_stream()?;
            let mut budget = MAX_READ;
            while budget > 0 && stream.advance() {
                budget -= 1;
                let Ok(term) = std::str::from_utf8(stream.key()) else {
                    break;
                };
                let Some(rest) = term.strip_prefix(&prefix) else {
                    break;
                };
                let parts = rest.split_once(SEPARATOR);
                if parts.is_none_or(|(other, owner)| other == name || owner == own) {
                    continue;
                }
                let term = Term::from_field_text(fields.lookalikes, term);
                if let Some(address) = first_alive(searcher, &term)?
                    && let Some(id) = fields.agent(searcher, address)?
                {
                    return Ok(Some(id));
                }
            }
        }
    }
    Ok(None)
}
