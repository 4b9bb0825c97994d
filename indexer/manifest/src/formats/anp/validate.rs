//! Validation against the AN rules.

use super::{AgentDescription, Collection, MAX_INTERFACES, MAX_ITEMS};
use crate::finding::Findings;
use crate::formats::anp::rules::{AN_01, AN_02, AN_03, AN_04, AN_05};

pub(super) fn description(description: &AgentDescription, at: &str, findings: &mut Findings) {
    named(description, at, findings);
    let pointer = format_args!("{at}/interfaces");
    let what = "the interfaces as a list";
    let interfaces = &description.interfaces;
    interfaces.check(&AN_01, pointer, what, findings);
    interfaces.check_items(&AN_01, pointer, "an interface as an object", findings);
    let pointer = format_args!("{at}/securityDefinitions");
    let what = "an object from names to ways to authenticate";
    let definitions = &description.security_definitions;
    definitions.require(&AN_05, pointer, what, findings);
    let pointer = format_args!("{at}/security");
    let what = "the name of one of securityDefinitions";
    description
        .security
        .require(&AN_05, pointer, what, findings);
    for name in description.security_names() {
        if definitions.members().all(|(known, _)| known != name) {
            let message = format!("no securityDefinitions member is named {name:?}");
            findings.add(&AN_05, pointer, message);
        }
    }
}

pub(super) fn collection(collection: &Collection, findings: &mut Findings) {
    let what = "the agents as a list";
    collection.items.check(&AN_01, "/items", what, findings);
    let what = "an agent as an object";
    collection
        .items
        .check_items(&AN_01, "/items", what, findings);
    if collection.items.get().is_some_and(Vec::is_empty) {
        findings.add(
            &AN_02,
            "/items",
            "empty, so the collection lists no agent; give each agent an item",
        );
    }
    for (index, item) in collection.items.items().take(MAX_ITEMS) {
        let at = format!("/items/{index}");
        named(item, &at, findings);
        let what = "the URL of the agent's description";
        item.id
            .require_text(&AN_02, format_args!("{at}/@id"), what, findings);
    }
    let count = collection.items.get().map_or(0, Vec::len);
    if count > MAX_ITEMS {
        let message = format!("{count} items; the first {MAX_ITEMS} of a page are read");
        findings.add(&AN_03, "/items", message);
    }
    if !collection.next.is_absent() {
        let message = "goes on there; at most 10 pages are followed";
        findings.add(&AN_03, "/next", message);
    }
}

fn named(description: &AgentDescription, at: &str, findings: &mut Findings) {
    let pointer = format_args!("{at}/name");
    let what = "the agent's name";
    description
        .name
        .require_text(&AN_04, pointer, what, findings);
    let interfaces = description.interfaces.get().map_or(0, Vec::len);
    findings.rest(format_args!("{at}/interfaces"), interfaces, MAX_INTERFACES);
}
