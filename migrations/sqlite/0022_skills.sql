-- Kinds of named documents: besides manifests and descriptions of APIs, files of skills.

ALTER TABLE named_documents ADD COLUMN kind TEXT NOT NULL DEFAULT 'manifest';  -- manifest, api, skill

UPDATE named_documents SET kind = 'api' WHERE is_api = 1;

ALTER TABLE named_documents DROP COLUMN is_api;
