//! Statements on leases.
//!
//! A lease is looked up by its row. So that PostgreSQL never takes the index of all leases for that,
//! which seems empty to it if it was counted at the wrong moment, the condition on `lease_until` is one
//! that this index does not serve.

/// Returns a lease, which may not be taken again before `$3`; if that is NULL, before it is due.
pub(crate) const RETURN_LEASE: &str = "
    UPDATE queue
    SET lease_until = NULL, lease_owner = NULL, ready = COALESCE($3, due)
    WHERE domain_id = (SELECT id FROM domains WHERE name = $1)
      AND lease_token = $2 AND COALESCE(lease_until, 0) > 0";

/// Stores a delay for the current lease; a longer one is kept.
pub(crate) const NOTE_DELAY: &str = "
    UPDATE domains
    SET delay_ms = $3
    WHERE name = $1 AND (delay_ms IS NULL OR delay_ms < $3)
      AND EXISTS (SELECT 1 FROM queue
                  WHERE domain_id = domains.id AND lease_token = $2
                    AND COALESCE(lease_until, 0) > 0)";
