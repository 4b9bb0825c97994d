//! The rules of the Agent Network Protocol.

use crate::Severity::{Error, Info, Warning};
use crate::rule::{Example, Rule};

pub(crate) static AN_01: Rule = Rule {
    id: "AN-01",
    format: "ANP",
    severity: Error,
    title: "The document is the JSON that the specification describes",
    explanation: "Lists are arrays of objects. An early example of the specification was not even JSON; do not start from it.",
    section: "ANP-07, Agent Description Document",
    good: &[GOOD],
    bad: &[description(
        r#"{"protocolType": "ANP", "name": "Mugs", "interfaces": {"protocol": "MCP"},
                "securityDefinitions": {"none": {"scheme": "nosec"}}, "security": "none"}"#,
    )],
};

pub(crate) static AN_04: Rule = Rule {
    id: "AN-04",
    format: "ANP",
    severity: Error,
    title: "Every agent has a name",
    explanation: "People and programs find an agent by its name.",
    section: "ANP-07, Basic Information",
    good: &[GOOD],
    bad: &[description(
        r#"{"protocolType": "ANP", "description": "Finds mugs.",
                "securityDefinitions": {"none": {"scheme": "nosec"}}, "security": "none"}"#,
    )],
};

pub(crate) static AN_05: Rule = Rule {
    id: "AN-05",
    format: "ANP",
    severity: Warning,
    title: "security names one of securityDefinitions",
    explanation: "A caller has to know how to authenticate before it can call.",
    section: "ANP-07, Security",
    good: &[GOOD],
    bad: &[description(
        r#"{"protocolType": "ANP", "name": "Mugs", "securityDefinitions": {}, "security": "didwba_sc"}"#,
    )],
};

pub(super) const DESCRIPTION: &[&Rule] = &[&AN_01, &AN_04, &AN_05];

pub(crate) static AN_02: Rule = Rule {
    id: "AN-02",
    format: "ANP",
    severity: Warning,
    title: "A collection has items, each with the address of its description",
    explanation: "A collection without items lists no agent, and an item without @id has no address to follow.",
    section: "ANP-08, Active Discovery",
    good: &[collection(PAGE)],
    bad: &[collection(r#"{"@type": "CollectionPage", "items": []}"#)],
};

pub(crate) static AN_03: Rule = Rule {
    id: "AN-03",
    format: "ANP",
    severity: Info,
    title: "A long collection is read in part",
    explanation: "At most 200 items of a page and 10 pages are followed.",
    section: "ANP-08, Active Discovery",
    good: &[collection(PAGE)],
    bad: &[collection(
        r#"{"@type": "CollectionPage", "next": "/.well-known/agent-descriptions?page=2",
                "items": [{"@type": "ad:AgentDescription", "name": "Mugs", "@id": "/agents/mugs/ad.json"}]}"#,
    )],
};

pub(super) const COLLECTION: &[&Rule] = &[&AN_02, &AN_03];

const GOOD: Example = description(
    r#"{"protocolType": "ANP", "protocolVersion": "1.0.0", "type": "AgentDescription", "name": "Mugs",
        "description": "Finds mugs by colour and size.",
        "interfaces": [{"type": "StructuredInterface", "protocol": "MCP", "url": "https://shop.example/mcp",
                        "description": "Search and order"}],
        "securityDefinitions": {"didwba_sc": {"scheme": "didwba", "in": "header", "name": "Authorization"}},
        "security": "didwba_sc"}"#,
);

const PAGE: &str = r#"{"@type": "CollectionPage", "items": [
    {"@type": "ad:AgentDescription", "name": "Mugs", "@id": "https://shop.example/agents/mugs/ad.json"}]}"#;

const fn description(body: &'static str) -> Example {
    Example::at("/agents/mugs/ad.json", body)
}

const fn collection(body: &'static str) -> Example {
    Example::at("/.well-known/agent-descriptions", body)
}
