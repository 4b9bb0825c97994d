//! Statements that both SQLite and PostgreSQL understand.
//!
//! Rules that keep them portable: `$1` placeholders, `CAST(… AS BIGINT)` around counts, no
//! sub-select in `RETURNING`, no function that reads the clock, no scalar `max(a, b)`.
//!
//! A limit is written as `CAST($1 AS BIGINT)` too: SQLite plans a statement again each time a bare
//! `LIMIT $1` is bound.

pub(crate) mod blocks;
pub(crate) mod exclusions;
pub(crate) mod named;
pub(crate) mod submissions;

/// Returns a lease; `ready` follows `due` again.
pub(crate) const RETURN_LEASE: &str = "
    UPDATE domains
    SET lease_until = NULL, ready = due
    WHERE name = $1 AND lease_token = $2 AND lease_until IS NOT NULL";

/// Returns a lease that may not be taken again before `$3`.
pub(crate) const POSTPONE_LEASE: &str = "
    UPDATE domains
    SET lease_until = NULL, ready = $3
    WHERE name = $1 AND lease_token = $2 AND lease_until IS NOT NULL";

/// Releases all leases after an interrupted crawl. Each domain is ready at `$1` plus the longer of
/// its own delay and `$2`, which is quadrupled for each consecutive interruption after the tenth,
/// up to 1,024 times.
///
/// Within a fifth of a second after that, the domains with the fewest interruptions come first;
/// ties are ordered by the lease token, which changes with each lease. So a visit that cannot
/// finish within the lifetime of a crawler does not keep others from being visited.
pub(crate) const RELEASE_LEASES: &str = "
    WITH leased (id, delay_ms, gap_ms, place) AS (
        SELECT id, delay_ms,
               $2 * (1 << CASE WHEN broken_off < 10 THEN 0
                               WHEN broken_off < 15 THEN 2 * (broken_off - 9)
                               ELSE 10 END),
               16 * CASE WHEN broken_off < 10 THEN broken_off ELSE 10 END
                  + (id + 7 * lease_token) % 16
        FROM domains
        WHERE lease_until IS NOT NULL
    ),
    released (id, until) AS (
        SELECT id, $1 + place + CASE WHEN delay_ms > gap_ms THEN delay_ms ELSE gap_ms END
        FROM leased
    )
    UPDATE domains
    SET lease_until = NULL,
        broken_off = broken_off + 1,
        due = released.until,
        not_before = released.until,
        ready = released.until
    FROM released
    WHERE domains.id = released.id";

/// End of the newest visit.
pub(crate) const NEWEST_VISIT: &str = "SELECT ended FROM visits ORDER BY id DESC LIMIT 1";

/// Time when the newest domain was added.
pub(crate) const NEWEST_DOMAIN: &str = "SELECT first_seen FROM domains ORDER BY id DESC LIMIT 1";

/// Latest due time of any domain.
pub(crate) const LAST_READY: &str = "SELECT ready FROM domains ORDER BY ready DESC LIMIT 1";

/// Corrects the times of domains that were visited, or added and never visited, by a clock ahead of
/// `$1`, as if that had happened at `$1`. No domain is due later than after its interval with
/// jitter, or `$2` if that is longer.
pub(crate) const REBASE_DOMAINS: &str = "
    WITH stamped (id, ahead, latest) AS (
        SELECT id,
               CASE WHEN COALESCE(last_visit, first_seen) > $1
                    THEN COALESCE(last_visit, first_seen) - $1 ELSE 0 END,
               $1 + CASE WHEN interval_ms + interval_ms / 10 > $2
                          AND interval_ms + interval_ms / 10 > COALESCE(delay_ms, 0)
                         THEN interval_ms + interval_ms / 10
                         WHEN delay_ms > $2 THEN delay_ms
                         ELSE $2 END
        FROM domains
        WHERE ready > $1 OR last_visit > $1 OR first_seen > $1
    )
    UPDATE domains
    SET due = CASE WHEN due - ahead > latest THEN latest ELSE due - ahead END,
        ready = CASE WHEN ready - ahead > latest THEN latest ELSE ready - ahead END,
        not_before = CASE WHEN not_before <= $1 THEN not_before
                          WHEN not_before - ahead > latest THEN latest
                          ELSE not_before - ahead END,
        last_visit = CASE WHEN last_visit > $1 THEN $1 ELSE last_visit END,
        first_seen = CASE WHEN first_seen > $1 THEN $1 ELSE first_seen END
    FROM stamped
    WHERE domains.id = stamped.id
      AND (ahead > 0 OR due > latest OR ready > latest OR not_before > latest OR first_seen > $1)";

