-- Sentence vectors of agents, which cost far more work than a rebuild of the index.

CREATE TABLE vectors (
    agent_id TEXT PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
    hash     TEXT NOT NULL,                     -- SHA-256 of the model and the encoded texts
    vector   BLOB NOT NULL
) STRICT;

CREATE INDEX vectors_hash ON vectors (hash);
