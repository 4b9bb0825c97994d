//! `GET /api/v1/changes`: the change log as a feed, and `/changes/stream` as events.

mod start;
pub(crate) mod stream;

use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, only};
use crate::record::NOTE;
use crate::state::AppState;
use crate::view::foreign;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use export::public::shared;
use manifest::ChangeClass;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use serde_json::Value;
use start::Start;
use std::collections::HashMap;
use store::{Change, Store};

/// Address of the feed.
const PATH: &str = "/api/v1/changes";
/// Address of the export to start from.
pub(crate) const SNAPSHOT: &str = "/api/v1/export/latest.json";
/// Most changes in one response, and the number by default.
const MAX_LIMIT: u32 = 1_000;
const LIMIT: u32 = 100;
/// Number of agents that are loaded at a time.
const AGENTS: usize = 10;
/// Bytes of agents after which a page ends.
const MAX_AGENTS: usize = 4 << 20;

/// A page of the change log.
#[derive(Debug, JsonSchema, Serialize)]
struct ChangesBody {
    /// Changes after `since`, oldest first; their numbers have no gaps.
    changes: Vec<ChangeBody>,
    /// `since` of the next request.
    next: u64,
    /// Newest number of the log.
    last: u64,
    /// Epoch of the log, for `epoch` of the next request.
    epoch: String,
    links: FeedLinks,
    note: &'static str,
}

/// Entry of the change log.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct ChangeBody {
    seq: u64,
    at: String,
    /// `add`, `update`, `remove`, `status`, `optout` or `restore`.
    op: &'static str,
    /// Agent that changed.
    id: String,
    /// Parts that changed, with an update.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    classes: Vec<ChangeClass>,
    /// Hash of the merged record after the change; `null` after a removal.
    hash: Option<String>,
    /// Hash of the merged record before the change.
    previous_hash: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    /// Id under which a removed agent is listed now.
    #[serde(skip_serializing_if = "Option::is_none")]
    successor: Option<String>,
    /// The agent as it is now, with `include=agent`; `null` if it is not listed any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<Value>,
}

/// Addresses of the feed.
#[derive(Debug, JsonSchema, Serialize)]
struct FeedLinks {
    /// The next page; it may be empty as yet.
    next: String,
    /// The same changes as events.
    stream: String,
    /// Newest export, with the number from which to follow the feed.
    snapshot: &'static str,
}

/// Describes `GET /api/v1/changes`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let limit = json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT });
    feed(operation, "listChanges", "Lists the changes of agents.")
        .query("limit", "Most changes.", limit)
        .answer::<ChangesBody>("The changes.")
        .done()
}

/// Describes what the list and the stream have in common.
fn feed<'t>(operation: TransformOperation<'t>, id: &str, summary: &str) -> OperationDoc<'t> {
    let since = json_schema!({ "type": "integer", "minimum": 0 });
    let include = json_schema!({ "type": "string", "enum": ["agent"] });
    OperationDoc::new(operation, id, summary)
        .query("since", "Number after which the changes begin.", since)
        .query(
            "epoch",
            "Epoch of the log that `since` belongs to.",
            json_schema!({ "type": "string", "pattern": "^([0-9a-f]{16})?$" }),
        )
        .query("include", "Adds the agents as they are now.", include)
        .problem(
            400,
            "A parameter is unknown or invalid, or `since` is beyond the newest change.",
        )
        .problem(
            410,
            "The changes after `since` are no longer kept, or `epoch` is not that of the log; \
             `links.snapshot` is the export to start from.",
        )
}

/// Answers `GET /api/v1/changes`.
pub(crate) async fn list(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let [since, epoch, limit, include] =
        only(query.as_deref(), ["since", "epoch", "limit", "include"])
            .map_err(AppError::BadParameters)?;
    let start = Start::of_query(since.as_deref(), epoch);
    let limit = limit.map_or(Ok(LIMIT), |it| within("limit", &it, 1, MAX_LIMIT));
    let has_agents = includes_agents(include.as_deref());
    let (start, limit, has_agents) = match (start, limit, has_agents) {
        (Ok(start), Ok(limit), Ok(has_agents)) => (start, limit, has_agents),
        (start, limit, has_agents) => {
            let faults = [limit.err(), has_agents.err()].into_iter().flatten();
            let faults = start.err().into_iter().flatten().chain(faults);
            return Err(AppError::BadParameters(faults.collect()).into());
        }
    };
    let store = &*state.store;
    let feed = store.feed_state().await?;
    let changes = start.changes(store, &feed, limit).await?;
    let changes = if has_agents {
        with_agents(store, &changes).await?
    } else {
        changes.iter().map(ChangeBody::of).collect()
    };
    let next = changes.last().map_or(start.since, |it| it.seq);
    let more = if has_agents { "&include=agent" } else { "" };
    let epoch = feed.epoch;
    let body = ChangesBody {
        changes,
        next,
        last: store.last_change().await?.max(next),
        links: FeedLinks {
            next: format!("{PATH}?since={next}&epoch={epoch}&limit={limit}{more}"),
            stream: format!("{PATH}/stream?since={next}&epoch={epoch}{more}"),
            snapshot: SNAPSHOT,
        },
        epoch,
        note: NOTE,
    };
    Ok(cache::json(&body, Policy::Front, &headers))
}

/// Returns changes with their agents, up to the size of a page.
async fn with_agents(store: &dyn Store, changes: &[Change]) -> Result<Vec<ChangeBody>, AppError> {
    let mut bodies = Vec::with_capacity(changes.len());
    let mut bytes = 0;
    for batch in changes.chunks(AGENTS) {
        let mut ids: Vec<_> = batch.iter().map(|it| it.agent.clone()).collect();
        ids.sort_unstable();
        ids.dedup();
        let agents = store.agents_by_id(&ids).await?;
        let agents: HashMap<&str, Value> = agents
            .iter()
            .map(|agent| (agent.listing.id.as_str(), shared(agent)))
            .collect();
        for change in batch {
            let agent = agents.get(change.agent.as_str()).cloned();
            let agent = agent.unwrap_or(Value::Null);
            bytes += agent.to_string().len();
            bodies.push(ChangeBody {
                agent: Some(agent),
                ..ChangeBody::of(change)
            });
        }
        if bytes > MAX_AGENTS {
            break;
        }
    }
    Ok(bodies)
}

impl ChangeBody {
    pub(super) fn of(change: &Change) -> Self {
        Self {
            seq: change.seq,
            at: change.at.to_rfc3339(),
            op: change.op.as_str(),
            id: change.agent.to_string(),
            classes: change.classes.clone(),
            hash: change.hash.clone(),
            previous_hash: change.previous_hash.clone(),
            reason: foreign(&change.reason),
            successor: change.successor.as_ref().map(ToString::to_string),
            agent: None,
        }
    }
}

fn includes_agents(include: Option<&str>) -> Result<bool, BadParameter> {
    match include {
        None => Ok(false),
        Some("agent") => Ok(true),
        Some(other) => Err(BadParameter::unknown_value("include", other, &["agent"])),
    }
}

pub(super) fn within(
    name: &'static str,
    value: &str,
    least: u32,
    most: u32,
) -> Result<u32, BadParameter> {
    match value.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(BadParameter::new(
            name,
            "out_of_range",
            format!("`{name}` must be a whole number from {least} to {most}"),
        )),
    }
}
