//! Media types of requests.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;

/// JSON.
pub(crate) const JSON: &str = "application/json";

/// Reports whether a body is declared as one of these media types, with any parameters.
pub(crate) fn is_one_of(headers: &HeaderMap, media_types: &[&str]) -> bool {
    let declared = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let essence = declared.and_then(|it| it.split(';').next()).map(str::trim);
    essence.is_some_and(|essence| {
        let mut types = media_types.iter();
        types.any(|it| essence.eq_ignore_ascii_case(it))
    })
}

/// Reports whether a body is declared as JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    is_one_of(headers, &[JSON])
}
