//! Statements on named documents (P9).

/// The row of a domain.
pub(crate) const DOMAIN_ID: &str = "SELECT id FROM domains WHERE name = $1";

/// Stores the document `$2` of the domain `$1`, unless it is known or `$6` of its kind are stored.
pub(crate) const NAME: &str = "
    INSERT INTO named_documents (domain_id, url, named_by, is_own, since)
    SELECT $1, $2, $3, $4, $5
    WHERE NOT EXISTS (SELECT 1 FROM documents WHERE domain_id = $1 AND requested = $2)
      AND $6 > (SELECT COUNT(*) FROM named_documents WHERE domain_id = $1 AND is_own = $4)
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

/// Limits times that were stored by a clock that was ahead to `$1`.
pub(crate) const REBASE: &str = "
    UPDATE named_documents
    SET asked = CASE WHEN asked > $1 THEN $1 ELSE asked END,
        since = CASE WHEN since > $1 THEN $1 ELSE since END
    WHERE asked > $1 OR since > $1";

/// Makes an unleased domain due that was not visited after `$3`.
pub(crate) const MAKE_DUE: &str = "
    UPDATE domains
    SET due = CASE WHEN not_before > $2 THEN not_before ELSE $2 END,
        ready = CASE WHEN not_before > $2 THEN not_before ELSE $2 END
    WHERE id = $1 AND due > $2 AND lease_until IS NULL AND last_visit < $3";
