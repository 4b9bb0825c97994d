-- Counts of everything, one row a day: they cannot be counted afterwards.
CREATE TABLE census (
    day    INTEGER PRIMARY KEY,                 -- days since 1970-01-01, UTC
    at     INTEGER NOT NULL,
    counts TEXT    NOT NULL                     -- JSON
) STRICT;

-- Retention reads only the versions that are no longer current, the newest of a document first.
CREATE INDEX versions_closed ON versions (document_id, id DESC, last_seen) WHERE last_seen IS NOT NULL;
