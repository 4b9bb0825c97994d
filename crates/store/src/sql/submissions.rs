//! Statements on submissions and on the limits of requested visits (P47).

/// Columns of a submission, as its type in the model names them.
macro_rules! submissions {
    ($rest:literal) => {
        concat!(
            "SELECT submissions.id AS row, token AS id, kind, submissions.domain, submissions.port, at,
                    CASE WHEN state = 'queued' AND lease_until IS NOT NULL THEN 'visiting'
                         ELSE state END AS state,
                    earliest, result AS outcome, detail, started, ended, before, after
             FROM submissions
             LEFT JOIN domains ON domains.name = submissions.domain
             LEFT JOIN queue ON domain_id = domains.id ",
            $rest
        )
    };
}

/// Everything on which the decision on the domain `$1` depends, below the registrable domain `$2`.
/// Names are counted up to `$3`, waiting submissions up to `$4`; those of the network `$5` up to `$6`
/// and `$7`. The owner is who has a claim verified since `$9` with a token of the hash `$8`, or with
/// any if that is null.
pub(crate) const CIRCUMSTANCES: &str = "
    SELECT
        (SELECT token FROM submissions
         WHERE submissions.domain = $1 AND state IN ('waiting', 'queued')
         ORDER BY submissions.id
         LIMIT 1) AS open,
        (SELECT at FROM new_names
         WHERE registrable = $2
         ORDER BY at DESC
         LIMIT 1
         OFFSET CAST($3 AS BIGINT) - 1) AS blocking_name,
        (SELECT at FROM new_names
         WHERE registrable = $2 AND network = $5
         ORDER BY at DESC
         LIMIT 1
         OFFSET CAST($6 AS BIGINT) - 1) AS blocking_name_of_network,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM (
            SELECT 1 FROM submissions WHERE state = 'waiting' LIMIT CAST($4 AS BIGINT)
        ) AS counted) AS waiting,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM (
            SELECT 1 FROM submissions
            WHERE state = 'waiting' AND network = $5
            LIMIT CAST($7 AS BIGINT)
        ) AS counted) AS waiting_of_network,
        EXISTS (SELECT 1 FROM claims
                WHERE claims.domain = $1 AND action = 'own' AND claims.state = 'verified'
                  AND checked > $9 AND ($8 IS NULL OR token_hash = $8)) AS is_owner,
        domains.id AS row, last_visit, COALESCE(rechecks, 0) AS rechecks, recheck_at
    FROM (SELECT 1) AS one
    LEFT JOIN domains ON domains.name = $1";

/// Time before which the domain of the row `$1` is not visited. It is a statement of its own, because
/// PostgreSQL would plan a join with each part of the queue, also for a domain that is not known.
pub(crate) const NOT_BEFORE: &str = "SELECT not_before FROM queue WHERE domain_id = $1";

/// Inserts a submission.
pub(crate) const SUBMIT: &str = "
    INSERT INTO submissions (token, kind, domain, port, at, state, earliest, network)
    VALUES ($1, $2, $3, $4, $5, 'waiting', $5, $6)";

/// Records a new name below a registrable domain.
pub(crate) const NOTE_NAME: &str = "
    INSERT INTO new_names (registrable, at, network) VALUES ($1, $2, $3)";

/// Forgets names that are older than a day.
pub(crate) const FORGET_NAMES: &str = "DELETE FROM new_names WHERE at <= $1";

/// Deletes some submissions that ended, from before `$1`.
pub(crate) const FORGET_ENDED: &str = "
    DELETE FROM submissions
    WHERE id IN (SELECT id FROM submissions
                 WHERE state IN ('visited', 'refused') AND at < $1
                 ORDER BY at
                 LIMIT 100)";

/// One submission.
pub(crate) const SUBMISSION: &str = submissions!("WHERE token = $1");

/// The submission of a domain that has no result yet.
pub(crate) const OPEN_SUBMISSION: &str = submissions!(
    "WHERE submissions.domain = $1 AND state IN ('waiting', 'queued')
     ORDER BY submissions.id
     LIMIT 1"
);

