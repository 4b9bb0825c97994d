//! `POST /ard/explore`: counts of the entries that a search finds, by the values of their members.

use super::entry::media_type_of;
use super::filter::{Filter, Member};
use super::request::{invalid, of_search, parsed};
use super::search::Query;
use crate::cache::{Policy, keep};
use crate::error::{AppError, ArdProblem};
use crate::openapi::OperationDoc;
use crate::query;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use schemars::{JsonSchema, json_schema};
use search::{FacetCount, Fit, Request};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most facets of a request.
const MAX_FACETS: usize = 20;
/// Default number of values of a facet.
const BUCKETS: usize = 20;
/// Most values of a facet.
const MAX_BUCKETS: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ExploreBody {
    query: Option<Query>,
    result_type: ResultType,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultType {
    facets: Vec<FacetBody>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FacetBody {
    field: String,
    limit: Option<usize>,
    min_count: Option<u64>,
}

/// Counts by the values of members.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdFacets")]
struct ExploreAnswer {
    result_type: &'static str,
    facets: BTreeMap<String, Buckets>,
}

/// Counts by the values of a member.
#[derive(Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdBuckets")]
struct Buckets {
    buckets: Vec<Bucket>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_count: Option<u64>,
}

/// Count of a value.
#[derive(Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "ArdBucket")]
struct Bucket {
    value: String,
    count: u64,
}

/// Describes `POST /ard/explore`.
pub(super) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let facet = json_schema!({
        "type": "object",
        "properties": {
            "field": { "type": "string", "description": "Path of a member." },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": MAX_BUCKETS },
            "minCount": { "type": ["integer", "null"], "minimum": 0 },
        },
        "required": ["field"],
        "additionalProperties": false,
    });
    let result_type = json_schema!({
        "type": "object",
        "properties": {
            "facets": { "type": "array", "items": facet, "maxItems": MAX_FACETS },
        },
        "required": ["facets"],
        "additionalProperties": false,
    });
    let body = json_schema!({
        "type": "object",
        "properties": { "query": Query::schema(false), "resultType": result_type },
        "required": ["resultType"],
        "additionalProperties": false,
    });
    OperationDoc::new(
        operation,
        "ardExplore",
        "Counts the entries that a query finds, by the values of their members.",
    )
    .object("The query, and the members.", body)
    .once::<ExploreAnswer>("The counts.")
    .problem(400, "The body is invalid.")
    .done_as::<ArdProblem>()
}

/// Answers `POST /ard/explore`.
pub(super) async fn show(
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, AppError> {
    let asked: ExploreBody = parsed(&headers, body)?;
    let facets = asked.result_type.facets;
    if facets.len() > MAX_FACETS {
        return Err(invalid(format!(
            "`resultType.facets` may have at most {MAX_FACETS} members"
        )));
    }
    let mut members = Vec::new();
    for facet in &facets {
        if facet
            .limit
            .is_some_and(|it| !(1..=MAX_BUCKETS).contains(&it))
        {
            return Err(invalid(format!(
                "the limit of a facet must be a whole number from 1 to {MAX_BUCKETS}"
            )));
        }
        members.push(Member::at(&facet.field)?);
    }
    let (text, filter) = match &asked.query {
        Some(query) => (
            query::text(query.text.as_deref().unwrap_or_default()),
            Filter::parse(&query.filter)?,
        ),
        None => (String::new(), Filter::default()),
    };
    let mut counts = BTreeMap::new();
    if !filter.is_void {
        let request = Request {
            filters: filter.facets.clone(),
            least: Fit::Weak,
            facets: members.iter().map(|it| it.facet()).collect(),
            ..Request::new(search::query::parse(&text), 1)
        };
        counts = state.find(request).await.map_err(of_search)?.results.facets;
    }
    let counted = facets.into_iter().zip(members).map(|(facet, member)| {
        let counts = counts.get(&member.facet()).map_or(&[][..], Vec::as_slice);
        // The index counts all values of a facet, those that its own filter excludes included.
        let accepted = filter.facets.get(&member.facet());
        let counts = counts
            .iter()
            .filter(|it| accepted.is_none_or(|accepted| accepted.contains(&it.value)));
        let buckets = buckets(member, counts, &facet);
        (facet.field, buckets)
    });
    let answer = ExploreAnswer {
        result_type: "facets",
        facets: counted.collect(),
    };
    Ok(keep(Policy::Never, Json(answer).into_response()))
}

/// Returns the counts by the values of a member, the most frequent first.
fn buckets<'c>(
    member: Member,
    counts: impl Iterator<Item = &'c FacetCount>,
    asked: &FacetBody,
) -> Buckets {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for FacetCount { value, count } in counts {
        let value = match member {
            Member::Type => media_type_of(value).map(Cow::into_owned),
            Member::Publisher | Member::Facet(_) => Some(value.clone()),
        };
        if let Some(value) = value {
            *sums.entry(value).or_default() += count;
        }
    }
    let least = asked.min_count.unwrap_or(1);
    let buckets = sums
        .into_iter()
        .map(|(value, count)| Bucket { value, count });
    let mut buckets: Vec<_> = buckets.filter(|it| it.count >= least).collect();
    buckets.sort_by_key(|it| std::cmp::Reverse(it.count));
    let shown = asked.limit.unwrap_or(BUCKETS).min(buckets.len());
    let others: u64 = buckets[shown..].iter().map(|it| it.count).sum();
    buckets.truncate(shown);
    Buckets {
        buckets,
        other_count: (others > 0).then_some(others),
    }
}
