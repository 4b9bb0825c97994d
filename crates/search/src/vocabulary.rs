//! The values of a facet in alphabetical order, with their numbers of agents.

use super::analyzer;
use super::facet::{Facet, FacetCount};
use super::schema::Fields;
use std::collections::BTreeSet;
use tantivy::Term;
use tantivy::schema::IndexRecordOption;
use tantivy::termdict::TermMerger;
use tantivy::{DocSet as _, Searcher, TERMINATED};

/// Most values that are read for one page; those of removed agents are read, too.
const MAX_READ: usize = 10_000;

/// Values of a facet to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueRange {
    /// Beginning of all values, in the spelling of [`Facet::canonical`].
    pub prefix: String,
    /// Only values after this one are listed.
    pub after: String,
    /// Maximum number of values.
    pub limit: usize,
}

/// Values of a facet in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The values.
    pub values: Vec<FacetCount>,
    /// Value after which there may be more.
    pub next: Option<String>,
}

/// Lists the values of a facet.
pub(crate) fn values(
    searcher: &Searcher,
    fields: &Fields,
    facet: Facet,
    range: &ValueRange,
) -> tantivy::Result<Values> {
    let segments = searcher.segment_readers();
    let indexes = segments
        .iter()
        .map(|it| it.inverted_index(fields.facet(facet)));
    let indexes = indexes.collect::<tantivy::Result<Vec<_>>>()?;
    let mut streams = Vec::with_capacity(indexes.len());
    for index in &indexes {
        let terms = index.terms().range();
        let terms = if range.after < range.prefix {
            terms.ge(&range.prefix)
        } else {
            terms.gt(&range.after)
        };
        streams.push(terms.into_stream()?);
    }
    let mut merged = TermMerger::new(streams);
    let mut found = Values::default();
    let mut last = None;
    for _ in 0..MAX_READ {
        if !merged.advance() {
            return Ok(found);
        }
        let Ok(value) = std::str::from_utf8(merged.key()) else {
            continue;
        };
        if !value.starts_with(&range.prefix) {
            return Ok(found);
        }
        if found.values.len() == range.limit {
            break;
        }
        let value = value.to_owned();
        last = Some(value.clone());
        let mut count = 0;
        for (segment, term) in merged.current_segment_ords_and_term_infos() {
            let reader = &segments[segment];
            if !reader.has_deletes() {
                count += u64::from(term.doc_freq);
                continue;
            }
            // Those of removed agents stay until their segment is merged.
            let index = &indexes[segment];
            let mut agents = index.read_postings_from_terminfo(&term, IndexRecordOption::Basic)?;
            while agents.doc() != TERMINATED {
                count += u64::from(!reader.is_deleted(agents.doc()));
                agents.advance();
            }
        }
        if count > 0 {
            found.values.push(FacetCount { value, count });
        }
    }
    found.next = last;
    Ok(found)
}

/// Returns a value as the search compares it: its words in lower case, so that `book-table` and
/// `Book table` are the same.
pub fn words(value: &str) -> String {
    let value = value.replace(['_', '-'], " ");
    let words = analyzer::words(&value).into_iter();
    words.map(|it| it.text).collect::<Vec<_>>().join(" ")
}

/// Counts, for each group of values, the agents that have any of them.
pub(crate) fn count_any(
    searcher: &Searcher,
    fields: &Fields,
    facet: Facet,
    groups: &[Vec<String>],
) -> tantivy::Result<Vec<u64>> {
    let field = fields.facet(facet);
    let mut counts = vec![0; groups.len()];
    for reader in searcher.segment_readers() {
        let index = reader.inverted_index(field)?;
        for (count, values) in counts.iter_mut().zip(groups) {
            let mut agents = BTreeSet::new();
            for value in values {
                let term = Term::from_field_text(field, value);
                let Some(mut found) = index.read_postings(&term, IndexRecordOption::Basic)? else {
                    continue;
                };
                while found.doc() != TERMINATED {
                    if !reader.is_deleted(found.doc()) {
                        agents.insert(found.doc());
                    }
                    found.advance();
                }
            }
            *count += agents.len() as u64;
        }
    }
    Ok(counts)
}
