//! Statements on sentence vectors.

/// Vectors by hashes, a JSON array. Agents with the same texts have the same vector.
pub(crate) const BY_HASH: &str = "
    SELECT hash, vector FROM vectors
    WHERE agent_id IN (SELECT MIN(agent_id) FROM vectors
                       WHERE hash IN (SELECT value FROM json_each($1))
                       GROUP BY hash)";

/// Stores the vector of an agent, if it is still listed.
pub(crate) const RECORD: &str = "
    INSERT INTO vectors (agent_id, hash, vector)
    SELECT id, $2, $3 FROM agents WHERE id = $1
    ON CONFLICT (agent_id) DO UPDATE SET hash = excluded.hash, vector = excluded.vector";
