-- One cause is one finding with several positions, and its correction is apart from the problem.

ALTER TABLE findings ADD COLUMN help TEXT;
ALTER TABLE findings ADD COLUMN correction TEXT;
ALTER TABLE findings ADD COLUMN places INTEGER NOT NULL DEFAULT 1;
ALTER TABLE findings ADD COLUMN also TEXT NOT NULL DEFAULT '[]';  -- JSON
