-- The change log as a public feed, and the agents that are no longer listed under their id.

ALTER TABLE changes ADD COLUMN classes TEXT NOT NULL DEFAULT '[]';  -- JSON
ALTER TABLE changes ADD COLUMN successor TEXT;                      -- id of a renamed or merged agent

CREATE TABLE tombstones (
    agent_id  TEXT    PRIMARY KEY,              -- domain/slug
    domain    TEXT    NOT NULL,                 -- may be unknown by now
    at        INTEGER NOT NULL,
    op        TEXT    NOT NULL,                 -- remove, optout
    reason    TEXT    NOT NULL,
    successor TEXT                              -- id under which it is listed now
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstones_domain ON tombstones (domain, at);
CREATE INDEX tombstones_successor ON tombstones (successor) WHERE successor IS NOT NULL;

-- Agents that were removed before: the last entry of the log on each tells it.
INSERT INTO tombstones (agent_id, domain, at, op, reason)
SELECT agent_id, substr(agent_id, 1, instr(agent_id, '/') - 1), at, op, reason FROM changes
WHERE op = 'remove'
  AND seq = (SELECT MAX(last.seq) FROM changes AS last WHERE last.agent_id = changes.agent_id)
  AND NOT EXISTS (SELECT 1 FROM agents WHERE agents.id = changes.agent_id);
