//! Statements on submissions.

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
