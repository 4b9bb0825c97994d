//! Who left for good: of them nothing may stay, while agents that are merely gone leave with the next merge.

use manifest::{AgentId, Domain};
use std::collections::BTreeSet;
use store::{Store, StoreError, StoredAgent};

/// True when one of the ids is of no agent any more, and its domain is not known any more either: it was excluded or
/// forgotten.
pub(super) async fn is_any(
    ids: &[AgentId],
    agents: &[StoredAgent],
    store: &dyn Store,
) -> Result<bool, StoreError> {
    let listed: BTreeSet<&AgentId> = agents.iter().map(|it| &it.listing.id).collect();
    let removed = ids.iter().filter(|id| !listed.contains(id));
    let domains: BTreeSet<&str> = removed.map(|id| id.parts().0).collect();
    for domain in domains {
        if let Ok(domain) = Domain::parse(domain)
            && store.standing(&domain).await?.is_none()
        {
            return Ok(true);
        }
    }
    Ok(false)
}
