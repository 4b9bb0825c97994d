//! Texts of documents, without the secrets that a site published by accident (DI-10).

use crate::error::AppError;
use crate::state::{AppState, blocking};
use manifest::{Document, redacted};
use schemars::JsonSchema;
use serde::Serialize;
use store::StoredAgent;
use url::Url;

/// Maximum number of bytes of all texts in one response.
const MAX_TEXTS: usize = 1 << 20;

/// Reason why a response does not contain the text of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LeftOut")]
pub(crate) enum Omission {
    /// Its bytes are not text.
    NotText,
    /// The texts of the response would be too long.
    TooLong,
    /// Its bytes are no longer stored, because the site changed it since the agent was read.
    NotStored,
}

/// Text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownText {
    pub(crate) text: String,
    /// True if secrets were removed, so that the text is not that of the stored bytes.
    pub(crate) is_changed: bool,
}

/// Loads the texts of documents, until they are too long for one response.
#[derive(Debug)]
pub(crate) struct Texts {
    /// Bytes that still fit.
    space: usize,
}

impl Texts {
    /// Creates a loader for one response.
    pub(crate) fn new() -> Self {
        Self { space: MAX_TEXTS }
    }

    /// Returns the texts of the documents of an agent, the leading one first.
    pub(crate) async fn of(
        &mut self,
        state: &AppState,
        agent: &StoredAgent,
    ) -> Result<Vec<Result<ShownText, Omission>>, AppError> {
        let mut texts = Vec::new();
        for source in &agent.listing.sources {
            let shown = match self.space {
                0 => Err(Omission::TooLong),
                _ => match state.store.blob(&source.hash).await? {
                    None => Err(Omission::NotStored),
                    Some(body) => text(document(agent, &source.url, body)).await?,
                },
            };
            texts.push(shown.and_then(|shown| {
                let fits = shown.text.len() <= self.space;
                self.space = self.space.saturating_sub(shown.text.len());
                fits.then_some(shown).ok_or(Omission::TooLong)
            }));
        }
        Ok(texts)
    }
}

/// Returns the stored bytes as a document of the agent's site.
pub(crate) fn document(agent: &StoredAgent, url: &str, body: Vec<u8>) -> Document {
    let origin = || format!("https://{}/", agent.domain);
    let url = Url::parse(url).or_else(|_| Url::parse(&origin()));
    let url = url.expect("a domain is a host");
    Document::new(agent.domain.clone(), url, body)
}

/// Returns the text of a document without its secrets.
pub(crate) async fn text(document: Document) -> Result<Result<ShownText, Omission>, AppError> {
    blocking(move || {
        let shown = redacted(&document).ok_or(Omission::NotText)?;
        Ok(ShownText {
            text: shown.text.into_owned(),
            is_changed: shown.is_changed,
        })
    })
    .await
}
