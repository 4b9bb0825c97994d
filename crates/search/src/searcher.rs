//! Search of the index. Each search uses the latest commit of the current build.

mod conditions;
mod following;
mod generations;
mod neighbours;
mod page;
mod retrieval;

use super::cached_encoder::CachedEncoder;
use super::capability_ranking;
use super::collector::Match;
use super::embedding::Models;
use super::explain::Need;
use super::facet::Facet;
use super::files::{Access, Files};
use super::lookalike;
use super::position::Position;
use super::query::Query;
use super::query_plan::QueryPlan;
use super::ranking::Fit;
use super::request::{Request, Sort, Unit};
use super::results::{Hit, PageOfCapabilities, Results};
use super::schema::Fields;
use super::statistics::Statistics;
use super::suggest::{self, Completion};
use super::vector_search::Sketches;
use super::vocabulary::{self, ValueRange, Values};
use conditions::Conditions;
use following::{IndexFollower, contained};
use manifest::AgentId;
pub use neighbours::Neighbours;
use page::Folding;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::StoredAgent;
use tantivy::{DocAddress, IndexReader, ReloadPolicy, TantivyError};

/// Error of a search.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// No index has been completed in the directory yet.
    #[error("no index at '{path}' yet: `indexer`, `agentdex` or `web --follow` writes it")]
    NotBuilt {
        /// Path of the directory.
        path: PathBuf,
    },
    /// The directory holds something else.
    #[error("'{path}' is not an index: pass the directory that the indexer writes as --index")]
    Foreign {
        /// Path of the directory.
        path: PathBuf,
    },
    /// The index was written by another version of the program.
    #[error(
        "the index at '{path}' has version {found} and this program reads version {wanted}: run this version's `indexer`, which rebuilds it"
    )]
    OtherVersion {
        /// Path of the directory.
        path: PathBuf,
        /// Version of the index.
        found: u32,
        /// Version that this program reads.
        wanted: u32,
    },
    /// The directory cannot be read.
    #[error("cannot read the index at '{path}'")]
    Unreadable {
        /// Path of the directory.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// The index is damaged, or its disk fails.
    #[error("the index at '{path}' cannot be searched: run `indexer rebuild`")]
    Damaged {
        /// Path of the directory.
        path: PathBuf,
        /// Cause.
        source: TantivyError,
    },
    /// The requested generation is no longer kept.
    #[error("generation {generation} of the index is no longer kept: start at the first page")]
    Gone {
        /// Requested generation.
        generation: u64,
    },
}

/// Search engine over one index; cheap to clone, and shared by threads.
///
/// The directory need not hold an index yet: each search checks, and returns
/// [`SearchError::NotBuilt`] until there is one.
#[derive(Clone, Debug)]
pub struct Searcher {
    index: Arc<IndexFollower>,
}

/// The open build.
#[derive(Clone)]
struct State {
    generation: u64,
    reader: IndexReader,
    /// Snapshot of the commit that was opened; it does not change when the reader is reloaded.
    searcher: tantivy::Searcher,
    fields: Arc<Fields>,
    /// Number of agents that wait for a sentence vector.
    waiting: u64,
    /// Models for needs; none if the index has no vectors or those of others.
    models: Option<Models>,
    sketches: Sketches,
    /// Reader of needs and of the capabilities of answers; none without an encoder.
    encoder: Option<CachedEncoder>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("State")
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

impl Searcher {
    /// Creates a searcher for a directory without reading it; each search returns the error of an
    /// index that cannot be used.
    ///
    /// Without models, searches compare words only.
    pub fn at(dir: &Path, models: Option<Models>) -> Self {
        Self {
            index: Arc::new(IndexFollower::new(dir, models)),
        }
    }

    /// Returns its directory, which need not exist.
    pub(crate) fn dir(&self) -> &Path {
        self.index.root()
    }

    /// Opens the index in a directory. An index that is not built yet is no error; any other fault
    /// is.
    pub fn open(dir: &Path, models: Option<Models>) -> Result<Self, SearchError> {
        let searcher = Self::at(dir, models);
        match searcher.index.state() {
            Ok(_) | Err(SearchError::NotBuilt { .. }) => Ok(searcher),
            Err(error) => Err(error),
        }
    }

    /// Returns the generation of the index: the sequence number of the newest change that it
    /// contains.
    pub fn generation(&self) -> Result<u64, SearchError> {
        Ok(self.index.state()?.generation)
    }

    /// Returns what answers depend on: the generation, and the number of agents that wait for a
    /// sentence vector. Keeps that generation for the next pages of its answers, as a search does.
    pub fn keep(&self) -> Result<(u64, u64), SearchError> {
        let state = self.index.state()?;
        let version = state.version();
        self.index.keep(state);
        Ok(version)
    }

