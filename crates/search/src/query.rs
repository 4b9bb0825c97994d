//! Query parser: pure, bounded and infallible.
//!
//! The grammar of docs/search.md: bare words, `"phrase"`, `-word`, `field:value`, `OR` between two
//! parts, and a trailing `*`. Parts that cannot be used are listed in [`Query::ignored`]; all other
//! text is searched for as words. A field is the name of a facet, or `cap`, `lang` or `is`.

use super::facet::Facet;
use super::{address, analyzer};
use std::collections::BTreeMap;

/// Maximum number of characters of a query that are read.
const MAX_CHARS: usize = 2_000;
/// Maximum number of parts of a query that are used.
const MAX_PARTS: usize = 128;
/// Maximum number of entries of `ignored`, and of characters of each.
const MAX_IGNORED: usize = 20;
const MAX_IGNORED_CHARS: usize = 80;
/// Length of a run of letters and digits from which a text is data instead of a word.
const MIN_DATA: usize = 100;
/// Prefixes of an excluded part: a hyphen, or a minus sign.
const MINUS: [char; 2] = ['-', '\u{2212}'];
/// Minimum length of a prefix; shorter ones would match half of the vocabulary.
const MIN_PREFIX: usize = 2;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The query as typed, as far as it is read; names are compared with it too.
    pub text: String,
    /// Clauses to find; the parts of a clause are alternatives.
    pub clauses: Vec<Vec<Part>>,
    /// Excluded parts.
    pub excluded: Vec<Part>,
    /// Facets and their accepted values; one of them is required.
    pub filters: BTreeMap<Facet, Vec<String>>,
    /// Facets and their excluded values.
    pub excluded_filters: BTreeMap<Facet, Vec<String>>,
    /// Parts that could not be used, as typed.
    pub ignored: Vec<String>,
}

/// A part of a query to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A word or an identifier.
    Word(String),
    /// Words that begin like this.
    Prefix(String),
    /// Words in this order.
    Phrase(String),
}

/// A piece of the query between white space, quotes apart.
struct Piece<'a> {
    raw: &'a str,
    is_negative: bool,
    field: Option<&'a str>,
    text: &'a str,
    is_quoted: bool,
}

/// Parses a query. Every text is a valid query.
pub fn parse(text: &str) -> Query {
    let mut query = Query::default();
    let end = text
        .char_indices()
        .nth(MAX_CHARS)
        .map_or(text.len(), |(offset, _)| offset);
    if end < text.len() {
        query.ignore(&text[end..]);
    }
    text[..end].clone_into(&mut query.text);
    let mut used = 0;
    let mut or_is_due = false;
    let mut can_join = false;
    for piece in pieces(&text[..end]) {
        if !piece.is_quoted && piece.raw == "OR" {
            or_is_due = can_join;
            if !can_join {
                query.ignore(piece.raw);
            }
            continue;
        }
        if !piece.is_quoted && matches!(piece.raw, "AND" | "+" | "&&") {
            continue;
        }
        if used == MAX_PARTS {
            query.ignore(piece.raw);
            continue;
        }
        used += 1;
        can_join = query.add(&piece, or_is_due);
        if or_is_due && !can_join {
            query.ignore("OR");
        }
        or_is_due = false;
    }
    if or_is_due {
        query.ignore("OR");
    }
    query
}

impl Query {
    /// Adds one piece; returns true if an `OR` may follow it.
    fn add(&mut self, piece: &Piece<'_>, is_alternative: bool) -> bool {
        if let Some(name) = piece.field {
            if let Some(facet) = facet(name) {
                match value(facet, piece.text) {
                    Some(value) => self.filter(piece, facet, value),
                    None => self.ignore(piece.raw),
                }
                return false;
            }
            if name.eq_ignore_ascii_case("is") {
                match statement(piece.text) {
                    Some((facet, value)) => self.filter(piece, facet, value.to_owned()),
                    None => self.ignore(piece.raw),
                }
                return false;
            }
        }
        let Some(part) = part(piece) else {
            self.ignore(piece.raw);
            return false;
        };
        if piece.is_negative {
            // An excluded address is a filter by site: the phrase of its words would exclude no
            // agent.
            let text = piece.raw.trim_start_matches(MINUS);
            match address::host(text).filter(|_| address::is_plain(text)) {
                Some(host) => {
                    let host = host.as_str();
                    let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
                    self.filter(piece, Facet::Site, host);
                }
                None => self.excluded.push(part),
            }
            return false;
        }
        match self.clauses.last_mut() {
            Some(clause) if is_alternative => clause.push(part),
            _ => self.clauses.push(vec![part]),
        }
        true
    }

    /// Adds a filter, unless it contradicts an earlier one.
    fn filter(&mut self, piece: &Piece<'_>, facet: Facet, value: String) {
        let (filters, opposite) = if piece.is_negative {
            (&mut self.excluded_filters, &self.filters)
        } else {
            (&mut self.filters, &self.excluded_filters)
        };
        if opposite.get(&facet).is_some_and(|it| it.contains(&value)) {
            self.ignore(piece.raw);
        } else {
            filters.entry(facet).or_default().push(value);
        }
    }

    /// Reports whether the query has words to rank by, and not only conditions such as `is:up`.
    pub fn is_need(&self) -> bool {
        !self.clauses.is_empty()
    }

    /// Reports whether the query is an address. Only the agent at that address is then right.
    pub fn is_address(&self) -> bool {
        address::is_address(&self.plain())
    }

