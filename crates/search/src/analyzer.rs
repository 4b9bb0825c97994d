//! Splits text into terms: one analyzer for indexing and for queries.
//!
//! Terms are Unicode words in lower case, folded to ASCII where that is possible and stemmed as
//! English. An identifier (`getWeather`, `cart.add`, `book_table`) gives its parts and, at the
//! position of its first part, the whole without joints, so that every spelling finds every other.
//! Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer runs give overlapping pairs of
//! characters, since they have no spaces.

mod beginnings;
pub(crate) mod language;
pub(crate) mod list;
pub(crate) mod token_cache;
mod tokenizer;

pub(crate) use beginnings::Beginnings;
pub(crate) use tokenizer::{Piece, segment};

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, Stemmer, TextAnalyzer, Token,
    TokenStream, Tokenizer, WhitespaceTokenizer,
};

/// Words in lower case and folded, as people see them, and then stemmed.
fn stemmed(words: impl Tokenizer) -> TextAnalyzer {
    TextAnalyzer::builder(words)
        .filter(AsciiFoldingFilter)
        .filter(LowerCaser)
        .filter(Stemmer::new(Language::English))
        .build()
}

/// Returns the same without stemming.
///
/// Folding comes first: the capital `İ` would become an `i` and a stray dot in lower case.
fn unstemmed(words: impl Tokenizer) -> TextAnalyzer {
    TextAnalyzer::builder(words)
        .filter(AsciiFoldingFilter)
        .filter(LowerCaser)
        .build()
}

/// A term with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// The term as indexed.
    pub(crate) text: String,
    /// Position among the words.
    pub(crate) position: usize,
    /// First byte in the text.
    pub(crate) from: usize,
    /// Byte after the last one.
    pub(crate) to: usize,
}

/// Returns the terms of a text as they are indexed.
pub(crate) fn terms(text: &str) -> Vec<Term> {
    collect(stemmed(Words), text)
}

/// Returns the words of a text in lower case and folded, but not stemmed; same order as [`terms`].
pub(crate) fn words(text: &str) -> Vec<Term> {
    collect(unstemmed(Words), text)
}

/// Reports whether a text has any word.
pub(crate) fn has_word(text: &str) -> bool {
    let mut has_word = false;
    segment(text, |_| has_word = true);
    has_word
}

/// Returns the English stemmer of single words.
pub(crate) fn word_stemmer() -> TextAnalyzer {
    stemmed(RawTokenizer::default())
}

/// Returns the term of one word as it is written.
pub(crate) fn word(analyzer: &mut TextAnalyzer, word: &str) -> String {
    let mut stream = analyzer.token_stream(word);
    let first = stream.next().map(|token| token.text.clone());
    first.unwrap_or_default()
}

fn collect(mut analyzer: TextAnalyzer, text: &str) -> Vec<Term> {
    let mut found = Vec::new();
    let mut stream = analyzer.token_stream(text);
    while let Some(token) = stream.next() {
        found.push(Term {
            text: token.text.clone(),
            position: token.position,
            from: token.offset_from,
            to: token.offset_to,
        });
    }
    found
}

/// Makes a text comparable as a whole: lower case, ASCII folding, single spaces.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        return words.join(" ").to_ascii_lowercase();
    }
    let mut analyzer = unstemmed(WhitespaceTokenizer::default());
    let mut stream = analyzer.token_stream(text);
    let mut folded = String::with_capacity(text.len());
    while let Some(token) = stream.next() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(&token.text);
    }
    folded
}

/// [`tokenizer`] as Tantivy's filters want it.
#[derive(Clone, Debug)]
struct Words;

/// Tokens made ahead; a text is at most a few thousand characters.
struct Tokens {
    tokens: std::vec::IntoIter<Token>,
    current: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Tokens;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens {
        let mut tokens = Vec::new();
        segment(text, |piece| {
            tokens.push(Token {
                offset_from: piece.from,
                offset_to: piece.to,
                position: piece.position,
                text: piece.text.to_owned(),
                position_length: 1,
            });
        });
        Tokens {
            tokens: tokens.into_iter(),
            current: Token::default(),
        }
    }
}

impl TokenStream for Tokens {
    fn advance(&mut self) -> bool {
        match self.tokens.next() {
            Some(token) => {
                self.current = token;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        &self.current
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.current
    }
}

#[cfg(test)]
mod tests;
