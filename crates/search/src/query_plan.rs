//! Query plan: turns a typed query into weighted informative words and a Tantivy query.

mod queries;
mod stop;
#[cfg(test)]
mod tests;
mod words;

use super::analyzer::language;
use super::cached_encoder::CachedEncoder;
use super::dictionary;
use super::embedding::{SentenceVector, Table, Vector};
use super::query::{Part, Query};
use super::ranking::Scale;
use super::schema::{Fields, brands};
use super::spelling::{Correction, IndexTerms, Names};
use super::statistics::Statistics;
use super::vector_search::NeedVectors;
use super::{address, analyzer};
pub(crate) use queries::has_value;
use queries::{any, begun, has_term, in_a_row, phrase};
use stop::{StopWords, is_stop_word};
pub(crate) use words::Word;
use words::{informative, united, words_of};

use tantivy::query::{BooleanQuery, Occur, Query as TantivyQuery};
use tantivy::{Searcher, Term};

/// Steps of a need that are looked at, at most.
const MAX_STEPS: usize = 128;

/// Shares of known English up to which a need is in another language, and from which it is in English.
const FOREIGN: f64 = 0.65;
const ENGLISH: f64 = 0.85;

/// Words that replace a path in the query.
const FILE: &str = "file";

/// In a need of more words, quotation marks are those of a sentence and set no condition.
const MAX_STRICT: usize = 8;

/// Plan of a query.
#[derive(Debug)]
pub(crate) struct QueryPlan {
    /// The informative words.
    pub(crate) words: Vec<Word>,
    /// Words in a row, each of which must be there.
    phrases: Vec<Vec<Vec<(usize, String)>>>,
    excluded: Vec<Part>,
    /// Exact matches: the whole query as a name, the names it was corrected to, the id of a
    /// capability that few have, or the agent or site with this address.
    pub(crate) exact: Vec<Term>,
    /// Names that differ from the query by a few letters, which make another word …
    pub(crate) near: Vec<Term>,
    /// … and those that differ by a slip of the fingers.
    pub(crate) slips: Vec<Term>,
    /// True if only exact matches are wanted: the query is an address, or has only stop words.
    pub(crate) is_only_exact: bool,
    /// True if the query has only stop words.
    pub(crate) is_too_general: bool,
    /// Share of the need that is in English, from 0 to 1: it decides how much the table counts.
    english: f64,
    /// Its language (ISO 639-1), as far as its words tell; none without words.
    pub(crate) language: Option<&'static str>,
    /// Spelling corrections.
    pub(crate) corrected: Vec<Correction>,
    /// The whole need in a row, stop words included.
    pub(crate) steps: Vec<Step>,
    /// Embedding of the query by the table; `None` if none of its words is known.
    pub(crate) meaning: Option<Vector>,
    /// Embedding of the query by the encoder; `None` if a word is only a prefix.
    pub(crate) sentence: Option<SentenceVector>,
    /// Names that stand within the query, of agents of few sites.
    pub(crate) within: Vec<Term>,
}

/// A word in the order of the need.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// As indexed.
    pub(crate) term: String,
    /// BM25 weight.
    pub(crate) idf: f32,
    /// True if the step before stands right before it.
    pub(crate) follows: bool,
}

