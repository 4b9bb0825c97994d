//! The public registry: pages for people, JSON for programs.
//!
//! [`app`] is the whole site as one value; tests call it without a socket, [`run::serve`] gives it
//! one. Handlers read the store and the index and never wait for a write. Pages are built in two
//! steps: `view` turns facts into strings, and templates insert the strings.

pub mod config;
pub mod run;
pub mod server;
pub mod state;

mod api;
mod assets;
mod cache;
mod connect;
mod cursor;
mod error;
mod html;
mod layers;
mod pages;
mod parameter;
mod query;
mod view;

pub use config::Config;
pub use state::AppState;

use axum::Router;
use axum::http::Uri;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use error::{AppError, Problem};

/// Returns the whole site as one `tower` service.
pub fn app(state: AppState) -> Router {
    let (v1, document) = api::openapi::described(api::v1::BASE, api::v1::routes);
    let v1 = v1
        .fallback(async |uri: Uri| Problem(AppError::no_such_page(uri.path())))
        .method_not_allowed_fallback(async || Problem(AppError::MethodNotAllowed));
    let router = Router::new()
        .route("/", get(pages::home::show))
        .route("/search", get(pages::search::show))
        .route("/agent/{domain}/{slug}", get(pages::agent::show))
        .route("/site/{domain}", get(pages::site::show))
        .route("/docs", get(pages::docs::list))
        .route("/docs/{name}", get(pages::docs::show))
        .route("/docs/rules", get(pages::rules::show))
        .route("/docs/rules/{id}", get(pages::rule::show))
        .route("/assets/{hash}/{file}", get(pages::asset::show))
        .fallback(no_such_page)
        .method_not_allowed_fallback(async || AppError::MethodNotAllowed)
        .route("/openapi.json", api::openapi::handler(&document))
        .nest(api::v1::BASE, layers::open_to_all(v1))
        .with_state(state);
    layers::wrap(router)
}

/// Returns a 404: a problem document below `/api`, a page elsewhere.
async fn no_such_page(uri: Uri) -> Response {
    let missing = AppError::no_such_page(uri.path());
    if layers::is_for_programs(uri.path()) {
        layers::to_all(Problem(missing).into_response())
    } else {
        missing.into_response()
    }
}

#[cfg(test)]
mod tests;
