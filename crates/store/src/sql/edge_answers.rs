//! Statements on the answers by which sites refused their last visit.

/// Answer of the domain `$1`.
pub(crate) const OF_DOMAIN: &str = "
    SELECT size, answer FROM edge_answers
    JOIN domains ON domains.id = domain_id
    WHERE name = $1";

/// Replaces the answer of a domain.
pub(crate) const KEEP: &str = "
    INSERT INTO edge_answers (domain_id, size, answer)
    VALUES ($1, $2, $3)
    ON CONFLICT (domain_id) DO UPDATE SET size = excluded.size, answer = excluded.answer";

/// Deletes the answer of a domain.
pub(crate) const FORGET: &str = "DELETE FROM edge_answers WHERE domain_id = $1";
