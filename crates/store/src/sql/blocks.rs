//! Statements on blocked addresses and hosts (P35).

/// Blocks an address; a longer block is kept.
pub(crate) const BLOCK_ADDRESS: &str = "
    INSERT INTO address_blocks (address, until) VALUES ($1, $2)
    ON CONFLICT (address) DO UPDATE SET until = excluded.until
    WHERE excluded.until > address_blocks.until";

/// Deletes expired blocks of addresses.
pub(crate) const FORGET_ADDRESS_BLOCKS: &str = "DELETE FROM address_blocks WHERE until <= $1";

/// Blocked addresses.
pub(crate) const ADDRESS_BLOCKS: &str = "SELECT address, until FROM address_blocks";

/// Blocks a host; a longer block is kept.
pub(crate) const BLOCK_HOST: &str = "
    INSERT INTO host_blocks (host, until) VALUES ($1, $2)
    ON CONFLICT (host) DO UPDATE SET until = excluded.until
    WHERE excluded.until > host_blocks.until";

/// Deletes expired blocks.
pub(crate) const FORGET_HOST_BLOCKS: &str = "DELETE FROM host_blocks WHERE until <= $1";

/// Blocked hosts with the latest ends.
pub(crate) const HOST_BLOCKS: &str = "
    SELECT host, until FROM host_blocks
    ORDER BY until DESC
    LIMIT CAST($1 AS BIGINT)";
