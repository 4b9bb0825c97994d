//! The stored versions of an agent's documents.

use crate::error::AppError;
use crate::pages::agent::api_path;
use crate::state::AppState;
use indexer::public::time;
use manifest::AgentId;
use schemars::JsonSchema;
use serde::Serialize;
use store::{DocumentVersion, StoredAgent};

/// Most versions of a document that are read.
const MAX_VERSIONS: u32 = 100;
/// Most documents of an agent whose versions are read.
const MAX_DOCUMENTS: usize = 20;

/// Versions of one document, newest first.
#[derive(Debug)]
pub(super) struct DocumentVersions {
    pub(super) url: String,
    pub(super) versions: Vec<DocumentVersion>,
    /// True if there are earlier versions.
    pub(super) has_earlier: bool,
}

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

/// Loads the versions of the documents that an agent is read from, the leading document first.
pub(super) async fn versions(
    state: &AppState,
    agent: &StoredAgent,
) -> Result<Vec<DocumentVersions>, AppError> {
    let mut documents: Vec<DocumentVersions> = Vec::new();
    for source in agent.listing.sources.iter().take(MAX_DOCUMENTS) {
        if documents.iter().any(|it| it.url == source.url) {
            continue;
        }
        let store = &state.store;
        let found = store.versions(&agent.domain, &source.url, MAX_VERSIONS + 1);
        let mut versions = found.await?;
        let has_earlier = versions.len() > MAX_VERSIONS as usize;
        versions.truncate(MAX_VERSIONS as usize);
        documents.push(DocumentVersions {
            url: source.url.clone(),
            versions,
            has_earlier,
        });
    }
    Ok(documents)
}

/// Returns the hashes of all versions, without duplicates.
pub(super) fn hashes(documents: &[DocumentVersions]) -> Vec<&str> {
    let mut hashes: Vec<&str> = Vec::new();
    for version in documents.iter().flat_map(|it| &it.versions) {
        if !hashes.contains(&&*version.hash) {
            hashes.push(&version.hash);
        }
    }
    hashes
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
            first_seen: time(version.first_seen),
            last_seen: version.last_seen.map(time),
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
