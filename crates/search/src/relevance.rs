//! Search quality: runs the queries of a labelled collection through the real search and scores the
//! results.
//!
//! [`Collection`] contains queries and relevance judgements, [`answers`] runs a [`Searcher`], and
//! [`Report`] scores the rankings: NDCG@10, MRR@10 and recall by type of query, how often
//! first hits are right by their score, and the match levels of queries without a relevant
//! document. Scoring is pure; its only random generator has a
//! fixed seed, so that results are reproducible.

pub mod collection;
pub mod holdout;
pub mod indexed_share;
pub mod measure;
pub mod report;

pub use collection::{Collection, CollectionError, Query};
pub use indexed_share::IndexedShare;
pub use measure::Measures;
pub use report::Report;

use self::collection::Names;
use crate::{Fit, Request, SearchError, Searcher, query};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Hits retrieved per query; the deepest measure needs fifty.
const DEPTH: usize = 100;

/// Search results of one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Match level of the best hit.
    pub fit: Fit,
    /// Score of the best hit, in percent; zero without a hit.
    pub score: u8,
    /// Document ids of the collection, best first, without duplicates.
    pub found: Vec<String>,
}

/// Runs every query of a collection, in order.
pub fn answers(searcher: &Searcher, collection: &Collection) -> Result<Vec<Answer>, SearchError> {
    let names = Names::of(collection);
    let queries = collection.queries.iter();
    queries
        .map(|query| answer(searcher, &names, &query.text))
        .collect()
}

/// Runs one query, without a limit on the hits per site.
fn answer(searcher: &Searcher, names: &Names<'_>, text: &str) -> Result<Answer, SearchError> {
    let results = searcher.search(&Request::new(query::parse(text), DEPTH))?;
    let mut seen = BTreeSet::new();
    let found = results.hits.iter().map(|hit| names.name(&hit.id));
    Ok(Answer {
        fit: results.fit,
        score: results.hits.first().map_or(0, |hit| hit.score),
        // If the documents are sites, a site has the rank of its best agent.
        found: found.filter(|name| seen.insert(name.clone())).collect(),
    })
}

/// Formats the results for other evaluation tools: query, document, rank from 1 and score,
/// separated by tabs.
///
/// The score is the reciprocal of the rank: some tools sort by it, and the rounded score of a hit
/// has ties.
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