impl QueryPlan {
    /// Understands a query in the light of an index.
    pub(crate) fn of(
        query: &Query,
        searcher: &Searcher,
        fields: &Fields,
        statistics: &Statistics,
        table: Option<&Table>,
        encoder: Option<&CachedEncoder>,
    ) -> tantivy::Result<Self> {
        let mut index_terms = IndexTerms::of(searcher, fields)?;
        let clauses = with_files(&query.clauses);
        index_terms.has_english = has_english(&clauses);
        let mut words = Vec::new();
        let mut phrases = Vec::new();
        for clause in &clauses {
            let is_phrase = clause.iter().all(|part| matches!(part, Part::Phrase(_)));
            if is_phrase {
                phrases.push(clause.iter().map(phrase).collect());
            }
            let mut found = Vec::new();
            for part in clause {
                found.extend(words_of(part, &mut index_terms, searcher, fields)?);
            }
            match clause.len() {
                1 => words.extend(found),
                _ => words.extend(united(found)),
            }
        }
        let steps = steps(&clauses);
        if steps.len() > MAX_STRICT {
            phrases.clear();
        }
        let mut need = Self {
            words: informative(words),
            phrases,
            excluded: query.excluded.clone(),
            exact: Vec::new(),
            near: Vec::new(),
            slips: Vec::new(),
            within: Vec::new(),
            is_only_exact: false,
            is_too_general: false,
            english: 0.0,
            language: None,
            corrected: Vec::new(),
            steps,
            meaning: None,
            sentence: None,
        };
        need.weigh(&index_terms, searcher, fields, statistics)?;
        let text = wanted_text(&clauses, index_terms.corrected());
        if let Some(table) = table {
            need.embed(&text, table, encoder);
        }
        need.language = match need.english {
            _ if text.is_empty() => None,
            0.0 => Some(language::of_text(&text)),
            _ => Some("en"),
        };
        let plain = query.plain();
        let addressed = index_terms.first_known(&address::terms(&plain, fields))?;
        let name = analyzer::fold(&plain);
        let names = match addressed {
            Some(_) => Names::only(name),
            None if name.is_empty() => Names::default(),
            // An unknown address is not corrected to that of another site.
            None if query.is_address() => Names::only(name),
            None => index_terms.names(name, &*need.all_words(fields))?,
        };
        // A name may contain a dash or a word that is an operator.
        let typed = analyzer::fold(&query.text);
        let of_name = |name: &String| Term::from_field_text(fields.exact, name);
        let of_id = |name: &String| Term::from_field_text(fields.ids, name);
        let exact = names.exact.iter().chain(std::iter::once(&typed));
        let exact: Vec<&String> = exact.filter(|it| !it.is_empty()).collect();
        need.exact = addressed.iter().cloned().collect();
        need.exact.extend(exact.iter().copied().map(of_name));
        // An address names its site alone.
        for id in exact.into_iter().map(of_id).filter(|_| addressed.is_none()) {
            if index_terms.is_distinctive(&id)? {
                need.exact.push(id);
            }
        }
        if addressed.is_none() {
            for name in brands::candidates(&plain) {
                let term = Term::from_field_text(fields.brands, &name.text);
                if index_terms.is_distinctive(&term)? && index_terms.has_rare(&name.rare)? {
                    need.within.push(term);
                }
            }
        }
        let either = |names: &[String]| {
            let of_names = names.iter().map(of_name);
            of_names.chain(names.iter().map(of_id)).collect()
        };
        need.near = either(&names.near);
        need.slips = either(&names.slips);
        let is_address = match addressed {
            Some(_) => query.is_address() || address::is_plain(&plain),
            None => query.is_address() && index_terms.first_known(&need.exact)?.is_none(),
        };
        let mut labels = need.words.iter().map(|word| word.label.as_str());
        let stop_words = StopWords::of(labels.clone());
        let is_informative = need.words.is_empty() || labels.any(|it| !stop_words.contains(it));
        need.is_too_general = !is_address && !is_informative && need.phrases.is_empty();
        need.is_only_exact = is_address || need.is_too_general;
        need.corrected = index_terms.corrected().to_vec();
        Ok(need)
    }

    /// Adds the vectors of the text, as far as the models know it.
    fn embed(&mut self, text: &str, table: &Table, encoder: Option<&CachedEncoder>) {
        if !text.is_empty() {
            self.sentence = encoder.and_then(|it| it.vector(&calm(text)));
        }
        let share = table.english_share(text);
        if share > FOREIGN && self.is_known_to_table(text) {
            self.english = ((share - FOREIGN) / (ENGLISH - FOREIGN)).min(1.0);
            self.meaning = table.embed(text);
        }
    }

    /// Returns the query as an id of capabilities, folded; none if it is no such id, or that of too many.
    pub(crate) fn capability_id(&self, fields: &Fields) -> Option<String> {
        let mut ids = self.exact.iter().filter(|it| it.field() == fields.ids);
        ids.next()?.value().as_str().map(str::to_owned)
    }

    /// Returns the vectors of the need.
    pub(crate) fn vectors(&self) -> NeedVectors {
        NeedVectors {
            sentence: self.sentence,
            table: self.meaning,
        }
    }

    /// Returns the scale by which agents are scored.
    pub(crate) fn scale(&self) -> Scale {
        let idfs = self.words.iter().map(|word| word.idf);
        let has_meaning = self.meaning.is_some() || self.sentence.is_some();
        Scale::of(idfs, self.english, !self.phrases.is_empty(), has_meaning)
    }

    /// Reports whether the query has only filters.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }

    /// Returns the required filters; `None` if every agent passes.
    pub(crate) fn required_of_all(&self, fields: &Fields) -> Option<Box<dyn TantivyQuery>> {
        let mut clauses: Vec<(Occur, Box<dyn TantivyQuery>)> = Vec::new();
        for alternatives in &self.phrases {
            let alternatives = alternatives.iter().filter_map(|it| in_a_row(it, fields));
            clauses.push((Occur::Must, any(alternatives.collect())));
        }
        (!clauses.is_empty()).then(|| Box::new(BooleanQuery::new(clauses)) as Box<dyn TantivyQuery>)
    }

    /// Returns the exclusions, one query each, since Tantivy's own exclusion fails on phrases.
    pub(crate) fn excluded(&self, fields: &Fields) -> Vec<Box<dyn TantivyQuery>> {
        let texts = self.excluded.iter().filter_map(|part| match part {
            Part::Prefix(text) => begun(text, fields),
            Part::Word(_) | Part::Phrase(_) => in_a_row(&phrase(part), fields),
        });
        texts.collect()
    }

