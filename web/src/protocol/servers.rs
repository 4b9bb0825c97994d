//! The MCP Registry API (v0.1), read-only: listed agents that speak MCP, as servers.

mod package;
mod params;
mod server;

pub(super) use server::server_card;

use crate::cache::{Policy, Tag, json};
use crate::cursor::{self, Position};
use crate::error::{AppError, Missing, ServersProblem};
use crate::openapi::OperationDoc;
use crate::own::place;
use crate::parameter::{BadParameter, only};
use crate::state::AppState;
use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use manifest::AgentId;
use params::{Phase, ServersParams};
use schemars::{JsonSchema, json_schema};
use search::{Facet, MCP_DOCUMENTS, Request, Sort, query};
use serde::Serialize;
use server::{Item, id_of, version};
use std::collections::{BTreeMap, BTreeSet};
use store::{Operation, StoredAgent};

/// Maximum number of entries of the change log that one page of removed servers reads.
const MAX_CHANGES: u32 = 1_000;

/// Page of the servers.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ServerList")]
struct ServersAnswer {
    servers: Vec<Item>,
    metadata: Metadata,
}

#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ServerListMetadata")]
struct Metadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    count: usize,
}

/// Returns the routes, at the address of older clients as well, which the description leaves out. There are
/// none for publishing.
pub(crate) fn routes() -> ApiRouter<AppState> {
    let [current, older] = place::SERVERS;
    let paths = |base: &str| {
        let servers = format!("{base}/servers");
        let versions = format!("{servers}/{{name}}/versions");
        let version = format!("{versions}/{{version}}");
        [servers, versions, version]
    };
    let [all, all_versions, one] = paths(older);
    let router = ApiRouter::new()
        .route(&all, get(list))
        .route(&all_versions, get(versions))
        .route(&one, get(show));
    let [all, all_versions, one] = paths(current);
    router
        .api_route(&all, get_with(list, describe_list))
        .api_route(&all_versions, get_with(versions, describe_versions))
        .api_route(&one, get_with(show, describe))
}

/// Describes `GET /v0.1/servers`.
fn describe_list(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let doc = OperationDoc::new(operation, "listServers", "Lists servers, the newest first.");
    params::documented(doc)
        .answer::<ServersAnswer>("A page of the servers.")
        .problem(400, "A parameter is unknown or invalid.")
        .done_as::<ServersProblem>()
}

/// Answers `GET /v0.1/servers`: the servers, the newest first, and then those that were removed.
async fn list(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let keys = state.keys();
    let asked = ServersParams::parse(query.as_deref(), &keys).map_err(AppError::BadParameters)?;
    let generation = state.generation().await?;
    let changes = state.store.last_change().await?.to_string();
    let tag = Tag::of(&["servers", &generation, &changes, &asked.identity()]);
    tag.serve(Policy::Search, &headers, async {
        let (mut servers, mut next) = match &asked.phase {
            Phase::Listed(after) => listed(&state, &asked, after.clone()).await?,
            Phase::Removed(since) => (Vec::new(), Some(Phase::Removed(*since))),
        };
        if let Some(Phase::Removed(since)) = next {
            let room = asked.limit - servers.len();
            let (more, after) = removed(&state, &asked, since, room).await?;
            servers.extend(more);
            next = after;
        }
        let answer = ServersAnswer {
            metadata: Metadata {
                next_cursor: next.map(|phase| phase.write(&asked.canonical(), &keys)),
                count: servers.len(),
            },
            servers,
        };
        Ok(Json(answer))
    })
    .await
}

/// Returns a page of listed servers, and the page after it.
async fn listed(
    state: &AppState,
    asked: &ServersParams,
    after: Option<Position>,
) -> Result<(Vec<Item>, Option<Phase>), AppError> {
    let request = Request {
        filters: BTreeMap::from([(Facet::Document, MCP_DOCUMENTS.map(str::to_owned).to_vec())]),
        sort: Sort::FirstSeen,
        generation: after.as_ref().map(|it| it.generation),
        after: after.map(|it| it.after),
        ..Request::new(query::parse(""), asked.limit)
    };
    let item = |agent: &StoredAgent| Item::of(agent, state);
    let found = state
        .find_where(request, |it| {
            let since = asked.updated_since;
            since.is_none_or(|since| it.agent.changed >= since)
                && item(&it.agent).is_some_and(|item| asked.accepts(&item))
        })
        .await
        .map_err(|error| match error.starting_at(String::new) {
            AppError::CursorGone(_) => AppError::BadParameters(vec![BadParameter::new(
                "cursor",
                "cursor_gone",
                "the index has changed since the cursor was made; leave it out to start at the \
                 first page",
            )]),
            error => error,
        })?;
    let generation = found.results.generation;
    let next = match found.results.next {
        Some(after) => Some(Phase::Listed(Some(Position { generation, after }))),
        None => asked.include_deleted.then_some(Phase::Removed(0)),
    };
    let servers = found.found.iter();
    Ok((servers.filter_map(|it| item(&it.agent)).collect(), next))
}

