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

/// Gives the tombstones of the agents that the target `$1` hid or hides the reason for which they are
/// hidden now: that of the target itself, if it is.
pub(crate) const RESTATE: &str = "
    UPDATE tombstones
    SET reason = (SELECT 'hidden: ' || reason FROM hidden
                  WHERE target IN (agent_id, domain)
                  ORDER BY target <> $1
                  LIMIT 1)
    WHERE (agent_id = $1 OR domain = $1)
      AND EXISTS (SELECT 1 FROM agents WHERE agents.id = agent_id)
      AND EXISTS (SELECT 1 FROM hidden WHERE target IN (agent_id, domain))";

/// Hidden targets of the domain `$1`: itself, or agents of it. `/` and `0` are neighbours.
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

/// Inserts a report.
pub(crate) const REPORT: &str = "
    INSERT INTO reports (id, at, target, kind, text)
    VALUES ($1, $2, $3, $4, $5)";

/// Open reports, oldest first.
pub(crate) const REPORTS: &str = "
    SELECT id, at, target, kind, text FROM reports
    WHERE closed IS NULL
    ORDER BY at, id
    LIMIT CAST($1 AS BIGINT)";

/// Closes an open report; its text is not needed any more.
pub(crate) const CLOSE_REPORT: &str = "
    UPDATE reports SET closed = $2, text = ''
    WHERE id = $1 AND closed IS NULL
    RETURNING target";
