//! The registry's own documents, at the addresses at which their formats look for them.

use crate::cache::{Policy, Tag};
use crate::own::published::{Published, Registry};
use crate::state::AppState;
use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::routing::{MethodRouter, get};
use std::sync::Arc;

/// Returns the routes of all documents.
pub(crate) fn routes(state: &AppState) -> Router<AppState> {
    let registry = state.registry();
    let documents = registry.documents().into_iter();
    documents.fold(Router::new(), |router, it| {
        router.route(it.path, handler(it))
    })
}

/// Returns the handler of a document.
fn handler(document: Published) -> MethodRouter<AppState> {
    let tag = Tag::of(&[document.path, &document.text]);
    let text: Arc<str> = document.text.into();
    get(async move |headers: HeaderMap| {
        let body = ([(CONTENT_TYPE, document.media_type)], text.to_string());
        tag.answer(Policy::Manifest, &headers, body)
    })
}
