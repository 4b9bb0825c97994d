//! Statements on the change log.

/// Newest change.
pub(crate) const LAST_CHANGE: &str = "
    SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM changes";

/// Changes of one agent, newest first; `$2` is the most.
pub(crate) const CHANGES_OF: &str = "
    SELECT seq, at, op, agent_id AS agent, hash, previous_hash, reason FROM changes
    WHERE agent_id = $1
    ORDER BY seq DESC
    LIMIT CAST($2 AS BIGINT)";

/// Change log after `$1`.
pub(crate) const CHANGES: &str = "
    SELECT seq, at, op, agent_id AS agent, hash, previous_hash, reason FROM changes
    WHERE seq > $1
    ORDER BY seq
    LIMIT CAST($2 AS BIGINT)";
