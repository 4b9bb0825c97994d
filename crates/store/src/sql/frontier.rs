//! Statements on the domains to visit.

/// State of a domain, for a visit outside of the schedule.
pub(crate) const DOMAIN_STATE: &str = "
    SELECT last_visit, not_before, robots FROM domains
    JOIN queue ON domain_id = domains.id
    WHERE name = $1";

/// Domains that may be leased, counted up to `$2`.
pub(crate) const DUE: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT 1 FROM queue WHERE ready <= $1 LIMIT CAST($2 AS BIGINT)
    ) AS due";

/// Number of unleased domains that fall due after `$1`, by `$2`, and were not visited since `$3`, with the
/// first and last due time.
pub(crate) const WAITING: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) AS domains, MIN(ready) AS next, MAX(ready) AS last FROM queue
    JOIN domains ON domains.id = domain_id
    WHERE ready > $1 AND ready <= $2 AND lease_until IS NULL AND (last_visit IS NULL OR last_visit < $3)";

/// First unleased domain in the order of the frontier.
pub(crate) const NEXT_DUE: &str = "
    SELECT ready FROM queue
    WHERE lease_until IS NULL
    ORDER BY ready
    LIMIT 1";

/// The row of a domain.
pub(crate) const DOMAIN_ID: &str = "SELECT id FROM domains WHERE name = $1";

/// Makes an unleased domain due that was not visited after `$3`.
pub(crate) const MAKE_DUE: &str = "
    UPDATE queue
    SET due = CASE WHEN not_before > $2 THEN not_before ELSE $2 END,
        ready = CASE WHEN not_before > $2 THEN not_before ELSE $2 END
    WHERE domain_id = $1 AND due > $2 AND lease_until IS NULL
      AND EXISTS (SELECT 1 FROM domains WHERE id = $1 AND last_visit < $3)";

/// Number of discovered domains that were never visited, counted up to `$1`.
pub(crate) const DISCOVERED_WAITING: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT 1 FROM domains WHERE source = 'discovered' AND last_visit IS NULL LIMIT CAST($1 AS BIGINT)
    ) AS waiting";

/// The newest row of a domain.
pub(crate) const LAST_DOMAIN: &str = "SELECT MAX(id) FROM domains";

/// Puts the new domain `$1` into the queue, due at `$2` and ready at `$3`.
pub(crate) const ENQUEUE: &str = "INSERT INTO queue (domain_id, due, ready) VALUES ($1, $2, $3)";

/// Adds the domain `$1`, discovered through the domain `$3`, if that one is fewer than `$4` steps
/// from a seed.
pub(crate) const DISCOVER: &str = "
    INSERT INTO domains (name, source, depth, first_seen)
    SELECT $1, 'discovered', depth + 1, $2 FROM domains
    WHERE name = $3 AND depth < $4
    ON CONFLICT (name) DO NOTHING
    RETURNING id";
