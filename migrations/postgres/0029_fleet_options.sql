-- Options that all crawlers of a fleet need, so that one that has others can be told.

ALTER TABLE crawlers ADD COLUMN options TEXT NOT NULL DEFAULT '{}';  -- JSON: values by option
