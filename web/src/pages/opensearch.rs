//! `/opensearch.xml`: the search, as browsers add it to their own (`OpenSearch` 1.1).

use crate::assets;
use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::state::AppState;
use askama::Template;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;

#[derive(Debug, Template)]
#[template(path = "opensearch.xml")]
struct Description<'a> {
    /// URL of the registry.
    base: &'a str,
    icon: &'static str,
}

/// Answers `GET /opensearch.xml`.
pub(crate) async fn show(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let description = Description {
        base: &state.public_url,
        icon: &assets::ICON,
    };
    let text = description.render()?;
    let tag = Tag::of(&["opensearch", &text]);
    let kind = "application/opensearchdescription+xml";
    Ok(tag.answer(Policy::Manifest, &headers, ([(CONTENT_TYPE, kind)], text)))
}
