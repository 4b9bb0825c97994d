//! Tests with documents that name addresses of their own network.

use crate::document::sample;
use crate::{Domain, merge, read};

const CARD: &str = r#"{
  "protocolVersion": "0.3.0",
  "name": "Island Ferry",
  "description": "Crossings to the islands.",
  "url": "http://169.254.169.254/latest/meta-data/",
  "preferredTransport": "JSONRPC",
  "additionalInterfaces": [
    {"url": "http://2130706433/a2a", "transport": "JSONRPC"},
    {"url": "https://ferry.example/a2a", "transport": "HTTP+JSON"},
    {"url": "backend.internal:50051", "transport": "GRPC"}
  ],
  "documentationUrl": "http://wiki.corp/ferry",
  "provider": {"organization": "Ferries", "url": "http://intranet/"},
  "version": "1.0.0",
  "capabilities": {},
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [{"id": "book", "name": "Book", "description": "Books a seat", "tags": ["travel"]}]
}"#;

#[test]
fn addresses_that_no_stranger_can_call_are_left_out_and_reported() {
    let document = sample("ferry.example", "/.well-known/agent-card.json", CARD);
    let reading = read(&document);
    let mut offered = reading.agents.clone();
    let kept = std::mem::take(&mut offered[0].extensions);
    assert_eq!(kept["documentationUrl"], "http://wiki.corp/ferry");
    let text = serde_json::to_string(&offered).unwrap();
    for address in [
        "169.254",
        "2130706433",
        "127.0.0.1",
        "internal",
        "corp",
        "intranet",
    ] {
        assert!(
            !text.contains(&format!("{address}/")),
            "{address} in {text}"
        );
    }
    let agent = &reading.agents[0];
    let interfaces: Vec<&str> = agent.interfaces.iter().map(|it| it.url.as_str()).collect();
    assert_eq!(interfaces, ["https://ferry.example/a2a"]);
    let fields: Vec<&str> = agent.withheld.iter().map(|it| it.field.as_str()).collect();
    for field in ["url", "docs", "provider", "interfaces"] {
        assert!(fields.contains(&field), "{field} in {fields:?}");
    }
    assert!(reading.findings.iter().any(|it| it.rule.id == "DI-12"));

    let domain = Domain::parse("ferry.example").unwrap();
    let merged = merge::merge(&domain, &[(&document, reading)]);
    let listing = &merged.listings[0];
    assert!(!listing.agent.withheld.is_empty());
    assert!(!listing.provenance.contains_key("withheld"));
}

#[test]
fn a_name_below_the_domain_of_the_document_is_left() {
    let card = CARD
        .replace(
            "http://169.254.169.254/latest/meta-data/",
            "https://api.shop.internal/a2a",
        )
        .replace("http://2130706433/", "https://api.shop.internal/");
    let document = sample("shop.internal", "/.well-known/agent-card.json", card);
    let agent = &read(&document).agents[0];
    assert_eq!(agent.url.as_deref(), Some("https://api.shop.internal/a2a"));
}
