//! The public registry: pages for people, JSON for programs.
//!
//! [`app`] is the whole site as one value; tests call it without a socket, [`run::serve`] gives it
//! one. Handlers read the store and the index and never wait for a write. Pages are built in two
//! steps: `view` turns facts into strings, and templates insert the strings.

pub mod config;
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
mod client;
mod connect;
mod cursor;
mod draft;
mod error;
mod host;
mod html;
mod json;
mod json_rpc;
mod kept;
mod layers;
mod markdown;
mod media_type;
mod object;
mod origin;
mod own;
mod pages;
mod parameter;
mod posted;
mod protocol;
mod query;
mod random;
mod record;
mod slots;
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
use twin::Form;

/// Returns the whole site as one `tower` service.
pub fn app(state: AppState) -> Router {
    app_until(state, &CancellationToken::new())
}

/// Returns the whole site; `stopping` ends what is left of its tasks.
pub(crate) fn app_until(state: AppState, stopping: &CancellationToken) -> Router {
    let (v1, document) = api::openapi::described(api::v1::BASE, api::v1::routes);
    let document = description(document);
    let v1 = v1
        .route("/", get(api::v1::overview))
        .fallback(no_such_page)
        .method_not_allowed_fallback(method_not_allowed);
    let operations = operations(v1.clone(), &document, &state);
    let router = pages()
        .merge(well_known::routes(&state))
        .merge(ard::routes())
        .merge(servers::routes())
        .merge(a2a::routes(&operations))
        .merge(interaction::routes(&operations))
        .route(
            place::MCP,
            mcp::handler(&operations, &state.public_url, stopping),
        )
        .merge(reference(Arc::clone(&document)))
        .route("/assets/{hash}/{file}", get(pages::asset::show))
        .route("/site", get(pages::site::look_up))
        .route("/browse", get(pages::browse::index))
        .route("/stats/{chart}/index.csv", get(pages::stats::table))
        .route(
            "/validate",
            get(pages::validate::form).post(pages::validate::check),
        )
        .merge(forms())
        .fallback(no_such_page)
        .method_not_allowed_fallback(method_not_allowed)
        .route("/openapi.json", api::openapi::handler(&document))
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

/// Returns the routes of all pages, each with its twins.
///
/// The JSON twin of a page with an equivalent in the API is the API's body.
fn pages() -> Router<AppState> {
    use api::v1;
    let mut router = Router::new();
    let home = pages::home::Home::default();
    let of = home.clone();
    for (path, page, twin) in [
        (
            "/",
            get(async move |state, form, headers| home.show(state, form, headers).await),
            get(async move |state, none, headers| of.twin(state, none, headers).await),
        ),
        ("/search", get(pages::search::show), get(v1::search::show)),
        (
            "/agent/{domain}/{slug}",
            get(pages::agent::show),
            get(v1::agent::show),
        ),
        (
            "/agent/{domain}/{slug}/raw",
            get(pages::agent::raw::show),
            get(v1::agent::raw::show),
        ),
        (
            "/agent/{domain}/{slug}/history",
            get(pages::agent::history::show),
            get(v1::agent::history::show),
        ),
        (
            "/agent/{domain}/{slug}/diff",
            get(pages::agent::diff::show),
            get(v1::agent::diff::show),
        ),
        (
            "/site/{domain}",
            get(pages::site::show),
            get(v1::site::show),
        ),
        (
            "/browse/{list}",
            get(pages::browse::show),
            get(pages::browse::twin),
        ),
        ("/stats", get(pages::stats::show), get(v1::stats::show)),
        (
            "/status",
            get(pages::status::show),
            get(pages::status::twin),
        ),
        ("/bot", get(pages::bot::show), get(pages::bot::twin)),
        ("/about", get(pages::docs::show), get(pages::docs::twin)),
        ("/docs", get(pages::docs::list), get(pages::docs::list_twin)),
        (
            "/docs/{name}",
            get(pages::docs::show),
            get(pages::docs::twin),
        ),
        ("/docs/rules", get(pages::rules::show), get(v1::rule::list)),
        (
            "/docs/rules/{id}",
            get(pages::rule::show),
            get(v1::rule::show),
        ),
    ] {
        router = router
            .route(path, page.clone())
            .route(&Form::Json.path(path), twin)
            .route(&Form::Markdown.path(path), page);
    }
    router
}

/// Returns the routes of the forms, and of the pages at which their results are followed.
///
/// They are for browsers without scripts, and not in the description of the API: programs send the
/// same requests there, as JSON.
fn forms() -> Router<AppState> {
    use pages::{claim, report, submission, visit};
    Router::new()
        .route("/submit", get(visit::submit_form).post(visit::submit))
        .route("/recheck", get(visit::recheck_form).post(visit::recheck))
        .route("/submissions/{id}", get(submission::show))
        .route("/report", get(report::form).post(report::send))
        .route("/leave", get(claim::leave_form).post(claim::leave))
        .route("/return", get(claim::return_form).post(claim::come_back))
        .merge(claims())
}

/// Returns the routes of the twins of the forms of owners, and of the pages at which their requests are
/// followed.
fn claims() -> Router<AppState> {
    use api::v1;
    use pages::claim;
    let mut router = Router::new();
    for (path, form, form_twin, state, state_twin) in [
        (
            "/leave",
            get(claim::leave_form),
            get(claim::leave_twin),
            get(claim::leave_state),
            get(v1::claim::leave_twin),
        ),
        (
            "/return",
            get(claim::return_form),
            get(claim::return_twin),
            get(claim::return_state),
            get(v1::claim::return_twin),
        ),
    ] {
        let below = format!("{path}/{{id}}");
        router = router
            .route(&Form::Json.path(path), form_twin)
            .route(&Form::Markdown.path(path), form)
            .route(&below, state.clone())
            .route(&Form::Json.path(&below), state_twin)
            .route(&Form::Markdown.path(&below), state);
    }
    router
}

/// Returns the routes of the reference of the API, which takes the place of a document.
fn reference(document: Arc<OpenApi>) -> Router<AppState> {
    use pages::reference::{Described, NAME, show, twin};
    let described = Arc::new(Described::new(document));
    let of = Arc::clone(&described);
    let page = get(async move |form, headers| show(of, form, headers).await);
    let twin = get(async move |query, headers| twin(described, query, headers).await);
    let path = format!("/docs/{NAME}");
    Router::new()
        .route(&path, page.clone())
        .route(&Form::Json.path(&path), twin)
        .route(&Form::Markdown.path(&path), page)
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
