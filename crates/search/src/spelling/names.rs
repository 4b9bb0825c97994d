//! Names with typing errors, and names near a query.

use super::{Correction, IndexTerms, RARE, has_another_letter, nearest, tolerance};
use crate::analyzer;
use crate::dictionary::{has_english, is_common, is_foreign};
use tantivy::Term;
use tantivy::query::Query;
use tantivy::schema::Field;

/// Names that a mistyped one stands for, at most.
const MAX_NAMES: usize = 8;
/// Maximum length of a corrected name.
const MAX_NAME: usize = 64;
/// Length of a name that may lack a letter, have one too many, or two of them swapped, although a
/// word of this length is never corrected.
const SHORT_NAME: usize = 4;

/// Names that a query may stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The query itself, or the names that it is with typing errors.
    pub(crate) exact: Vec<String>,
    /// Names that differ from it by a few letters, which make another word …
    pub(crate) near: Vec<String>,
    /// … and those that differ by one letter too many or too few, or two swapped, in one word.
    pub(crate) slips: Vec<String>,
}

impl Names {
    /// Returns a name without others near it.
    pub(crate) fn only(name: String) -> Self {
        Self {
            exact: vec![name],
            ..Self::default()
        }
    }
}

/// Maximum number of words of a query that may be a mistyped id of a capability.
const MAX_ID_WORDS: usize = 3;

impl IndexTerms<'_> {
    /// Returns the names to match: the query itself, or those within one or two edits if no agent
    /// has that name, no agent has all of its words, and it is not an English word. `all_words`
    /// matches agents with all words.
    ///
    /// Ids of capabilities are names too, but a need of several words is near none of them.
    pub(crate) fn names(&mut self, name: String, all_words: &dyn Query) -> tantivy::Result<Names> {
        let is_long = name.chars().count() > MAX_NAME;
        let is_known =
            self.is_in(self.fields.exact, &name)? || self.is_in(self.fields.ids, &name)?;
        if is_long || is_common(&name) || is_known {
            return Ok(Names::only(name));
        }
        // The cheaper question first.
        if self.is_any(all_words)? {
            return Ok(Names::only(name));
        }
        let allowed = match name.chars().count() {
            SHORT_NAME => 1,
            _ => tolerance(&name),
        };
        let mut near = self.near(&name, self.fields.exact, allowed)?;
        near.extend(self.near(&name, self.fields.ids, allowed)?);
        near = nearest(near);
        near.dedup_by(|left, right| left.text == right.text);
        if name.chars().count() == SHORT_NAME {
            near.retain(|it| !has_another_letter(&name, &it.text));
        }
        // Version 12 is no slip for version 13.
        near.retain(|it| digits(&it.text).eq(digits(&name)));
        near.truncate(MAX_NAMES);
        let mut names = Names::default();
        let words = name.split_whitespace().count();
        for it in near {
            let is_id = words > 1 && !self.is_in(self.fields.exact, &it.text)?;
            if is_id && words > MAX_ID_WORDS {
                // A sentence is a need, even if an agent has made an id of it.
            } else if self.is_mistyped(&name, &it.text)? {
                names.exact.push(it.text);
            } else if is_id {
                // Several words that mean something are a need, which an id is not.
            } else if is_slip(&name, &it.text) {
                names.slips.push(it.text);
            } else {
                names.near.push(it.text);
            }
        }
        match names.exact.first() {
            Some(best) => {
                self.corrected = vec![Correction {
                    from: name,
                    to: best.clone(),
                }];
            }
            None => names.exact.push(name),
        }
        Ok(names)
    }

    /// Reports whether a text is a name with typing errors: every word that the name lacks is no
    /// word at all. `book cable` is not the mistyped `book table`.
    fn is_mistyped(&self, text: &str, name: &str) -> tantivy::Result<bool> {
        let letters = |text: &str| text.chars().filter(|it| it.is_alphanumeric()).collect();
        let (typed, own): (String, String) = (letters(text), letters(name));
        if typed == own {
            return Ok(true);
        }
        let (typed, own) = (analyzer::words(text), analyzer::words(name));
        let own: Vec<&str> = own.iter().map(|it| it.text.as_str()).collect();
        // Among English words, a swapped, missing or doubled letter is a slip, even if it makes a word of
        // another language.
        let is_other = !self.has_english || has_another_letter(text, name);
        for word in &typed {
            let word = word.text.as_str();
            if own.contains(&word) {
                continue;
            }
            let is_word = has_english(word) || is_other && is_foreign(word);
            if is_word || self.is_written(word)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reports whether a field has a term.
    fn is_in(&self, field: Field, text: &str) -> tantivy::Result<bool> {
        Ok(self
            .searcher
            .doc_freq(&Term::from_field_text(field, text))?
            > 0)
    }

    /// Reports whether agents write a word, and not by mistake.
    fn is_written(&self, word: &str) -> tantivy::Result<bool> {
        let term = Term::from_field_text(self.fields.words, word);
        Ok(self.searcher.doc_freq(&term)? > self.searcher.num_docs() / RARE)
    }
}

/// Reports whether two texts differ by one letter too many or too few, or by two swapped, after the
/// first letter of a word. Hardly any need is so near a name by chance.
fn is_slip(text: &str, name: &str) -> bool {
    let spaced = |text: &str| text.replace(|it: char| !it.is_alphanumeric(), " ");
    let (typed, own) = (spaced(text), spaced(name));
    let pairs = typed.chars().zip(own.chars());
    let last_same = pairs.take_while(|(typed, own)| typed == own).last();
    last_same.is_some_and(|(letter, _)| letter != ' ')
        && strsim::osa_distance(&typed, &own) == 1
        && !has_another_letter(&typed, &own)
}

fn digits(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|it| it.is_numeric())
}
