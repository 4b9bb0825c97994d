//! Search of the index. Each search uses the latest commit of the current build.

mod conditions;
mod following;
mod nearest;
mod page;
mod retrieval;

use super::analyzer::list;
use super::bm25::Statistics;
use super::collector::Match;
use super::embedding::Table;
use super::explain::Explainer;
use super::files::{Files, Reading};
use super::query;
use super::query_plan::QueryPlan;
use super::schema::{Fields, SnippetSource};
use super::vector_search::Sketches;
use super::{Facet, Fit, Hit, Request, Results, Sort, Suggestion, explain, ranking, suggest};
use conditions::Conditions;
use following::{IndexFollower, contained};
use manifest::{AgentId, Domain};
use page::Folding;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::schema::Value as _;
use tantivy::{DocAddress, Index, IndexReader, ReloadPolicy, TantivyDocument, TantivyError};

/// Error of a search.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// No index has been completed in the directory yet.
    #[error("no index at '{path}' yet: run `indexer` first")]
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
    /// Embedding table for needs; none if the index has no vectors or those of another table.
    table: Option<&'static Table>,
    sketches: Sketches,
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
    /// Without a table, searches compare words only.
    pub fn at(dir: &Path, table: Option<&'static Table>) -> Self {
        Self {
            index: Arc::new(IndexFollower::new(dir, table)),
        }
    }

    /// Opens the index in a directory. An index that is not built yet is no error; any other fault
    /// is.
    pub fn open(dir: &Path, table: Option<&'static Table>) -> Result<Self, SearchError> {
        let searcher = Self::at(dir, table);
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

    /// Answers a search.
    pub fn search(&self, request: &Request) -> Result<Results, SearchError> {
        let state = self.index.state()?;
        contained(|| state.search(request)).map_err(|source| self.index.damaged(source))
    }

    /// Returns names, capabilities, tags and sites that begin with a prefix, the most frequent
    /// first.
    ///
    /// Returns at most twenty, and none for an empty text.
    pub fn suggest(&self, prefix: &str, limit: usize) -> Result<Vec<Suggestion>, SearchError> {
        let state = self.index.state()?;
        contained(|| suggest::suggest(&state.searcher, &state.fields, prefix, limit))
            .map_err(|source| self.index.damaged(source))
    }
}

/// Opens the files of a build, with the term tokenizers registered.
pub(crate) fn open_build(files: Files) -> tantivy::Result<Index> {
    let index = Index::open(files)?;
    index
        .tokenizers()
        .register(list::NAME, list::ListReader::default());
    Ok(index)
}

impl State {
    fn open(build: &Path, table: Option<&'static Table>) -> tantivy::Result<Self> {
        let index = open_build(Files::open(build, Reading::Whole)?)?;
        let (schema, fields) = Fields::define();
        if index.schema() != schema {
            let reason = "the index has other fields";
            return Err(TantivyError::SchemaError(reason.to_owned()));
        }
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Self {
            generation: generation(&index)?,
            searcher: reader.searcher(),
            reader,
            fields: Arc::new(fields),
            table,
            sketches: Sketches::default(),
        })
    }

    fn reloaded(self) -> tantivy::Result<Self> {
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        Ok(Self {
            generation: generation(searcher.index())?,
            searcher,
            ..self
        })
    }

    fn search(&self, request: &Request) -> tantivy::Result<Results> {
        let searcher = &self.searcher;
        let query = query::parse(&request.text);
        let statistics = Statistics::of(searcher, self.fields.text)?;
        let need = QueryPlan::of(&query, searcher, &self.fields, &statistics, self.table)?;
        let sort = match request.sort {
            Sort::Relevance if need.is_empty() => Sort::Updated,
            sort => sort,
        };
        if query.is_lost() {
            return Ok(Results {
                ignored: query.ignored,
                generation: self.generation,
                ..Results::default()
            });
        }
        // Values of one facet are alternatives, whether they come from the query or the filters.
        let mut filters = query.filters.clone();
        for (facet, values) in &request.filters {
            let values = values.iter().map(|value| facet.canonical(value));
            filters.entry(*facet).or_default().extend(values);
        }
        let filters: Vec<_> = filters.into_iter().collect();
        let per_site = match request.per_site {
            0 => usize::MAX,
            _ if filters.iter().any(|(facet, _)| *facet == Facet::Site) => usize::MAX,
            limit => limit,
        };
        let is_folded = !request.unfold && !filters.iter().any(|(facet, _)| *facet == Facet::Site);
        let excluded: Vec<_> = query.excluded_filters.clone().into_iter().collect();
        let conditions = Conditions {
            sort,
            facets: &request.facets,
            filters: &filters,
            excluded: &excluded,
        };
        let mut collected = self.matches(searcher, &need, &statistics, &conditions)?;
        let facets = request
            .facets
            .iter()
            .map(|facet| (*facet, collected.counts(*facet)))
            .collect();
        let total = collected.matches.len();
        let folding = Folding {
            per_site,
            is_folded,
        };
        let page = self.page(searcher, &need, &collected, sort, folding, request)?;
        let fit = if need.is_empty() && total > 0 {
            Fit::Good
        } else {
            ranking::best_fit(collected.matches.iter().map(|it| &it.evidence))
        };
        let nearest_capabilities = match fit {
            Fit::None => self.nearest_capabilities(searcher, &need)?,
            Fit::Strong | Fit::Good | Fit::Weak => Vec::new(),
        };
        Ok(Results {
            terms: need.words.iter().map(|word| word.label.clone()).collect(),
            ignored: query.ignored,
            corrected: need.corrected,
            fit,
            total: total as u64,
            hits: page.hits,
            facets,
            more_from_site: page.more_from_site,
            nearest_capabilities,
            next: page.next,
            generation: self.generation,
        })
    }

    /// Builds the hit of a match; `None` if the stored id is not valid.
    fn hit(
        &self,
        searcher: &tantivy::Searcher,
        need: &QueryPlan,
        explainer: &mut Explainer<'_>,
        found: &Match,
    ) -> tantivy::Result<Option<Hit>> {
        let document: TantivyDocument =
            searcher.doc(DocAddress::new(found.segment, found.document))?;
        let text = |field| document.get_first(field).and_then(|value| value.as_str());
        let Some((domain, slug)) = text(self.fields.id).and_then(|id| id.split_once('/')) else {
            return Ok(None);
        };
        let Ok(domain) = Domain::parse(domain) else {
            return Ok(None);
        };
        let source = SnippetSource::parse(text(self.fields.snippet_source).unwrap_or_default());
        let mut because = explainer.reasons(&source, domain.as_str());
        if because.is_empty()
            && let (Some(table), Some(meaning)) = (self.table, &need.meaning)
        {
            because.extend(explain::by_meaning(&source, meaning, table));
        }
        let (score, fit) = if need.is_empty() {
            (0, Fit::None)
        } else {
            (percent(found.evidence.strength()), found.evidence.fit())
        };
        Ok(Some(Hit {
            id: AgentId::new(&domain, slug),
            score,
            fit,
            near_duplicates: 0,
            because,
        }))
    }
}

/// Returns the sequence number of the newest change that the last commit contains.
fn generation(index: &Index) -> tantivy::Result<u64> {
    let payload = index.load_metas()?.payload;
    Ok(super::writer::Position::parse(payload.as_deref()).map_or(0, |position| position.seq))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=100 before"
)]
fn percent(relevance: f64) -> u8 {
    (relevance * 100.0).floor().clamp(0.0, 100.0) as u8
}

#[cfg(test)]
mod tests;