    /// Returns the number of agents that wait for a sentence vector.
    pub fn waiting(&self) -> Result<u64, SearchError> {
        Ok(self.index.state()?.waiting)
    }

    /// Returns the generation of the last commit, without opening it.
    pub fn committed(&self) -> Result<u64, SearchError> {
        self.index.committed()
    }

    /// Answers a search.
    ///
    /// The generation of an answer with a next page is kept for a while, so that the next page can
    /// be taken from it.
    pub fn search(&self, request: &Request) -> Result<Results, SearchError> {
        let newest = self.index.state()?;
        let after = request.after.as_ref();
        let waiting = after.map_or(newest.waiting, |it| it.waiting);
        let state = match request.generation.map(|it| (it, waiting)) {
            Some(version) if version != newest.version() => {
                let kept = self.index.kept(version);
                let (generation, _) = version;
                kept.ok_or(SearchError::Gone { generation })?
            }
            Some(_) | None => newest,
        };
        let results =
            contained(|| state.search(request)).map_err(|source| self.index.damaged(source))?;
        if results.next.is_some() || results.capabilities.is_some() {
            self.index.keep(state);
        }
        Ok(results)
    }

    /// Returns names, capabilities, tags and sites that begin with a prefix, the most frequent
    /// first.
    ///
    /// Returns at most twenty, and none for an empty text.
    pub fn suggest(&self, prefix: &str, limit: usize) -> Result<Vec<Completion>, SearchError> {
        let state = self.index.state()?;
        contained(|| suggest::suggest(&state.searcher, &state.fields, prefix, limit))
            .map_err(|source| self.index.damaged(source))
    }

    /// Returns the values of a facet in alphabetical order, with their numbers of agents.
    pub fn values(&self, facet: Facet, range: &ValueRange) -> Result<Values, SearchError> {
        let state = self.index.state()?;
        contained(|| vocabulary::values(&state.searcher, &state.fields, facet, range))
            .map_err(|source| self.index.damaged(source))
    }

    /// Returns by agent the first of another registrable domain whose name looks the same but is
    /// another text.
    pub fn lookalikes(
        &self,
        agents: &[StoredAgent],
    ) -> Result<HashMap<AgentId, AgentId>, SearchError> {
        let state = self.index.state()?;
        let found = || {
            let mut found = HashMap::new();
            for agent in agents {
                if let Some(other) = lookalike::of(agent, &state.searcher, &state.fields)? {
                    found.insert(agent.listing.id.clone(), other);
                }
            }
            Ok(found)
        };
        contained(found).map_err(|source| self.index.damaged(source))
    }

    /// Returns the category of an agent, and at most `limit` agents of other sites that are similar to it.
    pub fn neighbours(&self, id: &AgentId, limit: usize) -> Result<Neighbours, SearchError> {
        let state = self.index.state()?;
        contained(|| state.neighbours(id, limit)).map_err(|source| self.index.damaged(source))
    }

    /// Counts, for each group of values of a facet, the agents that have any of them.
    pub fn count_any(&self, facet: Facet, groups: &[Vec<String>]) -> Result<Vec<u64>, SearchError> {
        let state = self.index.state()?;
        contained(|| vocabulary::count_any(&state.searcher, &state.fields, facet, groups))
            .map_err(|source| self.index.damaged(source))
    }
}

impl State {
    fn open(build: &Path, models: Option<Models>) -> tantivy::Result<Self> {
        let (index, fields) = Fields::open(Files::open(build, Access::Whole)?)?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let searcher = reader.searcher();
        Ok(Self {
            generation: Position::generation(&index)?,
            waiting: waiting(&searcher, &fields)?,
            searcher,
            reader,
            fields: Arc::new(fields),
            encoder: models.and_then(|it| it.encoder).map(CachedEncoder::new),
            models,
            sketches: Sketches::default(),
        })
    }

    fn reloaded(self) -> tantivy::Result<Self> {
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        Ok(Self {
            generation: Position::generation(searcher.index())?,
            waiting: waiting(&searcher, &self.fields)?,
            searcher,
            ..self
        })
    }

    /// Returns what tells this state of the index from every other: the generation, and the number of
    /// agents that wait for a sentence vector.
    fn version(&self) -> (u64, u64) {
        (self.generation, self.waiting)
    }

