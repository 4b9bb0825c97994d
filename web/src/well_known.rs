//! The registry's own documents, at the addresses at which their formats look for them.

use crate::cache::{self, Policy, Tag};
use crate::error::{AppError, NoParameters};
use crate::own::place;
use crate::own::published::OwnDocument;
use crate::secrets::key_set;
use crate::state::AppState;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use std::sync::Arc;

/// Returns the routes of all documents, and of the public keys.
pub(crate) fn routes(state: &AppState) -> Router<AppState> {
    let documents = state.registry().documents().into_iter();
    let routes = Router::new()
        .route(place::SECURITY, get(security))
        .route(place::KEYS, get(keys));
    documents.fold(routes, |router, it| {
        router.route(&it.path.clone(), handler(it))
    })
}

/// Returns the handler of a document that never changes.
fn handler(document: OwnDocument) -> MethodRouter<AppState> {
    let document = Arc::new(document);
    get(async move |headers: HeaderMap| answer(&document, &headers))
}

/// Answers a request for security.txt, which is made anew each day.
async fn security(State(state): State<AppState>, headers: HeaderMap) -> Result<Response, AppError> {
    let document = state.registry().security((state.now)());
    let document = document.ok_or_else(|| AppError::no_such_page(place::SECURITY))?;
    Ok(answer(&document, &headers))
}

/// Answers with the public keys of the agent card and of the records of sessions.
async fn keys(_: NoParameters, State(state): State<AppState>, headers: HeaderMap) -> Response {
    let now = (state.now)();
    let [card, audit] = [state.secrets.card_keys(now), state.secrets.audit_keys(now)];
    let set = key_set(card.published().iter().chain(audit.published()));
    cache::json(&set, Policy::Details, &headers)
}

fn answer(document: &OwnDocument, headers: &HeaderMap) -> Response {
    let tag = Tag::of(&[&document.path, &document.text]);
    let body = ([(CONTENT_TYPE, document.media_type)], document.text.clone());
    tag.answer(Policy::Manifest, headers, body)
}
