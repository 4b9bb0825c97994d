-- Content of documents, so that another layout is not taken for a change (P40).

ALTER TABLE documents ADD COLUMN content TEXT;  -- SHA-256 of the content; NULL: fetched before it was recorded
