-- Agents that are not shown, each by its id or by its domain; their rows stay.
CREATE TABLE hidden (
    target TEXT    PRIMARY KEY,                 -- a domain, or an agent's id
    reason TEXT    NOT NULL,                    -- public
    since  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The public log of moderation. No personal data.
CREATE TABLE moderation (
    id     INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    action TEXT    NOT NULL,                    -- hide, show, block, unblock, optout, restore, report-closed
    target TEXT    NOT NULL,                    -- a domain, '*.' and a suffix, or an agent's id
    reason TEXT    NOT NULL,
    source TEXT    NOT NULL                     -- operator, blocklist, owner, robots, content-signal
) STRICT;
CREATE INDEX moderation_target ON moderation (target, id);

-- Problems that visitors report; their addresses are not stored.
CREATE TABLE reports (
    id     TEXT    PRIMARY KEY,                 -- random
    at     INTEGER NOT NULL,
    target TEXT    NOT NULL,
    kind   TEXT    NOT NULL,
    text   TEXT    NOT NULL,
    closed INTEGER                              -- NULL: open
) STRICT;
CREATE INDEX reports_open ON reports (at, id) WHERE closed IS NULL;
CREATE INDEX reports_of_target ON reports (target) WHERE closed IS NULL;

-- Requests of owners to leave or to return, which a crawler verifies.
CREATE TABLE claims (
    id         TEXT    PRIMARY KEY,             -- random
    action     TEXT    NOT NULL,                -- leave, return
    domain     TEXT    NOT NULL,
    port       INTEGER,                         -- of its https origin, when not 443
    site       TEXT    NOT NULL,                -- registrable domain
    is_suffix  INTEGER NOT NULL,                -- 1: with all subdomains
    token_hash TEXT    NOT NULL,                -- SHA-256, hexadecimal
    at         INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    state      TEXT    NOT NULL,                -- waiting, checking, verified, failed
    checks     INTEGER NOT NULL DEFAULT 0,
    next_check INTEGER,                         -- NULL: none
    checked    INTEGER,
    seen_dns   TEXT,
    seen_file  TEXT
) STRICT;
CREATE INDEX claims_due ON claims (next_check) WHERE next_check IS NOT NULL;
CREATE INDEX claims_site ON claims (site, at);

-- Checks of the last day, which are limited per site.
CREATE TABLE claim_checks (
    site TEXT    NOT NULL,
    at   INTEGER NOT NULL
) STRICT;
CREATE INDEX claim_checks_site ON claim_checks (site, at);
