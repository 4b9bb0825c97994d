//! Statements on the change log.

/// Newest change.
pub(crate) const LAST_CHANGE: &str = "
    SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM changes";

/// Change log after `$1`.
pub(crate) const CHANGES: &str = "
    SELECT seq, at, op, agent_id AS agent, hash, previous_hash, reason FROM changes
    WHERE seq > $1
    ORDER BY seq
    LIMIT CAST($2 AS BIGINT)";
