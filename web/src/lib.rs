//! The public registry: pages for people, JSON for programs.
//!
//! [`app`] is the whole site as one value; tests call it without a socket, [`run::serve`] gives it
//! one. Handlers read the store and the index and never wait for a write. Pages are built in two
//! steps: `view` turns facts into strings, and templates insert the strings.

pub mod config;
pub mod rate;
pub mod run;
pub mod secrets;
pub mod server;
pub mod state;

mod api;
mod assets;
mod cache;
mod client;
mod connect;
mod cursor;
mod error;
mod html;
mod layers;
mod pages;
mod parameter;
mod query;
mod twin;
mod view;

pub use config::Config;
pub use state::AppState;

use axum::Router;
use axum::http::Uri;
use axum::routing::get;
use error::AppError;

/// Returns the whole site as one `tower` service.
pub fn app(state: AppState) -> Router {
    let (v1, document) = api::openapi::described(api::v1::BASE, api::v1::routes);
    let v1 = v1
        .fallback(no_such_page)
        .method_not_allowed_fallback(method_not_allowed);
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
        .method_not_allowed_fallback(method_not_allowed)
        .route("/openapi.json", api::openapi::handler(&document))
        .nest(api::v1::BASE, v1)
        .with_state(state.clone());
    layers::wrap(router, state)
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
