//! Statements on agents and readings.

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
    SELECT id, hash, listing, first_seen FROM agents
    WHERE domain_id = $1
    ORDER BY id";

/// URLs of the documents of a domain, with the times when they were fetched.
pub(crate) const DOCUMENT_PLACES: &str = "
    SELECT id, url, fetched FROM documents
    WHERE domain_id = $1";

/// Inserts or updates an agent; `changed` moves only with its hash. A new agent was seen when its
/// documents were fetched at `$7`, before they were read at `$6`.
pub(crate) const UPSERT_AGENT: &str = "
    INSERT INTO agents (id, domain_id, capabilities, listing, hash, first_seen, last_seen, changed)
    VALUES ($1, $2, $3, $4, $5, CASE WHEN $7 < $6 THEN $7 ELSE $6 END, $7, $6)
    ON CONFLICT (id) DO UPDATE
    SET capabilities = excluded.capabilities, listing = excluded.listing,
        last_seen = CASE WHEN excluded.last_seen < agents.first_seen THEN agents.first_seen
                         ELSE excluded.last_seen END,
        changed = CASE WHEN agents.hash = excluded.hash THEN agents.changed
                       ELSE excluded.changed END,
        hash = excluded.hash";

/// Sets the time when an agent was first listed, if it was listed earlier under another name.
pub(crate) const INHERIT_FIRST_SEEN: &str = "
    UPDATE agents SET first_seen = $2 WHERE id = $1 AND first_seen > $2";

/// Deletes an agent.
pub(crate) const DELETE_AGENT: &str = "DELETE FROM agents WHERE id = $1";

/// Deletes the sources of an agent.
pub(crate) const DELETE_SOURCES: &str = "DELETE FROM sources WHERE agent_id = $1";

/// Completes a statement on shown agents with its condition and order.
macro_rules! agents {
    ($rest:literal) => {
        concat!(
            "SELECT domains.name AS domain, last_outcome AS status, listing, agents.first_seen,
                    last_seen, changed, hash
             FROM agents
             JOIN domains ON domains.id = agents.domain_id
                 AND NOT EXISTS (SELECT 1 FROM hidden WHERE target IN (agents.id, domains.name)) ",
            $rest
        )
    };
}
pub(crate) use agents;

/// Agents after an id; the empty string sorts before every id.
pub(crate) const AGENTS: &str = agents!(
    "WHERE agents.id > $1
    ORDER BY agents.id
    LIMIT CAST($2 AS BIGINT)"
);

/// Ids of agents after the first `$1`, with the times of their last changes.
pub(crate) const LISTED_AGENTS: &str = "
    SELECT agents.id, changed FROM agents
    JOIN domains ON domains.id = agents.domain_id
        AND NOT EXISTS (SELECT 1 FROM hidden WHERE target IN (agents.id, domains.name))
    ORDER BY agents.id
    LIMIT CAST($2 AS BIGINT) OFFSET CAST($1 AS BIGINT)";

/// Agents of one domain.
pub(crate) const AGENTS_OF_DOMAIN: &str = agents!(
    "WHERE domains.id = $1
    ORDER BY agents.id"
);

/// Operation of the newest change of an agent.
pub(crate) const LAST_OPERATION: &str = "
    SELECT op FROM changes WHERE agent_id = $1
    ORDER BY seq DESC
    LIMIT 1";
