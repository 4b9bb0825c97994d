//! `GET /ard/agents` and `GET /ard/agents/{identifier}`: entries without a search.

use super::entry::Entry;
use super::expression::Expression;
use super::filter::{Filter, Member};
use super::request::{bad_token, invalid, of_search, page_size, page_size_schema};
use crate::cache::{Policy, Tag};
use crate::cursor::{self, Position};
use crate::error::{AppError, ArdProblem, Missing};
use crate::openapi::OperationDoc;
use crate::own::place;
use crate::parameter::only;
use crate::record::agent::missing;
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use export::urn;
use manifest::{AgentId, Domain};
use schemars::{JsonSchema, json_schema};
use search::{Fit, Request, Sort, query};
use serde::Serialize;
use store::StoredAgent;

/// Default number of entries.
const PAGE: u32 = 20;

/// Orders, in the only direction of each.
const ORDERS: [(&str, Sort); 6] = [
    ("displayName", Sort::Name),
    ("displayName ASC", Sort::Name),
    ("updatedAt DESC", Sort::Updated),
    ("updatedAt", Sort::Updated),
    ("createdAt DESC", Sort::FirstSeen),
    ("createdAt", Sort::FirstSeen),
];

/// Page of the entries.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdList")]
struct ListAnswer {
    items: Vec<Entry>,
    /// Absent if the index does not decide all conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

/// Describes `GET /ard/agents`.
pub(super) fn describe_list(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let text = || json_schema!({ "type": "string" });
    let orders = ORDERS.map(|(name, _)| name);
    OperationDoc::new(
        operation,
        "ardListAgents",
        "Lists entries without a search.",
    )
    .query(
        "filter",
        "Conditions, such as `publisherId = 'mesa.example'`.",
        text(),
    )
    .query(
        "orderBy",
        "Order of the entries.",
        json_schema!({ "type": "string", "enum": orders }),
    )
    .query("pageSize", "Entries of a page.", page_size_schema(PAGE))
    .query(
        "pageToken",
        "Value of `pageToken`, for the next page.",
        text(),
    )
    .answer::<ListAnswer>("A page of the entries.")
    .problem(400, "A parameter is unknown or invalid.")
    .done_as::<ArdProblem>()
}

/// Answers `GET /ard/agents`.
pub(super) async fn list(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let names = ["filter", "orderBy", "pageSize", "pageToken"];
    let [filter, order, size, token] =
        only(query.as_deref(), names).map_err(AppError::BadParameters)?;
    let size = size.map(|it| it.parse().unwrap_or(0));
    let limit = page_size(size, PAGE)?;
    let expression = Expression::parse(filter.as_deref().unwrap_or_default())?;
    let sort = sort(order.as_deref())?;
    let keys = state.keys();
    let canonical = format!("ard/agents#{expression:?}#{sort:?}#{limit}");
    let after = match &token {
        Some(token) => Some(cursor::read(token, &canonical, &keys).ok_or_else(bad_token)?),
        None => None,
    };
    let generation = state.generation().await?;
    let place = format!("{after:?}");
    let tag = Tag::of(&["ard/agents", &generation, &canonical, &place]);
    tag.serve(Policy::Search, &headers, async {
        let mut answer = ListAnswer::default();
        if expression.filter.is_void {
            answer.total = Some(0);
        } else {
            // A name is looked up by its words.
            let name = expression.name.as_ref().map(|it| it.replace('"', " "));
            let words = name.map_or_else(String::new, |it| format!("\"{it}\""));
            let request = Request {
                filters: expression.filter.facets.clone(),
                sort,
                least: Fit::Weak,
                generation: after.as_ref().map(|it| it.generation),
                after: after.map(|it| it.after),
                ..Request::new(query::parse(&words), limit)
            };
            let found = if expression.is_exact() {
                state.find(request).await
            } else {
                state.find_where(request, |it| expression.accepts(it)).await
            }
            .map_err(of_search)?;
            let entries = found.found.iter();
            answer.items = entries
                .map(|it| {
                    let accepted = expression.filter.documents();
                    Entry::of(&it.agent, &it.cautions, &state.public_url, accepted)
                })
                .collect();
            answer.total = expression.is_exact().then_some(found.results.total);
            answer.page_token = found.results.next.map(|after| {
                let generation = found.results.generation;
                cursor::write(&Position { generation, after }, &canonical, &keys)
            });
        }
        Ok(Json(answer))
    })
    .await
}

fn sort(order: Option<&str>) -> Result<Sort, AppError> {
    let Some(order) = order.map(str::trim) else {
        return Ok(Sort::Name);
    };
    let found = ORDERS.iter().find(|(name, _)| *name == order);
    found.map(|(_, sort)| *sort).ok_or_else(|| {
        let known = "displayName ASC, updatedAt DESC and createdAt DESC";
        let order = manifest::text::clean(order, 100);
        invalid(format!(
            "the order `{order}` is not supported; `orderBy` accepts {known}"
        ))
    })
}

/// Describes `GET /ard/agents/{identifier}`.
pub(super) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "ardGetAgent",
        "Returns the entry with an identifier.",
    )
    .path(
        "identifier",
        "Identifier of the entry.",
        "urn:air:mesa.example:agent:reservations",
    )
    .answer::<Entry>("The entry.")
    .problem(400, "The identifier is none.")
    .problem(404, "No entry has this identifier.")
    .tombstones()
    .done_as::<ArdProblem>()
}

/// Answers `GET /ard/agents/{identifier}`.
pub(super) async fn show(
    State(state): State<AppState>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let Path(wanted) = path?;
    let agent = lookup(&state, &wanted).await?;
    let cautions = state.cautions(&agent).await?;
    let entry = Entry::of(&agent, &cautions, &state.public_url, None);
    Ok(crate::cache::json(&entry, Policy::Details, &headers))
}

/// Returns the agent with an identifier.
async fn lookup(state: &AppState, wanted: &str) -> Result<StoredAgent, AppError> {
    let domain = urn::publisher(wanted).and_then(|it| Domain::parse(it).ok());
    let Some(domain) = domain else {
        let shown = manifest::text::clean(wanted, 100);
        return Err(invalid(format!(
            "`{shown}` is not an identifier; it has the form urn:air:<domain>:<kind>:<name>"
        )));
    };
    // The form of identifiers that this registry makes.
    let mut parts = wanted.split(':').skip(3);
    let own = match (parts.next(), parts.next(), parts.next()) {
        (Some("agent"), Some(slug), None) => Some(AgentId::new(&domain, slug)),
        _ => None,
    };
    if let Some(id) = &own
        && let Some(agent) = state
            .store
            .agents_by_id(std::slice::from_ref(id))
            .await?
            .pop()
    {
        return Ok(agent);
    }
    let mut filter = Filter::default();
    filter.add(Member::Publisher, &[domain.as_str()]);
    let request = Request {
        filters: filter.facets,
        sort: Sort::Name,
        ..Request::new(query::parse(""), 1)
    };
    let found = state
        .find_where(request, |it| urn::of(&it.agent) == wanted)
        .await?;
    if let Some(found) = found.found.into_iter().next() {
        return Ok(found.agent);
    }
    Err(match own {
        Some(id) => {
            let (_, slug) = id.parts();
            let path = |id: &AgentId| format!("{}/agents/{}", place::ARD, urn::made(id));
            missing(state, &domain, slug, path).await
        }
        None => AppError::NotFound(Box::new(Missing {
            message: format!("No entry has the identifier {wanted}."),
            ..Missing::default()
        })),
    })
}
