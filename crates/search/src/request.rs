//! Search requests.

use super::facet::Facet;
use super::query::Query;
use super::ranking::Fit;
use manifest::AgentId;
use std::collections::BTreeMap;

/// A search request: query, filters, order and page.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The parsed query; an empty one matches every agent.
    pub query: Query,
    /// Facet name to accepted values: any value within a facet, every facet.
    pub filters: BTreeMap<Facet, Vec<String>>,
    /// Kind of the hits.
    pub unit: Unit,
    /// Order of the hits.
    pub sort: Sort,
    /// Lowest level of the hits. [`Fit::None`] lists the nearest agents too.
    pub least: Fit,
    /// Maximum number of hits of one registrable domain; further ones are counted in
    /// `more_from_site`. Zero means no limit; a filter by site lifts the limit.
    pub per_site: usize,
    /// Shows near-duplicates as hits of their own. Otherwise they are only counted at the first
    /// one. A filter by site has the same effect.
    pub unfold: bool,
    /// Maximum number of hits.
    pub limit: usize,
    /// The same if no agent matches, and the hits are only the nearest.
    pub nearest: usize,
    /// Cursor of the last page, from [`Results::next`](super::Results::next): only hits after it are
    /// returned.
    pub after: Option<Cursor>,
    /// Generation of the index to search: the one of earlier pages, from
    /// [`Results::generation`](super::Results::generation). `None` is the newest.
    pub generation: Option<u64>,
    /// Facets whose values are counted over all agents of the answer.
    pub facets: Vec<Facet>,
}

impl Request {
    /// Creates a request for the first `limit` matches of a query: the best first, without filters,
    /// counts, a limit per site or folding.
    pub fn new(query: Query, limit: usize) -> Self {
        Self {
            query,
            filters: BTreeMap::new(),
            unit: Unit::Agent,
            sort: Sort::Relevance,
            least: Fit::None,
            per_site: 0,
            unfold: true,
            limit,
            nearest: limit,
            after: None,
            generation: None,
            facets: Vec::new(),
        }
    }
}

/// Kind of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Agents.
    #[default]
    Agent,
    /// Capabilities of the best 200 agents, at most two of each.
    Capability,
}

/// Order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Best first.
    #[default]
    Relevance,
    /// Latest change first.
    Updated,
    /// Newest first.
    FirstSeen,
    /// By name.
    Name,
}

/// Cursor: the sort value and id of the last hit of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    /// Relevance score, or the sort field's value; the place of a capability.
    pub value: f64,
    /// Id of the last hit.
    pub id: AgentId,
    /// Number of agents that waited for a sentence vector, which tells the states of one generation
    /// apart.
    pub waiting: u64,
}
