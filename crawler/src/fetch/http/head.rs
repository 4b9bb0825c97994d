//! The head of an answer: its checks, and the headers that are kept.

use super::failure::TOO_MANY_HEADERS;
use crate::fetch::{FetchError, Response, edge, header, link};
use crate::rate_limit::Marks;
use crate::robots;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER, TRANSFER_ENCODING,
};

/// Maximum size of the names and values of all response headers.
pub(super) const HEADER_BYTES: usize = 32 * 1024;
/// Maximum number of response headers.
pub(super) const HEADER_COUNT: usize = 64;
/// Maximum length of other header values.
const VALUE_BYTES: usize = 256;
/// Maximum number of `Link` headers that are read.
const LINK_COUNT: usize = 8;
/// Maximum length of a redirect target.
const LOCATION_BYTES: usize = 2 * 1024;

/// Checks that an answer has not too many headers (P44), no transfer coding but chunks, and no status
/// that the request did not permit.
pub(super) fn check<B>(answer: &hyper::Response<B>) -> Result<(), FetchError> {
    // The client counts them for HTTP/1.1 only.
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
    if !is_plainly_transferred(answer.headers()) {
        return Err(FetchError::Protocol("a transfer coding other than chunked"));
    }
    match answer.status().as_u16() {
        101 => Err(FetchError::Protocol(
            "101 without an upgrade in the request",
        )),
        206 => Err(FetchError::Protocol("206 without a range in the request")),
        _ => Ok(()),
    }
}

/// Reports whether an answer is transferred as it is, or in chunks: the requests offer no other
/// transfer coding (RFC 9112 sections 6.1 and 7.4), and the library leaves all others undecoded.
fn is_plainly_transferred(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(TRANSFER_ENCODING).iter();
    match (values.next(), values.next()) {
        (None, _) => true,
        (Some(coding), None) => coding.as_bytes().eq_ignore_ascii_case(b"chunked"),
        (Some(_), Some(_)) => false,
    }
}

/// Reports whether an answer states its length in two ways (RFC 9112 section 6.3); the chunks
/// count.
pub(super) fn is_ambiguous(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTENT_LENGTH) && headers.contains_key(TRANSFER_ENCODING)
}

/// Returns the headers that are kept, with an empty body.
pub(super) fn read<B>(answer: &hyper::Response<B>, is_own_host: bool) -> Response {
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
        // With several, it is unknown which one the server would compare.
        values.next().is_none().then(|| value.to_owned())
    };
    Response {
        status: answer.status().as_u16(),
        media_type: text(CONTENT_TYPE, VALUE_BYTES),
        etag: validator(ETAG, header::entity_tag),
        last_modified: validator(LAST_MODIFIED, header::last_modified),
        location: location(answer.headers()),
        retry_after: retry_after(answer.headers()),
        cache_control: text(CACHE_CONTROL, VALUE_BYTES),
        allow_origin: text(ACCESS_CONTROL_ALLOW_ORIGIN, VALUE_BYTES),
        links: links(answer.headers()),
        usage: usage(answer.headers()),
        edge: edge::kept(answer.status().as_u16(), answer.headers()),
        marks: Marks::of(answer.headers()),
        body: Vec::new(),
        was_cut: false,
        is_own_host,
    }
}

/// Returns the target of a redirect. One that is not UTF-8 consists of bytes, of which those outside
/// of ASCII are percent-encoded.
fn location(headers: &HeaderMap) -> Option<String> {
    let target = headers.get(LOCATION)?.as_bytes();
    if target.len() > LOCATION_BYTES {
        return None;
    }
    let encoded = |byte: &u8| match byte {
        0x80.. => format!("%{byte:02X}"),
        _ => char::from(*byte).to_string(),
    };
    let text = std::str::from_utf8(target).map(str::to_owned);
    Some(text.unwrap_or_else(|_| target.iter().map(encoded).collect()))
}

/// Returns all values of `Retry-After` as one list, of which the longest counts (P35).
fn retry_after(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all(RETRY_AFTER).iter();
    let values: Vec<_> = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// Returns the headers on the use of an answer, of which there are at most [`HEADER_COUNT`].
fn usage(headers: &HeaderMap) -> Vec<(&'static str, String)> {
    let names = robots::header::NAMES.into_iter();
    names
        .flat_map(|(name, key)| {
            let values = headers.get_all(key).iter();
            values.map(move |value| (name, String::from_utf8_lossy(value.as_bytes()).into_owned()))
        })
        .collect()
}

/// Returns the targets of the first `Link` headers that lead to manifests.
fn links(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(LINK).iter().take(LINK_COUNT);
    values
        .flat_map(|value| link::targets(value.as_bytes()))
        .collect()
}
