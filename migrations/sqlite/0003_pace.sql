-- Addresses that asked to be left alone, so that a restart forgets nothing.
CREATE TABLE address_blocks (
    address TEXT    PRIMARY KEY,                -- of IPv6, the first one of its /64
    until   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A blob goes with the last document that has it.
CREATE INDEX documents_hash ON documents (hash);
CREATE INDEX versions_hash ON versions (hash);
