-- The identity of the change log, and how often agents were withdrawn from it.
CREATE TABLE feed (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    epoch       TEXT    NOT NULL,               -- random; another one after a restore
    withdrawals INTEGER NOT NULL DEFAULT 0      -- an export from before the last one has withdrawn agents
) STRICT;

INSERT INTO feed (id, epoch) VALUES (1, lower(hex(randomblob(8))));
