//! Statements on submissions, discovered domains and the frontier overview.

/// Inserts a submission, unless one of the domain is waiting.
pub(crate) const SUBMIT: &str = "
    INSERT INTO submissions (domain, port, at, state)
    SELECT $1, $2, $3, 'waiting'
    WHERE NOT EXISTS (SELECT 1 FROM submissions WHERE state = 'waiting' AND domain = $1)";

/// Waiting submission of a domain.
pub(crate) const WAITING_SUBMISSION: &str = "
    SELECT id FROM submissions WHERE state = 'waiting' AND domain = $1";

/// One submission.
pub(crate) const SUBMISSION: &str = "
    SELECT id, domain, port, at, state, result FROM submissions WHERE id = $1";

/// Waiting submissions, in order.
pub(crate) const WAITING_SUBMISSIONS: &str = "
    SELECT id, domain, port, at, state, result FROM submissions
    WHERE state = 'waiting'
    ORDER BY id
    LIMIT CAST($1 AS BIGINT)";

/// Updates the state of a submission.
pub(crate) const ANSWER_SUBMISSION: &str = "
    UPDATE submissions SET state = $2, result = $3 WHERE id = $1";

/// Reports whether any submission waits for a visit.
pub(crate) const ANY_QUEUED: &str = "
    SELECT EXISTS (SELECT 1 FROM submissions WHERE state = 'queued')";

/// Completes the submissions of a visited domain with the outcome.
pub(crate) const ANSWER_VISITED: &str = "
    UPDATE submissions SET state = 'visited', result = $2
    WHERE domain = $1 AND state = 'queued'";

/// Number of discovered domains that were never visited, counted up to `$1`.
pub(crate) const DISCOVERED_WAITING: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT 1 FROM domains WHERE source = 'discovered' AND last_visit IS NULL LIMIT CAST($1 AS BIGINT)
    ) AS waiting";

/// Adds the domain `$1`, discovered through the domain `$5`, if that one is at most `$6` steps from
/// a seed.
pub(crate) const DISCOVER: &str = "
    INSERT INTO domains (name, registrable, source, depth, first_seen, due, ready)
    SELECT $1, $2, 'discovered', depth + 1, $3, $4, $4 FROM domains
    WHERE name = $5 AND depth < $6
    ON CONFLICT (name) DO NOTHING";

/// Overview of the frontier; `$1` is now.
///
/// No domain counts as due since before it was added or last visited, even though due times are
/// spread over the hour before. The addition prevents use of the index, which would look up each
/// row separately.
pub(crate) const FRONTIER: &str = "
    SELECT
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains) AS domains,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains WHERE ready <= $1) AS due,
        (SELECT MIN(CASE WHEN ready > COALESCE(last_visit, first_seen) THEN ready
                         ELSE COALESCE(last_visit, first_seen) END)
         FROM domains WHERE ready + 0 <= $1) AS oldest_due,
        (SELECT MIN(ready) FROM domains WHERE ready > $1 AND lease_until IS NULL) AS next_due,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains WHERE lease_until > $1) AS leased,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains
         WHERE not_before > $1 AND lease_until IS NULL) AS back_off,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains WHERE last_visit IS NULL) AS unvisited,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains
         WHERE source = 'discovered' AND last_visit IS NULL) AS discovered,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM exclusions) AS exclusions,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM submissions WHERE state = 'waiting') AS submissions";
