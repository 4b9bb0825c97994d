//! Version 1 of the native API: its responses stay compatible.
//!
//! The types here are the contract. None is a type of another crate, so that those may change.

pub(crate) mod agent;
pub(crate) mod rule;
pub(crate) mod search;
pub(crate) mod site;
pub(crate) mod suggest;

use crate::cache::{Policy, Tag};
use crate::view::time::rfc3339;
use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use manifest::{AgentId, Finding, Timestamp};
use serde::Serialize;

/// Finding on a document.
#[derive(Debug, Serialize)]
pub(crate) struct FindingBody {
    rule: &'static str,
    severity: &'static str,
    pointer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Column in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    message: String,
    /// Text at that position.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
}

impl FindingBody {
    fn of(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.id,
            severity: finding.severity.as_str(),
            pointer: finding.pointer.clone(),
            line: finding.line,
            column: finding.column,
            message: finding.message.clone(),
            excerpt: finding.excerpt.clone(),
        }
    }
}

/// Returns the agent's globally unique name.
fn urn(id: &AgentId) -> String {
    let (domain, slug) = id.parts();
    format!("urn:air:{domain}:agent:{slug}")
}

/// Formats a time as RFC 3339 with `Z`.
fn time(at: Timestamp) -> String {
    rfc3339(at)
}

/// Returns `body` with `policy` and a tag of its content; 304 if the client has it.
fn tagged(body: &impl Serialize, policy: Policy, headers: &HeaderMap) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Tag::of(&["body", &text]).answer(policy, headers, Json(body))
}
