//! Grouping of documents by agent, and the content of listings.

use super::*;
use crate::document::sample;
use crate::formats::read;
use proptest::prelude::*;
use proptest::sample::Index;

pub(super) const DOMAIN: &str = "mugs.example";

pub(super) fn documents(files: &[(&str, &str)]) -> Vec<Document> {
    files
        .iter()
        .map(|(path, body)| sample(DOMAIN, path, *body))
        .collect()
}

pub(super) fn merged(documents: &[Document]) -> Vec<Listing> {
    let readings: Vec<_> = documents
        .iter()
        .map(|document| (document, read(document)))
        .collect();
    merge(&Domain::parse(DOMAIN).unwrap(), &readings).listings
}

pub(super) fn ids(listings: &[Listing]) -> Vec<&str> {
    listings.iter().map(|listing| listing.id.as_str()).collect()
}

fn evidence(source: usize, pointer: &str) -> Evidence {
    Evidence {
        source,
        pointer: pointer.to_owned(),
    }
}

const PROFILE: &str = r#"{"name": "Mugs", "description": "From a profile", "services": [
    {"name": "Search", "description": "Finds mugs", "path": "/s"}, {"name": "Glaze"}]}"#;
const TEXT: &str = "Name: MUGS\nURL: https://mugs.example\nContact: shop@mugs.example\nDescription: From a text\nCapabilities: search, checkout\n";

#[test]
fn each_interface_has_the_position_of_its_own_address() {
    let listings = merged(&documents(&[(
        "/.well-known/agents.json",
        r#"{"name": "Mugs", "description": "Sells mugs", "mcp_endpoint": "https://mugs.example/mcp",
            "openapi_spec": "https://mugs.example/openapi.json", "services": ["Search"]}"#,
    )]));
    let urls = listings[0]
        .agent
        .interfaces
        .iter()
        .map(|it| it.url.as_str());
    let places = (0..).map(|index| &listings[0].provenance[&format!("interfaces/{index}")].pointer);
    let pairs: Vec<_> = urls.zip(places.map(String::as_str)).collect();
    assert_eq!(
        pairs,
        [
            ("https://mugs.example/mcp", "/mcp_endpoint"),
            ("https://mugs.example/openapi.json", "/openapi_spec"),
        ]
    );
}

#[test]
fn a_name_that_another_document_gives_the_same_agent_is_kept() {
    let listings = merged(&documents(&[
        (
            "/.well-known/agents.json",
            r#"{"name": "Mugs", "description": "Sells mugs", "url": "https://mugs.example/api", "services": ["Search"]}"#,
        ),
        (
            "/agents.json",
            r#"{"name": "The Mug Agent", "description": "Sells mugs", "url": "https://mugs.example/api/", "services": ["Glaze"]}"#,
        ),
    ]));
    assert_eq!(ids(&listings), ["mugs.example/mugs"]);
    assert_eq!(listings[0].agent.other_names, ["The Mug Agent"]);
}

#[test]
fn the_preferred_document_leads_and_the_others_fill_in() {
    let documents = documents(&[("/agents.txt", TEXT), ("/.well-known/agents.json", PROFILE)]);
    let listings = merged(&documents);
    assert_eq!(ids(&listings), ["mugs.example/mugs"]);
    let listing = &listings[0];
    assert_eq!(
        (listing.format.as_str(), listing.level.as_str()),
        ("profile", "C")
    );
    assert_eq!(listing.agent.name, "Mugs");
    assert_eq!(listing.agent.description.as_deref(), Some("From a profile"));
    assert_eq!(listing.agent.contact.as_deref(), Some("shop@mugs.example"));
    assert_eq!(listing.provenance["contact"].source, 1);
    assert_eq!(
        listing.provenance["description"],
        evidence(0, "/description")
    );
    assert_eq!(listing.sources[1].url, "https://mugs.example/agents.txt");
    let names: Vec<_> = listing
        .agent
        .capabilities
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["Search", "Glaze", "checkout"]);
    assert_eq!(
        listing.provenance["capabilities/1"],
        evidence(0, "/services/1")
    );
    assert_eq!(listing.provenance["capabilities/2"], evidence(1, "line:5"));
}

#[test]
fn identical_bytes_are_one_document_with_two_locations() {
    let documents = documents(&[
        ("/agents.json", PROFILE),
        ("/.well-known/agents.json", PROFILE),
    ]);
    let listings = merged(&documents);
    assert_eq!(listings.len(), 1);
    let urls: Vec<_> = listings[0]
        .sources
        .iter()
        .map(|source| source.url.as_str())
        .collect();
    let expected = [
        "https://mugs.example/.well-known/agents.json",
        "https://mugs.example/agents.json",
    ];
    assert_eq!(urls, expected);
    assert!(listings[0].provenance.values().all(|it| it.source == 0));
}

#[test]
fn the_same_endpoint_is_the_same_agent_and_agents_of_one_document_stay_apart() {
    let one = r#"{"name": "One", "description": "d", "url": "https://mugs.example/api"}"#;
    let other = r#"{"name": "Other", "description": "e", "url": "https://mugs.example/api/"}"#;
    let apart = documents(&[("/agents.json", one), ("/agent.json", other)]);
    assert_eq!(ids(&merged(&apart)), ["mugs.example/one"]);
    let both = format!("{{\"agents\": [{one}, {other}]}}");
    let together = documents(&[("/agents.json", &both)]);
    assert_eq!(
        ids(&merged(&together)),
        ["mugs.example/one", "mugs.example/other"]
    );
}

