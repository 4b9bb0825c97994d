//! `GET /api/v1/agents/{domain}/{slug}/diff`: the difference between two versions of a document.
//!
//! The store keeps the versions of documents. Of the merged record it keeps the current one and the
//! hashes of the earlier ones.

use super::version::VersionBody;
use super::{load, of_agent};
use crate::api::v1::search::Links;
use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::parameter::only;
use crate::record::NOTE;
use crate::record::version::diff::{Comparison, compared};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;

/// Difference between two versions of a document.
#[derive(Debug, JsonSchema, Serialize)]
struct DiffBody {
    id: String,
    /// URL of the document.
    url: String,
    /// `null` if no earlier version is stored.
    from: Option<VersionBody>,
    to: VersionBody,
    /// Difference in the unified format, of JSON with one member per line; empty if nothing differs.
    /// `null` if there is no earlier version or a version is not text.
    diff: Option<String>,
    /// True if the difference was cut because it is too long.
    is_cut: bool,
    links: Links,
    note: &'static str,
}

/// Describes `GET /api/v1/agents/{domain}/{slug}/diff`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let hash = || json_schema!({ "type": "string" });
    let summary = "Returns the difference between two versions of a document.";
    of_agent(operation, "getDiff", summary)
        .query("from", "Hash of the earlier version.", hash())
        .query("to", "Hash of the later version.", hash())
        .answer::<DiffBody>("The difference.")
        .done()
}

/// Answers `GET /api/v1/agents/{domain}/{slug}/diff`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let [from, to] = only(query.as_deref(), ["from", "to"]).map_err(AppError::BadParameters)?;
    let agent = load(&state, path, "/diff", query.as_deref()).await?;
    let Comparison {
        document,
        from,
        to,
        diff,
        is_cut,
    } = compared(&state, &agent, from.as_deref(), to.as_deref()).await?;
    let id = &agent.listing.id;
    let body = DiffBody {
        id: id.to_string(),
        from: from.map(|at| VersionBody::of(&document, at, id)),
        to: VersionBody::of(&document, to, id),
        url: document.url,
        is_cut,
        diff,
        links: Links::of(&agent),
        note: NOTE,
    };
    Ok(cache::json(&body, Policy::Current, &headers))
}
