//! Statements on finished visits and their documents.

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

/// Reports whether bytes are stored.
pub(crate) const HAS_BLOB: &str = "SELECT EXISTS (SELECT 1 FROM blobs WHERE hash = $1)";

/// Stores bytes under their hash.
pub(crate) const INSERT_BLOB: &str = "
    INSERT INTO blobs (hash, size, bytes)
    VALUES ($1, $2, $3)
    ON CONFLICT (hash) DO NOTHING";

/// Stored state of one document.
pub(crate) const DOCUMENT_BEFORE: &str = "
    SELECT id, hash, content, url, media_type, served, fetched FROM documents
    WHERE domain_id = $1 AND requested = $2";

/// Inserts a new document.
pub(crate) const INSERT_DOCUMENT: &str = "
    INSERT INTO documents (domain_id, requested, url, status, media_type, etag, last_modified,
                           served, hash, content, first_seen, fetched, changed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11)
    RETURNING id";

/// Updates a document that was fetched again; `$11` is the time when its content changed, or NULL.
pub(crate) const UPDATE_DOCUMENT: &str = "
    UPDATE documents
    SET url = $2, status = $3, media_type = $4, etag = $5, last_modified = $6, served = $7,
        hash = $8, content = $9, fetched = $10, changed = COALESCE($11, changed), missing_since = NULL
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
    UPDATE agents SET last_seen = CASE WHEN $2 < first_seen THEN first_seen ELSE $2 END
    WHERE id IN (SELECT agent_id FROM sources WHERE document_id = $1)";

/// Counts the findings on a document.
pub(crate) const COUNT_FINDINGS: &str = "
    SELECT COUNT(*) FROM findings WHERE document_id = $1";

/// Marks a domain as unread.
pub(crate) const MARK_UNREAD: &str = "
    UPDATE domains
    SET revision = revision + 1, unread_since = COALESCE(unread_since, $2)
    WHERE id = $1";
