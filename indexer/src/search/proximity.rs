//! Proximity: score for adjacent word pairs of the query in the text of a few agents.

use super::query_plan::Step;
use super::statistics::Statistics;
use std::collections::BTreeSet;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, Term};

/// Weight of an adjacent pair, multiplied by its rarity.
const PAIR: f32 = 0.5;

/// Returns the proximity scores to add to BM25 for agents of one segment, which are sorted.
pub(crate) fn bonuses(
    steps: &[Step],
    agents: &[DocId],
    segment: &SegmentReader,
    field: Field,
    statistics: &Statistics,
) -> tantivy::Result<Vec<f32>> {
    let mut bonuses = vec![0.0; agents.len()];
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); agents.len()];
    let mut seen = BTreeSet::new();
    let index = segment.inverted_index(field)?;
    let mut last: Option<&Step> = None;
    for step in steps {
        let term = Term::from_field_text(field, &step.term);
        let mut postings = index
            .read_postings(&term, IndexRecordOption::WithFreqsAndPositions)?
            .unwrap_or_else(SegmentPostings::empty);
        let pair = last
            .filter(|last| step.follows && seen.insert((&last.term, &step.term)))
            .map(|last| statistics.idf_of_pair(last.idf, step.idf));
        for ((&agent, bonus), before) in agents.iter().zip(&mut bonuses).zip(&mut before) {
            if postings.doc() < agent {
                postings.seek(agent);
            }
            if postings.doc() != agent {
                before.clear();
                continue;
            }
            let mut here = Vec::new();
            postings.positions(&mut here);
            if let Some(idf) = pair
                && before
                    .iter()
                    .any(|at| here.binary_search(&(at + 1)).is_ok())
            {
                *bonus += PAIR * idf;
            }
            *before = here;
        }
        last = Some(step);
    }
    Ok(bonuses)
}
