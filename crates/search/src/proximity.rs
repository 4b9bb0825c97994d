//! Proximity: score for adjacent word pairs of the query in the text of a few agents.

use super::query_plan::Step;
use super::statistics::Statistics;
use std::collections::BTreeSet;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, Term};

/// Weight of an adjacent pair, multiplied by its rarity.
const PAIR: f32 = 0.5;
/// Adjacent words of the query in the text of an agent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Adjacency {
    /// Score to add to BM25.
    pub(crate) bonus: f32,
    /// Part of the words that are no chance, by the length of the text: 1 unless it is long.
    pub(crate) focus: f32,
}

/// Returns the adjacent words in the agents of one segment, which are sorted.
pub(crate) fn adjacencies(
    steps: &[Step],
    agents: &[DocId],
    segment: &SegmentReader,
    field: Field,
    statistics: &Statistics,
) -> tantivy::Result<Vec<Adjacency>> {
    let mut adjacencies = vec![Adjacency::default(); agents.len()];
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
        for ((&agent, found), before) in agents.iter().zip(&mut adjacencies).zip(&mut before) {
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
                found.bonus += PAIR * idf;
            }
            *before = here;
        }
        last = Some(step);
    }
    let lengths = segment.get_fieldnorms_reader(field)?;
    for (&agent, found) in agents.iter().zip(&mut adjacencies) {
        found.focus = statistics.focus(lengths.fieldnorm_id(agent));
        found.bonus *= found.focus;
    }
    Ok(adjacencies)
}
