-- Crawlers of this database, and the slot of all networks that each has. Both are read and written by the
-- clock of the server.

CREATE TABLE crawlers (
    name        TEXT COLLATE "C" PRIMARY KEY,  -- random, one for each process
    description TEXT NOT NULL,                 -- for messages
    since       TIMESTAMPTZ NOT NULL,
    until       TIMESTAMPTZ NOT NULL,          -- end of its term; others may end it from then on
    round       BIGINT NOT NULL DEFAULT 0,     -- number of its last renewal
    is_leaving  BOOLEAN NOT NULL DEFAULT FALSE
) WITH (fillfactor = 50);

CREATE TABLE network_slots (
    slot        BIGINT PRIMARY KEY,
    holder      TEXT COLLATE "C" REFERENCES crawlers (name),
    usable_from TIMESTAMPTZ NOT NULL           -- requests of an earlier holder are answered by then
) WITH (fillfactor = 50);

INSERT INTO network_slots (slot, usable_from)
SELECT slot, '-infinity' FROM generate_series(0, 255) AS slot;
