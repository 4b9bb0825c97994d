//! What the order of words adds for a few agents: pairs of the need that stand side by side in the text, and stop words.

use super::lexical::Statistics;
use super::need::Step;
use std::collections::BTreeSet;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, Term};

/// What a pair in a row adds, by its rarity.
const PAIR: f32 = 0.3;
/// What a stop word counts, where an informative word counts one.
const STOP: f32 = 0.2;

/// What the steps of a need add to the BM25 scores of agents of one segment, which come sorted.
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
    let lengths = segment.get_fieldnorms_reader(field)?;
    let mut last: Option<&Step> = None;
    for step in steps {
        let term = Term::from_field_text(field, &step.term);
        let mut postings = index
            .read_postings(&term, IndexRecordOption::WithFreqsAndPositions)?
            .unwrap_or_else(SegmentPostings::empty);
        let is_new = seen.insert((None, &step.term));
        let pair = last
            .filter(|last| step.follows && seen.insert((Some(&last.term), &step.term)))
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
            if is_new && step.is_stop {
                let code = lengths.fieldnorm_id(agent);
                *bonus += STOP * statistics.score(step.idf, postings.term_freq(), code);
            }
            *before = here;
        }
        last = Some(step);
    }
    Ok(bonuses)
}
