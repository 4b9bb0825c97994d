//! `GET /api/v1/agents` and `GET /api/v1/sites`: what is listed, in alphabetical order, and up to a
//! hundred agents by their ids.

use super::change::within;
use super::site::AgentSummary;
use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, QueryValues, only, with_list};
use crate::query::location;
use crate::record::{NOTE, site};
use crate::state::AppState;
use crate::view;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use export::public;
use manifest::{AgentId, Domain};
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::Value;
use store::StoredAgent;
use url::form_urlencoded;

const LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;
/// Agents that are read at once to find the sites of a page.
const BATCH: u32 = 100;
/// Name that is after those of all agents of a site.
const LAST: &str = "~";

/// Listed agents.
#[derive(Debug, JsonSchema, Serialize)]
struct AgentsBody {
    /// Agents in the order of their ids, or in that of the ids of the request.
    agents: Vec<ListedAgent>,
    /// Ids of the request under which nothing is listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    /// Address of the next page.
    next: Option<String>,
    /// Value of `after` for the next page.
    next_after: Option<String>,
    note: &'static str,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ListedAgent {
    #[serde(flatten)]
    summary: AgentSummary,
    /// All that its documents state, with `include=agent`, as in the change feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<Value>,
}

/// Sites with listed agents.
#[derive(Debug, JsonSchema, Serialize)]
struct SitesBody {
    /// Sites in alphabetical order.
    sites: Vec<ListedSite>,
    /// Address of the next page.
    next: Option<String>,
    /// Value of `after` for the next page.
    next_after: Option<String>,
    note: &'static str,
}

#[derive(Debug, JsonSchema, Serialize)]
struct ListedSite {
    domain: String,
    page: String,
    api: String,
}

/// Describes `GET /api/v1/agents`.
pub(crate) fn describe_agents(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let ids = json_schema!({
        "type": "array", "items": { "type": "string" }, "maxItems": MAX_LIMIT,
    });
    let after = json_schema!({ "type": "string" });
    let include = json_schema!({ "type": "string", "enum": ["agent"] });
    OperationDoc::new(
        operation,
        "listAgents",
        "Lists agents in the order of their ids, or those with up to 100 ids.",
    )
    .query("id", "Ids of agents, instead of a list.", ids)
    .query("after", "Id after which the page begins.", after)
    .query("limit", "Agents of a page.", limits())
    .query(
        "include",
        "Adds all that the documents of an agent state.",
        include,
    )
    .answer::<AgentsBody>("The agents.")
    .problem(400, "A parameter is unknown or invalid.")
    .done()
}

/// Describes `GET /api/v1/sites`.
pub(crate) fn describe_sites(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let after = json_schema!({ "type": "string" });
    OperationDoc::new(operation, "listSites", "Lists the sites that have agents.")
        .query("after", "Domain after which the page begins.", after)
        .query("limit", "Sites of a page.", limits())
        .answer::<SitesBody>("The sites in alphabetical order.")
        .problem(400, "A parameter is unknown or invalid.")
        .done()
}

fn limits() -> Schema {
    json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT })
}

/// Answers `GET /api/v1/agents`.
pub(crate) async fn agents(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let refused = |fault| AppError::BadParameters(vec![fault]);
    let QueryValues { values, listed } =
        with_list(query.as_deref(), ["after", "limit", "include"], "id")
            .map_err(AppError::BadParameters)?;
    let [after, limit, include] = values;
    let limit = limit_of(limit).map_err(refused)?;
    let is_whole = match include.as_deref() {
        None => false,
        Some("agent") => true,
        Some(other) => {
            let fault = BadParameter::unknown_value("include", other, &["agent"]);
            return Err(refused(fault).into());
        }
    };
    let ids: Vec<&str> = listed.iter().flat_map(|it| it.split(',')).collect();
    let ids: Vec<&str> = ids.into_iter().filter(|it| !it.is_empty()).collect();
    if ids.len().max(listed.len()) > MAX_LIMIT as usize {
        let message = format!("a request may name at most {MAX_LIMIT} ids");
        return Err(refused(BadParameter::new("id", "too_many", message)).into());
    }
    let (found, missing, next_after) = if ids.is_empty() {
        let after = match after {
            Some(text) => Some(id_of(&text).ok_or_else(|| {
                let message = "`after` must be an id, such as mesa.example/reservations";
                refused(BadParameter::new("after", "bad_id", message))
            })?),
            None => None,
        };
        let (found, next) = page(&state, after, limit).await?;
        (found, Vec::new(), next)
    } else {
        let known: Vec<AgentId> = ids.iter().filter_map(|it| id_of(it)).collect();
        let found = state
            .store
            .agents_by_id(&known)
            .await
            .map_err(AppError::from)?;
        let is_missing = |id: &&&str| !found.iter().any(|it| it.listing.id.as_str() == **id);
        let missing = ids.iter().filter(is_missing);
        let missing = missing.map(|it| manifest::text::clean(it, 200)).collect();
        (found, missing, None)
    };
    let path = "/api/v1/agents";
    let more = [("include", include.as_deref().unwrap_or_default())];
    let body = AgentsBody {
        agents: found
            .iter()
            .map(|it| ListedAgent::of(it, is_whole))
            .collect(),
        missing,
        next: next_after
            .as_deref()
            .map(|it| following(path, it, limit, &more)),
        next_after,
        note: NOTE,
    };
    Ok(cache::json(&body, Policy::Search, &headers))
}