/// Returns at most `limit` agents that were removed and are not listed again, and the page after them. The
/// registry no longer knows which of them were servers of MCP.
async fn removed(
    state: &AppState,
    asked: &ServersParams,
    since: u64,
    limit: usize,
) -> Result<(Vec<Item>, Option<Phase>), AppError> {
    let changes = state.store.changes(since, MAX_CHANGES).await?;
    let is_last = changes.len() < MAX_CHANGES as usize;
    let gone = |op| op == Operation::Remove;
    let ids: BTreeSet<AgentId> = changes
        .iter()
        .filter(|it| gone(it.op))
        .map(|it| it.agent.clone())
        .collect();
    let ids: Vec<AgentId> = ids.into_iter().collect();
    let again = state.store.agents_by_id(&ids).await?;
    let again: BTreeSet<AgentId> = again.into_iter().map(|it| it.listing.id).collect();
    let (mut items, mut seen, mut last) = (Vec::new(), BTreeSet::new(), since);
    for change in changes {
        if items.len() == limit {
            return Ok((items, Some(Phase::Removed(last))));
        }
        last = change.seq;
        let is_recent = asked.updated_since.is_none_or(|it| change.at >= it);
        let is_new = gone(change.op) && !again.contains(&change.agent);
        if is_new && is_recent && seen.insert(change.agent.clone()) {
            let item = Item::removed(&change);
            items.extend(Some(item).filter(|it| asked.accepts(it)));
        }
    }
    Ok((items, (!is_last).then_some(Phase::Removed(last))))
}

/// Describes what is common to the reads of one server.
fn of_server<'t>(operation: TransformOperation<'t>, id: &str, summary: &str) -> OperationDoc<'t> {
    OperationDoc::new(operation, id, summary)
        .path("name", "Name of the server.", "example.mesa/reservations")
        .query(
            "include_deleted",
            "Accepted for compatibility; a removed server has no versions.",
            json_schema!({ "type": "string" }),
        )
        .problem(400, "A parameter is unknown.")
        .problem(404, "There is no such server, or it has no such version.")
}

/// Describes `GET /v0.1/servers/{name}/versions`.
fn describe_versions(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    of_server(
        operation,
        "listServerVersions",
        "Returns the version of a server that its site serves.",
    )
    .answer::<ServersAnswer>("The version.")
    .done_as::<ServersProblem>()
}

/// Describes `GET /v0.1/servers/{name}/versions/{version}`.
fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    of_server(operation, "getServer", "Returns a version of a server.")
        .path("version", "The version, or `latest`.", "latest")
        .answer::<Item>("The server.")
        .done_as::<ServersProblem>()
}

/// Answers `GET /v0.1/servers/{name}/versions`: the version that the site serves.
async fn versions(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let [_] = only(query.as_deref(), ["include_deleted"]).map_err(AppError::BadParameters)?;
    let Path(name) = path?;
    let (_, item) = lookup(&state, &name).await?;
    let answer = ServersAnswer {
        servers: vec![item],
        metadata: Metadata {
            next_cursor: None,
            count: 1,
        },
    };
    Ok(json(&answer, Policy::Details, &headers))
}

/// Answers `GET /v0.1/servers/{name}/versions/{version}`.
async fn show(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let [_] = only(query.as_deref(), ["include_deleted"]).map_err(AppError::BadParameters)?;
    let Path((name, wanted)) = path?;
    let (agent, item) = lookup(&state, &name).await?;
    if wanted != "latest" && wanted != version(&agent) {
        let wanted = manifest::text::clean(&wanted, 100);
        return Err(missing(format!(
            "Server {} has no version {wanted}; it has {}.",
            item.name(),
            version(&agent)
        )));
    }
    Ok(json(&item, Policy::Details, &headers))
}

/// Returns the server with a name, and its agent.
async fn lookup(state: &AppState, name: &str) -> Result<(StoredAgent, Item), AppError> {
    let unknown = || {
        missing(format!(
            "There is no server {}.",
            manifest::text::clean(name, 200)
        ))
    };
    let id = id_of(name).ok_or_else(unknown)?;
    let agent = state.store.agents_by_id(&[id]).await?.pop();
    let agent = agent.ok_or_else(unknown)?;
    let item = Item::of(&agent, state).ok_or_else(unknown)?;
    Ok((agent, item))
}

fn missing(message: String) -> AppError {
    AppError::NotFound(Box::new(Missing {
        message,
        ..Missing::default()
    }))
}

impl Phase {
    /// Writes the cursor of a page of the request that is `canonical`.
    fn write(&self, canonical: &str, keys: &crate::secrets::Keys) -> String {
        match self {
            Self::Listed(Some(position)) => cursor::write(position, canonical, keys),
            Self::Listed(None) => String::new(),
            Self::Removed(seq) => params::write_seq(*seq, canonical, keys),
        }
    }
}
