//! Statements on a whole site, the frontier and everything.

/// One domain.
pub(crate) const SITE: &str = "
    SELECT id, port, source, first_seen, last_visit, last_outcome, due, robots FROM domains
    JOIN queue ON domain_id = domains.id
    WHERE name = $1";

/// Marks of what is shown of one domain. The log of moderation has every change of what is hidden or
/// excluded.
pub(crate) const SITE_MARK: &str = "
    SELECT id AS domain, first_seen, last_visit, due, revision, unread_since IS NOT NULL AS is_unread,
           (SELECT MAX(visits.id) FROM visits WHERE domain_id = domains.id) AS visit,
           (SELECT MAX(moderation.id) FROM moderation) AS moderation,
           EXISTS (SELECT 1 FROM submissions
                   WHERE submissions.domain = $1 AND state IN ('waiting', 'queued')) AS is_awaited
    FROM domains
    JOIN queue ON queue.domain_id = domains.id
    WHERE name = $1";

/// Documents of one domain, without their bytes.
pub(crate) const SITE_DOCUMENTS: &str = "
    SELECT id, url, requested, status, media_type, etag, last_modified, served, documents.hash,
           size AS bytes, format, generation, level, first_seen, fetched, changed,
           (SELECT CAST(COUNT(*) AS BIGINT) FROM sources WHERE document_id = documents.id) AS agents
    FROM documents
    JOIN blobs ON blobs.hash = documents.hash
    WHERE domain_id = $1
    ORDER BY url, id";

/// Findings on all documents of one domain.
pub(crate) const SITE_FINDINGS: &str = "
    SELECT document_id, rule, severity, pointer, line, line_column, excerpt, message, help,
           correction, places, also
    FROM findings
    JOIN documents ON documents.id = findings.document_id
    WHERE domain_id = $1
    ORDER BY document_id, position";

/// Mentions in the documents of one domain.
pub(crate) const SITE_MENTIONS: &str = "
    SELECT document_id, name, publisher, mentions.url, pointer
    FROM mentions
    JOIN documents ON documents.id = mentions.document_id
    WHERE domain_id = $1
    ORDER BY document_id, position";

/// Visits to one domain.
pub(crate) const SITE_VISITS: &str = "
    SELECT started, ended, outcome, detail, requests, bytes, receipts, receipts_size, packed_receipts
    FROM visits
    WHERE domain_id = $1
    ORDER BY id DESC";

/// Single counts; `$1` is now.
pub(crate) const COUNTS: &str = "
    WITH hidden_agents AS (
        SELECT id, domain_id, capabilities FROM agents WHERE id IN (SELECT target FROM hidden)
        UNION
        SELECT id, domain_id, capabilities FROM agents
        WHERE domain_id IN (SELECT domains.id FROM domains JOIN hidden ON target = name)
    )
    SELECT
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains) AS domains,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM queue WHERE ready <= $1) AS due,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM queue WHERE lease_until > $1) AS leased,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM agents)
            - (SELECT CAST(COUNT(*) AS BIGINT) FROM hidden_agents) AS agents,
        (SELECT CAST(COALESCE(SUM(capabilities), 0) AS BIGINT) FROM agents)
            - (SELECT CAST(COALESCE(SUM(capabilities), 0) AS BIGINT) FROM hidden_agents)
            AS capabilities,
        (SELECT CAST(COUNT(DISTINCT domain_id) AS BIGINT) FROM agents)
            - (SELECT CAST(COUNT(DISTINCT domain_id) AS BIGINT) FROM hidden_agents WHERE NOT EXISTS (
                SELECT 1 FROM agents WHERE agents.domain_id = hidden_agents.domain_id
                    AND agents.id NOT IN (SELECT id FROM hidden_agents)
            )) AS sites,
        (SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM changes) AS last_change,
        (SELECT MAX(last_visit) FROM domains) AS last_visit";

/// Visited domains by outcome.
pub(crate) const OUTCOMES: &str = "
    SELECT last_outcome, CAST(COUNT(*) AS BIGINT) FROM domains
    WHERE last_outcome IS NOT NULL
    GROUP BY last_outcome";

/// Documents by format; the empty string stands for unread ones.
pub(crate) const FORMATS: &str = "
    SELECT COALESCE(format, ''), CAST(COUNT(*) AS BIGINT) FROM documents
    GROUP BY format";

/// Read documents by level.
pub(crate) const LEVELS: &str = "
    SELECT level, CAST(COUNT(*) AS BIGINT) FROM documents
    WHERE level IS NOT NULL
    GROUP BY level";

/// Read documents by format and level.
pub(crate) const GRADED: &str = "
    SELECT format, level, CAST(COUNT(*) AS BIGINT) FROM documents
    WHERE format IS NOT NULL AND level IS NOT NULL
    GROUP BY format, level";

/// Findings by rule.
pub(crate) const FINDINGS: &str = "
    SELECT rule, CAST(COUNT(*) AS BIGINT) FROM findings
    GROUP BY rule";

/// Load of the frontier; `$1` is now. Each count is that of entries of an index; SQLite counts all of
/// them by the pages only if nothing is around `COUNT(*)` within its `SELECT`.
///
/// No domain counts as due since before it was added or last visited, even though due times are
/// spread over the hour before, nor before the time for which it was requested (`due`). The rows are
/// read of the next thousand only.
pub(crate) const FRONTIER_LOAD: &str = "
    WITH first_due AS (
        SELECT ready, due, COALESCE(last_visit, first_seen) AS seen FROM queue
        JOIN domains ON domains.id = domain_id
        WHERE ready <= $1
        ORDER BY ready
        LIMIT 1000
    )
    SELECT
        CAST((SELECT COUNT(*) FROM domains) AS BIGINT) AS domains,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM queue WHERE ready <= $1) AS due,
        (SELECT MIN(CASE WHEN ready >= due AND ready >= seen THEN ready
                         WHEN due >= seen THEN due
                         ELSE seen END)
         FROM first_due) AS oldest_due,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM queue WHERE not_before > 0 AND not_before > $1)
            - (SELECT CAST(COUNT(*) AS BIGINT) FROM queue
               WHERE lease_until IS NOT NULL AND +not_before > $1) AS back_off,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM submissions WHERE state = 'waiting') AS submissions";

/// The rest of an overview of the frontier; `$1` is now.
pub(crate) const FRONTIER: &str = "
    SELECT
        (SELECT MIN(ready) FROM queue WHERE ready > $1 AND lease_until IS NULL) AS next_due,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM queue WHERE lease_until > $1) AS leased,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains WHERE last_visit IS NULL) AS unvisited,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains
         WHERE source = 'discovered' AND last_visit IS NULL) AS discovered,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM exclusions) AS exclusions";

/// End of the newest visit, and the times since which the first of the due domains and of the claims
/// wait; `$1` is now.
///
/// A requested visit is put ahead of everything by `ready` alone, so `due` has the time.
pub(crate) const UNTAKEN: &str = "
    SELECT
        (SELECT ended FROM visits ORDER BY id DESC LIMIT 1) AS ended,
        (SELECT CASE WHEN due > COALESCE(last_visit, first_seen) THEN due
                     ELSE COALESCE(last_visit, first_seen) END
         FROM queue
         JOIN domains ON domains.id = domain_id
         WHERE ready <= $1
         ORDER BY ready
         LIMIT 1) AS domain,
        (SELECT MIN(next_check) FROM claims WHERE next_check <= $1) AS claim";
