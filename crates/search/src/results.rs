//! Answers to search requests.

use super::explain::{Explainer, Need, Reason};
use super::facet::{Facet, FacetCount};
use super::nearest;
use super::query::Query;
use super::ranking::Fit;
use super::request::Cursor;
use super::spelling::Correction;
use manifest::AgentId;
use manifest::caution::{self, Caution};
use std::collections::{BTreeMap, HashMap};
use store::StoredAgent;

/// The index's answer to a [`Request`](super::Request), with the ids of the agents.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The query of the request.
    pub query: Query,
    /// Words that were searched for, after analysis.
    pub terms: Vec<String>,
    /// Mistyped words, or the whole query as a mistyped name, with their corrections.
    pub corrected: Vec<Correction>,
    /// Level of the best hit.
    pub fit: Fit,
    /// True if nothing is found because the query has only words that stand in almost every entry.
    pub is_too_general: bool,
    /// Number of all matches.
    pub total: u64,
    /// Number of the other agents in the order, each of level none.
    pub weaker: u64,
    /// Hits of this page.
    pub hits: Vec<Hit>,
    /// Counts by facet, most frequent first.
    pub facets: BTreeMap<Facet, Vec<FacetCount>>,
    /// Registrable domain to the number of further matches not shown.
    pub more_from_site: BTreeMap<String, u64>,
    /// Cursor of the next page.
    pub next: Option<Cursor>,
    /// Generation of the index that answered.
    pub generation: u64,
    pub(crate) need: Need,
}

/// One match.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Id of the agent.
    pub id: AgentId,
    /// Relevance from 0 to 100; 0 if the query consists of filters only.
    pub score: u8,
    /// Level of relevance; [`Fit::None`] if the query consists of filters only.
    pub fit: Fit,
    /// Number of near-duplicates that are not shown.
    pub near_duplicates: u64,
    /// Relevance score, or the value of the field that the results are sorted by.
    pub value: f64,
    /// Number of agents that waited for a sentence vector in the state of the index that it is from.
    pub waiting: u64,
}

impl Hit {
    /// Returns the cursor of a page that ends with this hit.
    pub fn cursor(&self) -> Cursor {
        Cursor {
            value: self.value,
            id: self.id.clone(),
            waiting: self.waiting,
        }
    }
}

/// The answer to a [`Request`](super::Request), with the agents.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The index's answer.
    pub results: Results,
    /// The hits that are still stored, with their agents, in the order of the results.
    pub found: Vec<AgentHit>,
    /// Capability names near the query, when no agent matches.
    pub nearest_capabilities: Vec<String>,
}

/// One agent found.
#[derive(Clone, Debug)]
pub struct AgentHit {
    /// Its match.
    pub hit: Hit,
    /// The agent.
    pub agent: StoredAgent,
    /// Reasons for the match, best first.
    pub because: Vec<Reason>,
    /// Signs that it may be taken for another agent, or sends its callers elsewhere.
    pub cautions: Vec<Caution>,
}

impl Answer {
    /// Adds the agents whose names look like those of the hits, by the id of the hit.
    pub fn add_lookalikes(&mut self, lookalikes: &HashMap<AgentId, AgentId>) {
        for found in &mut self.found {
            let other = lookalikes.get(&found.hit.id);
            found.cautions.extend(other.map(Caution::similar_name));
        }
    }
}

impl Results {
    /// Creates an answer without hits.
    pub fn none(query: Query) -> Self {
        Self {
            query,
            ..Self::default()
        }
    }

    /// Returns the ids of the agents that [`Results::join`] needs.
    pub fn ids(&self) -> Vec<AgentId> {
        self.hits.iter().map(|hit| hit.id.clone()).collect()
    }

    /// Joins the hits with their agents, and explains each; agents that were removed since the last
    /// commit of the index are left out.
    pub fn join(self, agents: Vec<StoredAgent>) -> Answer {
        let nearest_capabilities = if self.fit == Fit::None && !self.need.words.is_empty() {
            nearest::capabilities(&self.need, &agents)
        } else {
            Vec::new()
        };
        let agents = agents.into_iter().map(|it| (it.listing.id.clone(), it));
        let mut agents: HashMap<AgentId, StoredAgent> = agents.collect();
        let mut explainer = Explainer::new(&self.need);
        let hits = self.hits.iter().filter_map(|hit| {
            let agent = agents.remove(&hit.id)?;
            Some(AgentHit {
                because: explainer.reasons(&agent),
                cautions: caution::of(&agent.listing),
                hit: hit.clone(),
                agent,
            })
        });
        Answer {
            found: hits.collect(),
            nearest_capabilities,
            results: self,
        }
    }
}
