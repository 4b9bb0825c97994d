//! Statements about hosts that asked to be left alone for a while (P35).

/// Remembers that a host is to be left alone; a longer wish stays.
pub(crate) const BLOCK_HOST: &str = "
    INSERT INTO host_blocks (host, until) VALUES ($1, $2)
    ON CONFLICT (host) DO UPDATE SET until = excluded.until
    WHERE excluded.until > host_blocks.until";

/// Shortens waits that a clock ahead has stamped.
pub(crate) const CAP_HOST_BLOCKS: &str = "UPDATE host_blocks SET until = $1 WHERE until > $1";

/// Forgets the hosts that need not be left alone any more.
pub(crate) const FORGET_HOST_BLOCKS: &str = "DELETE FROM host_blocks WHERE until <= $1";

/// The hosts that are to be left alone longest.
pub(crate) const HOST_BLOCKS: &str = "
    SELECT host, until FROM host_blocks
    ORDER BY until DESC
    LIMIT CAST($1 AS BIGINT)";

/// Forgets what the host `$1` asked for.
pub(crate) const FORGET_HOST: &str = "DELETE FROM host_blocks WHERE host = $1";

/// Forgets what the host `$1` asked for, and those that end in `$2`.
pub(crate) const FORGET_HOSTS_BELOW: &str = "
    DELETE FROM host_blocks
    WHERE host = $1 OR substr(host, length(host) - length($2) + 1) = $2";
