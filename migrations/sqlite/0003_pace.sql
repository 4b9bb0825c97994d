-- Addresses that asked to be left alone, so that a restart forgets nothing.
CREATE TABLE address_blocks (
    address TEXT    PRIMARY KEY,                -- of IPv6, the first one of its /64
    until   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A blob goes with the last document that has it.
CREATE INDEX documents_hash ON documents (hash);
CREATE INDEX versions_hash ON versions (hash);

-- A document that was not there goes when it still is not a day later.
ALTER TABLE documents ADD COLUMN missing_since INTEGER;

-- Steps from a seed: what other sites lead to is followed only so far.
ALTER TABLE domains ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
CREATE INDEX domains_discovered ON domains (id) WHERE source = 'discovered' AND last_visit IS NULL;

ALTER TABLE submissions ADD COLUMN port INTEGER;
CREATE INDEX submissions_waiting ON submissions (id) WHERE state = 'waiting';
