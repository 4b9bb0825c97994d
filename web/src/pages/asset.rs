//! `/assets/{hash}/{file}`: the style sheet and the icon.

use crate::assets;
use crate::cache::{self, Policy};
use crate::error::AppError;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

/// Answers `GET /assets/{hash}/{file}`.
pub(crate) async fn show(
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, AppError> {
    let Path((hash, file)) = path?;
    let (content, media_type) =
        assets::content(&hash, &file).ok_or_else(|| AppError::no_such_page(&file))?;
    let response = ([(CONTENT_TYPE, media_type)], content).into_response();
    Ok(cache::keep(Policy::Immutable, response))
}
