-- Sessions of the Interaction API. They are kept as long as their records (IA-51).
CREATE TABLE sessions (
    id         TEXT    PRIMARY KEY,             -- random, public
    token_hash TEXT    NOT NULL UNIQUE,         -- SHA-256, hexadecimal
    client     TEXT    NOT NULL,                -- keyed hash of the client's address
    agent      TEXT    NOT NULL,                -- JSON: statements of the agent about itself
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    ended      INTEGER,                         -- NULL: not deleted
    calls      INTEGER NOT NULL DEFAULT 0,
    seal       TEXT                             -- JSON: the signature of the record; NULL: not signed yet
) STRICT;
CREATE INDEX sessions_client ON sessions (client, created);
CREATE INDEX sessions_created ON sessions (created);
CREATE INDEX sessions_open ON sessions (expires) WHERE ended IS NULL;

-- Calls of a session, in order; their parameters hold no secrets.
CREATE TABLE session_calls (
    session    TEXT    NOT NULL,
    position   INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    capability TEXT    NOT NULL,
    method     TEXT    NOT NULL,
    params     TEXT    NOT NULL,                -- JSON
    policy     TEXT    NOT NULL,                -- allowed, denied
    status     INTEGER NOT NULL,
    PRIMARY KEY (session, position)
) STRICT, WITHOUT ROWID;
