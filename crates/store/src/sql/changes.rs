//! Statements on the change log, and on agents that are no longer listed.

/// Newest change.
pub(crate) const LAST_CHANGE: &str = "
    SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM changes";

/// Identity and position of the change log.
pub(crate) const FEED_STATE: &str = "
    SELECT epoch, withdrawals,
           (SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM changes) AS last_change
    FROM feed";

/// Counts a withdrawal.
pub(crate) const WITHDRAW: &str = "UPDATE feed SET withdrawals = withdrawals + 1";

/// Counts a withdrawal if agents of the target `$1`, a domain or an agent, or of domains that end in
/// `$2`, were removed before.
pub(crate) const WITHDRAW_REMOVED: &str = "
    UPDATE feed SET withdrawals = withdrawals + 1
    WHERE EXISTS (
        SELECT 1 FROM tombstones
        WHERE op = 'remove'
          AND (domain = $1 OR agent_id = $1
               OR substr(domain, length(domain) - length($2) + 1) = $2))";

/// Changes of one agent, newest first; `$2` is the most.
pub(crate) const CHANGES_OF: &str = "
    SELECT seq, at, op, agent_id AS agent, classes, hash, previous_hash, reason, successor
    FROM changes
    WHERE agent_id = $1
    ORDER BY seq DESC
    LIMIT CAST($2 AS BIGINT)";

/// Changes of the agents of the domain `$1`, newest first; `$2` is the most. `0` follows `/` in ASCII, so
/// the range has all ids that begin with the domain and `/`.
pub(crate) const CHANGES_OF_DOMAIN: &str = "
    SELECT seq, at, op, agent_id AS agent, classes, hash, previous_hash, reason, successor
    FROM changes
    WHERE agent_id > $1 || '/' AND agent_id < $1 || '0'
    ORDER BY seq DESC
    LIMIT CAST($2 AS BIGINT)";

/// Change log after `$1`.
pub(crate) const CHANGES: &str = "
    SELECT seq, at, op, agent_id AS agent, classes, hash, previous_hash, reason, successor
    FROM changes
    WHERE seq > $1
    ORDER BY seq
    LIMIT CAST($2 AS BIGINT)";

/// Numbers and times of the oldest changes up to `$1`.
pub(crate) const OLDEST: &str = "
    SELECT seq, at FROM changes
    WHERE seq <= $1
    ORDER BY seq
    LIMIT CAST($2 AS BIGINT)";

/// Drops the changes up to a number.
pub(crate) const COMPACT: &str = "DELETE FROM changes WHERE seq <= $1";

/// Tombstone of an agent.
pub(crate) const TOMBSTONE: &str = "
    SELECT agent_id AS agent, at, op, reason, successor FROM tombstones
    WHERE agent_id = $1";

/// Reports whether an agent is listed.
pub(crate) const IS_LISTED: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE id = $1)";

/// Sets up the tombstone of an agent.
pub(crate) const BURY: &str = "
    INSERT INTO tombstones (agent_id, domain, at, op, reason, successor)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (agent_id) DO UPDATE
    SET at = excluded.at, op = excluded.op, reason = excluded.reason,
        successor = excluded.successor";

/// Lets the earlier names of an agent lead to its successor at once.
pub(crate) const FORWARD: &str = "UPDATE tombstones SET successor = $2 WHERE successor = $1";

/// Deletes the tombstone of an agent that is listed.
pub(crate) const UNBURY: &str = "DELETE FROM tombstones WHERE agent_id = $1";

/// Deletes the oldest tombstones of a domain, except for the newest `$2`.
pub(crate) const CLEAR_TOMBSTONES: &str = "
    DELETE FROM tombstones
    WHERE agent_id IN (
        SELECT agent_id FROM tombstones
        WHERE domain = $1
        ORDER BY at DESC, agent_id
        LIMIT 1000000 OFFSET $2)";
