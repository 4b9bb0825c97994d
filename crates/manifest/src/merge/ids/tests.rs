//! Stability of ids.

use super::MAX_SLUG;
use crate::Listing;
use crate::merge::tests::{documents, ids, merged};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns the listings of one file with these agents.
fn listed(agents: &[Value]) -> Vec<Listing> {
    let body = json!({ "agents": agents }).to_string();
    merged(&documents(&[("/agents.json", &body)]))
}

/// Returns the id of each agent by its endpoint.
fn by_endpoint(agents: &[Value]) -> BTreeMap<String, String> {
    let listings = listed(agents).into_iter();
    listings
        .map(|listing| (listing.agent.url.unwrap(), listing.id.to_string()))
        .collect()
}

fn agent(name: &str, endpoint: &str) -> Value {
    let url = format!("https://mugs.example/{endpoint}");
    json!({"name": name, "description": "Sells mugs.", "url": url})
}

#[test]
fn slugs_come_from_the_name_and_are_unique_and_never_empty() {
    let described =
        |name: &str, description: &str| json!({"name": name, "description": description});
    let listings = listed(&[
        described("Bäcker & Söhne", "a"),
        described("Шторм", "b"),
        described("backer-sohne-2", "d"),
        described("42", "e"),
        described("", "nothing else"),
    ]);
    assert_eq!(
        ids(&listings),
        [
            "mugs.example/agent",
            "mugs.example/backer-sohne",
            "mugs.example/backer-sohne-2",
            "mugs.example/shtorm",
        ]
    );
    let long = listed(&[described(&"long name ".repeat(40), "d")]);
    assert!(long[0].id.parts().1.len() <= MAX_SLUG);
}

#[test]
fn of_rivals_for_one_slug_the_first_by_endpoint_has_no_suffix() {
    let rivals = [agent("Mugs", "b"), agent("mugs!", "a"), agent("MUGS", "c")];
    let ids = by_endpoint(&rivals);
    assert_eq!(ids["https://mugs.example/a"], "mugs.example/mugs");
    let suffixed = &ids["https://mugs.example/b"];
    assert_eq!(suffixed.len(), "mugs.example/mugs-123456".len());
    assert_ne!(suffixed, &ids["https://mugs.example/c"]);
}

#[test]
fn adding_or_removing_a_rival_changes_no_suffix() {
    let rivals = [agent("Mugs", "b"), agent("mugs!", "a"), agent("MUGS", "c")];
    let all = by_endpoint(&rivals);
    let fewer = by_endpoint(&rivals[..2]);
    assert_eq!(
        all["https://mugs.example/a"],
        fewer["https://mugs.example/a"]
    );
    assert_eq!(
        all["https://mugs.example/b"],
        fewer["https://mugs.example/b"]
    );
}

#[test]
fn rivals_with_one_endpoint_are_distinguished_by_their_content() {
    let tenant =
        |text: &str| json!({"name": "Mugs", "description": text, "url": "https://mugs.example/a"});
    let one = listed(&[tenant("cups"), tenant("mugs")]);
    let other = listed(&[tenant("mugs"), tenant("cups")]);
    assert_eq!(one.len(), 2);
    let ids = |listings: &[Listing]| -> Vec<_> {
        let of = |it: &Listing| (it.id.clone(), it.agent.description.clone());
        listings.iter().map(of).collect()
    };
    assert_eq!(ids(&one), ids(&other));
}

#[test]
fn identical_agents_are_listed_once() {
    let twice = [agent("Mugs", "a"), agent("Mugs", "a")];
    assert_eq!(ids(&listed(&twice)), ["mugs.example/mugs"]);
}

const OLD_CARD: &str = r#"{"name": "Mug finder", "description": "Finds mugs.", "version": "1.0.0",
    "protocolVersion": "0.3.0", "url": "https://mugs.example/a2a", "preferredTransport": "JSONRPC",
    "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "find", "name": "Find", "description": "Finds mugs.", "tags": ["mugs"]}]}"#;
const NEW_CARD: &str = r#"{"name": "Mug finder", "description": "Finds mugs.", "version": "2.0.0",
    "supportedInterfaces": [{"url": "https://mugs.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "find", "name": "Find", "description": "Finds mugs.", "tags": ["mugs"]}]}"#;

#[test]
fn a_newer_format_at_a_newer_path_keeps_the_id() {
    let (old, new) = ("/.well-known/agent.json", "/.well-known/agent-card.json");
    for files in [
        &[(old, OLD_CARD)][..],
        &[(old, OLD_CARD), (new, NEW_CARD)],
        &[(new, OLD_CARD)],
        &[(new, NEW_CARD)],
    ] {
        let listings = merged(&documents(files));
        assert_eq!(ids(&listings), ["mugs.example/mug-finder"]);
    }
}

proptest! {
    #[test]
    fn renaming_one_agent_does_not_change_the_ids_of_others(
        names in prop::collection::vec(prop::sample::select(vec!["Mugs", "mugs!", "Cups", "42", "Glaze"]), 2..8),
        renamed: prop::sample::Index,
    ) {
        let mut agents: Vec<Value> = names
            .iter()
            .enumerate()
            .map(|(index, name)| agent(name, &index.to_string()))
            .collect();
        let before = by_endpoint(&agents);
        // The last of its rivals, or the only one: renaming the first one changes two ids.
        let index = names.iter().rposition(|name| *name == names[renamed.index(names.len())]).unwrap();
        let url = format!("https://mugs.example/{index}");
        prop_assume!(before[&url].contains('-') || before.values().filter(|id| id.starts_with(&before[&url])).count() == 1);
        agents[index]["name"] = json!("Another name altogether");
        let mut after = by_endpoint(&agents);
        after.remove(&url);
        for (endpoint, id) in after {
            prop_assert_eq!(&before[&endpoint], &id);
        }
    }
}
