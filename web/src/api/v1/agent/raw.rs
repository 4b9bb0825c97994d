//! `GET /api/v1/agents/{domain}/{slug}/raw`: the documents of an agent as served, or the bytes of
//! one of them.
//!
//! Secrets that a site published by accident are not shown (DI-10).

use super::version::raw_path;
use super::{of_agent, place};
use crate::api::v1::search::Links;
use crate::cache::{Policy, Tag};
use crate::error::{AppError, Problem};
use crate::parameter::{BadParameter, only};
use crate::record::NOTE;
use crate::record::version::text::{Omission, ShownText, Texts, document, text};
use crate::record::version::{hashes, versions};
use crate::state::AppState;
use aide::transform::TransformOperation;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use manifest::AgentId;
use manifest::listing::Source;
use schemars::{JsonSchema, json_schema};
use serde::Serialize;
use store::StoredAgent;

/// Media types of bytes.
const TEXT: &str = "text/plain; charset=utf-8";
const BYTES: &str = "application/octet-stream";

/// Content security policy of bytes that a site published: nothing is loaded or run.
const CONTENT_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// Documents of an agent as served.
#[derive(Debug, JsonSchema, Serialize)]
struct RawBody {
    id: String,
    /// Documents that the agent is read from, the leading one first.
    documents: Vec<RawDocument>,
    links: Links,
    note: &'static str,
}

/// One document as served.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RawDocument {
    #[serde(flatten)]
    source: Source,
    /// `null` if it is left out.
    text: Option<String>,
    /// True if secrets were removed from the text, so that it does not have the hash.
    redacted: bool,
    /// Reason why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Omission>,
    links: RawLinks,
}

/// Links of a document.
#[derive(Debug, JsonSchema, Serialize)]
struct RawLinks {
    /// Its bytes.
    bytes: String,
}

/// Describes `GET /api/v1/agents/{domain}/{slug}/raw`.
pub(crate) fn describe(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let hash = json_schema!({ "type": "string" });
    let summary = "Returns the documents of an agent as served, or the bytes of one of them.";
    of_agent(operation, "getRaw", summary)
        .query("document", "Hash of a version, for its bytes.", hash)
        .answer::<RawBody>("The documents.")
        .or_bytes(&[TEXT, BYTES])
        .done()
}

/// Answers `GET /api/v1/agents/{domain}/{slug}/raw`.
pub(crate) async fn show(
    State(state): State<AppState>,
    path: Result<Path<(String, String)>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let [document] = only(query.as_deref(), ["document"]).map_err(AppError::BadParameters)?;
    let (place, path_of) = place(path, "/raw", query.as_deref())?;
    if let Some(hash) = document {
        let agent = place.load(&state, path_of).await?;
        return Ok(bytes(&state, &agent, &hash, &headers).await?);
    }
    let tag = place.tag(&state, &["raw"]).await?;
    tag.serve(Policy::Current, &headers, async {
        let agent = place.load(&state, path_of).await?;
        let body = RawBody {
            id: agent.listing.id.to_string(),
            documents: documents(&state, &agent, &mut Texts::new()).await?,
            links: Links::of(&agent),
            note: NOTE,
        };
        Ok(Json(body))
    })
    .await
}

/// Returns the documents of an agent, the leading one first.
pub(crate) async fn documents(
    state: &AppState,
    agent: &StoredAgent,
    texts: &mut Texts,
) -> Result<Vec<RawDocument>, AppError> {
    let shown = texts.of(state, agent).await?;
    let sources = agent.listing.sources.iter().zip(shown);
    Ok(sources
        .map(|(source, shown)| RawDocument::of(source, shown, &agent.listing.id))
        .collect())
}

impl RawDocument {
    fn of(source: &Source, shown: Result<ShownText, Omission>, id: &AgentId) -> Self {
        let (text, redacted, left_out) = match shown {
            Ok(shown) => (Some(shown.text), shown.is_changed, None),
            Err(reason) => (None, false, Some(reason)),
        };
        Self {
            text,
            redacted,
            left_out,
            links: RawLinks {
                bytes: raw_path(id, &source.hash),
            },
            source: source.clone(),
        }
    }
}

/// Returns the bytes of one version of a document.
async fn bytes(
    state: &AppState,
    agent: &StoredAgent,
    hash: &str,
    headers: &HeaderMap,
) -> Result<Response, AppError> {
    let documents = versions(state, agent).await?;
    let has = |version: &store::DocumentVersion| version.hash == hash;
    let found = documents.iter().find(|it| it.versions.iter().any(has));
    let unknown = || {
        let fault = BadParameter::unknown_value("document", hash, &hashes(&documents));
        AppError::BadParameters(vec![fault])
    };
    let url = &found.ok_or_else(unknown)?.url;
    let tag = Tag::of(&["raw", hash]);
    tag.serve(Policy::Details, headers, async {
        let body = state.store.blob(hash).await?.ok_or_else(unknown)?;
        let shown = text(document(agent, url, body.clone())).await?;
        let body = match shown {
            Ok(shown) if shown.is_changed => shown.text.into_bytes(),
            Ok(_) | Err(_) => body,
        };
        let mut response = body.clone().into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type(&body)));
        headers.insert(CONTENT_SECURITY_POLICY, CONTENT_POLICY);
        Ok(response)
    })
    .await
}

/// Returns the media type of bytes that a site published; a browser renders neither.
fn media_type(body: &[u8]) -> &'static str {
    match std::str::from_utf8(body) {
        Ok(_) => TEXT,
        Err(_) => BYTES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_media_type_makes_a_browser_run_the_bytes() {
        for (body, expected) in [
            (&b"{\"a\": 1}"[..], "text/plain; charset=utf-8"),
            (b"<script>alert(1)</script>", "text/plain; charset=utf-8"),
            (b"", "text/plain; charset=utf-8"),
            (b"\xff<script>", "application/octet-stream"),
        ] {
            assert_eq!(media_type(body), expected);
        }
    }
}