    /// Reports whether the query is not empty but no part of it could be used.
    pub fn is_lost(&self) -> bool {
        let has_terms = self.is_need() || !self.excluded.is_empty();
        let is_filtered = !self.filters.is_empty() || !self.excluded_filters.is_empty();
        !has_terms && !is_filtered && !self.ignored.is_empty()
    }

    fn ignore(&mut self, raw: &str) {
        if self.ignored.len() < MAX_IGNORED {
            self.ignored
                .push(raw.chars().take(MAX_IGNORED_CHARS).collect());
        }
    }

    /// Returns the words as typed, without filters and operators, for the comparison with names.
    pub fn plain(&self) -> String {
        let mut words = Vec::with_capacity(self.clauses.len());
        for clause in &self.clauses {
            match &clause[..] {
                [Part::Word(text) | Part::Phrase(text)] => words.push(text.as_str()),
                _ => return String::new(),
            }
        }
        words.join(" ")
    }
}

/// Converts a piece without a known field to a part.
fn part(piece: &Piece<'_>) -> Option<Part> {
    // An unknown field is part of the text: `http://…`, `note:this`.
    let text = match (piece.field, piece.is_quoted) {
        (Some(_), _) => piece.raw.trim_start_matches(MINUS),
        (None, _) => piece.text,
    };
    let is_data = is_data(text) && address::host(text).is_none();
    // A letter may still yield no term: that of `'s` alone, or of a run that is no word.
    let has_term = text.chars().any(char::is_alphanumeric) && analyzer::has_word(text);
    if !has_term || is_data {
        return None;
    }
    if piece.is_quoted && piece.field.is_none() {
        return Some(Part::Phrase(text.to_owned()));
    }
    match text.strip_suffix('*') {
        Some(prefix) if prefix.chars().filter(|it| it.is_alphanumeric()).count() < MIN_PREFIX => {
            None
        }
        Some(prefix) => Some(Part::Prefix(prefix.to_owned())),
        None => Some(Part::Word(text.to_owned())),
    }
}

/// Reports whether a text is machine data, such as an image in Base64 or a key.
fn is_data(text: &str) -> bool {
    let is_separator = |it: char| !(it.is_ascii_alphanumeric() || matches!(it, '+' | '/' | '='));
    text.is_ascii() && text.split(is_separator).any(|it| it.len() >= MIN_DATA)
}

/// Returns the facet of a field name of the grammar.
fn facet(name: &str) -> Option<Facet> {
    match name.to_ascii_lowercase().as_str() {
        "cap" => Some(Facet::Capability),
        "lang" => Some(Facet::Language),
        name => Facet::ALL.into_iter().find(|it| it.as_str() == name),
    }
}

/// Converts the value of a facet to the spelling of the index; `None` if no agent can have it.
fn value(facet: Facet, text: &str) -> Option<String> {
    let value = match facet {
        Facet::Site => address::host(text)?.as_str().to_owned(),
        _ => facet.canonical(text),
    };
    let is_known = match facet.values() {
        Some(values) => values.contains(&value.as_str()),
        None => !value.is_empty(),
    };
    is_known.then_some(value)
}

/// Returns the facet and value of an `is:` word.
fn statement(word: &str) -> Option<(Facet, &'static str)> {
    match word.to_ascii_lowercase().as_str() {
        "signed" => Some((Facet::Signed, "true")),
        "up" => Some((Facet::Status, "ok")),
        "failing" => Some((Facet::Status, "failing")),
        _ => None,
    }
}

/// Splits a query into pieces; an unclosed quote extends to the end.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (piece, after) = piece(rest);
        found.push(piece);
        rest = after.trim_start();
    }
    found
}

/// Splits off the first piece of a text that does not begin with white space.
fn piece(text: &str) -> (Piece<'_>, &str) {
    let body = text.strip_prefix(MINUS).unwrap_or(text);
    let is_negative = body.len() < text.len() && excludes(body);
    let prefix = text.len() - body.len();
    let field_end = body.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
    let field = match field_end {
        Some(end) if end > 0 && body[end..].starts_with(':') => Some(&body[..end]),
        _ => None,
    };
    let value = field.map_or(body, |name| &body[name.len() + 1..]);
    let offset = text.len() - value.len();
    if let Some(quoted) = value.strip_prefix(is_quote) {
        let opening = value.len() - quoted.len();
        let length = quoted.find(is_quote).unwrap_or(quoted.len());
        let closing = quoted[length..].chars().next().map_or(0, char::len_utf8);
        let end = offset + opening + length + closing;
        let piece = Piece {
            raw: &text[..end],
            is_negative,
            field,
            text: &quoted[..length],
            is_quoted: true,
        };
        return (piece, &text[end..]);
    }
    let length = value.find(char::is_whitespace).unwrap_or(value.len());
    let end = offset + length;
    let piece = Piece {
        raw: &text[..end],
        is_negative,
        field,
        text: field.map_or(&text[prefix..end], |_| &value[..length]),
        is_quoted: false,
    };
    (piece, &text[end..])
}

/// Reports whether a minus before a text excludes it. It does not in `-5 degrees`, a number, and in
/// `tar -x`, an option.
fn excludes(text: &str) -> bool {
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    let is_number = word.starts_with(|it: char| it.is_ascii_digit());
    !is_number && word.len() > 1
}

fn is_quote(character: char) -> bool {
    matches!(
        character,
        '"' | '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{00AB}' | '\u{00BB}'
    )
}

#[cfg(test)]
mod tests;
