//! Media types of requests.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;

/// JSON.
pub(crate) const JSON: &str = "application/json";

/// Returns the media type that a body is declared as, without parameters; `None` if there are several.
fn declared(headers: &HeaderMap) -> Option<&str> {
    let mut declared = headers.get_all(CONTENT_TYPE).iter();
    let only = declared.next().filter(|_| declared.next().is_none())?;
    only.to_str().ok()?.split(';').next().map(str::trim)
}

/// Reports whether a body is declared as one of these media types, with any parameters.
pub(crate) fn is_one_of(headers: &HeaderMap, media_types: &[&str]) -> bool {
    declared(headers).is_some_and(|declared| {
        let mut types = media_types.iter();
        types.any(|it| declared.eq_ignore_ascii_case(it))
    })
}

/// Reports whether a body is declared as JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    is_one_of(headers, &[JSON])
}

/// Reports whether a body is declared as JSON or as a type that is written in it (RFC 6839).
pub(crate) fn is_any_json(headers: &HeaderMap) -> bool {
    is_json(headers) || declared(headers).is_some_and(|it| it.ends_with("+json"))
}
