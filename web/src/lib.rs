//! The public registry: pages for people, JSON for programs.
//!
//! [`app`] is the whole site as one value; tests call it without a socket, [`run::serve`] gives it
//! one. Handlers read the store and the index and never wait for a write. Pages are built in two
//! steps: `view` turns facts into strings, and templates insert the strings.

pub mod config;
pub mod crawler_identity;
pub mod feed;
pub mod metrics;
pub mod rate;
pub mod run;
pub mod secrets;
pub mod server;
pub mod state;

mod action;
mod answers;
mod api;
mod assets;
mod cache;
mod cached_value;
mod client;
mod cursor;
mod draft;
mod error;
mod host;
mod html;
mod json;
mod json_rpc;
mod layers;
mod markdown;
mod media_type;
mod object;
mod openapi;
mod origin;
mod outage;
mod own;
mod pages;
mod parameter;
mod posted;
mod protocol;
mod public_url;
mod query;
mod random;
mod record;
mod routes;
mod slots;
mod structured;
mod twin;
mod view;
mod well_known;

pub use config::Config;
pub use state::AppState;

use aide::openapi::OpenApi;
use axum::Router;
use axum::http::Uri;
use axum::response::IntoResponse as _;
use axum::routing::get;
use error::AppError;
use own::place;
use protocol::operation::Operations;
use protocol::{a2a, ard, interaction, mcp, servers};
use std::any::Any;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

/// Returns the whole site as one `tower` service.
pub fn app(state: AppState) -> Router {
    app_until(state, &CancellationToken::new())
}

/// Returns the whole site; `stopping` ends what is left of its tasks.
pub(crate) fn app_until(state: AppState, stopping: &CancellationToken) -> Router {
    let described = openapi::described(api::v1::BASE, api::v1::routes, || {
        ard::routes().merge(servers::routes())
    });
    let document = description(described.document);
    let v1 = described
        .api
        .route("/", get(api::v1::overview))
        .fallback(no_such_page)
        .method_not_allowed_fallback(method_not_allowed);
    let operations = operations(v1.clone(), &document, &state);
    let router = routes::pages(&document)
        .merge(well_known::routes(&state))
        .merge(described.protocols)
        .merge(a2a::routes(&operations))
        .merge(interaction::routes(&operations))
        .route(place::MCP, mcp::handler(&operations, stopping))
        .fallback(no_such_page)
        .method_not_allowed_fallback(method_not_allowed)
        .route(
            "/openapi.json",
            openapi::handler(&document, &state.public_url),
        )
        .nest(api::v1::BASE, v1)
        .with_state(state.clone());
    layers::wrap(router, state)
}

/// Returns the description of everything for programs, given that of the API, which is the same in every
/// call.
fn description(mut api: OpenApi) -> Arc<OpenApi> {
    static WHOLE: OnceLock<Arc<OpenApi>> = OnceLock::new();
    let whole = WHOLE.get_or_init(|| {
        interaction::describe(&mut api);
        openapi::complete(&mut api);
        Arc::new(api)
    });
    Arc::clone(whole)
}

/// Returns what the protocols of agents call: the API as it is inside of the process.
fn operations(v1: Router<AppState>, document: &OpenApi, state: &AppState) -> Operations {
    let panicked =
        CatchPanicLayer::custom(|_: Box<dyn Any + Send>| AppError::Panic.into_response());
    let api = Router::new()
        .nest(api::v1::BASE, v1)
        .layer(panicked)
        .with_state(state.clone());
    Operations::new(api, document, state.limiter.clone(), &state.public_url)
}

/// Answers requests at unknown addresses.
async fn no_such_page(uri: Uri) -> AppError {
    AppError::no_such_page(uri.path())
}

/// Answers requests with another method than the address has; the layers add those that it has.
async fn method_not_allowed() -> AppError {
    AppError::MethodNotAllowed(String::new())
}

#[cfg(test)]
mod tests;