/// A submission by its row.
pub(crate) const SUBMISSION_OF_ROW: &str = submissions!("WHERE submissions.id = $1");

/// Waiting submissions that may be taken, the earliest first, with the time since which each could have
/// been. Those of a domain that is being visited wait for the end of the visit.
pub(crate) const CANDIDATES: &str = "
    SELECT submissions.id AS row, kind = 'recheck' AS is_recheck, COALESCE(network, '') AS network,
           CASE WHEN earliest > at THEN earliest ELSE at END AS since
    FROM submissions
    LEFT JOIN domains ON domains.name = submissions.domain
    LEFT JOIN queue ON domain_id = domains.id
    WHERE state = 'waiting' AND earliest <= $1 AND lease_until IS NULL
    ORDER BY submissions.id
    LIMIT CAST($2 AS BIGINT)";

/// Reports whether any submission waits that may be taken.
pub(crate) const ANY_WAITING: &str = "
    SELECT EXISTS (SELECT 1 FROM submissions WHERE state = 'waiting' AND earliest <= $1)";

/// The network of a submission; empty if it is not known.
pub(crate) const NETWORK: &str = "SELECT COALESCE(network, '') FROM submissions WHERE token = $1";

/// Visits since an hour.
pub(crate) const VISITS_SINCE: &str = "
    SELECT CAST(COALESCE(SUM(visits), 0) AS BIGINT) FROM visit_hours WHERE hour >= $1";

/// Requested visits since the hour `$1`, by kind and network, with those that have no result yet: a new
/// name may turn out not to resolve.
pub(crate) const USAGE: &str = "
    SELECT kind, network, CAST(SUM(granted) AS BIGINT) AS granted,
           CAST(SUM(unresolved) AS BIGINT) AS unresolved, CAST(SUM(pending) AS BIGINT) AS pending
    FROM (
        SELECT kind, network, granted, unresolved, 0 AS pending FROM requested_hours WHERE hour >= $1
        UNION ALL
        SELECT kind, COALESCE(network, ''), 0, 0, 1 FROM submissions
        WHERE state = 'queued' AND kind = 'new' AND granted >= $1 * 3600000
    ) AS parts
    GROUP BY kind, network";

/// Visits since the hour `$1` by hour, and the requested ones of the kind `$2`: all, and those of the
/// network `$3`.
pub(crate) const HOURS_OF_A_DAY: &str = "
    SELECT hour, CAST(SUM(visits) AS BIGINT), CAST(SUM(granted) AS BIGINT),
           CAST(SUM(unresolved) AS BIGINT), CAST(SUM(own_granted) AS BIGINT),
           CAST(SUM(own_unresolved) AS BIGINT)
    FROM (
        SELECT hour, visits, 0 AS granted, 0 AS unresolved, 0 AS own_granted, 0 AS own_unresolved
        FROM visit_hours
        WHERE hour >= $1
        UNION ALL
        SELECT hour, 0, granted, unresolved,
               CASE WHEN network = $3 THEN granted ELSE 0 END,
               CASE WHEN network = $3 THEN unresolved ELSE 0 END
        FROM requested_hours
        WHERE hour >= $1 AND kind = $2
    ) AS parts
    GROUP BY hour
    ORDER BY hour
    LIMIT 100";

/// Counts visits of an hour.
pub(crate) const COUNT_VISITS: &str = "
    INSERT INTO visit_hours (hour, visits) VALUES ($1, $2)
    ON CONFLICT (hour) DO UPDATE SET visits = visit_hours.visits + excluded.visits";

/// Counts requested visits of an hour, by kind and network.
pub(crate) const COUNT_REQUESTED: &str = "
    INSERT INTO requested_hours (hour, kind, network, granted, unresolved) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (hour, kind, network) DO UPDATE
    SET granted = requested_hours.granted + excluded.granted,
        unresolved = requested_hours.unresolved + excluded.unresolved";

/// Forgets the counts of earlier hours.
pub(crate) const FORGET_HOURS: [&str; 2] = [
    "DELETE FROM visit_hours WHERE hour < $1",
    "DELETE FROM requested_hours WHERE hour < $1",
];

