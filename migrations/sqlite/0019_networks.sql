-- Networks of visitors as keyed hashes, so that none of them uses up what is meant for all (P47).

ALTER TABLE sessions RENAME COLUMN client TO network;  -- '' after a day

ALTER TABLE reports ADD COLUMN network TEXT;           -- NULL after a day
CREATE INDEX reports_network ON reports (network, at) WHERE network IS NOT NULL;

ALTER TABLE claims ADD COLUMN network TEXT;            -- NULL after a day
CREATE INDEX claims_network ON claims (network, at) WHERE network IS NOT NULL;

-- Checks of the last day by name and by the network that claimed it.
ALTER TABLE claim_checks ADD COLUMN domain TEXT;
ALTER TABLE claim_checks ADD COLUMN network TEXT;

ALTER TABLE submissions ADD COLUMN network TEXT;       -- NULL once it has its result
ALTER TABLE submissions ADD COLUMN granted INTEGER;    -- time at which it was counted as a requested visit
CREATE INDEX submissions_network ON submissions (network) WHERE state = 'waiting';

ALTER TABLE new_names ADD COLUMN network TEXT;

-- Requested visits of the last day.
CREATE TABLE requested_hours (
    hour       INTEGER NOT NULL,                -- since 1970
    kind       TEXT    NOT NULL,                -- new, recheck
    network    TEXT    NOT NULL,                -- keyed hash; '' if it is not known
    granted    INTEGER NOT NULL,
    unresolved INTEGER NOT NULL,                -- visits that found no address, and were not counted as granted
    PRIMARY KEY (hour, kind, network)
) STRICT, WITHOUT ROWID;

-- Those of before are of no network, and leave the shares of all networks as they are.
INSERT INTO requested_hours
SELECT hour, 'new', 'before', requested, 0 FROM visit_hours WHERE requested > 0;
ALTER TABLE visit_hours DROP COLUMN requested;
