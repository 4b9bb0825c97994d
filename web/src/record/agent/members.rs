//! Listed agents that the graph of a composed agent names.

use crate::error::AppError;
use crate::state::AppState;
use manifest::{Agent, AgentId, Domain, ajson};
use std::collections::{BTreeMap, BTreeSet};
use store::StoredAgent;
use url::Url;

/// Most sites on which the members of one graph are looked up.
const SITES: usize = 20;
/// Maximum number of agents of one site that are compared with a reference.
const AGENTS: u32 = 200;

/// Returns the listed agents that the graph of `agent` names, by the references to them.
///
/// An agent is the one that is named if its document gives that URI as its own, or stands at an
/// address to which the URI leads. Looks on at most [`SITES`] sites.
pub(crate) async fn members(
    state: &AppState,
    agent: &Agent,
) -> Result<BTreeMap<String, AgentId>, AppError> {
    let nodes = agent.graph.iter().flat_map(|graph| &graph.nodes);
    let mut by_site: BTreeMap<Domain, BTreeSet<&str>> = BTreeMap::new();
    for reference in nodes.filter_map(|node| node.reference.as_deref()) {
        let places = places(reference);
        let host = places.first().and_then(Url::host_str);
        if let Some(site) = host.and_then(|host| Domain::parse(host).ok())
            && (by_site.len() < SITES || by_site.contains_key(&site))
        {
            by_site.entry(site).or_default().insert(reference);
        }
    }
    let mut found = BTreeMap::new();
    for (site, references) in by_site {
        let first = AgentId::new(&site, "");
        let listed = state.store.agents(Some(&first), AGENTS).await?;
        for stored in listed.iter().take_while(|it| it.domain == site) {
            for reference in &references {
                if is_named(stored, reference) {
                    let id = stored.listing.id.clone();
                    found.entry((*reference).to_owned()).or_insert(id);
                }
            }
        }
    }
    Ok(found)
}

/// Returns the addresses to which a reference leads.
fn places(reference: &str) -> Vec<Url> {
    match ajson::candidates(reference) {
        Ok(places) => places,
        Err(_) => Url::parse(reference).into_iter().collect(),
    }
}

fn is_named(stored: &StoredAgent, reference: &str) -> bool {
    let listing = &stored.listing;
    let places = places(reference);
    let mut sources = listing.sources.iter();
    listing.agent.key == reference
        || sources.any(|source| places.iter().any(|place| place.as_str() == source.url))
}
