//! A version of a document, as the API returns it.

use crate::record::agent::api_path;
use crate::record::version::DocumentVersions;
use manifest::AgentId;
use manifest::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// One version of a document.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct VersionBody {
    /// SHA-256 of its bytes.
    hash: String,
    bytes: u64,
    first_seen: String,
    /// Time when it was last fetched or confirmed; `null` while it is current.
    last_seen: Option<String>,
    links: VersionLinks,
}

/// Links of a version.
#[derive(Debug, JsonSchema, Serialize)]
struct VersionLinks {
    /// Its bytes.
    raw: String,
    /// Difference from the version before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// Returns the address of the bytes of a version.
pub(super) fn raw_path(id: &AgentId, hash: &str) -> String {
    format!("{}/raw?document={hash}", api_path(id))
}

impl VersionBody {
    /// Converts the version at a position of its document.
    pub(super) fn of(document: &DocumentVersions, at: usize, id: &AgentId) -> Self {
        let version = &document.versions[at];
        let before = document.versions.get(at + 1);
        Self {
            hash: version.hash.clone(),
            bytes: version.bytes,
            first_seen: version.first_seen.to_rfc3339(),
            last_seen: version.last_seen.map(Timestamp::to_rfc3339),
            links: VersionLinks {
                raw: raw_path(id, &version.hash),
                diff: before.map(|before| {
                    let (from, to) = (&before.hash, &version.hash);
                    format!("{}/diff?from={from}&to={to}", api_path(id))
                }),
            },
        }
    }
}
