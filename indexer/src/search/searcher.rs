//! Answers searches from the index, following every commit and every rebuild.

mod conditions;
mod following;
mod matching;
mod nearest;
mod page;

use super::analyzer::list;
use super::collector::Match;
use super::explain::Explainer;
use super::files::{Files, Reading};
use super::lexical::Statistics;
use super::meaning::Sketches;
use super::need::Need;
use super::query;
use super::schema::{Fields, Told};
use super::semantic::Table;
use super::{Facet, Fit, Hit, Request, Results, Sort, Suggestion, explain, ranking, suggest};
use conditions::Conditions;
use following::{Following, contained};
use manifest::{AgentId, Domain};
use page::Folding;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::schema::Value as _;
use tantivy::{DocAddress, Index, IndexReader, ReloadPolicy, TantivyDocument, TantivyError};

/// Why a search gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// No indexer has finished an index here yet.
    #[error("no index at '{path}' yet: run `indexer` first")]
    NotBuilt {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds something else.
    #[error("'{path}' is not an index: give --index the folder that the indexer writes")]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// Another version of the program wrote the index.
    #[error(
        "the index at '{path}' has version {found} and this program reads version {wanted}: run this version's `indexer`, which rebuilds it"
    )]
    OtherVersion {
        /// The folder.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        wanted: u32,
    },
    /// The folder cannot be read.
    #[error("cannot read the index at '{path}'")]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The index is damaged, or its disk fails.
    #[error("the index at '{path}' cannot be searched; `indexer rebuild` makes it anew")]
    Damaged {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: TantivyError,
    },
}

/// Answers searches; cheap to clone, and shared by threads.
///
/// The folder need not hold an index yet: each search looks, and answers [`SearchError::NotBuilt`] until one is there.
#[derive(Clone, Debug)]
pub struct Searcher {
    index: Arc<Following>,
}

/// The build that is open.
#[derive(Clone)]
struct State {
    generation: u64,
    reader: IndexReader,
    /// Of that commit, whatever the reader goes on to.
    searcher: tantivy::Searcher,
    fields: Arc<Fields>,
    /// Where the meaning of needs comes from; none when the index has no vectors or those of another table.
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
    /// The index in a folder, whatever is there now: each search says what is wrong until somebody mends it.
    ///
    /// Without a table it is searched by words alone.
    pub fn at(dir: &Path, table: Option<&'static Table>) -> Self {
        Self {
            index: Arc::new(Following::new(dir, table)),
        }
    }

    /// Opens the index in a folder, which an indexer may build later; what else is wrong with it is an error.
    pub fn open(dir: &Path, table: Option<&'static Table>) -> Result<Self, SearchError> {
        let searcher = Self::at(dir, table);
        match searcher.index.state() {
            Ok(_) | Err(SearchError::NotBuilt { .. }) => Ok(searcher),
            Err(error) => Err(error),
        }
    }

    /// The generation of the index: the newest change of the store that it holds.
    pub fn generation(&self) -> Result<u64, SearchError> {
        Ok(self.index.state()?.generation)
    }

    /// Answers a search.
    pub fn search(&self, request: &Request) -> Result<Results, SearchError> {
        let state = self.index.state()?;
        contained(|| state.search(request)).map_err(|source| self.index.damaged(source))
    }

    /// Names, capabilities, tags and sites that begin like this, those of most agents first.
    ///
    /// At most twenty, and nothing for an empty text.
    pub fn suggest(&self, prefix: &str, limit: usize) -> Result<Vec<Suggestion>, SearchError> {
        let state = self.index.state()?;
        contained(|| suggest::suggest(&state.searcher, &state.fields, prefix, limit))
            .map_err(|source| self.index.damaged(source))
    }
}

/// Opens the files of a build, with our reader of terms.
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
        let need = Need::of(&query, searcher, &self.fields, &statistics, self.table)?;
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
        // Of two values of one facet either will do, wherever they are said.
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

    /// The hit of a match; nothing when its document is not of our making.
    fn hit(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
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
        let told = Told::parse(text(self.fields.told).unwrap_or_default());
        let mut because = explainer.reasons(&told, domain.as_str());
        if because.is_empty()
            && let (Some(table), Some(meaning)) = (self.table, &need.meaning)
        {
            because.extend(explain::by_meaning(&told, meaning, table));
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
            alike: 0,
            because,
        }))
    }
}

/// The newest change that a commit holds.
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
