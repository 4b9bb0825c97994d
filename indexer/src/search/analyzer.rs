//! Cuts text into the terms that are indexed and looked for: one analyzer for both sides.
//!
//! Terms are Unicode words in lower case, folded to ASCII where that is possible and stemmed as English.
//! An identifier (`getWeather`, `cart.add`, `book_table`) gives its parts and, at the position of its first
//! part, the whole without joints, so that every spelling finds every other.
//! Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer runs give overlapping pairs of characters, since
//! they have no spaces.

pub(crate) mod language;

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, Stemmer, TextAnalyzer, Token, TokenStream, Tokenizer,
};

/// Name under which the schema knows the analyzer.
pub(crate) const NAME: &str = "agentdex";

/// Longest term in bytes; longer runs are no words.
const MAX_TERM: usize = 96;
/// An identifier of more parts than this is a path or a sentence without spaces: it has no whole.
const MAX_PARTS: usize = 6;

/// The analyzer, for the index and for queries.
pub(crate) fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(Words)
        .filter(AsciiFoldingFilter)
        .filter(LowerCaser)
        .filter(Stemmer::new(Language::English))
        .build()
}

/// The same without stemming: words as people see them.
///
/// Folding comes first: the capital `İ` would become an `i` and a stray dot in lower case.
fn unstemmed() -> TextAnalyzer {
    TextAnalyzer::builder(Words)
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

impl Term {
    /// A term that stands in no text.
    pub(crate) fn alone(text: String) -> Self {
        Self {
            text,
            position: 0,
            from: 0,
            to: 0,
        }
    }
}

/// The terms of a text as they are indexed.
pub(crate) fn terms(text: &str) -> Vec<Term> {
    collect(analyzer(), text)
}

/// The words of a text in lower case and folded, but not stemmed; same order as [`terms`].
pub(crate) fn words(text: &str) -> Vec<Term> {
    collect(unstemmed(), text)
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

/// Text made comparable as a whole: lower case, ASCII folding, single spaces.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        return words.join(" ").to_ascii_lowercase();
    }
    let mut analyzer = TextAnalyzer::builder(tantivy::tokenizer::WhitespaceTokenizer::default())
        .filter(AsciiFoldingFilter)
        .filter(LowerCaser)
        .build();
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

/// The part of the analyzer that no library has: where words begin and end.
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
        Tokens {
            tokens: segment(text).into_iter(),
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

/// What a character does to the word that it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Part of a word.
    Letter,
    /// A character of a script without spaces.
    Cjk,
    /// Holds the parts of an identifier together.
    Joint,
    /// Belongs to the word and is left out of it.
    Silent,
    /// Ends the word.
    Gap,
}

fn role(character: char) -> Role {
    match character {
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1100}'..='\u{11FF}'
        | '\u{1780}'..='\u{17DD}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{20000}'..='\u{3FFFF}' => Role::Cjk,
        '\'' | '\u{2019}' | '\u{0300}'..='\u{036F}' | '\u{200C}' | '\u{200D}' | '\u{00AD}' => {
            Role::Silent
        }
        // The vowel signs and viramas of Indic scripts are not all alphabetic to `char`.
        '\u{0900}'..='\u{0DFF}' if !matches!(character, '\u{0964}' | '\u{0965}') => Role::Letter,
        '.' | '_' | '-' | '/' | '\u{2010}' | '\u{2011}' => Role::Joint,
        _ if character.is_alphanumeric() => Role::Letter,
        _ => Role::Gap,
    }
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

/// Bytes of what English ties to a word by an apostrophe, as in `hotel's` and `I'm`: the word is the rest.
fn contraction(character: char, rest: &str) -> usize {
    if !is_apostrophe(character) {
        return 0;
    }
    let end = rest
        .find(|it: char| role(it) != Role::Letter)
        .unwrap_or(rest.len());
    let is_known = ["s", "m", "d", "ll", "ve", "re"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(&rest[..end]));
    if is_known { end } else { 0 }
}

/// A part of an identifier, under construction or finished.
struct Part {
    text: String,
    from: usize,
    to: usize,
}

/// Finds words, parts of identifiers and pairs of characters.
fn segment(text: &str) -> Vec<Token> {
    let mut segmenter = Segmenter::default();
    let mut characters = text.char_indices().peekable();
    let mut contraction_end = 0;
    while let Some((offset, character)) = characters.next() {
        if offset < contraction_end {
            continue;
        }
        let end = offset + character.len_utf8();
        let next = characters.peek().map(|&(_, next)| next);
        match role(character) {
            Role::Letter => segmenter.letter(character, next, offset, end),
            Role::Cjk => segmenter.cjk(character, offset, end),
            Role::Joint => segmenter.joint(next),
            Role::Silent => {
                contraction_end = end + contraction(character, &text[end..]);
                segmenter.silent(character, contraction_end, contraction_end > end);
            }
            Role::Gap => segmenter.gap(),
        }
    }
    segmenter.gap();
    segmenter.tokens
}

#[derive(Default)]
struct Segmenter {
    tokens: Vec<Token>,
    position: usize,
    parts: Vec<Part>,
    /// True when the next letter begins a new part.
    is_at_joint: bool,
    run: Vec<(char, usize, usize)>,
    previous: Option<char>,
}

impl Segmenter {
    fn letter(&mut self, character: char, next: Option<char>, from: usize, to: usize) {
        self.end_run();
        let begins = self.parts.is_empty()
            || self.is_at_joint
            || self
                .previous
                .is_some_and(|previous| is_hump(previous, character, next));
        if begins {
            self.parts.push(Part {
                text: String::new(),
                from,
                to,
            });
        }
        if let Some(part) = self.parts.last_mut() {
            part.text.push(character);
            part.to = to;
        }
        self.previous = Some(character);
        self.is_at_joint = false;
    }

    fn cjk(&mut self, character: char, from: usize, to: usize) {
        self.end_parts();
        self.run.push((character, from, to));
    }

    fn joint(&mut self, next: Option<char>) {
        self.end_run();
        match next.map(role) {
            Some(Role::Letter) => {
                self.is_at_joint = !self.parts.is_empty();
                self.previous = None;
            }
            _ => self.gap(),
        }
    }

    /// An apostrophe: `l'hôtel` has two parts, `don't` has one, and so has `hotel's`, which is `hotel`.
    fn silent(&mut self, character: char, end: usize, is_contraction: bool) {
        if let Some(part) = self.parts.last_mut() {
            let is_elision =
                is_apostrophe(character) && !is_contraction && part.text.chars().count() <= 2;
            part.to = end;
            self.is_at_joint |= is_elision && self.previous.is_some_and(char::is_alphabetic);
        }
    }

    fn gap(&mut self) {
        self.end_parts();
        self.end_run();
    }

    fn end_parts(&mut self) {
        let parts = std::mem::take(&mut self.parts);
        self.is_at_joint = false;
        self.previous = None;
        if (2..=MAX_PARTS).contains(&parts.len()) {
            let whole: String = parts.iter().map(|part| part.text.as_str()).collect();
            self.push(
                whole,
                self.position,
                parts[0].from,
                parts[parts.len() - 1].to,
            );
        }
        for part in parts {
            self.push(part.text, self.position, part.from, part.to);
            self.position += 1;
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if let [(character, from, to)] = run[..] {
            self.push(character.to_string(), self.position, from, to);
            self.position += 1;
        }
        for pair in run.windows(2) {
            let text = pair.iter().map(|(character, ..)| character).collect();
            self.push(text, self.position, pair[0].1, pair[1].2);
            self.position += 1;
        }
    }

    fn push(&mut self, text: String, position: usize, offset_from: usize, offset_to: usize) {
        if text.len() <= MAX_TERM {
            self.tokens.push(Token {
                offset_from,
                offset_to,
                position,
                text,
                position_length: 1,
            });
        }
    }
}

/// True where camelCase begins a new part: `get|Weather`, `HTTP|Server`.
fn is_hump(previous: char, character: char, next: Option<char>) -> bool {
    character.is_uppercase()
        && (previous.is_lowercase()
            || previous.is_numeric()
            || (previous.is_uppercase() && next.is_some_and(char::is_lowercase)))
}

#[cfg(test)]
mod tests;