/// Returns a page of agents, and the id after which the next one begins.
async fn page(
    state: &AppState,
    after: Option<AgentId>,
    limit: u32,
) -> Result<(Vec<StoredAgent>, Option<String>), AppError> {
    let mut found = state.store.agents(after.as_ref(), limit + 1).await?;
    let has_more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let last = found.last().filter(|_| has_more);
    let next = last.map(|it| it.listing.id.to_string());
    Ok((found, next))
}

/// Answers `GET /api/v1/sites`.
pub(crate) async fn sites(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let [after, limit] =
        only(query.as_deref(), ["after", "limit"]).map_err(AppError::BadParameters)?;
    let refused = |fault| AppError::BadParameters(vec![fault]);
    let limit = limit_of(limit).map_err(refused)?;
    let mut last = match after {
        Some(text) => Some(Domain::parse(&text).map_err(|_| {
            let message = "`after` must be a domain, such as mesa.example";
            refused(BadParameter::new("after", "bad_domain", message))
        })?),
        None => None,
    };
    let mut domains: Vec<Domain> = Vec::new();
    // One more than a page, which shows whether there is another.
    while domains.len() <= limit as usize {
        let after = last.as_ref().map(|it| AgentId::new(it, LAST));
        let batch = state
            .store
            .agents(after.as_ref(), BATCH)
            .await
            .map_err(AppError::from)?;
        let Some(end) = batch.last() else { break };
        last = Some(end.domain.clone());
        domains.extend(batch.into_iter().map(|it| it.domain));
        domains.dedup();
    }
    let has_more = domains.len() > limit as usize;
    domains.truncate(limit as usize);
    let next_after = domains.last().filter(|_| has_more).map(Domain::to_string);
    let next = next_after.as_deref();
    let body = SitesBody {
        next: next.map(|it| following("/api/v1/sites", it, limit, &[])),
        sites: domains.iter().map(ListedSite::of).collect(),
        next_after,
        note: NOTE,
    };
    Ok(cache::json(&body, Policy::Search, &headers))
}

impl ListedAgent {
    fn of(stored: &StoredAgent, is_whole: bool) -> Self {
        let whole = || serde_json::to_value(public::Agent::of(stored)).ok();
        Self {
            summary: AgentSummary::of(stored),
            agent: is_whole.then(whole).flatten(),
        }
    }
}

impl ListedSite {
    fn of(domain: &Domain) -> Self {
        Self {
            domain: domain.to_string(),
            page: view::site_path(domain.as_str()),
            api: site::api_path(domain),
        }
    }
}

fn limit_of(given: Option<String>) -> Result<u32, BadParameter> {
    given.map_or(Ok(LIMIT), |it| within("limit", &it, 1, MAX_LIMIT))
}

/// Returns the id that a text is; `None` if no agent can have it.
fn id_of(text: &str) -> Option<AgentId> {
    let (domain, slug) = text.split_once('/')?;
    Some(AgentId::new(&Domain::parse(domain).ok()?, slug))
}

/// Returns the address of the page after a value.
fn following(path: &str, after: &str, limit: u32, more: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("after", after);
    if limit != LIMIT {
        query.append_pair("limit", &limit.to_string());
    }
    for (name, value) in more.iter().filter(|it| !it.1.is_empty()) {
        query.append_pair(name, value);
    }
    location(path, &query.finish())
}
