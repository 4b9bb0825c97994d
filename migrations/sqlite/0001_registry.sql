-- Domains, what was fetched from them, and the agents read from it.
-- Times are Unix milliseconds UTC; JSON is text.

CREATE TABLE domains (
    id           INTEGER PRIMARY KEY,
    name         TEXT    NOT NULL UNIQUE,       -- A-labels, lower case
    registrable  TEXT    NOT NULL,
    port         INTEGER,                       -- of its https origin, when not 443
    source       TEXT    NOT NULL,              -- seed, submitted, discovered
    first_seen   INTEGER NOT NULL,
    due          INTEGER NOT NULL,              -- never before not_before
    not_before   INTEGER NOT NULL DEFAULT 0,
    lease_until  INTEGER,                       -- NULL: nobody has it
    lease_token  INTEGER NOT NULL DEFAULT 0,    -- raised by every lease
    ready        INTEGER NOT NULL,              -- lease_until while leased, else due
    delay_ms     INTEGER,                       -- crawl delay
    fails        INTEGER NOT NULL DEFAULT 0,
    interval_ms  INTEGER,
    rotation     INTEGER NOT NULL DEFAULT 0,
    robots       TEXT,                          -- JSON
    last_visit   INTEGER,
    last_outcome TEXT,
    revision     INTEGER NOT NULL DEFAULT 0,    -- raised when its documents change
    unread_since INTEGER                        -- NULL: the indexer has read this revision
) STRICT;

-- The frontier is one index: an expired lease falls due by itself, without a sweep.
CREATE INDEX domains_ready ON domains (ready);
CREATE INDEX domains_leased ON domains (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX domains_unread ON domains (unread_since) WHERE unread_since IS NOT NULL;

CREATE TABLE visits (
    id        INTEGER PRIMARY KEY,
    domain_id INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
    started   INTEGER NOT NULL,
    ended     INTEGER NOT NULL,
    outcome   TEXT    NOT NULL,
    detail    TEXT,
    requests  INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,
    receipts  TEXT    NOT NULL                  -- JSON
) STRICT;

CREATE INDEX visits_domain ON visits (domain_id, id);

CREATE TABLE blobs (
    hash  TEXT    PRIMARY KEY,                  -- SHA-256 of the bytes as served, hexadecimal
    size  INTEGER NOT NULL,                     -- of the bytes as served
    bytes BLOB    NOT NULL                      -- zstd
) STRICT;

CREATE TABLE documents (
    id            INTEGER PRIMARY KEY,
    domain_id     INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
    requested     TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    status        INTEGER NOT NULL,
    media_type    TEXT,
    etag          TEXT,
    last_modified TEXT,
    hash          TEXT    NOT NULL REFERENCES blobs (hash),
    first_seen    INTEGER NOT NULL,
    fetched       INTEGER NOT NULL,             -- or confirmed by 304
    changed       INTEGER NOT NULL,
    format        TEXT,                         -- NULL, as generation and level, until read
    generation    TEXT,
    level         TEXT,
    UNIQUE (domain_id, requested)
) STRICT;

CREATE TABLE versions (
    id          INTEGER PRIMARY KEY,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    hash        TEXT    NOT NULL REFERENCES blobs (hash),
    first_seen  INTEGER NOT NULL,
    last_seen   INTEGER                         -- NULL: still current
) STRICT;

CREATE INDEX versions_document ON versions (document_id, id);

CREATE TABLE findings (
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    rule        TEXT    NOT NULL,
    severity    TEXT    NOT NULL,
    pointer     TEXT    NOT NULL,
    line        INTEGER,
    message     TEXT    NOT NULL,
    PRIMARY KEY (document_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
    id          TEXT    PRIMARY KEY,            -- domain/slug
    domain_id   INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    description TEXT,
    url         TEXT,
    version     TEXT,
    provider    TEXT,
    format      TEXT    NOT NULL,
    level       TEXT    NOT NULL,
    listing     TEXT    NOT NULL,               -- JSON
    hash        TEXT    NOT NULL,
    first_seen  INTEGER NOT NULL,
    last_seen   INTEGER NOT NULL,
    changed     INTEGER NOT NULL
) STRICT;

CREATE INDEX agents_domain ON agents (domain_id);

CREATE TABLE sources (
    agent_id    TEXT    NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    PRIMARY KEY (agent_id, document_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sources_document ON sources (document_id);

CREATE TABLE capabilities (
    agent_id         TEXT    NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    position         INTEGER NOT NULL,
    name             TEXT    NOT NULL,
    description      TEXT,
    method           TEXT,
    endpoint         TEXT,
    input_schema     TEXT,                      -- JSON
    output_schema    TEXT,                      -- JSON
    requires_auth    INTEGER,                   -- 0, 1, or NULL when nothing is said; as the next two
    requires_session INTEGER,
    human_handoff    INTEGER,
    PRIMARY KEY (agent_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE changes (
    seq           INTEGER PRIMARY KEY,          -- given by the writing transaction, so without gaps
    at            INTEGER NOT NULL,
    op            TEXT    NOT NULL,             -- add, update, remove
    agent_id      TEXT    NOT NULL,             -- may be gone
    hash          TEXT,
    previous_hash TEXT,
    reason        TEXT    NOT NULL
) STRICT;

-- Who is not visited and not listed, and why.
CREATE TABLE exclusions (
    name      TEXT    NOT NULL,                 -- a domain, or a suffix of domains
    is_suffix INTEGER NOT NULL,
    reason    TEXT    NOT NULL,
    source    TEXT    NOT NULL,                 -- robots, content-signal, owner, operator
    since     INTEGER NOT NULL,
    PRIMARY KEY (name, is_suffix)
) STRICT;

-- Domains that somebody sent in, and what became of them.
CREATE TABLE submissions (
    id     INTEGER PRIMARY KEY,
    domain TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    state  TEXT    NOT NULL,                    -- waiting, queued, refused
    result TEXT
) STRICT;
