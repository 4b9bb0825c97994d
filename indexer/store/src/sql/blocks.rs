//! Statements on blocked hosts (P35).

/// Blocks a host; a longer block is kept.
pub(crate) const BLOCK_HOST: &str = "
    INSERT INTO host_blocks (host, until) VALUES ($1, $2)
    ON CONFLICT (host) DO UPDATE SET until = excluded.until
    WHERE excluded.until > host_blocks.until";

/// Shortens blocks that were stored by a clock that was ahead.
pub(crate) const CAP_HOST_BLOCKS: &str = "UPDATE host_blocks SET until = $1 WHERE until > $1";

/// Deletes expired blocks.
pub(crate) const FORGET_HOST_BLOCKS: &str = "DELETE FROM host_blocks WHERE until <= $1";

/// Blocked hosts with the latest ends.
pub(crate) const HOST_BLOCKS: &str = "
    SELECT host, until FROM host_blocks
    ORDER BY until DESC
    LIMIT CAST($1 AS BIGINT)";

/// Deletes the block of the host `$1`.
pub(crate) const FORGET_HOST: &str = "DELETE FROM host_blocks WHERE host = $1";

/// Deletes the blocks of the host `$1` and of hosts that end in `$2`.
pub(crate) const FORGET_HOSTS_BELOW: &str = "
    DELETE FROM host_blocks
    WHERE host = $1 OR substr(host, length(host) - length($2) + 1) = $2";
