//! The registry's own documents, at the addresses at which their formats look for them.

use crate::cache::{Policy, Tag};
use crate::error::AppError;
use crate::own::place;
use crate::own::published::Published;
use crate::state::AppState;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use std::sync::Arc;

/// Returns the routes of all documents.
pub(crate) fn routes(state: &AppState) -> Router<AppState> {
    let documents = state.registry().documents().into_iter();
    let routes = Router::new().route(place::SECURITY, get(security));
    documents.fold(routes, |router, it| {
        router.route(&it.path.clone(), handler(it))
    })
}

/// Returns the handler of a document that never changes.
fn handler(document: Published) -> MethodRouter<AppState> {
    let document = Arc::new(document);
    get(async move |headers: HeaderMap| answer(&document, &headers))
}

/// Answers a request for security.txt, which is made anew each day.
async fn security(State(state): State<AppState>, headers: HeaderMap) -> Result<Response, AppError> {
    let document = state.registry().security((state.now)());
    let document = document.ok_or_else(|| AppError::no_such_page(place::SECURITY))?;
    Ok(answer(&document, &headers))
}

fn answer(document: &Published, headers: &HeaderMap) -> Response {
    let tag = Tag::of(&[&document.path, &document.text]);
    let body = ([(CONTENT_TYPE, document.media_type)], document.text.clone());
    tag.answer(Policy::Manifest, headers, body)
}
