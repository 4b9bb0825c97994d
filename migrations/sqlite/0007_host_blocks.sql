-- Hosts that asked to be left alone, also those that no domain stands for: redirects lead there.
CREATE TABLE host_blocks (
    host  TEXT    PRIMARY KEY,                  -- A-labels, lower case
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX host_blocks_until ON host_blocks (until);