/// Counts a submission as a requested visit.
pub(crate) const GRANT: &str = "UPDATE submissions SET granted = $2 WHERE id = $1";

/// Time and network of the granted submission of a new name that has no result yet.
pub(crate) const GRANTED: &str = "
    SELECT granted, COALESCE(network, '') FROM submissions
    WHERE domain = $1 AND state = 'queued' AND kind = 'new' AND granted IS NOT NULL";

/// Adds a submitted domain. Its depth is the maximum, so that its documents lead to no further domains.
pub(crate) const ADD_SUBMITTED: &str = "
    INSERT INTO domains (name, port, source, depth, first_seen)
    VALUES ($1, $2, 'submitted', $4, $3)
    RETURNING id";

/// Makes a domain due ahead of everything else, unless it is leased.
pub(crate) const MAKE_URGENT: &str = "
    UPDATE queue SET due = $2, ready = 0 WHERE domain_id = $1 AND lease_until IS NULL";

/// Records a recheck of `$3` requests. A first visit is not limited further.
pub(crate) const NOTE_RECHECK: &str = "
    UPDATE domains
    SET rechecks = $4, recheck_at = $2,
        requests_left = CASE WHEN last_visit IS NULL THEN NULL ELSE $3 END
    WHERE id = $1";

/// Updates the state of a submission, and forgets its network if that is a result.
pub(crate) const ANSWER_SUBMISSION: &str = "
    UPDATE submissions
    SET state = $2, detail = $3, network = CASE WHEN $2 = 'refused' THEN NULL ELSE network END
    WHERE id = $1";

/// Stores the state of the site before a recheck.
pub(crate) const KEEP_BEFORE: &str = "UPDATE submissions SET before = $2 WHERE id = $1";

/// Postpones a submission.
pub(crate) const POSTPONE_SUBMISSION: &str = "
    UPDATE submissions SET earliest = $2 WHERE id = $1";

/// Completes a submission of a domain that has been visited in the meantime.
pub(crate) const ANSWER_EARLIER: &str = "
    UPDATE submissions
    SET state = 'visited', ended = $3, network = NULL,
        result = (SELECT last_outcome FROM domains WHERE domains.id = $2)
    WHERE id = $1";

/// Reports whether any submission waits for a visit.
pub(crate) const ANY_QUEUED: &str = "
    SELECT EXISTS (SELECT 1 FROM submissions WHERE state = 'queued')";

/// Completes the submissions of a visited domain with the outcome.
pub(crate) const ANSWER_VISITED: &str = "
    UPDATE submissions
    SET state = 'visited', result = $2, detail = $3, started = $4, ended = $5, network = NULL
    WHERE domain = $1 AND state = 'queued'";

/// Reports whether a domain has submissions without an `after` state, although its documents have
/// been read.
pub(crate) const IS_AFTER_LACKING: &str = "
    SELECT EXISTS (SELECT 1 FROM submissions
                   WHERE domain = $1 AND state = 'visited' AND after IS NULL)
       AND EXISTS (SELECT 1 FROM domains WHERE name = $1 AND unread_since IS NULL)";

/// Stores the state of a site after the visit.
pub(crate) const KEEP_AFTER: &str = "
    UPDATE submissions SET after = $2
    WHERE domain = $1 AND state = 'visited' AND after IS NULL";

/// Outcome of a site, and the numbers of its agents and findings.
pub(crate) const SNAPSHOT: &str = "
    SELECT last_outcome,
           (SELECT CAST(COUNT(*) AS BIGINT) FROM agents WHERE domain_id = domains.id) AS agents,
           (SELECT CAST(COUNT(*) AS BIGINT) FROM findings
            JOIN documents ON documents.id = findings.document_id
            WHERE domain_id = domains.id) AS findings
    FROM domains
    WHERE id = $1";

/// The first findings of a site.
pub(crate) const SNAPSHOT_FINDINGS: &str = "
    SELECT url, rule, severity, pointer, message FROM findings
    JOIN documents ON documents.id = findings.document_id
    WHERE domain_id = $1
    ORDER BY url, document_id, position
    LIMIT CAST($2 AS BIGINT)";
