//! Addresses in what is converted: those that somebody gave, and no others.

use crate::support::document;
use manifest::convert::{Conversion, Origin, Target};
use manifest::{Document, convert, formats};
use serde_json::{Value, json};

fn to(document: &Document, is_placed: bool, target: Target) -> Conversion {
    let reading = formats::read(document);
    let mut origin = Origin::of(document, &reading);
    origin.is_placed &= is_placed;
    convert(&reading.agents, &origin, target)
}

fn served(path: &str, value: &Value) -> Document {
    let url = format!("https://quay.example{path}");
    document(&url, value.to_string().into_bytes())
}

#[test]
fn a_bare_host_is_an_address_and_a_bare_word_is_none() {
    for (written, expected) in [
        ("quay.example", Some("https://quay.example/")),
        ("other.example", None),
        ("/about", Some("https://quay.example/about")),
    ] {
        let text = format!("Name: Quay\nURL: {written}\nCapabilities: find\n");
        let at = "https://quay.example/.well-known/agents.txt";
        let document = document(at, text.into_bytes());
        let reading = formats::read(&document);
        assert_eq!(reading.agents[0].url.as_deref(), expected, "{written}");
        let conversion = to(&document, true, Target::AgentsTxt);
        let body = conversion.body.unwrap();
        let url = expected.unwrap_or("https://quay.example/");
        assert!(body.contains(&format!("URL: {url}\n")), "{body}");
        let is_told = conversion.findings.iter().any(|it| it.rule == "CV-04");
        assert_eq!(is_told, expected.is_none(), "{written}");
    }
}

#[test]
fn endpoints_are_paths_of_the_origin_when_read_and_when_written() {
    for site in ["https://quay.example", "https://elsewhere.example"] {
        let manifest = json!({"schema_version": "1.0", "site": {"name": "Quay", "url": site},
            "capabilities": [{"name": "search", "endpoint": "search", "method": "GET"}]});
        let document = served("/.well-known/agents.json", &manifest);
        let reading = formats::read(&document);
        let url = reading.agents[0].capabilities[0].url.as_deref();
        assert_eq!(url, Some("https://quay.example/search"), "{site}");
    }
}
