//! Other registries, from entries of catalogues that were crawled. None of them is contacted.

use crate::error::AppError;
use crate::slots::Slots;
use crate::state::{AppState, blocking};
use export::urn;
use manifest::{Domain, text};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use url::Url;

/// Format of catalogues.
const CATALOG: &str = "ai-catalog";
/// Most catalogues that are read, the latest changes first.
const MAX_CATALOGS: u32 = 100;
/// Most referrals of an answer.
const MAX_REFERRALS: usize = 20;
/// Most characters of a name.
const MAX_NAME: usize = 200;
/// Media types of a registry.
const TYPES: [&str; 2] = ["application/ai-registry+json", "application/ai-registry"];

/// Requests that read catalogues at the same time; the others wait.
static READERS: LazyLock<Slots> = LazyLock::new(|| Slots::new(2));

/// Registry that a client may ask.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdReferral")]
pub(super) struct Referral {
    identifier: String,
    display_name: String,
    r#type: &'static str,
    url: String,
}

/// Returns the registries that the stored catalogues name, each once.
pub(super) async fn referrals(state: &AppState) -> Result<Vec<Referral>, AppError> {
    let reader = READERS.acquire().await;
    let documents = state
        .store
        .documents_of_format(CATALOG, MAX_CATALOGS)
        .await?;
    let found = blocking(move || {
        let mut seen = BTreeSet::new();
        let named = documents.iter().flat_map(|it| named(&it.document.body));
        let new = named.filter(|it| seen.insert(it.url.clone()));
        new.take(MAX_REFERRALS).collect()
    })
    .await;
    drop(reader);
    found
}

/// Returns the registries that a catalogue names.
fn named(body: &[u8]) -> Vec<Referral> {
    let catalog: Value = serde_json::from_slice(body).unwrap_or_default();
    let entries = catalog["entries"].as_array().into_iter().flatten();
    entries.filter_map(referral).collect()
}

fn referral(entry: &Value) -> Option<Referral> {
    let text = |name: &str| entry[name].as_str();
    let media_type = text("type").or_else(|| text("mediaType"))?;
    let r#type = TYPES.into_iter().find(|it| *it == media_type)?;
    let identifier = text("identifier").filter(|it| urn::publisher(it).is_some())?;
    let url = Url::parse(text("url")?).ok()?;
    let has_name = url.host_str().is_some_and(|it| Domain::parse(it).is_ok());
    let is_plain = url.username().is_empty() && url.password().is_none();
    if url.scheme() != "https" || !has_name || !is_plain {
        return None;
    }
    let name = text::clean(text("displayName").unwrap_or(identifier), MAX_NAME);
    Some(Referral {
        identifier: identifier.to_owned(),
        display_name: name,
        r#type,
        url: url.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_registries_at_public_addresses_are_named() {
        let entry = |identifier: &str, media_type: &str, url: &str| json!({"identifier": identifier, "displayName": "Finder", "type": media_type, "url": url});
        let own = "urn:air:finder.example:registry:public";
        let kind = TYPES[0];
        let body = json!({"specVersion": "1.0", "entries": [
            entry(own, kind, "https://finder.example/search"),
            entry(own, "application/a2a-agent-card+json", "https://finder.example/card"),
            entry("finder", kind, "https://finder.example/other"),
            entry(own, kind, "http://finder.example/plain"),
            entry(own, kind, "https://10.0.0.1/private"),
            entry(own, kind, "https://me:secret@finder.example/"),
            7,
        ]});
        let found = named(body.to_string().as_bytes());
        let urls: Vec<_> = found.iter().map(|it| it.url.as_str()).collect();
        assert_eq!(urls, ["https://finder.example/search"]);
        assert!(named(b"[").is_empty());
    }
}
