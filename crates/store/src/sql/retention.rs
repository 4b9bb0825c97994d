//! Statements that delete what is kept for a time only.

/// Versions that their documents no longer have, by document after `$1`, the newest of each first.
pub(crate) const CLOSED_VERSIONS: &str = "
    SELECT versions.id, document_id AS document,
           COALESCE(format = 'agent-skill', FALSE) AS is_skill, last_seen
    FROM versions
    JOIN documents ON documents.id = document_id
    WHERE last_seen IS NOT NULL AND document_id > $1
    ORDER BY document_id, versions.id DESC
    LIMIT CAST($2 AS BIGINT)";

/// Old submissions that are not waiting.
pub(crate) const DELETE_SUBMISSIONS: &str = "
    DELETE FROM submissions
    WHERE id IN (
        SELECT id FROM submissions
        WHERE at < $1 AND state <> 'waiting'
        LIMIT CAST($2 AS BIGINT))";

/// Hashes of stored bytes after `$1`, in order.
pub(crate) const BLOBS_AFTER: &str = "
    SELECT hash FROM blobs
    WHERE hash > $1
    ORDER BY hash
    LIMIT CAST($2 AS BIGINT)";

/// Visits whose receipts are not compressed, with them; `$1` is the most.
pub(crate) const UNPACKED_VISITS: &str = "
    SELECT id, receipts FROM visits
    WHERE packed_receipts IS NULL
    ORDER BY id
    LIMIT CAST($1 AS BIGINT)";

/// Stores compressed receipts of a visit in the place of the others.
pub(crate) const PACK_RECEIPTS: &str = "
    UPDATE visits SET receipts = '', receipts_size = $2, packed_receipts = $3
    WHERE id = $1 AND packed_receipts IS NULL";

/// Closed reports.
pub(crate) const DELETE_REPORTS: &str = "
    DELETE FROM reports
    WHERE id IN (SELECT id FROM reports WHERE closed < $1 LIMIT CAST($2 AS BIGINT))";

/// Rows and names of domains after `$1`.
pub(crate) const DOMAINS_AFTER: &str = "
    SELECT id, name FROM domains
    WHERE id > $1
    ORDER BY id
    LIMIT CAST($2 AS BIGINT)";

/// Last of the rows of domains after `$1`.
pub(crate) const LAST_DOMAIN: &str = "
    SELECT MAX(id) FROM (
        SELECT id FROM domains WHERE id > $1
        ORDER BY id
        LIMIT CAST($2 AS BIGINT)) AS page";

/// Domains after `$1`, up to `$2`, that are not needed: their names did not exist at `$4` visits in a row,
/// with the interval `$3` before the next one.
pub(crate) const LAPSED: &str = "
    SELECT id FROM domains
    WHERE id > $1 AND id <= $2 AND source <> 'seed' AND last_outcome = 'dns_error'
      AND interval_ms >= $3 AND fails >= $4
      AND NOT EXISTS (SELECT 1 FROM queue WHERE domain_id = domains.id AND lease_until IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM documents WHERE domain_id = domains.id)";

/// Deletes the hashes of networks.
pub(crate) const FORGET_NETWORKS: [&str; 3] = [
    "UPDATE sessions SET network = '' WHERE created < $1 AND network <> ''",
    "UPDATE reports SET network = NULL WHERE at < $1 AND network IS NOT NULL",
    "UPDATE claims SET network = NULL WHERE at < $1 AND network IS NOT NULL",
];
