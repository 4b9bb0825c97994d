//! Answers to search requests.

use super::analyzer::language::{self, Language};
use super::capability_ranking::{self, RankedCapability};
use super::category::Category;
use super::explain::{Explainer, Need, Reason};
use super::facet::{Facet, FacetCount};
use super::nearest;
use super::query::Query;
use super::ranking::{Fit, Score};
use super::request::{Cursor, Request};
use super::spelling::Correction;
use manifest::caution::{self, Caution};
use manifest::{AgentId, Capability};
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
    /// Number of the other hits in the order, each of level none.
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
    /// True if only the capabilities of the best agents were looked at, and there are other agents.
    pub is_partial: bool,
    pub(crate) need: Need,
    /// Page of capabilities; none if the hits are agents.
    pub(crate) capabilities: Option<PageOfCapabilities>,
}

/// Page of an answer whose hits are capabilities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageOfCapabilities {
    /// Number of hits before it.
    pub(crate) after: usize,
    /// Maximum number of hits, and the same if none matches.
    pub(crate) limit: usize,
    pub(crate) nearest: usize,
    /// Lowest level of the hits.
    pub(crate) least: Fit,
}

impl PageOfCapabilities {
    /// Returns the page that a request wants, of hits of this level at least.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the place of a hit is a small whole number"
    )]
    pub(crate) fn of(request: &Request, least: Fit) -> Self {
        Self {
            after: request.after.as_ref().map_or(0, |it| it.value as usize),
            limit: request.limit,
            nearest: request.nearest,
            least,
        }
    }
}

/// One match. If the hit is a capability, score and level are its own, and the value is its place, from
/// 1 on.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Id of the agent.
    pub id: AgentId,
    /// Relevance from 0 to 100; 0 if the query consists of filters only.
    pub score: u8,
    /// Level of relevance; [`Fit::None`] if the query consists of filters only.
    pub fit: Fit,
    /// Category of the agent; none if it has none, or waits for its sentence vector.
    pub category: Option<&'static Category>,
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
    /// Index of the capability that is the hit; none if the agent itself is.
    pub capability: Option<usize>,
    /// Language of its texts (ISO 639-1), if it is another one than that of the need.
    pub language: Option<&'static str>,
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
    /// commit of the index are left out. If capabilities are wanted, those of the agents become the
    /// hits.
    pub fn join(self, agents: Vec<StoredAgent>) -> Answer {
        let is_unmet = self.fit == Fit::None && !self.need.words.is_empty();
        let nearest_capabilities = if is_unmet && self.capabilities.is_none() {
            nearest::capabilities(&self.need, &agents)
        } else {
            Vec::new()
        };
        let agents = agents.into_iter().map(|it| (it.listing.id.clone(), it));
        let mut agents: HashMap<AgentId, StoredAgent> = agents.collect();
        let hits = self.hits.iter().cloned();
        let joined = hits.filter_map(|hit| Some((agents.remove(&hit.id)?, hit)));
        let (agents, hits): (Vec<StoredAgent>, Vec<Hit>) = joined.unzip();
        if let Some(page) = self.capabilities {
            return self.join_capabilities(&agents, &hits, page);
        }
        let mut explainer = Explainer::new(&self.need);
        let found = agents.into_iter().zip(hits).map(|(agent, hit)| {
            let own = language::detect(&agent.listing.agent);
            AgentHit {
                because: explainer.reasons(&agent, own.and_then(Language::of_tag)),
                ..AgentHit::of(hit, agent, own, self.need.language)
            }
        });
        Answer {
            found: found.collect(),
            nearest_capabilities,
            results: self,
        }
    }

    /// Replaces the hits by the capabilities of a page.
    fn join_capabilities(
        self,
        agents: &[StoredAgent],
        hits: &[Hit],
        page: PageOfCapabilities,
    ) -> Answer {
        let percents: Vec<u8> = hits.iter().map(|it| it.score).collect();
        let mut ranked = capability_ranking::ranked(&self.need, agents, &percents);
        let fit = |it: &RankedCapability| it.score.map_or(Fit::None, Score::fit);
        ranked.retain(|it| fit(it) >= page.least);
        let is_match = |it: &&RankedCapability| it.score.is_none() || fit(it) > Fit::None;
        let total = ranked.iter().filter(is_match).count();
        let limit = if total > 0 { page.limit } else { page.nearest };
        let mut explainer = Explainer::new(&self.need);
        let shown = ranked.iter().enumerate().skip(page.after).take(limit);
        let found: Vec<AgentHit> = shown
            .map(|(place, ranked)| {
                let (agent, hit) = (&agents[ranked.agent], &hits[ranked.agent]);
                let capability = &agent.listing.agent.capabilities[ranked.index];
                let hit = Hit {
                    score: ranked.score.map_or(0, Score::percent),
                    fit: fit(ranked),
                    value: f64::from(u32::try_from(place + 1).unwrap_or(u32::MAX)),
                    ..hit.clone()
                };
                let own = language::detect(&agent.listing.agent);
                AgentHit {
                    because: explainer.reasons_for(capability, own.and_then(Language::of_tag)),
                    capability: Some(ranked.index),
                    ..AgentHit::of(hit, agent.clone(), own, self.need.language)
                }
            })
            .collect();
        let is_last = page.after + found.len() >= ranked.len();
        let next = found.last().filter(|_| !is_last).map(|it| it.hit.cursor());
        let fits = ranked.iter().map(fit);
        Answer {
            results: Self {
                fit: match self.need.scale {
                    Some(_) => fits.max().unwrap_or_default(),
                    None => self.fit,
                },
                total: total as u64,
                weaker: (ranked.len() - total) as u64,
                hits: found.iter().map(|it| it.hit.clone()).collect(),
                next,
                ..self
            },
            found,
            nearest_capabilities: Vec::new(),
        }
    }
}

impl AgentHit {
    /// Returns the capability that is the hit; none if the agent itself is.
    pub fn capability(&self) -> Option<&Capability> {
        let capabilities = &self.agent.listing.agent.capabilities;
        capabilities.get(self.capability?)
    }

    /// Joins a hit with its agent, whose texts are in the language `own`, without a reason; the need is in
    /// the other language.
    fn of(
        hit: Hit,
        agent: StoredAgent,
        own: Option<&'static str>,
        language: Option<&'static str>,
    ) -> Self {
        Self {
            because: Vec::new(),
            cautions: caution::of(&agent.listing),
            capability: None,
            language: own.filter(|it| language.is_some_and(|need| need != *it)),
            hit,
            agent,
        }
    }
}
