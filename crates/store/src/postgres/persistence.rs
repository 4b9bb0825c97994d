//! The life of prepared statements.

/// False: a connection keeps no prepared statement, because the next transaction may be on another one.
pub(super) const PERSISTENT: bool = false;