/// Sets documents that are missing since a time after `$1` to missing since `$1`.
pub(crate) const REBASE_DOCUMENTS: &str = "
    UPDATE documents SET missing_since = $1 WHERE missing_since > $1";

/// State of a domain, for a visit outside of the schedule.
pub(crate) const DOMAIN_STATE: &str =
    "SELECT last_visit, not_before, robots FROM domains WHERE name = $1";

/// Stores a delay for the current lease; a longer one is kept.
pub(crate) const NOTE_DELAY: &str = "
    UPDATE domains
    SET delay_ms = $3
    WHERE name = $1 AND lease_token = $2 AND lease_until IS NOT NULL
      AND (delay_ms IS NULL OR delay_ms < $3)";

/// Blocks an address; a longer block is kept.
pub(crate) const BLOCK_ADDRESS: &str = "
    INSERT INTO address_blocks (address, until) VALUES ($1, $2)
    ON CONFLICT (address) DO UPDATE SET until = excluded.until
    WHERE excluded.until > address_blocks.until";

/// Deletes expired blocks of addresses.
pub(crate) const FORGET_ADDRESS_BLOCKS: &str = "DELETE FROM address_blocks WHERE until <= $1";

/// Limits the blocks of addresses to `$1`.
pub(crate) const CAP_ADDRESS_BLOCKS: &str = "UPDATE address_blocks SET until = $1 WHERE until > $1";

/// Blocked addresses.
pub(crate) const ADDRESS_BLOCKS: &str = "SELECT address, until FROM address_blocks";

/// Domains that may be leased, counted up to `$2`.
pub(crate) const DUE: &str = "
    SELECT CAST(COUNT(*) AS BIGINT) FROM (
        SELECT 1 FROM domains WHERE ready <= $1 LIMIT CAST($2 AS BIGINT)
    ) AS due";

/// Number of domains that fall due after `$1`, by `$2`, and were not visited since `$3`, with the
/// first and last due time.
pub(crate) const WAITING: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(ready), MAX(ready) FROM domains
    WHERE ready > $1 AND ready <= $2 AND (last_visit IS NULL OR last_visit < $3)";

/// First unleased domain in the order of the frontier.
pub(crate) const NEXT_DUE: &str = "
    SELECT ready FROM domains
    WHERE lease_until IS NULL
    ORDER BY ready
    LIMIT 1";

/// Deletes old visits: the last 20 are kept for a domain with agents, otherwise the last 3.
pub(crate) const FORGET_VISITS: &str = "
    DELETE FROM visits
    WHERE domain_id = $1 AND id <= (
        SELECT id FROM visits
        WHERE domain_id = $1
        ORDER BY id DESC
        LIMIT 1
        OFFSET (SELECT CASE WHEN EXISTS (SELECT 1 FROM agents WHERE domain_id = $1)
                            THEN 20 ELSE 3 END))";

/// Stores bytes under their hash.
pub(crate) const INSERT_BLOB: &str = "
    INSERT INTO blobs (hash, size, bytes)
    VALUES ($1, $2, $3)
    ON CONFLICT (hash) DO NOTHING";

/// Stored state of one document.
pub(crate) const DOCUMENT_BEFORE: &str = "
    SELECT id, hash, url, media_type, served, fetched FROM documents
    WHERE domain_id = $1 AND requested = $2";

/// Inserts a new document.
pub(crate) const INSERT_DOCUMENT: &str = "
    INSERT INTO documents (domain_id, requested, url, status, media_type, etag, last_modified,
                           served, hash, first_seen, fetched, changed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10)
    RETURNING id";

/// Updates a document that was fetched again; `$10` is the time when its bytes changed, or NULL.
pub(crate) const UPDATE_DOCUMENT: &str = "
    UPDATE documents
    SET url = $2, status = $3, media_type = $4, etag = $5, last_modified = $6, served = $7,
        hash = $8, fetched = $9, changed = COALESCE($10, changed), missing_since = NULL
    WHERE id = $1";

