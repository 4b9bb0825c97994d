-- The dialects of agents.txt have names instead of numbers. Only reading a document again can
-- give its listing the new id.

UPDATE domains
SET revision = revision + 1, unread_since = COALESCE(unread_since, last_visit, first_seen)
WHERE EXISTS (
    SELECT 1 FROM documents
    WHERE documents.domain_id = domains.id AND documents.format LIKE 'agents-txt/d%'
);
