//! Answers searches from the index, following every commit and every rebuild.

mod conditions;
mod matching;
mod nearest;
mod page;

use super::analyzer::list;
use super::collector::Match;
use super::explain::Explainer;
use super::folder::{self, Found};
use super::lexical::Statistics;
use super::meaning::Sketches;
use super::need::Need;
use super::query;
use super::schema::{Fields, Told};
use super::semantic::Table;
use super::{Facet, Fit, Hit, Request, Results, Sort, Suggestion, explain, ranking, suggest};
use conditions::Conditions;
use manifest::{AgentId, Domain};
use page::Folding;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::schema::Value as _;
use tantivy::{DocAddress, Index, IndexReader, ReloadPolicy, TantivyDocument};

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
        source: tantivy::TantivyError,
    },
}

/// Answers searches; cheap to clone, and shared by threads.
///
/// The folder need not hold an index yet: each search looks, and answers [`SearchError::NotBuilt`] until one is there.
#[derive(Clone, Debug)]
pub struct Searcher {
    root: Arc<PathBuf>,
    table: Option<&'static Table>,
    state: Arc<Mutex<Option<State>>>,
}

/// The build that is open.
#[derive(Clone)]
struct State {
    build: PathBuf,
    /// Tantivy's own list of segments, as of the last reload.
    meta: Vec<u8>,
    generation: u64,
    reader: IndexReader,
    fields: Arc<Fields>,
    /// Where the meaning of needs comes from; none when the index has no vectors or those of another table.
    table: Option<&'static Table>,
    sketches: Sketches,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("State")
            .field("build", &self.build)
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
            root: Arc::new(dir.to_owned()),
            table,
            state: Arc::new(Mutex::new(None)),
        }
    }

    /// Opens the index in a folder, which an indexer may build later; what else is wrong with it is an error.
    pub fn open(dir: &Path, table: Option<&'static Table>) -> Result<Self, SearchError> {
        let searcher = Self::at(dir, table);
        match searcher.state() {
            Ok(_) | Err(SearchError::NotBuilt { .. }) => Ok(searcher),
            Err(error) => Err(error),
        }
    }

    /// The generation of the index: the newest change of the store that it holds.
    pub fn generation(&self) -> Result<u64, SearchError> {
        Ok(self.state()?.generation)
    }

    /// Answers a search.
    pub fn search(&self, request: &Request) -> Result<Results, SearchError> {
        let state = self.state()?;
        state.search(request).map_err(|source| self.damaged(source))
    }

    /// Names, capabilities, tags and sites that begin like this, those of most agents first.
    ///
    /// At most twenty, and nothing for an empty text.
    pub fn suggest(&self, prefix: &str, limit: usize) -> Result<Vec<Suggestion>, SearchError> {
        let state = self.state()?;
        suggest::suggest(&state.reader.searcher(), &state.fields, prefix, limit)
            .map_err(|source| self.damaged(source))
    }

    fn damaged(&self, source: tantivy::TantivyError) -> SearchError {
        SearchError::Damaged {
            path: self.root.to_path_buf(),
            source,
        }
    }

    /// The newest state of the index. Costs two small reads when nothing changed.
    fn state(&self) -> Result<State, SearchError> {
        let mut guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.refreshed(guard.take()) {
                Ok(state) => {
                    *guard = Some(state.clone());
                    return Ok(state);
                }
                // The build may have been replaced between the look at the marker and the opening.
                Err(SearchError::Damaged { .. } | SearchError::Unreadable { .. })
                    if attempts < 3 => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn refreshed(&self, state: Option<State>) -> Result<State, SearchError> {
        let path = || self.root.to_path_buf();
        let unreadable = |source| SearchError::Unreadable {
            path: path(),
            source,
        };
        let marker = match folder::inspect(&self.root).map_err(unreadable)? {
            Found::Ours(marker) => marker,
            Found::Nothing | Found::Broken => return Err(SearchError::NotBuilt { path: path() }),
            Found::Foreign => return Err(SearchError::Foreign { path: path() }),
        };
        if marker.version != Fields::VERSION {
            return Err(SearchError::OtherVersion {
                path: path(),
                found: marker.version,
                wanted: Fields::VERSION,
            });
        }
        let build = marker.path(&self.root);
        let meta = std::fs::read(build.join("meta.json")).map_err(unreadable)?;
        match state {
            Some(state) if state.build == build && state.meta == meta => Ok(state),
            Some(state) if state.build == build => state.reloaded(meta),
            _ => {
                let is_same = |table: &&Table| marker.table == Some(table.name());
                State::open(build, meta, self.table.filter(is_same))
            }
        }
        .map_err(|source| self.damaged(source))
    }
}

/// Opens a build for reading or writing, with our reader of terms.
pub(crate) fn open_build(build: &Path) -> tantivy::Result<Index> {
    let index = Index::open_in_dir(build)?;
    index
        .tokenizers()
        .register(list::NAME, list::ListReader::default());
    Ok(index)
}

impl State {
    fn open(build: PathBuf, meta: Vec<u8>, table: Option<&'static Table>) -> tantivy::Result<Self> {
        let index = open_build(&build)?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let (_, fields) = Fields::define();
        Ok(Self {
            build,
            generation: generation(&index)?,
            meta,
            reader,
            fields: Arc::new(fields),
            table,
            sketches: Sketches::default(),
        })
    }

    fn reloaded(self, meta: Vec<u8>) -> tantivy::Result<Self> {
        self.reader.reload()?;
        Ok(Self {
            generation: generation(self.reader.searcher().index())?,
            meta,
            ..self
        })
    }

    fn search(&self, request: &Request) -> tantivy::Result<Results> {
        let searcher = self.reader.searcher();
        let query = query::parse(&request.text);
        let statistics = Statistics::of(&searcher, self.fields.text)?;
        let need = Need::of(&query, &searcher, &self.fields, &statistics, self.table)?;
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
        let mut collected = self.matches(&searcher, &need, &statistics, &conditions)?;
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
        let page = self.page(&searcher, &need, &collected, sort, folding, request)?;
        let fit = if need.is_empty() && total > 0 {
            Fit::Good
        } else {
            ranking::best_fit(collected.matches.iter().map(|it| &it.evidence))
        };
        let nearest_capabilities = match fit {
            Fit::None => self.nearest_capabilities(&searcher, &need)?,
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
