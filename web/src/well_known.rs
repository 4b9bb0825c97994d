//! The registry's own documents, at the addresses at which their formats look for them, and those of
//! its crawler.

use crate::cache::{self, Policy, Tag};
use crate::crawler_identity::CARD;
use crate::error::{AppError, Missing, NoParameters, Problem};
use crate::own::place;
use crate::own::published::OwnDocument;
use crate::secrets::key_set;
use crate::state::AppState;
use crate::view::edge::{ADDRESSES, KEY_DIRECTORY};
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use std::sync::Arc;

/// Media type of the key directory of the crawler.
const KEY_DIRECTORY_TYPE: &str = "application/http-message-signatures-directory+json";

/// Returns the routes of all documents, and of the public keys.
pub(crate) fn routes(state: &AppState) -> Router<AppState> {
    let documents = state.registry().documents().into_iter();
    let routes = Router::new()
        .route(place::SECURITY, get(security))
        .route(place::KEYS, get(keys))
        .route(CARD, get(crawler_card))
        .route(KEY_DIRECTORY, get(crawler_keys))
        .route(ADDRESSES, get(crawler_addresses));
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

/// Answers with the card of the crawler.
async fn crawler_card(
    _: NoParameters,
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Response {
    let card = state
        .crawler
        .card(&state.public_url, state.contact.as_deref());
    cache::json(&card, Policy::Manifest, &headers)
}

/// Answers with the public keys of the crawler.
async fn crawler_keys(
    _: NoParameters,
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let keys = state.crawler.keys().ok_or_else(|| unpublished("keys"))?;
    let mut answer = cache::json(keys, Policy::Manifest, &headers);
    let media_type = HeaderValue::from_static(KEY_DIRECTORY_TYPE);
    answer.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(answer)
}

/// Answers with the addresses of the crawler.
async fn crawler_addresses(
    _: NoParameters,
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let list = state.crawler.address_list();
    let list = list.ok_or_else(|| unpublished("addresses"))?;
    Ok(cache::json(&list, Policy::Manifest, &headers))
}

/// Returns the error for a document of the crawler that its operator did not configure.
fn unpublished(what: &str) -> Problem {
    Problem(AppError::NotFound(Box::new(Missing {
        message: format!("The operator of this registry publishes no {what} of its crawler."),
        advice: "/bot describes how its requests are recognised.",
        ..Missing::default()
    })))
}

fn answer(document: &OwnDocument, headers: &HeaderMap) -> Response {
    let tag = Tag::of(&[&document.path, &document.text]);
    let body = ([(CONTENT_TYPE, document.media_type)], document.text.clone());
    tag.answer(Policy::Manifest, headers, body)
}