    fn search(&self, request: &Request) -> tantivy::Result<Results> {
        let query = &request.query;
        let statistics = Statistics::of(&self.searcher, self.fields.text)?;
        let need = self.plan(query, &statistics)?;
        let sort = match request.sort {
            Sort::Relevance if need.is_empty() => Sort::Updated,
            sort => sort,
        };
        if query.is_lost() {
            return Ok(Results {
                generation: self.generation,
                ..Results::none(query.clone())
            });
        }
        // Values of one facet are alternatives, whether they come from the query or the filters.
        let mut filters = query.filters.clone();
        for (facet, values) in &request.filters {
            let values = values.iter().map(|value| facet.canonical(value));
            filters.entry(*facet).or_default().extend(values);
        }
        let is_of_site = filters.contains_key(&Facet::Site);
        let folding = Folding {
            per_site: match request.per_site {
                0 => usize::MAX,
                _ if is_of_site => usize::MAX,
                limit => limit,
            },
            is_folded: !request.unfold && !is_of_site,
        };
        let conditions = Conditions {
            sort,
            facets: &request.facets,
            filters: &filters,
            excluded: &query.excluded_filters,
            least: match sort {
                Sort::Relevance => request.least,
                // What is far from a need has no place in an order by name or time.
                _ if !need.is_empty() => request.least.max(Fit::Weak),
                _ => Fit::None,
            },
        };
        let capabilities = match request.unit {
            Unit::Agent => None,
            Unit::Capability => Some(PageOfCapabilities::of(request, conditions.least)),
        };
        let request = match capabilities {
            None => request,
            Some(_) => &of_best_agents(request),
        };
        let mut collected = self.matches(&need, &statistics, &conditions)?;
        let facets = request
            .facets
            .iter()
            .map(|facet| (*facet, collected.counts(*facet)))
            .collect();
        let levels = || collected.matches.iter().map(|it| it.score.fit());
        let total = levels().filter(|it| *it > Fit::None).count();
        let weaker = collected.matches.len() - total;
        let page = self.page(&need, &collected, sort, folding, request)?;
        let fit = if need.is_empty() && total > 0 {
            Fit::Good
        } else {
            levels().max().unwrap_or_default()
        };
        let terms: Vec<_> = need.words.iter().map(|word| word.label.clone()).collect();
        let capability_id = need.capability_id(&self.fields);
        let mut query = query.clone();
        let is_too_general = page.hits.is_empty() && need.is_too_general;
        if is_too_general {
            query.ignored.extend(terms.iter().cloned());
        }
        Ok(Results {
            is_too_general,
            terms,
            query,
            corrected: need.corrected,
            fit,
            total: total as u64,
            weaker: weaker as u64,
            hits: page.hits,
            facets,
            more_from_site: page.more_from_site,
            is_partial: capabilities.is_some() && page.next.is_some(),
            next: page.next.filter(|_| capabilities.is_none()),
            generation: self.generation,
            need: Need {
                capability_id,
                language: need.language,
                words: need.words,
                meaning: need.meaning.zip(self.models.map(|it| it.table)),
                sentence: need.sentence.zip(self.encoder.clone()),
                scale: collected.scale,
                is_by_relevance: sort == Sort::Relevance,
                capabilities: filters.get(&Facet::Capability).cloned().unwrap_or_default(),
            },
            capabilities,
        })
    }

    /// Understands a query in the light of the index.
    fn plan(&self, query: &Query, statistics: &Statistics) -> tantivy::Result<QueryPlan> {
        let table = self.models.map(|it| it.table);
        let encoder = self.encoder.as_ref();
        QueryPlan::of(
            query,
            &self.searcher,
            &self.fields,
            statistics,
            table,
            encoder,
        )
    }

    /// Builds the hit of a match with this sort value; `None` if the stored id is not valid.
    fn hit(&self, need: &QueryPlan, found: &Match, value: f64) -> tantivy::Result<Option<Hit>> {
        let address = DocAddress::new(found.segment, found.document);
        let (score, fit) = if need.is_empty() {
            (0, Fit::None)
        } else {
            (found.score.percent(), found.score.fit())
        };
        let id = self.fields.agent(&self.searcher, address)?;
        let category = self.fields.category(&self.searcher, address)?;
        Ok(id.map(|id| Hit {
            id,
            score,
            fit,
            category,
            near_duplicates: 0,
            value,
            waiting: self.waiting,
        }))
    }
}

/// Returns the request for the agents whose capabilities are the answer to this one.
fn of_best_agents(request: &Request) -> Request {
    Request {
        limit: capability_ranking::AGENTS,
        nearest: capability_ranking::AGENTS,
        after: None,
        ..request.clone()
    }
}

/// Counts the agents that wait for a sentence vector.
fn waiting(searcher: &tantivy::Searcher, fields: &Fields) -> tantivy::Result<u64> {
    let mut count = 0;
    fields.each_waiting(searcher, |_| {
        count += 1;
        Ok(())
    })?;
    Ok(count)
}

#[cfg(test)]
mod tests;
