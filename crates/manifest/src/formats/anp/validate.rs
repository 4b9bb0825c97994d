//! Validation against the AN rules.

use super::rules::{AN_01, AN_02, AN_03, AN_04, AN_05};
use super::{AgentDescription, Collection, MAX_INTERFACES, MAX_ITEMS};
use crate::CapabilityFact;
use crate::finding::Findings;
use crate::shape::Shape::{Any, Flag, List, Name, Open, Table, Text};
use crate::shape::{Member, Schema, Test, is_filled, item, member, required};

pub(super) static DESCRIPTION: Schema = Schema::open(
    &AN_01,
    &[
        NAME,
        member("did", Text),
        member("url", Text),
        member("version", Text),
        member("description", Text),
        member("owner", Open(&[])),
        member("interfaces", List(&INTERFACE)).what("the interfaces as a list"),
        required("securityDefinitions", Table(&item(Open(&[]))))
            .rule(&AN_05)
            .what("an object from names to ways to authenticate"),
        required("security", Any)
            .rule(&AN_05)
            .what("the name of one of securityDefinitions"),
    ],
);

static NAME: Member = required("name", Name("the agent's name")).rule(&AN_04);

static INTERFACE: Member = item(Open(&[
    member("type", Text),
    member("protocol", Text).of_capability(&[CapabilityFact::Protocol]),
    member("url", Text).of_capability(&[CapabilityFact::Endpoint, CapabilityFact::Url]),
    member("version", Text),
    member("description", Text).of_capability(&[CapabilityFact::Description]),
    member("humanAuthorization", Flag).of_capability(&[CapabilityFact::HumanHandoff]),
]))
.what("an interface object");

pub(super) static COLLECTION: Schema = Schema::open(
    &AN_01,
    &[
        member("items", List(&ITEM))
            .what("the agents as a list")
            .tests(&[Test::new(
                is_filled,
                "empty, so the collection lists no agent; give each agent an item",
            )
            .rule(&AN_02)]),
        member("next", Text).rule(&AN_03),
    ],
);

static ITEM: Member = item(Open(&[
    NAME,
    required("@id", Name("the URL of the agent's description")).rule(&AN_02),
    member("interfaces", List(&INTERFACE)),
]))
.what("an agent as an object");

pub(super) fn description(description: &AgentDescription, findings: &mut Findings) {
    rest(description, "", findings);
    let definitions = &description.security_definitions;
    for name in description.security_names() {
        if definitions.members().all(|(known, _)| known != name) {
            let message = format!("no securityDefinitions member is named {name:?}");
            findings.add(&AN_05, "/security", message);
        }
    }
}

pub(super) fn collection(collection: &Collection, findings: &mut Findings) {
    for (index, item) in collection.items.items().take(MAX_ITEMS) {
        rest(item, &format!("/items/{index}"), findings);
    }
    let count = collection.items.get().map_or(0, Vec::len);
    if count > MAX_ITEMS {
        let message = format!("{count} items; the first {MAX_ITEMS} of a page are read");
        findings.add(&AN_03, "/items", message);
    }
    if collection.next.get().is_some() {
        let message = "the collection continues there; at most 10 pages are followed";
        findings.add(&AN_03, "/next", message);
    }
}

/// Reports interfaces that are not read.
fn rest(description: &AgentDescription, at: &str, findings: &mut Findings) {
    let interfaces = description.interfaces.get().map_or(0, Vec::len);
    findings.rest(format_args!("{at}/interfaces"), interfaces, MAX_INTERFACES);
}
