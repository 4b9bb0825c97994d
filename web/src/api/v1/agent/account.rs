//! The accounts of an agent's documents: what became of each of their values.

use crate::error::AppError;
use crate::record::version::text::document;
use crate::state::{AppState, blocking};
use manifest::account::Account;
use manifest::formats;
use schemars::JsonSchema;
use serde::Serialize;
use store::StoredAgent;

/// Maximum number of values in one response.
const MAX_VALUES: usize = 2_000;

/// The account of one document.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct DocumentAccount {
    /// Address of the document.
    url: String,
    /// Hash of its bytes.
    hash: String,
    /// True if the response has no room for all of its values; the numbers are of all.
    is_cut: bool,
    #[serde(flatten)]
    account: Account,
}

/// Returns the accounts of the documents whose bytes are stored, the leading one first.
pub(super) async fn all(
    state: &AppState,
    agent: &StoredAgent,
) -> Result<Vec<DocumentAccount>, AppError> {
    let mut accounts = Vec::new();
    let mut room = MAX_VALUES;
    for source in &agent.listing.sources {
        let Some(body) = state.store.blob(&source.hash).await? else {
            continue;
        };
        let document = document(agent, &source.url, body);
        let mut account = blocking(move || formats::account(&document, None)).await?;
        let is_cut = account.values.len() > room;
        account.values.truncate(room);
        room -= account.values.len();
        accounts.push(DocumentAccount {
            url: source.url.clone(),
            hash: source.hash.clone(),
            is_cut,
            account,
        });
    }
    Ok(accounts)
}
