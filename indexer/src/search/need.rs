//! From a query as typed to what the index is asked: informative words with weights, and a Tantivy query.

use super::lexicon::Lexicon;
use super::query::{Part, Query};
use super::schema::Fields;
use super::{Correction, Facet, analyzer, profile};
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, Occur, PhraseQuery, Query as TantivyQuery, TermQuery,
    TermSetQuery,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, Term};

/// Terms that a prefix stands for, at most.
const MAX_EXPANSIONS: usize = 64;
/// Words of a need that are looked for; what somebody says after so many is told around it.
const MAX_WORDS: usize = 64;
/// Added to the score of agents whose name, domain or capability is the query itself.
pub(crate) const EXACT: f32 = 1_000.0;
/// Share of the words' weight that an agent must have.
const ENOUGH: f32 = 0.4;
/// Needs of more words are long.
const SHORT: f32 = 4.0;

/// Words that questions are full of and that say nothing about what is wanted.
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "agent",
    "agents",
    "all",
    "am",
    "an",
    "and",
    "any",
    "anyone",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "for",
    "from",
    "get",
    "give",
    "had",
    "has",
    "have",
    "he",
    "help",
    "helps",
    "her",
    "hey",
    "hi",
    "his",
    "how",
    "i",
    "if",
    "im",
    "in",
    "into",
    "is",
    "it",
    "its",
    "ive",
    "just",
    "let",
    "like",
    "me",
    "might",
    "my",
    "need",
    "needs",
    "of",
    "on",
    "or",
    "our",
    "please",
    "she",
    "should",
    "so",
    "some",
    "somebody",
    "someone",
    "something",
    "tell",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "us",
    "want",
    "wants",
    "was",
    "we",
    "were",
    "what",
    "whats",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// One word of a need, with everything that counts as it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// As people read it.
    pub(crate) label: String,
    /// Terms of the index, any of which is the word.
    pub(crate) terms: Vec<String>,
    /// How many of them, the first ones, are the word as typed; the others were probably meant.
    pub(crate) typed: usize,
    /// The same as [`profile::hash`] has them.
    pub(crate) hashes: Vec<u32>,
    /// How much it says: rare words say more. From 0 to 1.
    pub(crate) weight: f32,
}

/// What the index is asked.
#[derive(Debug)]
pub(crate) struct Need {
    /// The informative words.
    pub(crate) words: Vec<Word>,
    /// Words in a row, each of which must be there.
    phrases: Vec<Vec<Vec<(usize, String)>>>,
    excluded: Vec<Vec<(usize, String)>>,
    /// The whole query as one folded text, or the names that it was taken for.
    exact: Vec<String>,
    /// What was taken for what.
    pub(crate) corrected: Vec<Correction>,
}

impl Need {
    /// Understands a query in the light of an index.
    pub(crate) fn of(query: &Query, searcher: &Searcher, fields: &Fields) -> tantivy::Result<Self> {
        let mut lexicon = Lexicon::of(searcher, fields)?;
        let mut words = Vec::new();
        let mut phrases = Vec::new();
        for clause in &query.clauses {
            let is_phrase = clause.iter().all(|part| matches!(part, Part::Phrase(_)));
            if is_phrase {
                phrases.push(clause.iter().map(phrase).collect());
            }
            let mut found = Vec::new();
            for part in clause {
                found.extend(words_of(part, &mut lexicon, searcher, fields)?);
            }
            match clause.len() {
                1 => words.extend(found),
                _ => words.extend(united(found)),
            }
        }
        words.dedup_by(|next, word| next.terms == word.terms);
        let mut need = Self {
            words: informative(words),
            phrases,
            excluded: query.excluded.iter().map(phrase).collect(),
            exact: Vec::new(),
            corrected: Vec::new(),
        };
        need.weigh(&lexicon, searcher, fields)?;
        let name = analyzer::fold(&query.plain());
        if !name.is_empty() {
            need.exact = lexicon.names(name, &*need.all_words(fields))?;
        }
        need.corrected = lexicon.corrected().to_vec();
        Ok(need)
    }

    /// True when nothing but filters is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }

    /// Sum of the weights.
    pub(crate) fn total(&self) -> f32 {
        self.words.iter().map(|word| word.weight).sum()
    }

    /// The weight that an agent's words must reach: that of a fair share of a short need, and of no more words
    /// of a long one, which tells a story around what is wanted.
    pub(crate) fn threshold(&self) -> f32 {
        let share = match as_f32(self.words.len() as u64) {
            ..=1.0 => 0.0,
            count => ENOUGH * (SHORT / count).min(1.0),
        };
        share * self.total()
    }

    /// How many words an agent must have: half of a short need.
    fn required(&self) -> usize {
        self.words.len().div_ceil(2).min(2)
    }

