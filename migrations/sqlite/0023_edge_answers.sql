-- Refusals of paths have outcomes of their own, with the answer as evidence (P49).

CREATE TABLE edge_answers (
    domain_id INTEGER PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
    size      INTEGER NOT NULL,                    -- of the JSON
    answer    BLOB    NOT NULL                     -- compressed JSON
) STRICT;

-- The last request of an earlier visit tells which refusal ended it.
UPDATE visits
SET outcome = CASE json_extract(receipts, '$[#-1].status')
                  WHEN 401 THEN 'login_required'
                  WHEN 402 THEN 'payment_required'
                  WHEN 403 THEN 'refused'
                  ELSE 'rate_limited'
              END
WHERE outcome IN ('blocked', 'throttled')
  AND json_extract(receipts, '$[#-1].verdict') = outcome
  AND json_extract(receipts, '$[#-1].status') IN (401, 402, 403, 429);

UPDATE domains
SET last_outcome = (SELECT outcome FROM visits
                    WHERE domain_id = domains.id ORDER BY id DESC LIMIT 1)
WHERE last_outcome IN ('blocked', 'throttled')
  AND (SELECT outcome FROM visits WHERE domain_id = domains.id ORDER BY id DESC LIMIT 1)
      IN ('login_required', 'payment_required', 'refused', 'rate_limited');

UPDATE submissions
SET result = (SELECT visits.outcome FROM visits JOIN domains ON domains.id = domain_id
               WHERE name = submissions.domain AND visits.started = submissions.started)
WHERE result IN ('blocked', 'throttled')
  AND EXISTS (SELECT 1 FROM visits JOIN domains ON domains.id = domain_id
              WHERE name = submissions.domain AND visits.started = submissions.started);
