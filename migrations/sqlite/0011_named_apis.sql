-- A document that is named as an OpenAPI document may be larger than a manifest (P44).
ALTER TABLE named_documents ADD COLUMN is_api INTEGER NOT NULL DEFAULT 0;
