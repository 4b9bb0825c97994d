-- Visits across crawlers: domains that are handed on, registrable domains under visit, requests to the
-- networks of another crawler, and the order in which blocks were noted.

ALTER TABLE queue
    ADD COLUMN slot BIGINT,                        -- that of its network; NULL: it was never handed on
    ADD COLUMN handed_on BIGINT NOT NULL DEFAULT 0;  -- times since its last visit

CREATE TABLE site_reservations (
    site      TEXT COLLATE "C" PRIMARY KEY,                 -- registrable domain
    holder    TEXT COLLATE "C" REFERENCES crawlers (name),  -- NULL: no visit is under way
    free_from TIMESTAMPTZ NOT NULL,                         -- end of its rest
    redirected TIMESTAMPTZ[] NOT NULL DEFAULT '{}'          -- requests of the last hour from other sites
) WITH (fillfactor = 50);

CREATE INDEX site_reservations_holder ON site_reservations (holder) WHERE holder IS NOT NULL;
CREATE INDEX site_reservations_free ON site_reservations (free_from) WHERE holder IS NULL;

CREATE TABLE guest_permits (
    guest         TEXT COLLATE "C" NOT NULL REFERENCES crawlers (name) ON DELETE CASCADE,
    number        BIGINT NOT NULL,              -- one for each visit and address
    slot          BIGINT NOT NULL,
    address       TEXT NOT NULL,
    is_counted    BOOLEAN NOT NULL,             -- false: the visit has another one in that network
    site          TEXT NOT NULL,                -- of the last request
    host          TEXT NOT NULL,
    asked         BIGINT NOT NULL,              -- requests for which a turn was asked
    answered      BIGINT NOT NULL,              -- those that have ended
    rest_ms       BIGINT NOT NULL,              -- wait of the host after the last of these
    is_ended      BOOLEAN NOT NULL,             -- the holder of the slot deletes it then
    granted       BIGINT NOT NULL DEFAULT 0,    -- turns that the holder of the slot granted
    granted_until TIMESTAMPTZ,                  -- the last one is valid until then
    PRIMARY KEY (guest, number)
) WITH (fillfactor = 50);

CREATE INDEX guest_permits_slot ON guest_permits (slot);

-- Writers of blocks take turns, so that a number that can be read has no smaller one to come.
CREATE SEQUENCE block_numbers;

ALTER TABLE address_blocks ADD COLUMN number BIGINT NOT NULL DEFAULT nextval('block_numbers');
ALTER TABLE host_blocks ADD COLUMN number BIGINT NOT NULL DEFAULT nextval('block_numbers');

CREATE INDEX address_blocks_number ON address_blocks (number);
CREATE INDEX host_blocks_number ON host_blocks (number);

CREATE FUNCTION number_block() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.number := nextval('block_numbers');
    RETURN NEW;
END
$$;

CREATE TRIGGER number_address_block BEFORE UPDATE ON address_blocks
    FOR EACH ROW EXECUTE FUNCTION number_block();
CREATE TRIGGER number_host_block BEFORE UPDATE ON host_blocks
    FOR EACH ROW EXECUTE FUNCTION number_block();
