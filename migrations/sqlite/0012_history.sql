-- The history of one agent is read without the history of all.
CREATE INDEX changes_agent ON changes (agent_id, seq);
