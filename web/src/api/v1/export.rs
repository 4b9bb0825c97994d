//! `GET /api/v1/export/latest.json` and the files that it names: all agents in bulk.

use crate::cache::{self, Policy};
use crate::error::{AppError, Missing, NoParameters, Problem};
use crate::openapi::OperationDoc;
use crate::state::{AppState, blocking};
use aide::transform::TransformOperation;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use export::{Latest, daily, latest};
use std::io::ErrorKind;
use tower_http::services::ServeFile;

/// Media type of the files (RFC 8878).
const ZSTD: &str = "application/zstd";

/// Describes `GET /api/v1/export/latest.json`.
pub(crate) fn describe_latest(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "getLatestExport",
        "Describes the newest export of all agents.",
    )
    .answer::<Latest>("The export, and its files.")
    .problem(400, "A parameter is unknown.")
    .problem(404, "There is no export yet.")
    .done()
}

/// Answers `GET /api/v1/export/latest.json`.
pub(crate) async fn newest(
    State(state): State<AppState>,
    _: NoParameters,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let folder = state.feed.export();
    let found = blocking(move || latest(&folder)).await?;
    let feed = state.store.feed_state().await?;
    match found
        .map_err(AppError::Export)?
        .filter(|it| it.is_of(&feed))
    {
        Some(newest) => Ok(cache::json(&newest, Policy::Search, &headers)),
        None => Err(missing("There is no export yet.").into()),
    }
}

/// Describes `GET /api/v1/export/{file}`.
pub(crate) fn describe_file(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(operation, "getExport", "Returns a file of an export.")
        .path(
            "file",
            "Name of the file, as the description of the export states it.",
            "agents-2026-11-20.jsonl.zst",
        )
        .bytes(200, "The file.", &[ZSTD])
        .bytes(206, "The requested part of the file.", &[ZSTD])
        .bytes(304, "The client has the file.", &[])
        .bytes(412, "The file is another one than `If-Match` names.", &[])
        .bytes(416, "The file has no such part.", &[])
        .problem(400, "A parameter is unknown.")
        .problem(404, "There is no such file, or it is no longer kept.")
        .done()
}

/// Answers `GET /api/v1/export/{file}`.
pub(crate) async fn file(
    State(state): State<AppState>,
    _: NoParameters,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Problem> {
    let Path(name) = path?;
    let none = || missing("There is no such file, or it is no longer kept.");
    // Only names that exports have, so that no other file can be named.
    if !daily::is_name(&name) {
        return Err(none().into());
    }
    let file = state.feed.export().join(name);
    let mut response = match ServeFile::new(file).try_call(request).await {
        Ok(response) => response.map(Body::new),
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(none().into()),
        Err(error) => return Err(AppError::Export(error).into()),
    };
    if response.status().is_success() {
        let media_type = HeaderValue::from_static(ZSTD);
        response.headers_mut().insert(CONTENT_TYPE, media_type);
    }
    // Not for longer: an export that has withdrawn agents is replaced.
    Ok(cache::keep(Policy::Details, response.into_response()))
}

fn missing(message: &str) -> AppError {
    AppError::NotFound(Box::new(Missing {
        message: message.to_owned(),
        advice: "See /api/v1/export/latest.json for the newest export.",
        ..Missing::default()
    }))
}
