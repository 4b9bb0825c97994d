-- The order of the frontier and its leases, apart from what is known of the domains: a lease writes a
-- short row instead of a long one.

CREATE TABLE queue (
    domain_id   INTEGER PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
    due         INTEGER NOT NULL,               -- never before not_before
    not_before  INTEGER NOT NULL DEFAULT 0,
    ready       INTEGER NOT NULL,               -- lease_until while leased, else due
    lease_until INTEGER,                        -- NULL: not leased
    lease_token INTEGER NOT NULL DEFAULT 0,     -- raised by every lease
    lease_owner TEXT                            -- process that has the lease; NULL: unknown
) STRICT;

INSERT INTO queue (domain_id, due, not_before, ready, lease_until, lease_token)
SELECT id, due, not_before, ready, lease_until, lease_token FROM domains;

CREATE INDEX queue_ready ON queue (ready);
CREATE INDEX queue_leased ON queue (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX queue_not_before ON queue (not_before) WHERE not_before > 0;

DROP INDEX domains_ready;
DROP INDEX domains_leased;
DROP INDEX domains_not_before;
ALTER TABLE domains DROP COLUMN due;
ALTER TABLE domains DROP COLUMN not_before;
ALTER TABLE domains DROP COLUMN ready;
ALTER TABLE domains DROP COLUMN lease_until;
ALTER TABLE domains DROP COLUMN lease_token;
