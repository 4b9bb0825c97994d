-- What an operator watches: the last backup, and domains in back-off without a read of the whole frontier.

-- Time of the last complete backup; no row: none.
CREATE TABLE last_backup (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX domains_not_before ON domains (not_before) WHERE not_before > 0;
