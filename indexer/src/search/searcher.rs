//! Answers searches from the index, following every commit and every rebuild.

use super::analyzer::Term;
use super::collector::{Collected, Match, Matches};
use super::folder::{self, Found};
use super::need::{EXACT, Need};
use super::query;
use super::schema::{Fields, Told};
use super::{Cursor, Facet, Fit, Hit, Request, Results, Sort, analyzer, explain, profile};
use manifest::{AgentId, Domain};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::collector::TopDocs;
use tantivy::schema::Value as _;
use tantivy::{DocAddress, Index, IndexReader, ReloadPolicy, TantivyDocument};

/// Most hits of one page.
const MAX_LIMIT: usize = 1_000;
/// Names offered when nothing fits.
const MAX_NEAREST: usize = 5;
/// Agents whose capabilities are looked through for them.
const NEAREST_AGENTS: usize = 50;

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
    /// Opens the index in a folder, which an indexer may build later.
    pub fn open(dir: &Path) -> Result<Self, SearchError> {
        let searcher = Self {
            root: Arc::new(dir.to_owned()),
            state: Arc::new(Mutex::new(None)),
        };
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
            _ => State::open(build, meta),
        }
        .map_err(|source| self.damaged(source))
    }
}

/// Opens a build for reading or writing, with our analyzer.
pub(crate) fn open_build(build: &Path) -> tantivy::Result<Index> {
    let index = Index::open_in_dir(build)?;
    index
        .tokenizers()
        .register(analyzer::NAME, analyzer::analyzer());
    Ok(index)
}

