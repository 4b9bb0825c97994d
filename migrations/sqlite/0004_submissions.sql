-- A visit answers the submissions of its domain.
CREATE INDEX submissions_queued ON submissions (domain) WHERE state = 'queued';
