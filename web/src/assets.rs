//! The style sheet and the icon, compiled into the program and named by their hash.
//!
//! `/assets/<hash>/<file>` never changes, so browsers may cache it forever.

use crate::cache::{self, Policy, hex};
use crate::error::AppError;
use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::sync::LazyLock;

#[derive(RustEmbed)]
#[folder = "assets/"]
struct Assets;

/// Path of the style sheet.
pub(crate) static STYLESHEET: LazyLock<String> = LazyLock::new(|| location("site.css"));

/// Path of the icon.
pub(crate) static ICON: LazyLock<String> = LazyLock::new(|| location("icon.svg"));

/// Answers `GET /assets/{hash}/{file}`.
pub(crate) async fn show(
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, AppError> {
    let Path((hash, file)) = path?;
    let Some(asset) = Assets::get(&file).filter(|asset| hash_of(asset) == hash) else {
        return Err(AppError::no_such_page(&file));
    };
    let media_type = match file.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let mut response = Body::from(asset.data).into_response();
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    Ok(cache::keep(Policy::Immutable, response))
}

fn location(file: &str) -> String {
    let asset = Assets::get(file).expect("the file is compiled into the program");
    format!("/assets/{}/{file}", hash_of(&asset))
}

fn hash_of(asset: &EmbeddedFile) -> String {
    hex(&asset.metadata.sha256_hash()[..6])
}
