//! Statements on leases.

/// Returns a lease, which may not be taken again before `$3`; if that is NULL, before it is due.
pub(crate) const RETURN_LEASE: &str = "
    UPDATE domains
    SET lease_until = NULL, ready = COALESCE($3, due)
    WHERE name = $1 AND lease_token = $2 AND lease_until IS NOT NULL";

/// Stores a delay for the current lease; a longer one is kept.
pub(crate) const NOTE_DELAY: &str = "
    UPDATE domains
    SET delay_ms = $3
    WHERE name = $1 AND lease_token = $2 AND lease_until IS NOT NULL
      AND (delay_ms IS NULL OR delay_ms < $3)";
