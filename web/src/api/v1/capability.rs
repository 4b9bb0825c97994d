//! `GET /api/v1/capabilities`: the names and ids of capabilities, with counts.

use crate::cache::{Policy, Tag};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, only};
use crate::record::NOTE;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::{JsonSchema, json_schema};
use search::{Facet, FacetCount, ValueRange};
use serde::Serialize;
use url::form_urlencoded;

/// Address of the endpoint.
const PATH: &str = "/api/v1/capabilities";
/// Default number of values.
const LIMIT: usize = 100;
const MAX_LIMIT: usize = 1_000;
/// Most characters of a prefix or a value.
const MAX_TEXT: usize = 200;

/// Vocabulary of capabilities, in alphabetical order.
#[derive(Debug, JsonSchema, Serialize)]
struct CapabilitiesBody {
    prefix: String,
    /// Names and ids, in the spelling of the filter `capability`, with their numbers of agents.
    capabilities: Vec<FacetCount>,
    /// Address of the next page.
    next: Option<String>,
    /// Value of `after` for the next page.
    next_after: Option<String>,
    note: &'static str,
}

/// Parameters of a request.
#[derive(Debug, PartialEq, Eq)]
struct CapabilitiesParams {
    range: ValueRange,
}

impl CapabilitiesParams {
    fn parse(query: Option<&str>) -> Result<Self, Vec<BadParameter>> {
        let [prefix, after, limit] = only(query, ["prefix", "after", "limit"])?;
        let text = |value: Option<String>| {
            let value = manifest::text::clean(&value.unwrap_or_default(), MAX_TEXT);
            Facet::Capability.canonical(&value)
        };
        let limit = match limit.map(|it| it.parse()) {
            None => LIMIT,
            Some(Ok(limit)) if (1..=MAX_LIMIT).contains(&limit) => limit,
            Some(_) => {
                return Err(vec![BadParameter::new(
                    "limit",
                    "out_of_range",
                    format!("`limit` must be a whole number from 1 to {MAX_LIMIT}"),
                )]);
            }
        };
        Ok(Self {
            range: ValueRange {
                prefix: text(prefix),
                after: text(after),
                limit,
            },
        })
    }

    /// Returns the address of the page after `last`.
    fn next(&self, last: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if !self.range.prefix.is_empty() {
            query.append_pair("prefix", &self.range.prefix);
        }
        if self.range.limit != LIMIT {
            query.append_pair("limit", &self.range.limit.to_string());
        }
        query.append_pair("after", last);
        format!("{PATH}?{}", query.finish())
    }
}

/// Describes `GET /api/v1/capabilities`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let text = || json_schema!({ "type": "string" });
    let limit =
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT });
    let summary = "Lists the names and ids of capabilities.";
    OperationDoc::new(operation, "listCapabilities", summary)
        .query("prefix", "Beginning of the values.", text())
        .query("after", "Value after which the page begins.", text())
        .query("limit", "Number of values.", limit)
        .answer::<CapabilitiesBody>(
            "The values in alphabetical order, with their numbers of agents.",
        )
        .problem(400, "A parameter is unknown or invalid.")
        .done()
}

/// Answers `GET /api/v1/capabilities`.
pub(crate) async fn list(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let asked = CapabilitiesParams::parse(query.as_deref()).map_err(AppError::BadParameters)?;
    let generation = state.generation().await?;
    let ValueRange {
        prefix,
        after,
        limit,
    } = &asked.range;
    let limit = limit.to_string();
    let tag = Tag::of(&["capabilities", &generation, prefix, after, &limit]);
    tag.serve(Policy::Search, &headers, async {
        let range = asked.range.clone();
        let page = state.values(Facet::Capability, range).await?;
        let body = CapabilitiesBody {
            next: page.next.as_deref().map(|last| asked.next(last)),
            next_after: page.next,
            capabilities: page.values,
            prefix: asked.range.prefix,
            note: NOTE,
        };
        Ok(Json(body))
    })
    .await
}
