//! Statements on named documents (P9).

/// Stores the document `$2` of the domain `$1`, unless it is known or `$7` of its kind are stored.
pub(crate) const NAME: &str = "
    INSERT INTO named_documents (domain_id, url, named_by, is_own, kind, since)
    SELECT $1, $2, $3, $4, $5, $6
    WHERE NOT EXISTS (SELECT 1 FROM documents WHERE domain_id = $1 AND requested = $2)
      AND $7 > (SELECT COUNT(*) FROM named_documents WHERE domain_id = $1 AND is_own = $4)
    ON CONFLICT (domain_id, url) DO NOTHING";

/// Records that a document was requested.
pub(crate) const NOTE_ASKED: &str = "
    UPDATE named_documents SET asked = $3 WHERE domain_id = $1 AND url = $2";

/// Deletes named documents of a domain that are now known documents.
pub(crate) const FORGET_KNOWN: &str = "
    DELETE FROM named_documents
    WHERE domain_id = $1
      AND EXISTS (SELECT 1 FROM documents
                  WHERE documents.domain_id = $1 AND documents.requested = named_documents.url)";

/// Deletes named documents of a domain that were requested without success and first named before
/// `$2`.
pub(crate) const FORGET: &str = "
    DELETE FROM named_documents WHERE domain_id = $1 AND asked IS NOT NULL AND since < $2";
