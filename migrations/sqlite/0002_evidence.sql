-- Where a finding stands exactly, how a document was served, and whom it speaks of.

ALTER TABLE findings ADD COLUMN line_column INTEGER;  -- in that line, from 1
ALTER TABLE findings ADD COLUMN excerpt TEXT;

ALTER TABLE documents ADD COLUMN served TEXT;         -- JSON; NULL: unknown

-- What a document says of others: shown as that, in nobody's record.
CREATE TABLE mentions (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    name        TEXT    NOT NULL,
    publisher   TEXT,                                 -- a domain, as the document says
    url         TEXT,
    pointer     TEXT    NOT NULL,
    PRIMARY KEY (document_id, position)
) STRICT, WITHOUT ROWID;

-- Provenance names a place in the document now, which only reading it again can tell.
UPDATE agents SET listing = json_remove(listing, '$.provenance');
UPDATE domains
SET revision = revision + 1, unread_since = COALESCE(unread_since, last_visit, first_seen)
WHERE EXISTS (SELECT 1 FROM documents WHERE documents.domain_id = domains.id);
