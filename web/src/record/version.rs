//! The stored versions of an agent's documents: their texts without secrets, and the differences
//! between them.

pub(crate) mod change;
pub(crate) mod diff;
pub(crate) mod text;

use crate::error::AppError;
use crate::state::AppState;
use manifest::AgentId;
use store::{Change, DocumentVersion, StoredAgent};

/// Most changes in one response.
const MAX_CHANGES: u32 = 100;
/// Most versions of a document that are read.
const MAX_VERSIONS: u32 = 100;
/// Most documents of an agent whose versions are read.
const MAX_DOCUMENTS: usize = 20;

/// Versions of one document, newest first.
#[derive(Debug)]
pub(crate) struct DocumentVersions {
    pub(crate) url: String,
    pub(crate) versions: Vec<DocumentVersion>,
    /// True if there are earlier versions.
    pub(crate) has_earlier: bool,
}

/// Loads the versions of the documents that an agent is read from, the leading document first.
pub(crate) async fn versions(
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
pub(crate) fn hashes(documents: &[DocumentVersions]) -> Vec<&str> {
    let mut hashes: Vec<&str> = Vec::new();
    for version in documents.iter().flat_map(|it| &it.versions) {
        if !hashes.contains(&&*version.hash) {
            hashes.push(&version.hash);
        }
    }
    hashes
}

/// Returns the newest entries of the change log on an agent, newest first, and whether there are
/// earlier ones.
pub(crate) async fn newest_changes(
    state: &AppState,
    id: &AgentId,
) -> Result<(Vec<Change>, bool), AppError> {
    let mut changes = state.store.changes_of(id, MAX_CHANGES + 1).await?;
    let has_earlier = changes.len() > MAX_CHANGES as usize;
    changes.truncate(MAX_CHANGES as usize);
    Ok((changes, has_earlier))
}