/// A match in line for the page. The queue gives the best first; a match that is not settled stands where its
/// upper bound is, and is settled only when it comes to the front.
#[derive(Debug)]
struct Candidate {
    value: f64,
    /// The folded name, when that decides.
    name: String,
    is_settled: bool,
    found: Match,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then_with(|| other.is_settled.cmp(&self.is_settled))
            .then_with(|| other.name.cmp(&self.name))
            .then_with(|| other.found.tie.cmp(&self.found.tie))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// The page and what is known once it is made.
#[derive(Debug, Default)]
struct Page {
    /// Relevance of the best match of all, when that is the order.
    best: Option<f64>,
    hits: Vec<Hit>,
    next: Option<Cursor>,
    more_from_site: BTreeMap<String, u64>,
}

impl State {
    fn open(build: PathBuf, meta: Vec<u8>) -> tantivy::Result<Self> {
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
        let need = Need::of(&query, &searcher, &self.fields)?;
        let sort = match request.sort {
            Sort::Relevance if need.is_empty() => Sort::Updated,
            sort => sort,
        };
        let mut filters: Vec<_> = query.filters.clone().into_iter().collect();
        for (facet, values) in &request.filters {
            let values = values.iter().map(|value| facet.canonical(value));
            filters.push((*facet, values.collect()));
        }
        let per_site = match request.per_site {
            0 => usize::MAX,
            _ if filters.iter().any(|(facet, _)| *facet == Facet::Site) => usize::MAX,
            limit => limit,
        };
        let (counted, plain): (Vec<_>, Vec<_>) = filters
            .into_iter()
            .partition(|(facet, _)| request.facets.contains(facet));
        let excluded: Vec<_> = query.excluded_filters.clone().into_iter().collect();
        let mut collected = searcher.search(
            &*need.to_tantivy(&self.fields, &plain, &excluded),
            &Matches {
                threshold: need.threshold() - f32::EPSILON * 16.0,
                sort,
                facets: &request.facets,
                filters: &counted,
                fields: &self.fields,
            },
        )?;
        let facets = request
            .facets
            .iter()
            .map(|facet| (*facet, collected.counts(*facet)))
            .collect();
        let total = collected.matches.len();
        let page = self.page(&searcher, &need, &collected, sort, per_site, request)?;
        let fit = match page.best {
            _ if total == 0 => Fit::None,
            Some(relevance) => fit(relevance),
            None => page.hits.iter().map(|hit| hit.fit).fold(Fit::None, better),
        };
        let nearest_capabilities = match fit {
            Fit::None => self.nearest_capabilities(&searcher, &need)?,
            Fit::Strong | Fit::Good | Fit::Weak => Vec::new(),
        };
        Ok(Results {
            terms: need.words.iter().map(|word| word.label.clone()).collect(),
            ignored: query.ignored,
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

    /// Walks from the best match down to the end of the page.
    fn page(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        collected: &Collected,
        sort: Sort,
        per_site: usize,
        request: &Request,
    ) -> tantivy::Result<Page> {
        let limit = request.limit.min(MAX_LIMIT);
        let mut queue = queue(need, collected, sort);
        let start = match &request.after {
            Some(cursor) => Some(self.start(searcher, cursor, sort)?),
            None => None,
        };
        let mut has_begun = start.is_none();
        let mut shown: HashMap<u64, usize> = HashMap::new();
        let mut sites: BTreeMap<String, u64> = BTreeMap::new();
        let mut page = Page::default();
        let mut last = None;
        while let Some(candidate) = queue.pop() {
            if !candidate.is_settled {
                queue.push(self.settled(searcher, need, sort, candidate.found)?);
                continue;
            }
            if sort == Sort::Relevance {
                page.best.get_or_insert(candidate.value);
            }
            let is_start = start
                .as_ref()
                .is_some_and(|start| start.found.tie == candidate.found.tie);
            has_begun = has_begun || start.as_ref().is_some_and(|start| candidate < *start);
            let of_site = shown.entry(candidate.found.group).or_default();
            if *of_site >= per_site {
                continue;
            }
            if has_begun && !is_start && page.hits.len() == limit {
                page.next = last;
                break;
            }
            *of_site += 1;
            if !has_begun || is_start {
                has_begun = has_begun || is_start;
                continue;
            }
            let Some(hit) = self.hit(searcher, need, &candidate.found)? else {
                continue;
            };
            if let Some(site) = registrable(&hit.id) {
                sites.insert(site, candidate.found.group);
            }
            last = Some(Cursor {
                value: candidate.value,
                id: hit.id.clone(),
            });
            page.hits.push(hit);
        }
        let mut groups: HashMap<u64, u64> = sites.values().map(|group| (*group, 0)).collect();
        for found in &collected.matches {
            if let Some(count) = groups.get_mut(&found.group) {
                *count += 1;
            }
        }
        for (site, group) in sites {
            let more = groups[&group].saturating_sub(per_site as u64);
            if more > 0 {
                page.more_from_site.insert(site, more);
            }
        }
        Ok(page)
    }

    /// Where the page before ended, as a place in the queue.
    fn start(
        &self,
        searcher: &tantivy::Searcher,
        cursor: &Cursor,
        sort: Sort,
    ) -> tantivy::Result<Candidate> {
        let mut name = String::new();
        if sort == Sort::Name {
            let term = tantivy::Term::from_field_text(self.fields.id, cursor.id.as_str());
            let query =
                tantivy::query::TermQuery::new(term, tantivy::schema::IndexRecordOption::Basic);
            let found = searcher.search(&query, &TopDocs::with_limit(1).order_by_score())?;
            if let Some((_, address)) = found.first() {
                name = self.name(searcher, address.segment_ord, address.doc_id)?;
            }
        }
        Ok(Candidate {
            value: cursor.value,
            name,
            is_settled: true,
            found: Match {
                segment: 0,
                document: 0,
                score: 0.0,
                key: 0.0,
                tie: profile::stable_hash(cursor.id.as_str()),
                group: 0,
            },
        })
    }

    /// A match at its exact place.
    fn settled(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        sort: Sort,
        found: Match,
    ) -> tantivy::Result<Candidate> {
        let (value, name) = match sort {
            Sort::Relevance => (self.relevance(searcher, need, &found)?, String::new()),
            Sort::Name => (
                found.key,
                self.name(searcher, found.segment, found.document)?,
            ),
            Sort::Updated | Sort::FirstSeen => (found.key, String::new()),
        };
        Ok(Candidate {
            value,
            name,
            is_settled: true,
            found,
        })
    }

    /// From 0 to 1; from 2 to 3 for an exact name.
    fn relevance(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        found: &Match,
    ) -> tantivy::Result<f64> {
        let segment = searcher.segment_reader(found.segment);
        let column = segment
            .fast_fields()
            .u64(searcher.schema().get_field_name(self.fields.profile))?;
        let score = profile::score(column.values_for_doc(found.document), &need.words);
        let exact = if found.score >= EXACT { 2.0 } else { 0.0 };
        Ok(f64::from(score) + exact)
    }

    fn name(
        &self,
        searcher: &tantivy::Searcher,
        segment: u32,
        document: u32,
    ) -> tantivy::Result<String> {
        let field = searcher.schema().get_field_name(self.fields.name);
        let mut name = String::new();
        if let Some(column) = searcher.segment_reader(segment).fast_fields().str(field)?
            && let Some(ordinal) = column.ords().first(document)
        {
            column.ord_to_str(ordinal, &mut name)?;
        }
        Ok(name)
    }

    /// The hit of a match; nothing when its document is not of our making.
    fn hit(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
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
        let relevance = self.relevance(searcher, need, found)?;
        Ok(Some(Hit {
            id: AgentId::new(&domain, slug),
            score: percent(relevance),
            fit: if need.is_empty() {
                Fit::Good
            } else {
                fit(relevance)
            },
            because: explain::reasons(&told, domain.as_str(), &need.words),
        }))
    }

    /// Capabilities that share a word with the query, or nearly so.
    fn nearest_capabilities(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
    ) -> tantivy::Result<Vec<String>> {
        let mut queries = vec![(tantivy::query::Occur::Should, need.any_word(&self.fields))];
        for word in need.words.iter().filter(|it| it.label.len() >= 4) {
            for term in &word.terms {
                let term = tantivy::Term::from_field_text(self.fields.text, term);
                let query = tantivy::query::FuzzyTermQuery::new(term, 1, true);
                queries.push((tantivy::query::Occur::Should, Box::new(query)));
            }
        }
        let query = tantivy::query::BooleanQuery::new(queries);
        let collector = TopDocs::with_limit(NEAREST_AGENTS).order_by_score();
        let mut nearest: HashMap<String, f32> = HashMap::new();
        for (_, address) in searcher.search(&query, &collector)? {
            let document: TantivyDocument = searcher.doc(address)?;
            let told = document
                .get_first(self.fields.told)
                .and_then(|value| value.as_str())
                .map(Told::parse)
                .unwrap_or_default();
            for capability in told.capabilities {
                let name = analyzer::terms(&capability.name);
                let description = analyzer::terms(&capability.description);
                let nearness: f32 = need
                    .words
                    .iter()
                    .map(|word| word.weight * nearness(&name, &description, &word.terms))
                    .sum();
                if nearness > 0.0 {
                    let best = nearest.entry(capability.name).or_default();
                    *best = best.max(nearness);
                }
            }
        }
        let mut nearest: Vec<_> = nearest.into_iter().collect();
        nearest.sort_by(|left, right| {
            right
                .1
                .total_cmp(&left.1)
                .then_with(|| left.0.cmp(&right.0))
        });
        nearest.truncate(MAX_NEAREST);
        Ok(nearest.into_iter().map(|(name, _)| name).collect())
    }
}

/// Every match in line at its upper bound: a score never exceeds the share of the words that were found.
fn queue(need: &Need, collected: &Collected, sort: Sort) -> BinaryHeap<Candidate> {
    let total = need.total().max(f32::MIN_POSITIVE);
    collected
        .matches
        .iter()
        .map(|found| Candidate {
            value: match sort {
                Sort::Relevance if found.score >= EXACT => 3.0,
                Sort::Relevance => f64::from(found.score / total) + 1e-3,
                Sort::Updated | Sort::FirstSeen | Sort::Name => found.key,
            },
            name: String::new(),
            is_settled: matches!(sort, Sort::Updated | Sort::FirstSeen),
            found: *found,
        })
        .collect()
}

/// How near a capability's name and description come to a word: the word itself, or one slip away.
fn nearness(name: &[Term], description: &[Term], wanted: &[String]) -> f32 {
    let has = |terms: &[Term]| terms.iter().any(|term| wanted.contains(&term.text));
    let is_near = || {
        let mut long = wanted.iter().filter(|wanted| wanted.len() >= 4);
        long.any(|wanted| name.iter().any(|term| is_one_slip(wanted, &term.text)))
    };
    if has(name) {
        1.0
    } else if is_near() {
        0.7
    } else if has(description) {
        0.5
    } else {
        0.0
    }
}

/// True when one character was added, dropped, changed or swapped with its neighbour.
fn is_one_slip(left: &str, right: &str) -> bool {
    let (mut left, mut right): (Vec<_>, Vec<_>) = (left.chars().collect(), right.chars().collect());
    if left.len() > right.len() {
        std::mem::swap(&mut left, &mut right);
    }
    let same = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    match right.len() - left.len() {
        0 => {
            left[same..].iter().skip(1).eq(right[same..].iter().skip(1))
                || (left.len() >= same + 2
                    && left[same] == right[same + 1]
                    && left[same + 1] == right[same]
                    && left[same + 2..] == right[same + 2..])
        }
        1 => left[same..] == right[same + 1..],
        _ => false,
    }
}

/// The newest change that a commit holds.
fn generation(index: &Index) -> tantivy::Result<u64> {
    let payload = index.load_metas()?.payload;
    Ok(super::writer::Position::parse(payload.as_deref()).map_or(0, |position| position.seq))
}

fn fit(relevance: f64) -> Fit {
    match relevance {
        0.62.. => Fit::Strong,
        0.42.. => Fit::Good,
        _ => Fit::Weak,
    }
}

fn better(left: Fit, right: Fit) -> Fit {
    let rank = |fit| match fit {
        Fit::Strong => 3,
        Fit::Good => 2,
        Fit::Weak => 1,
        Fit::None => 0,
    };
    if rank(right) > rank(left) {
        right
    } else {
        left
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=100 before"
)]
fn percent(relevance: f64) -> u8 {
    (relevance * 100.0).round().clamp(0.0, 100.0) as u8
}

fn registrable(id: &AgentId) -> Option<String> {
    let domain = Domain::parse(id.parts().0).ok()?;
    Some(domain.registrable().to_owned())
}

#[cfg(test)]
mod tests;
