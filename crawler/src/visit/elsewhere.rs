//! Other sites that the documents of a visit lead to: seeds of their own, with their own robots.txt and pace.

use manifest::reference::Follow;
use manifest::{Domain, Reading};
use std::collections::BTreeSet;
use url::Url;

/// Their content is a source of capabilities, not of agents; a later reader may ask for them.
pub(super) const NO_MANIFESTS: [&str; 3] = ["openapi", "mcp", "schema"];

/// How many other sites one visit leads to.
const MOST: usize = 8;

/// The domains besides `own` that may have the manifests which these readings point at, in their order.
pub(crate) fn elsewhere(
    own: &Domain,
    readings: &[Reading],
    admits_special_use: bool,
) -> Vec<Domain> {
    let references = readings.iter().flat_map(|reading| &reading.references);
    let mut seen = BTreeSet::new();
    references
        .filter(|reference| reference.follow == Follow::Queue)
        .filter(|reference| !NO_MANIFESTS.contains(&reference.rel.as_str()))
        .filter_map(|reference| Url::parse(&reference.url).ok())
        .filter(|url| url.scheme() == "https" && url.port().is_none())
        .filter_map(|url| Domain::parse(url.host_str()?).ok())
        .filter(|domain| domain != own && (admits_special_use || !domain.is_special_use()))
        .filter(|domain| seen.insert(domain.clone()))
        .take(MOST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{Document, Timestamp, formats};

    /// A catalogue of agent cards at these URLs.
    fn reading(urls: &[String]) -> Reading {
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
        formats::read(&Document {
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
        })
    }

    fn found(urls: &[&str], admits_special_use: bool) -> Vec<String> {
        let urls: Vec<String> = urls.iter().map(|&url| url.to_owned()).collect();
        let own = Domain::parse("mesa.example").unwrap();
        let found = elsewhere(&own, &[reading(&urls)], admits_special_use);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn other_sites_are_found_once_each_and_the_own_is_not() {
        let urls = [
            "https://a.example/card.json",
            "https://a.example/other.json",
            "https://mesa.example/card.json",
            "https://b.example/card.json",
        ];
        assert_eq!(found(&urls, false), ["a.example", "b.example"]);
    }

    #[test]
    fn names_that_the_public_dns_does_not_know_need_leave() {
        let urls = ["https://a.test/card.json", "https://127.0.0.1/card.json"];
        assert!(found(&urls, false).is_empty());
        assert_eq!(found(&urls, true), ["a.test"]);
    }

    #[test]
    fn one_visit_leads_to_few() {
        let urls: Vec<String> = (0..50)
            .map(|it| format!("https://h{it}.example/card"))
            .collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        assert_eq!(found(&urls, false).len(), MOST);
    }
}
