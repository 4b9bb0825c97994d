//! Statements about those who come, and about the whole frontier.

/// Sends a domain in, unless it waits already.
pub(crate) const SUBMIT: &str = "
    INSERT INTO submissions (domain, port, at, state)
    SELECT $1, $2, $3, 'waiting'
    WHERE NOT EXISTS (SELECT 1 FROM submissions WHERE state = 'waiting' AND domain = $1)";

/// The submission of a domain that waits.
pub(crate) const WAITING_SUBMISSION: &str = "
    SELECT id FROM submissions WHERE state = 'waiting' AND domain = $1";

/// One submission.
pub(crate) const SUBMISSION: &str = "
    SELECT id, domain, port, at, state, result FROM submissions WHERE id = $1";

/// Submissions that wait, in order.
pub(crate) const WAITING_SUBMISSIONS: &str = "
    SELECT id, domain, port, at, state, result FROM submissions
    WHERE state = 'waiting'
    ORDER BY id
    LIMIT CAST($1 AS BIGINT)";

/// Says what became of a submission.
pub(crate) const ANSWER_SUBMISSION: &str = "
    UPDATE submissions SET state = $2, result = $3 WHERE id = $1";

/// Whether a visit may have to answer a submission.
pub(crate) const ANY_QUEUED: &str = "
    SELECT EXISTS (SELECT 1 FROM submissions WHERE state = 'queued')";

/// Says how the visit to a domain ended that had been sent in.
pub(crate) const ANSWER_VISITED: &str = "
    UPDATE submissions SET state = 'visited', result = $2
    WHERE domain = $1 AND state = 'queued'";

/// Domains that other sites led to and nobody has visited, counted up to `$1`.
pub(crate) const DISCOVERED_WAITING: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT 1 FROM domains WHERE source = 'discovered' AND last_visit IS NULL LIMIT CAST($1 AS BIGINT)
    ) AS waiting";

/// Adds the domain `$1` that the domain `$5` led to, when that one is not too far from a seed itself (`$6`).
pub(crate) const DISCOVER: &str = "
    INSERT INTO domains (name, registrable, source, depth, first_seen, due, ready)
    SELECT $1, $2, 'discovered', depth + 1, $3, $4, $4 FROM domains
    WHERE name = $5 AND depth < $6
    ON CONFLICT (name) DO NOTHING";

/// The frontier; `$1` is now.
///
/// Nobody has been due since before he was heard of or visited last, wherever in an hour he was placed. The
/// sum keeps the index out, which would look up each row by itself.
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
