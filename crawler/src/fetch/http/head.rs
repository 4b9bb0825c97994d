//! The head of an answer: what of it is refused, and what is kept.

use super::failure::TOO_MANY_HEADERS;
use super::{HEADER_BYTES, HEADER_COUNT};
use crate::fetch::{FetchError, Response, header, link};
use reqwest::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER, TRANSFER_ENCODING,
};

/// Longest values of other headers that are kept.
const VALUE_BYTES: usize = 256;
/// Most `Link` headers that are read.
const LINK_COUNT: usize = 8;
/// Longest redirect target.
const LOCATION_BYTES: usize = 2 * 1024;

/// Whether an answer may be read on: not too many headers (P44), and a status that we asked for.
pub(super) fn check(answer: &reqwest::Response) -> Result<(), FetchError> {
    // Over HTTP/1.1 the client counts them itself, over HTTP/2 nobody else does.
    if answer.headers().len() > HEADER_COUNT {
        return Err(TOO_MANY_HEADERS);
    }
    let bytes: usize = answer
        .headers()
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum();
    if bytes > HEADER_BYTES {
        return Err(TOO_MANY_HEADERS);
    }
    match answer.status().as_u16() {
        101 => Err(FetchError::Protocol("switching protocols, unasked")),
        206 => Err(FetchError::Protocol("partial content, unasked")),
        _ => Ok(()),
    }
}

/// True when an answer says its length in two ways (RFC 9112 section 6.3): the chunks count.
pub(super) fn is_ambiguous(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTENT_LENGTH) && headers.contains_key(TRANSFER_ENCODING)
}

/// What is kept of the head, its body still to come.
pub(super) fn read(answer: &reqwest::Response, is_own_host: bool) -> Response {
    let text = |name: HeaderName, longest: usize| {
        let value = answer.headers().get(name)?;
        if value.len() > longest {
            return None;
        }
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let validator = |name: HeaderName, of: fn(&[u8]) -> Option<&str>| {
        let mut values = answer.headers().get_all(name).iter();
        let value = of(values.next()?.as_bytes())?;
        // Of several, nobody knows which one the server would compare.
        values.next().is_none().then(|| value.to_owned())
    };
    Response {
        status: answer.status().as_u16(),
        media_type: text(CONTENT_TYPE, VALUE_BYTES),
        etag: validator(ETAG, header::entity_tag),
        last_modified: validator(LAST_MODIFIED, header::last_modified),
        location: text(LOCATION, LOCATION_BYTES),
        retry_after: text(RETRY_AFTER, VALUE_BYTES),
        cache_control: text(CACHE_CONTROL, VALUE_BYTES),
        allow_origin: text(ACCESS_CONTROL_ALLOW_ORIGIN, VALUE_BYTES),
        links: links(answer.headers()),
        body: Vec::new(),
        was_cut: false,
        is_own_host,
    }
}

/// Returns the targets of the first `Link` headers that lead to manifests.
fn links(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(LINK).iter().take(LINK_COUNT);
    values
        .flat_map(|value| link::targets(value.as_bytes()))
        .collect()
}