/// Updates a document confirmed by 304.
pub(crate) const CONFIRM_DOCUMENT: &str = "
    UPDATE documents SET fetched = $3, missing_since = NULL
    WHERE domain_id = $1 AND requested = $2
    RETURNING id";

/// Deletes a document with its findings and versions.
pub(crate) const DELETE_DOCUMENT: &str = "
    DELETE FROM documents WHERE domain_id = $1 AND requested = $2";

/// Deletes a document that is missing since `$3` or before.
pub(crate) const DELETE_MISSING_DOCUMENT: &str = "
    DELETE FROM documents
    WHERE domain_id = $1 AND requested = $2 AND missing_since <= $3";

/// Stores the time since which a document is missing.
pub(crate) const MISS_DOCUMENT: &str = "
    UPDATE documents SET missing_since = $3
    WHERE domain_id = $1 AND requested = $2 AND missing_since IS NULL";

/// Closes the current version of a document.
pub(crate) const CLOSE_VERSION: &str = "
    UPDATE versions SET last_seen = $2
    WHERE document_id = $1 AND last_seen IS NULL";

/// Opens a new version of a document.
pub(crate) const OPEN_VERSION: &str = "
    INSERT INTO versions (document_id, hash, first_seen) VALUES ($1, $2, $3)";

/// Confirms the agents of a confirmed document.
pub(crate) const CONFIRM_AGENTS: &str = "
    UPDATE agents SET last_seen = $2
    WHERE id IN (SELECT agent_id FROM sources WHERE document_id = $1)";

/// Counts the findings on a document.
pub(crate) const COUNT_FINDINGS: &str = "
    SELECT COUNT(*) FROM findings WHERE document_id = $1";

/// Marks a domain as unread.
pub(crate) const MARK_UNREAD: &str = "
    UPDATE domains
    SET revision = revision + 1, unread_since = COALESCE(unread_since, $2)
    WHERE id = $1";

/// Marks every domain with documents as unread.
pub(crate) const MARK_ALL_UNREAD: &str = "
    UPDATE domains
    SET revision = revision + 1, unread_since = COALESCE(unread_since, last_visit, first_seen)
    WHERE EXISTS (SELECT 1 FROM documents WHERE documents.domain_id = domains.id)";

/// Unread domains.
pub(crate) const UNREAD_DOMAINS: &str = "
    SELECT name, revision FROM domains
    WHERE unread_since IS NOT NULL
    ORDER BY unread_since, id
    LIMIT CAST($1 AS BIGINT)";

/// The documents of a domain with their bytes.
pub(crate) const DOCUMENTS: &str = "
    SELECT documents.id, requested, url, status, media_type, etag, last_modified, served, fetched,
           documents.hash, size, bytes
    FROM documents
    JOIN domains ON domains.id = documents.domain_id
    JOIN blobs ON blobs.hash = documents.hash
    WHERE domains.name = $1
    ORDER BY url, documents.id";

/// Domain of a reading, if it still has this revision.
pub(crate) const FINISH_READING: &str = "
    UPDATE domains SET unread_since = NULL
    WHERE name = $1 AND revision = $2
    RETURNING id";

/// Updates a document with the result of reading it.
pub(crate) const READ_DOCUMENT: &str = "
    UPDATE documents SET format = $3, generation = $4, level = $5
    WHERE id = $1 AND domain_id = $2";

/// Deletes the findings on a document.
pub(crate) const DELETE_FINDINGS: &str = "DELETE FROM findings WHERE document_id = $1";

/// Deletes the mentions of a document.
pub(crate) const DELETE_MENTIONS: &str = "DELETE FROM mentions WHERE document_id = $1";

/// The agents of a domain before a reading.
pub(crate) const AGENTS_BEFORE: &str = "
    SELECT id, hash, listing FROM agents
    WHERE domain_id = $1
    ORDER BY id";

/// URLs of the documents of a domain, with the times when they were fetched.
pub(crate) const DOCUMENT_PLACES: &str = "
    SELECT id, url, fetched FROM documents
    WHERE domain_id = $1";

