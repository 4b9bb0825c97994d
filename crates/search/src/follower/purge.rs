//! Detection of excluded and deleted domains, whose agents must leave the index files at once.
//!
//! Agents that are merely no longer listed disappear with the next merge of segments.

use manifest::{AgentId, Domain};
use std::collections::BTreeSet;
use store::{Store, StoreError, StoredAgent};

/// Reports whether one of the ids has neither an agent nor a known domain any more: the domain was
/// excluded or deleted.
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
            && store.domain_state(&domain).await?.is_none()
        {
            return Ok(true);
        }
    }
    Ok(false)
}
