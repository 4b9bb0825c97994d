//! Statements on sessions.

/// Number of open sessions of a network at `$2`, and the time at which the first of them expires.
pub(crate) const OPEN_OF_NETWORK: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(expires) FROM sessions
    WHERE network = $1 AND ended IS NULL AND expires > $2";

/// Number of sessions that a network created since `$2`, and the time of the oldest.
pub(crate) const CREATED_BY_NETWORK: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(created) FROM sessions WHERE network = $1 AND created > $2";

/// Number of all open sessions at `$1`, and the time at which the first of them expires.
pub(crate) const OPEN: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(expires) FROM sessions WHERE ended IS NULL AND expires > $1";

/// Number of all sessions.
pub(crate) const STORED: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM sessions";

/// Sessions that expired before a time.
pub(crate) const EXPIRED: &str = "
    SELECT id FROM sessions WHERE expires < $1
    LIMIT CAST($2 AS BIGINT)";

/// The oldest sessions that are not open at `$1`.
pub(crate) const OLDEST_ENDED: &str = "
    SELECT id FROM sessions WHERE ended IS NOT NULL OR expires <= $1
    ORDER BY created
    LIMIT CAST($2 AS BIGINT)";

/// Deletes a session.
pub(crate) const DELETE: &str = "DELETE FROM sessions WHERE id = $1";

/// Deletes the calls of a session.
pub(crate) const DELETE_CALLS: &str = "DELETE FROM session_calls WHERE session = $1";

/// Inserts a session.
pub(crate) const INSERT: &str = "
    INSERT INTO sessions (id, token_hash, network, agent, created, expires)
    VALUES ($1, $2, $3, $4, $5, $6)";

/// Completes a statement on sessions with its condition.
macro_rules! sessions {
    ($condition:literal) => {
        concat!(
            "SELECT id, token_hash, network, agent, created, expires, ended, calls, seal
             FROM sessions WHERE ",
            $condition
        )
    };
}

/// The session with a token.
pub(crate) const BY_TOKEN: &str = sessions!("token_hash = $1");

/// The session with an id.
pub(crate) const BY_ID: &str = sessions!("id = $1");

/// Inserts a call at `$2` of a session that is open and has fewer than `$8` calls.
pub(crate) const RECORD: &str = "
    INSERT INTO session_calls (session, position, at, capability, method, params, policy, status)
    SELECT id, calls + 1, $2, $3, $4, $5, $6, $7 FROM sessions
    WHERE id = $1 AND ended IS NULL AND seal IS NULL AND expires > $2 AND calls < $8";

/// Counts a call.
pub(crate) const COUNT_CALL: &str = "UPDATE sessions SET calls = calls + 1 WHERE id = $1";

/// The calls of a session, in order.
pub(crate) const CALLS: &str = "
    SELECT at, capability, method, params, policy, status FROM session_calls
    WHERE session = $1
    ORDER BY position";

/// Ends a session that is open at `$2`.
pub(crate) const END: &str = "
    UPDATE sessions SET ended = $2 WHERE id = $1 AND ended IS NULL AND expires > $2";

/// Stores the signature of a record with `$2` calls, unless there is one.
pub(crate) const SEAL: &str = "
    UPDATE sessions SET seal = $3 WHERE id = $1 AND calls = $2 AND seal IS NULL";
