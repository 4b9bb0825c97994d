//! Statements on hidden agents, the public log and reports.

/// Hides a target, or changes the reason.
pub(crate) const HIDE: &str = "
    INSERT INTO hidden (target, reason, since)
    VALUES ($1, $2, $3)
    ON CONFLICT (target) DO UPDATE SET reason = excluded.reason";

/// Shows a target again.
pub(crate) const SHOW: &str = "DELETE FROM hidden WHERE target = $1";

/// The reason for which a target is hidden.
pub(crate) const HIDDEN_REASON: &str = "SELECT reason FROM hidden WHERE target = $1";

/// Updates the reason in the tombstones of all agents that the target `$1` hides or hid. If `$1` is
/// hidden itself, its own reason is used.
pub(crate) const RESTATE: &str = "
    UPDATE tombstones
    SET reason = (SELECT 'hidden: ' || reason FROM hidden
                  WHERE target IN (agent_id, domain)
                  ORDER BY target <> $1
                  LIMIT 1)
    WHERE (agent_id = $1 OR domain = $1)
      AND EXISTS (SELECT 1 FROM agents WHERE agents.id = agent_id)
      AND EXISTS (SELECT 1 FROM hidden WHERE target IN (agent_id, domain))";

/// Hidden targets of the domain `$1`: itself, or agents of it. `0` follows `/`
/// in ASCII, so the range has all ids that begin with the domain and `/`.
pub(crate) const HIDDEN_OF: &str = "
    SELECT target, reason, since FROM hidden
    WHERE target = $1 OR (target > $1 || '/' AND target < $1 || '0')
    ORDER BY target";

/// Reports whether anything is hidden.
pub(crate) const ANY_HIDDEN: &str = "SELECT EXISTS (SELECT 1 FROM hidden)";

/// Agents of the target `$1`, a domain or an agent, with their hashes, that nothing hides.
pub(crate) const SHOWN_AGENTS: &str = "
    SELECT agents.id, hash FROM agents
    JOIN domains ON domains.id = agents.domain_id
    WHERE (agents.id = $1 OR domains.name = $1)
      AND NOT EXISTS (SELECT 1 FROM hidden WHERE target IN (agents.id, domains.name))
    ORDER BY agents.id";

/// Appends to the public log.
pub(crate) const LOG: &str = "
    INSERT INTO moderation (at, action, target, reason, source)
    VALUES ($1, $2, $3, $4, $5)";

/// The newest action of the robots.txt of a domain.
pub(crate) const LAST_ACTION_OF_ROBOTS: &str = "
    SELECT action FROM moderation
    WHERE target = $1 AND source IN ('robots', 'content-signal')
    ORDER BY id DESC
    LIMIT 1";

/// The public log before an entry, newest first.
pub(crate) const MODERATION_LOG: &str = "
    SELECT id, at, action, target, reason, source FROM moderation
    WHERE id < $1
    ORDER BY id DESC
    LIMIT CAST($2 AS BIGINT)";

/// Number of open reports of a target.
pub(crate) const OPEN_REPORTS: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) FROM reports WHERE target = $1 AND closed IS NULL";

/// Number of all open reports.
pub(crate) const ALL_OPEN_REPORTS: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) FROM reports WHERE closed IS NULL";

/// Time of the open report of the network `$2` on a target since `$3`.
pub(crate) const OPEN_REPORT_OF_NETWORK: &str = "
    SELECT MIN(at) FROM reports WHERE network = $2 AND target = $1 AND closed IS NULL AND at > $3";

/// Number of reports of a network since `$2`, and the time of the oldest.
pub(crate) const REPORTS_OF_NETWORK: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(at) FROM reports WHERE network = $1 AND at > $2";

/// Inserts a report.
pub(crate) const REPORT: &str = "
    INSERT INTO reports (id, at, target, kind, text, network)
    VALUES ($1, $2, $3, $4, $5, $6)";

/// State of a report.
pub(crate) const REPORT_STATE: &str = "SELECT target, kind, at, closed FROM reports WHERE id = $1";

/// Open reports, oldest first.
pub(crate) const REPORTS: &str = "
    SELECT id, at, target, kind, text, network FROM reports
    WHERE closed IS NULL
    ORDER BY at, id
    LIMIT CAST($1 AS BIGINT)";

/// Completes the statement that closes the open reports that meet a condition on `$1`; their texts are
/// not needed any more.
macro_rules! close {
    ($condition:literal) => {
        concat!(
            "UPDATE reports SET closed = $2, text = '' WHERE closed IS NULL AND ",
            $condition,
            " RETURNING target"
        )
    };
}

/// Closes a report.
pub(crate) const CLOSE_REPORT: &str = close!("id = $1");

/// Closes the reports on a domain with all its agents, or on an agent. `0`
/// follows `/` in ASCII.
pub(crate) const CLOSE_REPORTS_ON: &str =
    close!("(target = $1 OR (target > $1 || '/' AND target < $1 || '0'))");

/// Closes the reports from a network, by the beginning of its hash. `g` follows the digits.
pub(crate) const CLOSE_REPORTS_FROM: &str = close!("network >= $1 AND network < $1 || 'g'");
