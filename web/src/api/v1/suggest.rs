//! `GET /api/v1/suggest`: completions of a partial query.

use crate::cache::{self, Policy, Tag};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::BadParameter;
use crate::query;
use crate::record::NOTE;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::{JsonSchema, json_schema};
use search::Suggestion;
use serde::Serialize;
use url::form_urlencoded;

/// Default number of suggestions.
const LIMIT: usize = 10;
const MAX_LIMIT: usize = 20;

#[derive(Debug, JsonSchema, Serialize)]
struct SuggestBody {
    q: String,
    suggestions: Vec<Suggestion>,
    note: &'static str,
}

/// Parameters of a request.
#[derive(Debug, PartialEq, Eq)]
struct SuggestParams {
    text: String,
    limit: usize,
}

impl SuggestParams {
    fn parse(query: &str) -> Result<Self, Vec<BadParameter>> {
        let mut asked = Self {
            text: String::new(),
            limit: LIMIT,
        };
        let mut faults = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match (&*name, value.parse()) {
                ("q", _) => asked.text = query::text(&value),
                ("limit", Ok(limit)) if (1..=MAX_LIMIT).contains(&limit) => asked.limit = limit,
                ("limit", _) => faults.push(BadParameter::new(
                    "limit",
                    "out_of_range",
                    format!("`limit` must be a whole number from 1 to {MAX_LIMIT}"),
                )),
                (other, _) => faults.push(BadParameter::unknown(other, &["q", "limit"])),
            }
            if faults.len() == MAX_LIMIT {
                break;
            }
        }
        if faults.is_empty() {
            Ok(asked)
        } else {
            Err(faults)
        }
    }
}

/// Describes `GET /api/v1/suggest`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let limit =
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT });
    OperationDoc::new(operation, "suggest", "Completes a partial query.")
        .query(
            "q",
            "The partial query.",
            json_schema!({ "type": "string" }),
        )
        .query("limit", "Number of suggestions.", limit)
        .answer::<SuggestBody>("The completions, best first.")
        .problem(400, "A parameter is unknown or invalid.")
        .done()
}

/// Answers `GET /api/v1/suggest`.
pub(crate) async fn show(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let asked =
        SuggestParams::parse(&query.unwrap_or_default()).map_err(AppError::BadParameters)?;
    let version = state.version().await?;
    let tag = Tag::of(&["suggest", &version, &asked.text, &asked.limit.to_string()]);
    state
        .shared
        .answers
        .serve(&tag, Policy::Search, &headers, async {
            let body = SuggestBody {
                suggestions: state.suggest(&asked.text, asked.limit).await?,
                q: asked.text,
                note: NOTE,
            };
            Ok(cache::json_text(
                serde_json::to_vec(&body).unwrap_or_default(),
            ))
        })
        .await
}
