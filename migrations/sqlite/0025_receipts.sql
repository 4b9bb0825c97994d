-- Receipts are compressed: they were most of the database. Housekeeping compresses those of earlier visits.

ALTER TABLE visits ADD COLUMN receipts_size INTEGER NOT NULL DEFAULT 0;  -- of the JSON, in bytes
ALTER TABLE visits ADD COLUMN packed_receipts BLOB;                      -- NULL: they are in the column receipts

CREATE INDEX visits_unpacked ON visits (id) WHERE packed_receipts IS NULL;
