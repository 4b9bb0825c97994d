//! The queries that Tantivy answers for a need: words in a row, beginnings of words, values of
//! facets.

use crate::analyzer;
use crate::facet::Facet;
use crate::query::Part;
use crate::schema::Fields;
use std::ops::Bound;
use tantivy::Term;
use tantivy::query::{
    BooleanQuery, InvertedIndexRangeQuery, PhrasePrefixQuery, PhraseQuery, Query as TantivyQuery,
    TermQuery, TermSetQuery,
};
use tantivy::schema::IndexRecordOption;

/// Maximum number of completions of the last word of a phrase of which only the beginning is given.
const MAX_ENDINGS: u32 = 1_000;

/// Returns the terms of a phrase with their positions; of an identifier the parts.
pub(super) fn phrase(part: &Part) -> Vec<(usize, String)> {
    let (Part::Word(text) | Part::Prefix(text) | Part::Phrase(text)) = part;
    let mut terms: Vec<(usize, String)> = Vec::new();
    for term in analyzer::terms(text) {
        // The whole of an identifier comes first at its position, and its first part replaces it.
        terms.retain(|(position, _)| *position != term.position);
        terms.push((term.position, term.text));
    }
    terms
}

/// Returns a phrase query; `None` without terms.
pub(super) fn in_a_row(
    terms: &[(usize, String)],
    fields: &Fields,
) -> Option<Box<dyn TantivyQuery>> {
    let term = |text: &String| Term::from_field_text(fields.text, text);
    match terms {
        [] => None,
        [(_, only)] => Some(Box::new(TermQuery::new(
            term(only),
            IndexRecordOption::Basic,
        ))),
        _ => {
            let terms = terms.iter().map(|(at, text)| (*at, term(text))).collect();
            Some(Box::new(PhraseQuery::new_with_offset(terms)))
        }
    }
}

/// Returns a query for a word prefix, or for a phrase whose last word is a prefix; `None` without a
/// word.
pub(super) fn begun(text: &str, fields: &Fields) -> Option<Box<dyn TantivyQuery>> {
    let term = |text: &str| Term::from_field_text(fields.text, text);
    let mut terms = phrase(&Part::Prefix(text.to_owned()));
    let last = analyzer::words(text).pop()?.text;
    terms.pop();
    if terms.is_empty() {
        let ranges = spans(&last).map(|(from, to)| {
            let (from, to) = (Bound::Included(term(&from)), Bound::Excluded(term(&to)));
            Box::new(InvertedIndexRangeQuery::new(from, to)) as Box<dyn TantivyQuery>
        });
        // The word itself is indexed by its stem, which is shorter.
        let own = analyzer::terms(&last).into_iter().map(|it| it.text);
        let own = has_term(&own.collect::<Vec<_>>(), fields);
        return Some(any(ranges.into_iter().chain([own]).collect()));
    }
    let at = terms.last().map_or(0, |(at, _)| at + 1);
    let terms = terms.iter().map(|(at, text)| (*at, term(text)));
    let terms = terms.chain([(at, term(&last))]).collect();
    let mut query = PhrasePrefixQuery::new_with_offset(terms);
    query.set_max_expansions(MAX_ENDINGS);
    Some(Box::new(query))
}

/// Returns the range of the terms that begin with a word. Within the range, stems of a language
/// (`de:haus`) are not matches, as their code is not the prefix of a word.
pub(super) fn spans(beginning: &str) -> [(String, String); 2] {
    [
        (beginning.to_owned(), format!("{beginning}:")),
        (format!("{beginning};"), format!("{beginning}\u{10FFFF}")),
    ]
}

/// Builds a query for any of some terms.
pub(super) fn has_term(terms: &[String], fields: &Fields) -> Box<dyn TantivyQuery> {
    any(terms
        .iter()
        .map(|text| {
            let term = Term::from_field_text(fields.text, text);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn TantivyQuery>
        })
        .collect())
}

/// Builds a query for any of a facet's values.
pub(crate) fn has_value(facet: Facet, values: &[String], fields: &Fields) -> Box<dyn TantivyQuery> {
    let field = fields.facet(facet);
    Box::new(TermSetQuery::new(
        values
            .iter()
            .map(|value| Term::from_field_text(field, value)),
    ))
}

/// Builds a query that matches any of several.
pub(super) fn any(mut queries: Vec<Box<dyn TantivyQuery>>) -> Box<dyn TantivyQuery> {
    match queries.len() {
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}
