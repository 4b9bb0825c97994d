//! Statements on recovery after an interruption and after a clock that was ahead.

/// Counts the interruptions of visits to some domains.
pub(crate) const COUNT_INTERRUPTIONS: &str = "
    UPDATE domains
    SET broken_off = broken_off + 1
    WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))
    RETURNING name";

/// End of the newest visit.
pub(crate) const NEWEST_VISIT: &str = "SELECT ended FROM visits ORDER BY id DESC LIMIT 1";

/// Time when the newest domain was added.
pub(crate) const NEWEST_DOMAIN: &str = "SELECT first_seen FROM domains ORDER BY id DESC LIMIT 1";

/// Latest due time of any domain.
pub(crate) const LAST_READY: &str = "SELECT ready FROM queue ORDER BY ready DESC LIMIT 1";

/// Corrects the due times of domains that were visited, or added and never visited, by a clock ahead of
/// `$1`, as if that had happened at `$1`. No domain is due later than after its interval with
/// jitter, or `$2` if that is longer.
pub(crate) const REBASE_QUEUE: &str = "
    WITH stamped (id, ahead, latest, is_newer) AS (
        SELECT domains.id,
               CASE WHEN COALESCE(last_visit, first_seen) > $1
                    THEN COALESCE(last_visit, first_seen) - $1 ELSE 0 END,
               $1 + CASE WHEN interval_ms + interval_ms / 10 > $2
                          AND interval_ms + interval_ms / 10 > COALESCE(delay_ms, 0)
                         THEN interval_ms + interval_ms / 10
                         WHEN delay_ms > $2 THEN delay_ms
                         ELSE $2 END,
               first_seen > $1
        FROM domains
        JOIN queue ON domain_id = domains.id
        WHERE ready > $1 OR last_visit > $1 OR first_seen > $1
    )
    UPDATE queue
    SET due = CASE WHEN due - ahead > latest THEN latest ELSE due - ahead END,
        ready = CASE WHEN ready - ahead > latest THEN latest ELSE ready - ahead END,
        not_before = CASE WHEN not_before <= $1 THEN not_before
                          WHEN not_before - ahead > latest THEN latest
                          ELSE not_before - ahead END
    FROM stamped
    WHERE domain_id = stamped.id
      AND (ahead > 0 OR due > latest OR ready > latest OR not_before > latest OR is_newer)";

/// Limits the times of domains that were visited or added by a clock ahead of `$1`.
pub(crate) const REBASE_DOMAINS: &str = "
    UPDATE domains
    SET last_visit = CASE WHEN last_visit > $1 THEN $1 ELSE last_visit END,
        first_seen = CASE WHEN first_seen > $1 THEN $1 ELSE first_seen END
    WHERE last_visit > $1 OR first_seen > $1";

/// Sets documents that are missing since a time after `$1` to missing since `$1`.
pub(crate) const REBASE_DOCUMENTS: &str = "
    UPDATE documents SET missing_since = $1 WHERE missing_since > $1";

/// Limits times that were stored by a clock that was ahead to `$1`.
pub(crate) const REBASE_NAMED: &str = "
    UPDATE named_documents
    SET asked = CASE WHEN asked > $1 THEN $1 ELSE asked END,
        since = CASE WHEN since > $1 THEN $1 ELSE since END
    WHERE asked > $1 OR since > $1";

/// Limits the blocks of addresses to `$1`.
pub(crate) const CAP_ADDRESS_BLOCKS: &str = "UPDATE address_blocks SET until = $1 WHERE until > $1";

/// Shortens blocks that were stored by a clock that was ahead.
pub(crate) const CAP_HOST_BLOCKS: &str = "UPDATE host_blocks SET until = $1 WHERE until > $1";
