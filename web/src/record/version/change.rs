//! Differences between the stored versions of a document, fact by fact.

use super::DocumentVersions;
use super::text::document;
use crate::error::AppError;
use crate::slots::Slots;
use crate::state::{AppState, blocking};
use manifest::difference::{Differences, differences};
use manifest::{Document, Listing, merge};
use std::sync::LazyLock;
use store::StoredAgent;

/// Most versions that are read for one answer.
const MAX_READ: usize = 12;
/// Maximum number of bytes of them.
const MAX_BYTES: u64 = 512 << 10;

/// Versions that are read at the same time; the others wait.
static READERS: LazyLock<Slots> = LazyLock::new(|| Slots::new(4));

/// Reads versions of documents, until they are too many or too long for one answer.
#[derive(Debug)]
pub(crate) struct Reader {
    versions: usize,
    bytes: u64,
}

impl Reader {
    /// Creates a reader for one answer.
    pub(crate) fn new() -> Self {
        Self {
            versions: MAX_READ,
            bytes: MAX_BYTES,
        }
    }

    /// Returns, for each version of a document but the oldest, its differences from the one before it;
    /// `None` from the first version on that is not compared.
    pub(crate) async fn differences(
        &mut self,
        state: &AppState,
        agent: &StoredAgent,
        of: &DocumentVersions,
    ) -> Result<Vec<Option<Differences>>, AppError> {
        let pairs = of.versions.len().saturating_sub(1);
        let mut found = vec![None; pairs];
        let mut later = None;
        for (at, place) in found.iter_mut().enumerate() {
            if at == 0 {
                later = self.read(state, agent, of, at).await?;
            }
            let Some(after) = later.take() else {
                break;
            };
            let Some(before) = self.read(state, agent, of, at + 1).await? else {
                break;
            };
            *place = Some(differences(&before, &after));
            later = Some(before);
        }
        Ok(found)
    }

    /// Reads one version; `None` if there is no space for it, it is no longer stored, or the agent is
    /// not in it.
    async fn read(
        &mut self,
        state: &AppState,
        agent: &StoredAgent,
        of: &DocumentVersions,
        at: usize,
    ) -> Result<Option<Listing>, AppError> {
        let version = &of.versions[at];
        let space = (
            self.versions.checked_sub(1),
            self.bytes.checked_sub(version.bytes),
        );
        let (Some(versions), Some(bytes)) = space else {
            return Ok(None);
        };
        (self.versions, self.bytes) = (versions, bytes);
        let Some(body) = state.store.blob(&version.hash).await? else {
            return Ok(None);
        };
        let document = document(agent, &of.url, body);
        let id = agent.listing.id.clone();
        let reader = READERS.acquire().await;
        blocking(move || {
            let listing = listing(&document, id.as_str());
            drop(reader);
            listing
        })
        .await
    }
}

/// Reads the agent from a document; under another id if it is the only one there.
fn listing(document: &Document, id: &str) -> Option<Listing> {
    let reading = manifest::read(document);
    let mut listings = merge::merge(&document.domain, &[(document, reading)]).listings;
    let at = listings.iter().position(|it| it.id.as_str() == id);
    let at = at.or((listings.len() == 1).then_some(0))?;
    Some(listings.swap_remove(at))
}
