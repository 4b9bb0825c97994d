//! `POST /ard/search`: agents that meet a need.

use super::entry::Entry;
use super::filter::Filter;
use super::referral::{Referral, referrals};
use super::request::{bad_token, invalid, of_search, page_size, page_size_schema, parsed};
use crate::cache::{Policy, keep};
use crate::cursor::{self, Position};
use crate::error::{AppError, ArdProblem};
use crate::openapi::OperationDoc;
use crate::own::place;
use crate::query;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use schemars::{JsonSchema, Schema, json_schema};
use search::{Fit, Request};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Default number of results.
const PAGE: u32 = 10;
/// Results of one registrable domain, as in the native API.
const PER_SITE: usize = 2;

/// Need, and conditions.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub(super) struct Query {
    pub(super) text: Option<String>,
    pub(super) filter: Map<String, Value>,
}

/// Members of a query.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    /// Prefixes of terms. The terms of this registry are those of the base context, which need none.
    #[serde(default, rename = "@context", deserialize_with = "context")]
    _context: (),
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    filter: Map<String, Value>,
}

impl TryFrom<Map<String, Value>> for Query {
    type Error = serde_json::Error;

    /// Reads an object; a list of the values of its members, which a struct could be read from, is none.
    fn try_from(given: Map<String, Value>) -> Result<Self, Self::Error> {
        let Members { text, filter, .. } = serde_json::from_value(Value::Object(given))?;
        Ok(Self { text, filter })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SearchBody {
    query: Query,
    #[serde(default)]
    federation: Federation,
    page_size: Option<u32>,
    page_token: Option<String>,
}

/// Treatment of other registries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Federation {
    /// Left to the registry: this one asks no others.
    #[default]
    Auto,
    /// Registries that the client may ask.
    Referrals,
    /// None.
    None,
}

/// Page of the entries that meet a need.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdSearchAnswer")]
struct SearchAnswer {
    results: Vec<SearchResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    referrals: Option<Vec<Referral>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

/// Entry that meets a need.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ArdResult")]
struct SearchResult {
    #[serde(flatten)]
    entry: Entry,
    /// Relevance alone, in percent.
    score: u8,
    source: String,
}

/// Checks the type of a context of JSON-LD.
fn context<'de, D: Deserializer<'de>>(given: D) -> Result<(), D::Error> {
    match Value::deserialize(given)? {
        Value::Object(_) | Value::String(_) | Value::Null => Ok(()),
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => {
            Err(D::Error::custom("`@context` must be an object or a string"))
        }
    }
}

impl Query {
    /// Returns the schema of a query; a search needs one with its text.
    pub(super) fn schema(needs_text: bool) -> Schema {
        let (kinds, required): (&[&str], &[&str]) = if needs_text {
            (&["object"], &["text"])
        } else {
            (&["object", "null"], &[])
        };
        json_schema!({
            "type": kinds,
            "properties": {
                "@context": {
                    "anyOf": [{ "type": "object", "additionalProperties": {} }, { "type": ["string", "null"] }],
                    "description": "Prefixes of terms, which the terms of this registry do not need.",
                },
                "text": { "type": ["string", "null"], "description": "The need in words." },
                "filter": {
                    "type": "object",
                    "additionalProperties": {},
                    "description": "Values by the path of a member, such as `metadata.level`.",
                },
            },
            "required": required,
            "additionalProperties": false,
        })
    }
}

/// Describes `POST /ard/search`.
pub(super) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let body = json_schema!({
        "type": "object",
        "properties": {
            "query": Query::schema(true),
            "federation": { "type": "string", "enum": ["auto", "referrals", "none"] },
            "pageSize": { "anyOf": [page_size_schema(PAGE), { "type": "null" }] },
            "pageToken": { "type": ["string", "null"] },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    OperationDoc::new(
        operation,
        "ardSearch",
        "Finds entries that meet a need. `POST /ard` does the same.",
    )
    .object("The need.", body)
    .once::<SearchAnswer>("A page of the entries.")
    .problem(400, "The body is invalid.")
    .done_as::<ArdProblem>()
}

/// Answers `POST /ard/search`.
pub(super) async fn show(
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, AppError> {
    let asked: SearchBody = parsed(&headers, body)?;
    let limit = page_size(asked.page_size, PAGE)?;
    let text = query::text(asked.query.text.as_deref().unwrap_or_default());
    if text.trim().is_empty() {
        let message = "`query.text` is missing or empty; describe the need in words";
        return Err(invalid(message.to_owned()));
    }
    let filter = Filter::parse(&asked.query.filter)?;
    let keys = state.keys();
    let canonical = format!("ard/search#{text}#{filter:?}#{limit}");
    let after = match &asked.page_token {
        Some(token) => Some(cursor::read(token, &canonical, &keys).ok_or_else(bad_token)?),
        None => None,
    };
    let mut answer = SearchAnswer {
        results: Vec::new(),
        referrals: match asked.federation {
            Federation::Referrals => Some(referrals(&state).await?),
            Federation::Auto | Federation::None => None,
        },
        page_token: None,
    };
    if !filter.is_void {
        let request = Request {
            filters: filter.facets.clone(),
            // The protocol has no word for a match that is none.
            least: Fit::Weak,
            per_site: PER_SITE,
            unfold: false,
            generation: after.as_ref().map(|it| it.generation),
            after: after.map(|it| it.after),
            ..Request::new(search::query::parse(&text), limit)
        };
        let found = if filter.is_exact() {
            state.find(request).await
        } else {
            state.find_where(request, |it| filter.accepts(it)).await
        }
        .map_err(of_search)?;
        let source = format!("{}{}/", state.public_url, place::ARD);
        let results = found.found.iter().map(|it| SearchResult {
            entry: Entry::of(
                &it.agent,
                &it.cautions,
                &state.public_url,
                filter.documents(),
            ),
            score: it.hit.score,
            source: source.clone(),
        });
        answer.results = results.collect();
        answer.page_token = found.results.next.map(|after| {
            let generation = found.results.generation;
            cursor::write(&Position { generation, after }, &canonical, &keys)
        });
    }
    Ok(keep(Policy::Never, Json(answer).into_response()))
}
