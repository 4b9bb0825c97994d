//! Precomputed terms for the index, encoded as one text.
//!
//! Tantivy takes a text and cuts it up, or tokens, each a text of its own that it copies twice. A
//! text that only needs to be read to its next separator is cheaper than both.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Name under which the schema knows the reader of such texts.
pub(crate) const NAME: &str = "list";

/// Stands behind each term; no word has one, and no folded name.
const END: char = '\n';
/// Maximum distance between two positions: one byte.
const FARTHEST: usize = 127;

/// Terms with their positions. Each is written as the distance from the one before and its text.
#[derive(Debug, Default)]
pub(crate) struct List {
    text: String,
    /// Position of the last term.
    last: usize,
    /// Position at which the part begins.
    begin: usize,
    /// Position behind all terms.
    end: usize,
}

impl List {
    /// Ends a part: no phrase goes over to the next.
    pub(crate) fn end_part(&mut self) {
        self.begin = self.end + 1;
        self.end = self.begin;
    }

    /// Adds a term at a position of its part.
    pub(crate) fn push(&mut self, term: &str, position: usize) {
        let position = self.begin + position;
        let distance = position.saturating_sub(self.last).min(FARTHEST);
        self.last += distance;
        self.end = self.end.max(position + 1);
        self.text
            .push(char::from(u8::try_from(distance).unwrap_or(0)));
        self.text.push_str(term);
        self.text.push(END);
    }

    /// Returns the text of the terms so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Forgets all terms, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        (self.last, self.begin, self.end) = (0, 0, 0);
    }
}

/// Reader of a written [`List`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ListReader {
    token: Token,
}

/// The terms of one list.
#[derive(Debug)]
pub(crate) struct Terms<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl Tokenizer for ListReader {
    type TokenStream<'a> = Terms<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Terms<'a> {
        self.token.position = 0;
        Terms {
            rest: text,
            token: &mut self.token,
        }
    }
}

impl TokenStream for Terms<'_> {
    fn advance(&mut self) -> bool {
        let Some((distance, rest)) = self.rest.split_at_checked(1) else {
            return false;
        };
        let Some((term, rest)) = rest.split_once(END) else {
            return false;
        };
        self.rest = rest;
        let distance = distance.as_bytes().first().copied().unwrap_or(0);
        self.token.position += usize::from(distance);
        self.token.text.clear();
        self.token.text.push_str(term);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_reads_as_it_was_written() {
        let mut list = List::default();
        let far = FARTHEST + 3;
        for (term, position) in [("cartadd", 0), ("cart", 0), ("add", 1), ("to", 10)] {
            list.push(term, position);
        }
        list.end_part();
        list.end_part();
        list.push("überall", 0);
        list.push("away", far);
        let mut reader = ListReader::default();
        let mut terms = reader.token_stream(list.text());
        let mut found = Vec::new();
        while terms.advance() {
            found.push((terms.token().text.clone(), terms.token().position));
        }
        let expected = [
            ("cartadd", 0),
            ("cart", 0),
            ("add", 1),
            ("to", 10),
            ("überall", 13),
            ("away", 13 + FARTHEST),
        ];
        assert_eq!(
            found,
            expected.map(|(term, position)| (term.to_owned(), position))
        );
    }

    #[test]
    fn other_texts_are_read_to_their_last_whole_term() {
        let mut reader = ListReader::default();
        for text in ["", "a", "é", "\u{1}term", "é\n"] {
            assert!(!reader.token_stream(text).advance(), "{text:?}");
        }
    }
}