#[test]
fn a_nameless_agent_joins_the_only_other_one() {
    let pointers = "# Standard: https://agents-txt.com\nMCP: https://mugs.example/mcp\n";
    let joined = merged(&documents(&[
        ("/agents.txt", pointers),
        ("/agents.json", PROFILE),
    ]));
    assert_eq!(ids(&joined), ["mugs.example/mugs"]);
    assert_eq!(joined[0].agent.interfaces[0].protocol, "mcp");
    assert_eq!(joined[0].provenance["interfaces/0"].source, 1);
    let alone = merged(&documents(&[("/agents.txt", pointers)]));
    assert_eq!(ids(&alone), ["mugs.example/mugs-example"]);
    assert_eq!(alone[0].agent.defaulted, ["name"]);
}

fn body() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["Mugs", "mugs", "Cups", "", "42"]);
    let url = prop::sample::select(vec!["https://mugs.example/a", "https://mugs.example/b", ""]);
    let services = prop::collection::vec(prop::sample::select(vec!["x", "X", "y", "z"]), 0..4);
    let contact = prop::option::of("[a-c]");
    let id = prop::sample::select(vec!["", "a", "b"]);
    let agent = (id, name, url, services, contact).prop_map(|(id, name, url, services, contact)| {
        serde_json::json!({
            "id": id, "name": name, "description": "d", "url": url, "services": services, "contact": contact,
        })
    });
    let list = prop::collection::vec(agent.clone(), 1..4)
        .prop_map(|agents| serde_json::json!({ "agents": agents }));
    prop_oneof![agent, list].prop_map(|value| value.to_string())
}

/// Generates up to five documents of random agents at their usual paths.
fn bodies() -> impl Strategy<Value = Vec<Document>> {
    const PATHS: [&str; 5] = [
        "/.well-known/agent-card.json",
        "/.well-known/agents.json",
        "/agents.json",
        "/agent.json",
        "/other.json",
    ];
    prop::collection::vec(body(), 1..6).prop_map(|bodies| {
        let files: Vec<_> = PATHS
            .into_iter()
            .zip(bodies.iter().map(String::as_str))
            .collect();
        documents(&files)
    })
}

proptest! {
    #[test]
    fn merging_does_not_depend_on_the_order_of_documents(
        mut documents in bodies(),
        swaps: Vec<(Index, Index)>,
    ) {
        let expected = merged(&documents);
        for (one, other) in swaps {
            let length = documents.len();
            documents.swap(one.index(length), other.index(length));
        }
        let found = merged(&documents);
        prop_assert_eq!(&found, &expected);
        let mut ids: Vec<_> = found.iter().map(|listing| &listing.id).collect();
        ids.dedup();
        prop_assert_eq!(ids.len(), found.len());
    }

    #[test]
    fn merging_does_not_depend_on_the_order_of_agents(mut documents in bodies()) {
        let facts = |documents: &[Document]| -> Vec<_> {
            let listings = merged(documents).into_iter();
            let content = |mut listing: Listing| {
                // What is kept as published has the order of the documents.
                listing.agent.extensions.clear();
                (listing.id, group::content(&listing.agent))
            };
            listings.map(content).collect()
        };
        let expected = facts(&documents);
        for document in &mut documents {
            let mut value: serde_json::Value = serde_json::from_slice(&document.body).unwrap();
            if let Some(agents) = value.get_mut("agents").and_then(|it| it.as_array_mut()) {
                agents.reverse();
            }
            document.body = value.to_string().into_bytes();
        }
        prop_assert_eq!(facts(&documents), expected);
    }

    #[test]
    fn every_fact_of_a_listing_has_its_evidence(documents in bodies()) {
        const NOTES: [&str; 2] = ["defaulted", "pointers"];
        for listing in merged(&documents) {
            let agent = serde_json::to_value(&listing.agent).unwrap();
            for (field, value) in agent.as_object().unwrap() {
                let paths = match (field.as_str(), value.as_array()) {
                    ("capabilities" | "interfaces" | "other_names", Some(items)) => {
                        (0..items.len()).map(|index| format!("{field}/{index}")).collect()
                    }
                    _ => vec![field.clone()],
                };
                for path in paths.iter().filter(|path| !NOTES.contains(&path.as_str())) {
                    let evidence = listing.provenance.get(path);
                    prop_assert!(evidence.is_some(), "{path} in {agent}");
                    prop_assert!(evidence.unwrap().source < listing.sources.len());
                }
            }
        }
    }
}

#[test]
fn a_transport_that_any_document_states_holds_for_the_address() {
    let listings = merged(&documents(&[
        (
            "/.well-known/agent.json",
            r#"{"name": "Mugs", "description": "Sells mugs", "mcp_endpoint": "https://mugs.example/mcp"}"#,
        ),
        (
            "/.well-known/mcp/server-card.json",
            r#"{"serverInfo": {"name": "Mugs", "version": "1.0.0"}, "tools": [{"name": "find"}],
                "transport": {"type": "streamable-http", "url": "https://mugs.example/mcp/"}}"#,
        ),
    ]));
    let interfaces = &listings[0].agent.interfaces;
    assert_eq!(interfaces.len(), 1, "{interfaces:?}");
    assert_eq!(interfaces[0].transport.as_deref(), Some("streamable-http"));
}