    /// The query: its score is the sum of the weights of the words found, and [`EXACT`] for exact names.
    pub(crate) fn to_tantivy(
        &self,
        fields: &Fields,
        filters: &[(Facet, Vec<String>)],
        excluded_filters: &[(Facet, Vec<String>)],
    ) -> Box<dyn TantivyQuery> {
        let mut clauses: Vec<(Occur, Box<dyn TantivyQuery>)> = Vec::new();
        clauses.push((Occur::Must, self.wanted(fields)));
        for alternatives in &self.phrases {
            let alternatives = alternatives.iter().filter_map(|it| in_a_row(it, fields));
            clauses.push((Occur::Must, silent(any(alternatives.collect()))));
        }
        for phrase in &self.excluded {
            clauses.extend(in_a_row(phrase, fields).map(|query| (Occur::MustNot, query)));
        }
        for (facet, values) in filters {
            clauses.push((Occur::Must, silent(has_value(*facet, values, fields))));
        }
        for (facet, values) in excluded_filters {
            clauses.push((Occur::MustNot, has_value(*facet, values, fields)));
        }
        Box::new(BooleanQuery::new(clauses))
    }

    /// Enough of the words, or exactly this name.
    fn wanted(&self, fields: &Fields) -> Box<dyn TantivyQuery> {
        if self.is_empty() {
            return silent(Box::new(AllQuery));
        }
        let words = self
            .words
            .iter()
            .map(|word| {
                let query = Box::new(ConstScoreQuery::new(
                    has_term(&word.terms, fields),
                    word.weight,
                ));
                (Occur::Should, query as Box<dyn TantivyQuery>)
            })
            .collect();
        let enough = BooleanQuery::with_minimum_required_clauses(words, self.required());
        if self.exact.is_empty() {
            return Box::new(enough);
        }
        let names = self.exact.iter();
        let exact = TermSetQuery::new(names.map(|it| Term::from_field_text(fields.exact, it)));
        Box::new(BooleanQuery::new(vec![
            (Occur::Should, Box::new(enough)),
            (
                Occur::Should,
                Box::new(ConstScoreQuery::new(Box::new(exact), EXACT)),
            ),
        ]))
    }

    /// A query for anything that has one of the words.
    pub(crate) fn any_word(&self, fields: &Fields) -> Box<dyn TantivyQuery> {
        let words = self.words.iter().map(|word| {
            let query = ConstScoreQuery::new(has_term(&word.terms, fields), word.weight);
            Box::new(query) as Box<dyn TantivyQuery>
        });
        Box::new(BooleanQuery::union(words.collect()))
    }

    /// A query for the agents that have every word as typed.
    fn all_words(&self, fields: &Fields) -> Box<dyn TantivyQuery> {
        let words = self.words.iter().map(|word| {
            let own = word.terms.get(..word.typed).unwrap_or(&word.terms);
            (Occur::Must, has_term(own, fields))
        });
        Box::new(BooleanQuery::new(words.collect()))
    }

