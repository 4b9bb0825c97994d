//! Position of the next page of a search, as an opaque token in a URL.
//!
//! The token names the generation of the index that the search began with, and is authenticated
//! together with its search: a cursor that was truncated, made up or taken from another search is
//! refused rather than answered with a wrong page.

use crate::secrets::Keys;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use manifest::{AgentId, Domain};
use search::Cursor;

/// Bytes of an authentication code.
const TAG: usize = 32;

/// Position in the answer of one generation of the index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// Generation of the index.
    pub(crate) generation: u64,
    /// Last hit of the previous page.
    pub(crate) after: Cursor,
}

/// Encodes a position as text, for the search whose canonical form is `canonical`.
pub(crate) fn write(position: &Position, canonical: &str, keys: &Keys) -> String {
    let mut bytes = Vec::new();
    bytes.extend(position.generation.to_be_bytes());
    bytes.extend(position.after.waiting.to_be_bytes());
    bytes.extend(position.after.value.to_bits().to_be_bytes());
    bytes.extend(position.after.id.as_str().as_bytes());
    let tag = keys.authenticate(&signed(&bytes, canonical));
    bytes.splice(0..0, tag.as_ref().iter().copied());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes a token of [`write`]; `None` if it is damaged, made up or belongs to another search.
pub(crate) fn read(text: &str, canonical: &str, keys: &Keys) -> Option<Position> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let (tag, bytes) = bytes.split_at_checked(TAG)?;
    if !keys.accept(&signed(bytes, canonical), tag) {
        return None;
    }
    let (generation, rest) = bytes.split_first_chunk()?;
    let (waiting, rest) = rest.split_first_chunk()?;
    let (value, id) = rest.split_first_chunk()?;
    let (domain, slug) = str::from_utf8(id).ok()?.split_once('/')?;
    Some(Position {
        generation: u64::from_be_bytes(*generation),
        after: Cursor {
            value: f64::from_bits(u64::from_be_bytes(*value)),
            id: AgentId::new(&Domain::parse(domain).ok()?, slug),
            waiting: u64::from_be_bytes(*waiting),
        },
    })
}

/// Returns what the authentication code covers; the length keeps both parts apart.
fn signed(bytes: &[u8], canonical: &str) -> Vec<u8> {
    let length = (bytes.len() as u64).to_be_bytes();
    [b"cursor", &length[..], bytes, canonical.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::tests::some_keys;

    fn position() -> Position {
        Position {
            generation: 812,
            after: Cursor {
                value: 12.625,
                id: AgentId::new(&Domain::parse("mesa.example").unwrap(), "tables"),
                waiting: 3,
            },
        }
    }

    #[test]
    fn a_cursor_comes_back_as_it_was() {
        let keys = some_keys();
        let text = write(&position(), "q=table", &keys);
        assert_eq!(read(&text, "q=table", &keys), Some(position()));
    }

    #[test]
    fn a_cursor_of_another_search_or_another_registry_is_refused() {
        let keys = some_keys();
        let text = write(&position(), "q=table", &keys);
        assert_eq!(read(&text, "q=chair", &keys), None);
        assert_eq!(read(&text, "q=table", &some_keys()), None);
    }

    #[test]
    fn a_damaged_cursor_is_refused() {
        let keys = some_keys();
        let text = write(&position(), "", &keys);
        for end in 0..text.len() {
            assert_eq!(read(&text[..end], "", &keys), None);
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(&text).unwrap();
        for at in 0..bytes.len() {
            let mut forged = bytes.clone();
            forged[at] ^= 1;
            let forged = BASE64_URL_SAFE_NO_PAD.encode(forged);
            assert_eq!(read(&forged, "", &keys), None, "byte {at}");
        }
        assert_eq!(read(&format!("{text}AA"), "", &keys), None);
        assert_eq!(read("žžžžžžžžžžžžžžžžžž", "", &keys), None);
    }
}
