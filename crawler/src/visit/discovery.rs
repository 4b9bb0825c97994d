//! Other sites that the documents of a visit name: they become seeds of their own, with their own
//! robots.txt and rate limits.

use manifest::reference::Follow;
use manifest::{Document, Domain, Reading};
use std::collections::BTreeMap;
use store::Discovery;
use url::Url;

/// Maximum number of other sites per visit.
const MOST: usize = 8;

/// Maximum number of documents per site.
const MAX_OF_EACH: usize = 5;

/// Returns the documents on domains other than `own` that these documents and readings refer to and
/// that may be manifests, in their order: at most [`MOST`] domains and [`MAX_OF_EACH`] documents
/// of each.
pub(crate) fn discoveries<'a>(
    own: &Domain,
    documents: impl Iterator<Item = (&'a Document, &'a Reading)>,
    admits_special_use: bool,
) -> Vec<Discovery> {
    let mut counts: BTreeMap<Domain, usize> = BTreeMap::new();
    let references = documents.flat_map(|(document, reading)| {
        let references = reading.references.iter();
        references.map(move |reference| (document, reference))
    });
    references
        .filter(|(_, reference)| reference.follow == Follow::Queue)
        // An API description is credited to its own site alone, and lists nothing there (GP-05).
        .filter(|(_, reference)| reference.rel != "openapi")
        .filter_map(|(document, reference)| Some((document, Url::parse(&reference.url).ok()?)))
        .filter(|(_, url)| url.scheme() == "https" && url.port().is_none())
        .filter_map(|(document, url)| Some((document, Domain::parse(url.host_str()?).ok()?, url)))
        .filter(|(_, to, _)| to != own && (admits_special_use || !to.is_special_use()))
        .filter(|(_, to, _)| {
            if counts.len() >= MOST && !counts.contains_key(to) {
                return false;
            }
            let count = counts.entry(to.clone()).or_default();
            *count += 1;
            *count <= MAX_OF_EACH
        })
        .map(|(document, to, url)| Discovery {
            from: own.clone(),
            to,
            url: url.into(),
            named_by: document.url.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{Timestamp, formats};

    /// Returns a catalogue of agent cards at these URLs.
    fn catalogue(urls: &[String]) -> Document {
        let entries: Vec<_> = urls
            .iter()
            .map(|url| {
                serde_json::json!({
                    "identifier": format!("urn:air:mesa.example:agent:{}", url.len()),
                    "displayName": "An agent",
                    "type": "application/a2a-agent-card+json",
                    "url": url,
                })
            })
            .collect();
        let body = serde_json::json!({"specVersion": "1.0", "entries": entries});
        let url: Url = "https://mesa.example/.well-known/ai-catalog.json"
            .parse()
            .unwrap();
        Document {
            domain: Domain::parse("mesa.example").unwrap(),
            requested: url.clone(),
            url,
            status: 200,
            media_type: None,
            etag: None,
            last_modified: None,
            served: None,
            fetched: Timestamp(0),
            body: body.to_string().into_bytes(),
        }
    }

    fn found(urls: &[&str], admits_special_use: bool) -> Vec<String> {
        let urls: Vec<String> = urls.iter().map(|&url| url.to_owned()).collect();
        let own = Domain::parse("mesa.example").unwrap();
        let catalogue = catalogue(&urls);
        let reading = formats::read(&catalogue);
        let documents = std::iter::once((&catalogue, &reading));
        let found = discoveries(&own, documents, admits_special_use);
        assert!(found.iter().all(|it| it.named_by == catalogue.url.as_str()));
        found.into_iter().map(|it| it.url).collect()
    }

    #[test]
    fn p09_documents_of_other_sites_keep_their_urls_and_own_ones_are_skipped() {
        let urls = [
            "https://a.example/card.json",
            "https://a.example/other.json",
            "https://mesa.example/card.json",
            "https://b.example/card.json",
        ];
        assert_eq!(found(&urls, false), [urls[0], urls[1], urls[3]]);
    }

    #[test]
    fn special_use_names_are_skipped_unless_admitted() {
        let urls = ["https://a.test/card.json", "https://127.0.0.1/card.json"];
        assert!(found(&urls, false).is_empty());
        assert_eq!(found(&urls, true), urls[..1]);
    }

    #[test]
    fn one_visit_discovers_few_documents() {
        let urls: Vec<String> = (0..50)
            .map(|it| format!("https://h{it}.example/card"))
            .collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        assert_eq!(found(&urls, false).len(), MOST);
        let urls: Vec<String> = (0..50)
            .map(|it| format!("https://h.example/card/{it}"))
            .collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        assert_eq!(found(&urls, false).len(), MAX_OF_EACH);
    }
}
