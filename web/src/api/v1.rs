//! Version 1 of the native API: its responses stay compatible.
//!
//! The types here and those of [`indexer::public`] are the contract.

pub(crate) mod agent;
pub(crate) mod rule;
pub(crate) mod search;
pub(crate) mod site;
pub(crate) mod suggest;

use crate::cache::{Policy, Tag};
use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;

/// Returns `body` with `policy` and a tag of its content; 304 if the client has it.
fn tagged(body: &impl Serialize, policy: Policy, headers: &HeaderMap) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Tag::of(&["body", &text]).answer(policy, headers, Json(body))
}
