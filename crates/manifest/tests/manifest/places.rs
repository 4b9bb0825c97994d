//! URLs in conversions: only those that the source gives.

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
fn a_catalogue_refers_only_to_known_urls() {
    let agent = json!({"name": "Pilot", "description": "Tells the tide.", "version": "1.0.0",
        "supportedInterfaces": [{"url": "https://quay.example/a2a", "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0"}],
        "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "tide", "name": "Tide", "description": "Tells it.", "tags": ["sea"]}]});
    let document = served("/agent-card.json", &agent);
    let conversion = to(&document, true, Target::Ard);
    let catalogue: Value = serde_json::from_str(&conversion.body.unwrap()).unwrap();
    assert_eq!(
        catalogue["entries"][0]["url"],
        "https://quay.example/agent-card.json"
    );
    let conversion = to(&document, false, Target::Ard);
    assert_eq!(conversion.body, None);
    let finding = &conversion.findings[0];
    assert_eq!(finding.rule, "CV-02");
    assert!(
        finding.help.as_deref() == Some("give the path at which it is served"),
        "{finding:?}"
    );
    let of_file = Document::of_file("pilot.json", r#"{"name": "Pilot", "description": "In."}"#);
    assert_eq!(to(&of_file, true, Target::Ard).body, None);
}

#[test]
fn an_entry_keeps_its_embedded_document() {
    let mut catalogue = json!({"specVersion": "1.0",
        "host": {"displayName": "Quay", "identifier": "quay.example"},
        "entries": [
            {"identifier": "urn:air:quay.example:agent:pilot", "displayName": "Pilot",
                "type": "application/vnd.quay.pilot+json", "data": {"horns": 2},
                "description": "Brings ships in.",
                "representativeQueries": ["who brings me in", "is it deep enough"]}]});
    catalogue["entries"][0]["version"] = json!(3);
    let document = served("/.well-known/ard.json", &catalogue);
    let conversion = to(&document, true, Target::Ard);
    let body = conversion.body.as_ref();
    let body = body.unwrap_or_else(|| panic!("{:#?}", conversion.findings));
    let again: Value = serde_json::from_str(body).unwrap();
    assert_eq!(again["entries"][0]["data"], json!({"horns": 2}));
    assert!(
        conversion
            .findings
            .iter()
            .all(|it| !it.message.contains("interface"))
    );
}

#[test]
fn a_bare_host_is_a_url_and_a_bare_word_is_not() {
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
        let is_reported = conversion.findings.iter().any(|it| it.rule.id == "CV-04");
        assert_eq!(is_reported, expected.is_none(), "{written}");
    }
}

#[test]
fn endpoints_are_relative_to_the_origin_when_read_and_when_written() {
    for site in ["https://quay.example", "https://elsewhere.example"] {
        let manifest = json!({"schema_version": "1.0", "site": {"name": "Quay", "url": site},
            "capabilities": [{"name": "search", "endpoint": "search", "method": "GET"}]});
        let document = served("/.well-known/agents.json", &manifest);
        let reading = formats::read(&document);
        let url = reading.agents[0].capabilities[0].url.as_deref();
        assert_eq!(url, Some("https://quay.example/search"), "{site}");
    }
}

#[test]
fn a_page_that_is_the_base_of_all_calls_is_not_lost() {
    let manifest = json!({"schema_version": "1.0",
        "site": {"name": "Quay", "url": "https://quay.example"},
        "capabilities": [{"name": "search", "endpoint": "/search", "method": "GET"}]});
    let document = served("/.well-known/agents.json", &manifest);
    let mut reading = formats::read(&document);
    reading.agents[0].version = Some("1.0.0".to_owned());
    let origin = Origin::of(&document, &reading);
    let conversion = convert(&reading.agents, &origin, Target::AgentJson);
    assert!(
        conversion
            .body
            .unwrap()
            .contains("\"base_url\": \"https://quay.example/\"")
    );
    let is_lost = |it: &manifest::Finding| it.message.contains("homepage");
    assert!(!conversion.findings.iter().any(is_lost));
}

#[test]
fn manifests_of_sites_become_entries_that_lead_to_them() {
    let agents_json = r#"{"schema_version": "1.0", "site": {"name": "Quay",
        "url": "https://quay.example/", "description": "Berths by the hour."},
        "capabilities": [{"name": "berths", "description": "Lists free berths.",
        "endpoint": "/api/berths", "method": "GET"}]}"#;
    let agents_txt = "Site: Quay\nURL: https://quay.example/\nDescription: Berths by the hour.\n\
        Allow: berths\nFlow: rent \u{2192} berths\nFlow-Description: Rent a berth.\n";
    let intentql = r#"{"name": "Quay", "version": "1.0.0", "base_url": "https://quay.example",
        "description": "Berths by the hour.", "capabilities": {"berths": {"method": "GET",
        "endpoint": "/berths", "description": "Lists free berths."}}}"#;
    for (path, media_type, rel, text) in [
        (
            "/.well-known/agents.json",
            "application/json",
            "agents.json",
            agents_json,
        ),
        (
            "/.well-known/agents.txt",
            "text/plain",
            "agents.txt",
            agents_txt,
        ),
        ("/agent.json", "application/json", "agent-card", intentql),
    ] {
        let url = format!("https://quay.example{path}");
        let conversion = to(&document(&url, text.into()), true, Target::Ard);
        let Some(body) = &conversion.body else {
            panic!("{path}: {:#?}", conversion.findings);
        };
        // Descriptions became queries, which is said; nothing else is lost or changed.
        let ids: Vec<_> = conversion.findings.iter().map(|it| it.rule.id).collect();
        assert_eq!(ids, ["CV-04"], "{path}: {:#?}", conversion.findings);
        let catalogue: Value = serde_json::from_str(body).unwrap();
        let entry = &catalogue["entries"][0];
        assert_eq!(entry["type"], media_type);
        assert_eq!(entry["identifier"], "urn:air:quay.example:agent:quay");
        let reading = formats::read(&served("/.well-known/ard.json", &catalogue));
        assert_eq!(reading.findings, [], "{path}: {body}");
        let reference = &reading.references[0];
        assert_eq!((&*reference.rel, &*reference.url), (rel, &*url));
        let agent = &reading.agents[0];
        assert_eq!(agent.capabilities[0].name, "berths", "{path}");
        assert_eq!(agent.description.as_deref(), Some("Berths by the hour."));
    }
}