    /// Reports whether an agent has any of the words, or the dictionary of the table does. Of an unknown
    /// word the table has only the pieces, and agents near these are near by chance.
    fn is_known_to_table(&self, text: &str) -> bool {
        let is_common = |word: &str| !is_stop_word(word) && dictionary::is_english(word);
        let mut words = analyzer::words(text).into_iter();
        self.words.iter().any(|word| word.is_used) || words.any(|word| is_common(&word.text))
    }

    /// Returns a query for the agents that have every word as typed.
    fn all_words(&self, fields: &Fields) -> Box<dyn TantivyQuery> {
        let words = self.words.iter().map(|word| {
            let own = word.terms.get(..word.typed).unwrap_or(&word.terms);
            (Occur::Must, has_term(own, fields))
        });
        Box::new(BooleanQuery::new(words.collect()))
    }

    /// Gives each word its weight.
    fn weigh(
        &mut self,
        index_terms: &IndexTerms<'_>,
        searcher: &Searcher,
        fields: &Fields,
        statistics: &Statistics,
    ) -> tantivy::Result<()> {
        for word in &mut self.words {
            let mut count = 0;
            for term in &word.terms {
                count = count.max(searcher.doc_freq(&Term::from_field_text(fields.text, term))?);
            }
            word.is_used = count > 0;
            let relative = index_terms.relative_weight(&word.label);
            word.idf = statistics.idf(count) * relative;
        }
        for step in &mut self.steps {
            let term = Term::from_field_text(fields.text, &step.term);
            step.idf = statistics.idf(searcher.doc_freq(&term)?);
        }
        Ok(())
    }
}

/// Replaces paths in the query by what they name: a query with `/home/me/list.txt` needs a site
/// that can handle a file, and no site knows that path.
fn with_files(clauses: &[Vec<Part>]) -> Vec<Vec<Part>> {
    let mut expanded = Vec::with_capacity(clauses.len());
    for clause in clauses {
        expanded.push(clause.clone());
        if let [Part::Word(text)] = &clause[..]
            && is_path(text)
        {
            expanded.push(vec![Part::Word(FILE.to_owned())]);
        }
    }
    expanded
}

/// Reports whether a word is the path of a file or directory, below the root, the home or the
/// current directory.
fn is_path(text: &str) -> bool {
    let text = text.trim_matches(|it: char| !it.is_alphanumeric() && !"/.~".contains(it));
    let below = [".", "..", "~", ""].iter().find_map(|start| {
        let rest = text.strip_prefix(start)?;
        rest.strip_prefix('/')
    });
    below.is_some_and(|path| {
        let mut parts = path.split('/');
        let is_name = |part: Option<&str>| part.is_some_and(|it| !it.is_empty());
        is_name(parts.next()) && is_name(parts.next())
    })
}

/// Returns the sequence of the words of a query; an alternative or a prefix interrupts it.
fn steps(clauses: &[Vec<Part>]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut follows = false;
    for clause in clauses {
        let [part @ (Part::Word(_) | Part::Phrase(_))] = &clause[..] else {
            follows = false;
            continue;
        };
        for (_, term) in phrase(part) {
            steps.push(Step {
                term,
                idf: 0.0,
                follows,
            });
            follows = true;
        }
    }
    steps.truncate(MAX_STEPS);
    steps
}

/// Reports whether each word of a query has others beside it that are in English.
fn has_english(clauses: &[Vec<Part>]) -> bool {
    let words = texts(clauses).flat_map(analyzer::words);
    let words: Vec<String> = words.map(|it| it.text).collect();
    words.len() > 1 && !StopWords::of(words.iter().map(String::as_str)).are_foreign()
}

/// Returns a text that is all in capitals in small letters: the encoder knows few words in capitals.
fn calm(text: &str) -> String {
    if text.chars().any(char::is_lowercase) {
        text.to_owned()
    } else {
        text.to_lowercase()
    }
}

/// Lists the texts of all parts.
fn texts(clauses: &[Vec<Part>]) -> impl Iterator<Item = &str> {
    let parts = clauses.iter().flatten();
    parts.map(|(Part::Word(text) | Part::Prefix(text) | Part::Phrase(text))| text.as_str())
}

/// Returns the text to embed; empty if a word is only a prefix.
fn wanted_text(clauses: &[Vec<Part>], corrected: &[Correction]) -> String {
    let is_begun = |part: &Part| matches!(part, Part::Prefix(_));
    if clauses.iter().flatten().any(is_begun) {
        return String::new();
    }
    let corrected_form = |word: &str| {
        let folded = analyzer::fold(word);
        let correction = corrected.iter().find(|it| it.from == folded);
        correction.map_or_else(|| word.to_owned(), |it| it.to.clone())
    };
    let words = texts(clauses).flat_map(str::split_whitespace);
    words.map(corrected_form).collect::<Vec<_>>().join(" ")
}
