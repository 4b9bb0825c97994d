-- An agent's facts are in its listing; only their number is counted apart.

CREATE TABLE kept_agents (
    id           TEXT    PRIMARY KEY,           -- domain/slug
    domain_id    INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
    capabilities INTEGER NOT NULL,              -- their number
    hash         TEXT    NOT NULL,
    first_seen   INTEGER NOT NULL,
    last_seen    INTEGER NOT NULL,
    changed      INTEGER NOT NULL,
    listing      TEXT    NOT NULL               -- JSON
) STRICT;

CREATE TABLE kept_sources (
    agent_id    TEXT    NOT NULL REFERENCES kept_agents (id) ON DELETE CASCADE,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    PRIMARY KEY (agent_id, document_id)
) STRICT, WITHOUT ROWID;

INSERT INTO kept_agents
SELECT id, domain_id, COALESCE(json_array_length(listing, '$.agent.capabilities'), 0), hash,
       first_seen, last_seen, changed, listing
FROM agents;

INSERT INTO kept_sources SELECT agent_id, document_id FROM sources;

-- Sources go first: to drop a table deletes its rows, and what refers to them.
DROP TABLE capabilities;
DROP TABLE sources;
DROP TABLE agents;
ALTER TABLE kept_agents RENAME TO agents;
ALTER TABLE kept_sources RENAME TO sources;

CREATE INDEX agents_domain ON agents (domain_id, capabilities);  -- answers both counts
CREATE INDEX sources_document ON sources (document_id);

-- The name tells it.
ALTER TABLE domains DROP COLUMN registrable;
