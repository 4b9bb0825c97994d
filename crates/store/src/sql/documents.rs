//! Statements on documents.

/// Unread domains.
pub(crate) const UNREAD_DOMAINS: &str = "
    SELECT name AS domain, revision FROM domains
    WHERE unread_since IS NOT NULL
    ORDER BY unread_since, id
    LIMIT CAST($1 AS BIGINT)";

/// Marks every domain with documents as unread.
pub(crate) const MARK_ALL_UNREAD: &str = "
    UPDATE domains
    SET revision = revision + 1, unread_since = COALESCE(unread_since, last_visit, first_seen)
    WHERE EXISTS (SELECT 1 FROM documents WHERE documents.domain_id = domains.id)";

/// The documents of a domain with their bytes.
pub(crate) const DOCUMENTS: &str = "
    SELECT documents.id, requested, url, status, media_type, etag, last_modified, served, fetched,
           documents.hash, size, bytes
    FROM documents
    JOIN domains ON domains.id = documents.domain_id
    JOIN blobs ON blobs.hash = documents.hash
    WHERE domains.name = $1
    ORDER BY url, documents.id";

/// Documents of a format with their bytes, the latest changes first; `$2` is the most.
pub(crate) const OF_FORMAT: &str = "
    SELECT domains.name AS domain, documents.id, requested, url, status, media_type, etag,
           last_modified, served, fetched, documents.hash, size, bytes
    FROM documents
    JOIN domains ON domains.id = documents.domain_id
    JOIN blobs ON blobs.hash = documents.hash
    WHERE documents.format = $1
    ORDER BY documents.changed DESC, documents.id DESC
    LIMIT CAST($2 AS BIGINT)";

/// Versions of a document, newest first; `$3` is the most.
pub(crate) const VERSIONS: &str = "
    SELECT versions.hash, size AS bytes, versions.first_seen, last_seen
    FROM versions
    JOIN documents ON documents.id = versions.document_id
    JOIN domains ON domains.id = documents.domain_id
    JOIN blobs ON blobs.hash = versions.hash
    WHERE domains.name = $1 AND documents.url = $2
    ORDER BY versions.id DESC
    LIMIT CAST($3 AS BIGINT)";

/// Bytes by their hash.
pub(crate) const BLOB: &str = "SELECT size, bytes FROM blobs WHERE hash = $1";