    /// Gives each word its weight. The steps are coarse, so that a few new agents do not shift every score and
    /// with it the place where a cursor points.
    fn weigh(
        &mut self,
        lexicon: &Lexicon<'_>,
        searcher: &Searcher,
        fields: &Fields,
    ) -> tantivy::Result<()> {
        const STEPS: f32 = 20.0;
        let documents = as_f32(searcher.num_docs());
        for word in &mut self.words {
            let mut count = 0;
            for term in &word.terms {
                count = count.max(searcher.doc_freq(&Term::from_field_text(fields.text, term))?);
            }
            word.weight = if count == 0 {
                // A word that nobody uses may be a name or a slip: it counts, yet does not decide.
                0.65
            } else {
                let rarity = (1.0 + documents / as_f32(count).min(documents)).ln();
                let share = (rarity / (2.0 + documents).ln()).min(1.0);
                ((0.4 + 0.6 * share) * STEPS).round() / STEPS
            };
            word.weight *= lexicon.likeness(&word.label);
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "rarity needs no precision")]
fn as_f32(count: u64) -> f32 {
    count as f32
}

/// The words of one part.
fn words_of(
    part: &Part,
    lexicon: &mut Lexicon<'_>,
    searcher: &Searcher,
    fields: &Fields,
) -> tantivy::Result<Vec<Word>> {
    let text = match part {
        Part::Word(text) | Part::Phrase(text) => text,
        Part::Prefix(text) => return prefix(text, lexicon, searcher, fields),
    };
    let mut words: Vec<Word> = Vec::new();
    let mut whole: Option<(usize, String)> = None;
    let stems = lexicon.stems(text)?;
    let terms = analyzer::terms(text).into_iter().zip(analyzer::words(text));
    for ((term, label), stems) in terms.zip(stems) {
        // The whole of an identifier covers more text than the part at the same position, and comes first.
        if let Some((end, whole)) = &whole
            && term.to <= *end
        {
            let mut terms = vec![term.text, whole.clone()];
            terms.extend(stems);
            words.push(Word::new(label.text, terms));
            continue;
        }
        let is_whole = analyzer::words(&text[term.from..term.to]).len() > 1;
        if is_whole {
            whole = Some((term.to, term.text));
        } else {
            let mut terms = vec![term.text];
            terms.extend(stems);
            let typed = terms.len();
            if matches!(part, Part::Word(_)) && STOP_WORDS.binary_search(&&*label.text).is_err() {
                terms.extend(lexicon.meant(&label.text, &terms)?);
            }
            let word = Word::new(label.text, terms);
            words.push(Word { typed, ..word });
        }
    }
    Ok(words)
}

/// A word that stands for every term that begins like this.
fn prefix(
    text: &str,
    lexicon: &mut Lexicon<'_>,
    searcher: &Searcher,
    fields: &Fields,
) -> tantivy::Result<Vec<Word>> {
    let mut labels = analyzer::words(text);
    let Some(last) = labels.pop() else {
        return Ok(Vec::new());
    };
    let mut words: Vec<Word> = Vec::new();
    if last.from > 0 {
        let before = Part::Word(text[..last.from].to_owned());
        words = words_of(&before, lexicon, searcher, fields)?;
    }
    // Terms are stemmed: `reservation*` must also find what is indexed as `reserv`.
    let mut terms: Vec<String> = analyzer::terms(&last.text)
        .into_iter()
        .map(|term| term.text)
        .collect();
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(fields.text)?;
        let mut stream = index
            .terms()
            .range()
            .ge(last.text.as_bytes())
            .into_stream()?;
        while terms.len() < MAX_EXPANSIONS && stream.advance() {
            match std::str::from_utf8(stream.key()) {
                Ok(term) if term.starts_with(&last.text) => terms.push(term.to_owned()),
                Ok(_) | Err(_) => break,
            }
        }
    }
    terms.sort_unstable();
    terms.dedup();
    words.push(Word::new(format!("{}*", last.text), terms));
    Ok(words)
}

/// Alternatives as one word.
fn united(words: Vec<Word>) -> Option<Word> {
    let labels: Vec<_> = words.iter().map(|word| word.label.as_str()).collect();
    let label = labels.join(" | ");
    let terms: Vec<_> = words.into_iter().flat_map(|word| word.terms).collect();
    (!terms.is_empty()).then(|| Word::new(label, terms))
}

/// Leaves out stop words, unless there is nothing else.
fn informative(words: Vec<Word>) -> Vec<Word> {
    let is_telling = |word: &Word| STOP_WORDS.binary_search(&word.label.as_str()).is_err();
    let mut seen = std::collections::BTreeSet::new();
    let has_telling = words.iter().any(is_telling);
    words
        .into_iter()
        .filter(|word| !has_telling || is_telling(word))
        .filter(|word| seen.insert(word.terms.clone()))
        .take(MAX_WORDS)
        .collect()
}

/// The terms of a phrase with their positions; of an identifier the parts.
fn phrase(part: &Part) -> Vec<(usize, String)> {
    let (Part::Word(text) | Part::Prefix(text) | Part::Phrase(text)) = part;
    let mut terms: Vec<(usize, String)> = Vec::new();
    for term in analyzer::terms(text) {
        // The whole of an identifier comes first at its position, and its first part replaces it.
        terms.retain(|(position, _)| *position != term.position);
        terms.push((term.position, term.text));
    }
    terms
}

fn in_a_row(terms: &[(usize, String)], fields: &Fields) -> Option<Box<dyn TantivyQuery>> {
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

fn has_term(terms: &[String], fields: &Fields) -> Box<dyn TantivyQuery> {
    any(terms
        .iter()
        .map(|text| {
            let term = Term::from_field_text(fields.text, text);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn TantivyQuery>
        })
        .collect())
}

fn has_value(facet: Facet, values: &[String], fields: &Fields) -> Box<dyn TantivyQuery> {
    let field = fields.facet(facet);
    Box::new(TermSetQuery::new(
        values
            .iter()
            .map(|value| Term::from_field_text(field, value)),
    ))
}

fn any(mut queries: Vec<Box<dyn TantivyQuery>>) -> Box<dyn TantivyQuery> {
    match queries.len() {
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

/// A clause that selects and does not score.
fn silent(query: Box<dyn TantivyQuery>) -> Box<dyn TantivyQuery> {
    Box::new(ConstScoreQuery::new(query, 0.0))
}

impl Word {
    fn new(label: String, terms: Vec<String>) -> Self {
        Self {
            hashes: terms.iter().map(|term| profile::hash(term)).collect(),
            typed: terms.len(),
            label,
            terms,
            weight: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_for_the_search_in_them() {
        assert!(STOP_WORDS.is_sorted());
    }
}
