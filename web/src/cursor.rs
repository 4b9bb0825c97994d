//! Position of the next page of a search, as an opaque token in a URL.
//!
//! The token carries a checksum of its query: a cursor that was truncated, typed by hand
//! or taken from another search is refused rather than answered with a wrong page.
//! It holds nothing secret, so a checksum suffices.

use crate::cache::{fingerprint, hex};
use indexer::search::Cursor;
use manifest::{AgentId, Domain};

/// Encodes a cursor as text, for the search whose canonical form is `canonical`.
pub(crate) fn write(cursor: &Cursor, canonical: &str) -> String {
    let value = hex(&cursor.value.to_bits().to_be_bytes());
    let id = hex(cursor.id.as_str().as_bytes());
    format!("{}{value}{id}", check(&value, &id, canonical))
}

/// Decodes a token of [`write`]; `None` if it is damaged or belongs to another search.
pub(crate) fn read(text: &str, canonical: &str) -> Option<Cursor> {
    let (claimed, rest) = text.split_at_checked(16)?;
    let (value, id) = rest.split_at_checked(16)?;
    if claimed != check(value, id, canonical) {
        return None;
    }
    let (domain, slug) = String::from_utf8(unhex(id)?)
        .ok()?
        .split_once('/')
        .map(|(domain, slug)| (domain.to_owned(), slug.to_owned()))?;
    Some(Cursor {
        value: f64::from_bits(u64::from_str_radix(value, 16).ok()?),
        id: AgentId::new(&Domain::parse(&domain).ok()?, &slug),
    })
}

fn check(value: &str, id: &str, canonical: &str) -> String {
    fingerprint(&["cursor", value, id, canonical])
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor() -> Cursor {
        Cursor {
            value: 12.625,
            id: AgentId::new(&Domain::parse("mesa.example").unwrap(), "tables"),
        }
    }

    #[test]
    fn a_cursor_comes_back_as_it_was() {
        let text = write(&cursor(), "q=table");
        assert_eq!(read(&text, "q=table"), Some(cursor()));
    }

    #[test]
    fn a_cursor_of_another_search_is_refused() {
        let text = write(&cursor(), "q=table");
        assert_eq!(read(&text, "q=chair"), None);
    }

    #[test]
    fn a_damaged_cursor_is_refused() {
        let text = write(&cursor(), "");
        for end in 0..text.len() {
            assert_eq!(read(&text[..end], ""), None);
        }
        assert_eq!(read(&format!("{text}00"), ""), None);
        assert_eq!(read("žžžžžžžžžžžžžžžžžž", ""), None);
    }
}
