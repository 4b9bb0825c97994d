-- Visits that visitors of the registry ask for: their results can be followed, and their number is limited (P47).

ALTER TABLE submissions ADD COLUMN token TEXT;                        -- the id outside of the database
ALTER TABLE submissions ADD COLUMN kind TEXT NOT NULL DEFAULT 'new';  -- new, recheck
ALTER TABLE submissions ADD COLUMN earliest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE submissions ADD COLUMN detail TEXT;
ALTER TABLE submissions ADD COLUMN started INTEGER;                   -- of the visit, as the next one
ALTER TABLE submissions ADD COLUMN ended INTEGER;
ALTER TABLE submissions ADD COLUMN before TEXT;                       -- JSON, as the next one
ALTER TABLE submissions ADD COLUMN after TEXT;                        -- NULL: its documents are not read yet

UPDATE submissions SET token = lower(hex(randomblob(16)));
UPDATE submissions SET detail = result, result = NULL WHERE state = 'refused';

CREATE UNIQUE INDEX submissions_token ON submissions (token);
CREATE INDEX submissions_domain ON submissions (domain);
CREATE INDEX submissions_ended ON submissions (at) WHERE state IN ('visited', 'refused');
-- Rechecks go first.
DROP INDEX submissions_waiting;
CREATE INDEX submissions_waiting ON submissions (kind DESC, id) WHERE state = 'waiting';

-- Rechecks of a domain that still count, and the requests left to the one under way.
ALTER TABLE domains ADD COLUMN rechecks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE domains ADD COLUMN recheck_at INTEGER;
ALTER TABLE domains ADD COLUMN requests_left INTEGER;                 -- NULL: the next visit is a scheduled one

-- New names of the last day. They outlive their domains, so that to forget a domain gives no new name.
CREATE TABLE new_names (
    registrable TEXT    NOT NULL,
    at          INTEGER NOT NULL
) STRICT;

CREATE INDEX new_names_registrable ON new_names (registrable, at);
CREATE INDEX new_names_at ON new_names (at);

-- Visits of the last day by hour, and how many of them were requested.
CREATE TABLE visit_hours (
    hour      INTEGER PRIMARY KEY,              -- since 1970
    visits    INTEGER NOT NULL,                 -- finished
    requested INTEGER NOT NULL                  -- granted
) STRICT;
