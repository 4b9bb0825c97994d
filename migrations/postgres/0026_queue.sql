-- The order of the frontier and its leases, apart from what is known of the domains: a lease writes a
-- short row instead of a long one. It is partitioned by the row of the domain, which every statement
-- knows, so that its parts are vacuumed side by side and often.

CREATE TABLE queue (
    domain_id BIGINT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
    due BIGINT NOT NULL,  -- never before not_before
    not_before BIGINT NOT NULL DEFAULT 0,
    ready BIGINT NOT NULL,  -- lease_until while leased, else due
    lease_until BIGINT,  -- NULL: not leased
    lease_token BIGINT NOT NULL DEFAULT 0,  -- raised by every lease
    lease_owner TEXT COLLATE "C"  -- process that has the lease; NULL: unknown
) PARTITION BY HASH (domain_id);

DO $$
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE format(
            'CREATE TABLE queue_%s PARTITION OF queue
             FOR VALUES WITH (MODULUS 8, REMAINDER %s)
             WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
                   autovacuum_vacuum_cost_delay = 0)', part, part);
    END LOOP;
END
$$;

INSERT INTO queue (domain_id, due, not_before, ready, lease_until, lease_token)
SELECT id, due, not_before, ready, lease_until, lease_token FROM domains;

CREATE INDEX queue_ready ON queue (ready);
CREATE INDEX queue_leased ON queue (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX queue_not_before ON queue (not_before) WHERE not_before > 0;

ALTER TABLE domains
    DROP COLUMN due,
    DROP COLUMN not_before,
    DROP COLUMN ready,
    DROP COLUMN lease_until,
    DROP COLUMN lease_token;
