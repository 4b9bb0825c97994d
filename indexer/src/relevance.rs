//! How good the search is, as numbers: a labelled collection's queries run through the real search.
//!
//! [`Collection`] holds needs and who meets them, [`answers`] asks a [`Searcher`], and [`Report`] says how well the
//! answers fit: NDCG@10, MRR@10 and Recall by type of query, and how needs that nobody meets were answered.
//! Scoring is pure; its only randomness is a generator with a fixed seed, so that a run can be repeated.

pub mod collection;
pub mod held;
pub mod measure;
pub mod report;
pub mod withheld;

pub use collection::{Collection, CollectionError, Query};
pub use held::Held;
pub use measure::Measures;
pub use report::Report;

use self::collection::Names;
use crate::search::{Fit, Request, SearchError, Searcher, Sort};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Hits that a query is judged by; the deepest measure looks at fifty.
const DEPTH: usize = 100;

/// What the search found for one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How well it says that the best hit fits.
    pub fit: Fit,
    /// Ids as the collection names them, best first, none of them twice.
    pub found: Vec<String>,
}

/// Asks the search every query of a collection, in order.
pub fn answers(searcher: &Searcher, collection: &Collection) -> Result<Vec<Answer>, SearchError> {
    let names = Names::of(collection);
    let queries = collection.queries.iter();
    queries
        .map(|query| answer(searcher, &names, &query.text))
        .collect()
}

/// Asks the search one query, without a limit on the hits of one site.
fn answer(searcher: &Searcher, names: &Names<'_>, text: &str) -> Result<Answer, SearchError> {
    let results = searcher.search(&Request {
        text: text.to_owned(),
        filters: BTreeMap::new(),
        sort: Sort::Relevance,
        per_site: 0,
        unfold: true,
        limit: DEPTH,
        after: None,
        facets: Vec::new(),
    })?;
    let mut seen = BTreeSet::new();
    let found = results.hits.iter().map(|hit| names.name(&hit.id));
    Ok(Answer {
        fit: results.fit,
        // Several agents of a site that counts as one stand where the best of them stands.
        found: found.filter(|name| seen.insert(name.clone())).collect(),
    })
}

/// The answers as other scorers read them: query, document, rank from 1 and score, separated by tabs.
///
/// The score is the reciprocal of the rank: some scorers sort by it, and that of a hit is rounded, so it ties.
pub fn run_file(collection: &Collection, answers: &[Answer]) -> String {
    let mut lines = String::new();
    for (query, answer) in collection.queries.iter().zip(answers) {
        for (rank, name) in (1_u32..).zip(&answer.found) {
            let _ = writeln!(
                lines,
                "{}\t{name}\t{rank}\t{:.6}",
                query.id,
                1.0 / f64::from(rank)
            );
        }
    }
    lines
}
