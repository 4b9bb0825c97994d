-- Visits in a row that ended with the crawler: no failure of the domain, though it may be what ended it.
ALTER TABLE domains ADD COLUMN broken_off INTEGER NOT NULL DEFAULT 0;
