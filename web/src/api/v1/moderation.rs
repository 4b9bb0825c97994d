//! `GET /api/v1/moderation`: the public log of moderation.

use crate::cache::{self, Policy};
use crate::error::{AppError, Problem};
use crate::openapi::OperationDoc;
use crate::parameter::{BadParameter, only};
use crate::record::log::LogPage;
use crate::state::AppState;
use crate::view::foreign;
use aide::transform::TransformOperation;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use std::str::FromStr;
use store::ModerationEntry;

/// Entries of a page, unless the request says otherwise.
const USUAL: u32 = 100;
/// Maximum number of entries of a page.
const MOST: u32 = 1_000;

/// Page of the log.
#[derive(Debug, JsonSchema, Serialize)]
struct ModerationBody {
    /// Newest first.
    entries: Vec<EntryBody>,
    /// Address of the next page, with older entries; `null` at the end.
    next: Option<String>,
}

/// Entry of the log.
#[derive(Debug, JsonSchema, Serialize)]
struct EntryBody {
    id: u64,
    at: String,
    /// `hide`, `show`, `block`, `unblock`, `optout`, `restore` or `report-closed`.
    action: &'static str,
    /// A domain, `*.` and a suffix, or the id of an agent.
    target: String,
    reason: String,
    /// `operator`, `blocklist`, `owner`, `robots` or `content-signal`.
    source: &'static str,
}

/// Describes `GET /api/v1/moderation`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    OperationDoc::new(
        operation,
        "listModeration",
        "Lists the actions of moderation, newest first.",
    )
    .query(
        "before",
        "Number of an entry; the page has those before it.",
        json_schema!({ "type": "integer", "minimum": 0 }),
    )
    .query(
        "limit",
        "Most entries of the page.",
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL }),
    )
    .answer::<ModerationBody>("A page of the log.")
    .problem(400, "A parameter is unknown or invalid.")
    .done()
}

/// Answers `GET /api/v1/moderation`.
pub(crate) async fn list(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (before, limit) = parse(query.as_deref()).map_err(AppError::BadParameters)?;
    let page = LogPage::load(&state, before, limit).await?;
    let next = |before| format!("/api/v1/moderation?before={before}&limit={limit}");
    let body = ModerationBody {
        next: page.next.map(next),
        entries: page.entries.iter().map(EntryBody::of).collect(),
    };
    Ok(cache::json(&body, Policy::Front, &headers))
}

impl EntryBody {
    fn of(entry: &ModerationEntry) -> Self {
        Self {
            id: entry.id,
            at: entry.at.to_rfc3339(),
            action: entry.action.as_str(),
            target: entry.target.clone(),
            reason: foreign(&entry.reason),
            source: entry.source.as_str(),
        }
    }
}

fn parse(query: Option<&str>) -> Result<(Option<u64>, u32), Vec<BadParameter>> {
    let [before, limit] = only(query, ["before", "limit"])?;
    let mut faults = Vec::new();
    let before: Option<u64> = number("before", before.as_deref(), "a number", &mut faults);
    let range = format!("a number from 1 to {MOST}");
    let limit: Option<u32> = number("limit", limit.as_deref(), &range, &mut faults);
    if limit.is_some_and(|limit| !(1..=MOST).contains(&limit)) {
        faults.push(bad("limit", &range));
    }
    if faults.is_empty() {
        Ok((before, limit.unwrap_or(USUAL)))
    } else {
        Err(faults)
    }
}

fn number<T: FromStr>(
    name: &'static str,
    value: Option<&str>,
    expected: &str,
    faults: &mut Vec<BadParameter>,
) -> Option<T> {
    let value = value?;
    let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = value.parse().ok().filter(|_| is_digits);
    if parsed.is_none() {
        faults.push(bad(name, expected));
    }
    parsed
}

fn bad(name: &'static str, expected: &str) -> BadParameter {
    BadParameter::new(name, "bad_number", format!("`{name}` must be {expected}"))
}