/// Inserts or updates an agent; `changed` moves only with its hash.
pub(crate) const UPSERT_AGENT: &str = "
    INSERT INTO agents (id, domain_id, name, description, url, version, provider, format, level,
                        listing, hash, first_seen, last_seen, changed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $12)
    ON CONFLICT (id) DO UPDATE
    SET name = excluded.name, description = excluded.description, url = excluded.url,
        version = excluded.version, provider = excluded.provider, format = excluded.format,
        level = excluded.level, listing = excluded.listing, last_seen = excluded.last_seen,
        changed = CASE WHEN agents.hash = excluded.hash THEN agents.changed
                       ELSE excluded.changed END,
        hash = excluded.hash";

/// Deletes an agent.
pub(crate) const DELETE_AGENT: &str = "DELETE FROM agents WHERE id = $1";

/// Deletes the sources of an agent.
pub(crate) const DELETE_SOURCES: &str = "DELETE FROM sources WHERE agent_id = $1";

/// Deletes the capabilities of an agent.
pub(crate) const DELETE_CAPABILITIES: &str = "DELETE FROM capabilities WHERE agent_id = $1";

/// Newest change.
pub(crate) const LAST_CHANGE: &str = "
    SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM changes";

/// Change log after `$1`.
pub(crate) const CHANGES: &str = "
    SELECT seq, at, op, agent_id, hash, previous_hash, reason FROM changes
    WHERE seq > $1
    ORDER BY seq
    LIMIT CAST($2 AS BIGINT)";

/// Agents after an id; the empty string sorts before every id.
pub(crate) const AGENTS: &str = "
    SELECT domains.name AS domain, last_outcome, listing, agents.first_seen, last_seen, changed, hash
    FROM agents
    JOIN domains ON domains.id = agents.domain_id
    WHERE agents.id > $1
    ORDER BY agents.id
    LIMIT CAST($2 AS BIGINT)";

/// Agents of one domain.
pub(crate) const AGENTS_OF_DOMAIN: &str = "
    SELECT domains.name AS domain, last_outcome, listing, agents.first_seen, last_seen, changed, hash
    FROM agents
    JOIN domains ON domains.id = agents.domain_id
    WHERE domains.id = $1
    ORDER BY agents.id";

/// Agents by id, to be completed by a list of binds and a closing parenthesis.
pub(crate) const AGENTS_WITH_ID: &str = "
    SELECT domains.name AS domain, last_outcome, listing, agents.first_seen, last_seen, changed, hash
    FROM agents
    JOIN domains ON domains.id = agents.domain_id
    WHERE agents.id IN (";

/// One domain.
pub(crate) const SITE: &str = "
    SELECT id, port, source, first_seen, last_visit, last_outcome, due, robots FROM domains
    WHERE name = $1";

/// Documents of one domain, without their bytes.
pub(crate) const SITE_DOCUMENTS: &str = "
    SELECT id, url, requested, status, media_type, served, documents.hash, size, format, generation,
           level, first_seen, fetched, changed
    FROM documents
    JOIN blobs ON blobs.hash = documents.hash
    WHERE domain_id = $1
    ORDER BY url, id";

/// Findings on all documents of one domain.
pub(crate) const SITE_FINDINGS: &str = "
    SELECT document_id, rule, severity, pointer, line, line_column, excerpt, message
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
    SELECT started, ended, outcome, detail, requests, bytes, receipts FROM visits
    WHERE domain_id = $1
    ORDER BY id DESC";

/// Bytes by their hash.
pub(crate) const BLOB: &str = "SELECT size, bytes FROM blobs WHERE hash = $1";

/// Single counts; `$1` is now.
pub(crate) const COUNTS: &str = "
    SELECT
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains) AS domains,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains WHERE ready <= $1) AS due,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM domains WHERE lease_until > $1) AS leased,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM agents) AS agents,
        (SELECT CAST(COUNT(*) AS BIGINT) FROM capabilities) AS capabilities,
        (SELECT CAST(COALESCE(MAX(seq), 0) AS BIGINT) FROM changes) AS last_change";

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

/// Findings by rule.
pub(crate) const FINDINGS: &str = "
    SELECT rule, CAST(COUNT(*) AS BIGINT) FROM findings
    GROUP BY rule";
