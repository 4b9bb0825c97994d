//! Rules on converting a manifest to another format: what is lost, changed or missing.
//!
//! A bad example breaks its rule when it is converted to some target; a good example does not when
//! it is converted to the format that it already has.

use super::{Example, Rule};
use crate::Severity::{Error, Info, Warning};

const FORMAT: &str = "Conversion";

pub(crate) static CV_01: Rule = Rule {
    id: "CV-01",
    format: FORMAT,
    severity: Warning,
    title: "The target has a place for every fact",
    explanation: "The target format has no member for this fact, so the result does not \
            contain it. Publish the original beside it, or state the fact in the description.",
    section: "Agentdex, conversion",
    good: &[CARD],
    bad: &[SHOP],
};

pub(crate) static CV_02: Rule = Rule {
    id: "CV-02",
    format: FORMAT,
    severity: Error,
    title: "The document gives every fact that the target requires",
    explanation: "The target format requires a fact that the document does not give. It \
            is not guessed, so there is no result: add the fact to the document and convert again.",
    section: "The specification of the target format",
    good: &[CARD],
    bad: &[SHOP],
};

pub(crate) static CV_03: Rule = Rule {
    id: "CV-03",
    format: FORMAT,
    severity: Warning,
    title: "The target can describe every capability",
    explanation: "The target format describes calls over HTTP, and neither method nor \
            address of this capability is known. The result leaves it out.",
    section: "Agentdex, conversion",
    good: &[CARD],
    bad: &[TOOLS],
};

pub(crate) static CV_04: Rule = Rule {
    id: "CV-04",
    format: FORMAT,
    severity: Info,
    title: "Names and values fit as they are",
    explanation: "The fact is changed so that it fits: a name in the characters that are \
            allowed, an identifier made from a name, a name in place of a description.",
    section: "Agentdex, conversion",
    good: &[CARD],
    bad: &[SHOP],
};

pub(crate) static CV_05: Rule = Rule {
    id: "CV-05",
    format: FORMAT,
    severity: Warning,
    title: "The document describes one agent",
    explanation: "The target format describes a single agent, and the document describes \
            several. The result is the first; convert the others one by one.",
    section: "Agentdex, conversion (C-84)",
    good: &[CARD],
    bad: &[TWO],
};

pub(crate) const RULES: &[&Rule] = &[&CV_01, &CV_02, &CV_03, &CV_04, &CV_05];

/// A card that converts to its own format without loss.
const CARD: Example = Example::at(
    "/.well-known/agent-card.json",
    r#"{"name": "Harbour shop", "description": "Rope, paint and charts.", "version": "1.0.0",
        "supportedInterfaces": [{"url": "https://shop.example/a2a", "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0"}],
        "capabilities": {}, "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "find", "name": "Find goods", "description": "Searches the stock.",
            "tags": ["shop"]}]}"#,
);

/// A site with methods, which cards cannot state, and without a version, which most formats
/// require.
const SHOP: Example = Example::at(
    "/.well-known/agents.json",
    r#"{"schema_version": "1.0", "site": {"name": "Harbour shop", "url": "https://shop.example/"},
        "capabilities": [{"name": "find", "endpoint": "/api/find", "method": "GET"}],
        "rate_limit": {"requests_per_minute": 60}}"#,
);

/// A manifest with a capability that gives no HTTP method or address.
const TOOLS: Example = Example::at(
    "/.well-known/agents.json",
    r#"{"manifest_version": "1.0", "profiles": ["core"],
        "agent": {"id": "urn:air:shop.example:agent:shop", "name": "Harbour shop"},
        "capabilities": [{"id": "retrieval", "description": "Answers from the catalogue."}],
        "tools": [{"id": "stock", "name": "Stock", "type": "http",
            "endpoint": "https://shop.example/api/stock"}]}"#,
);

/// A manifest of two agents.
const TWO: Example = Example::at(
    "/.well-known/agents.json",
    r#"[{"name": "Find", "description": "Searches the stock.", "url": "https://shop.example/find",
            "version": "1.0.0", "capabilities": [{"name": "find", "description": "Searches."}]},
        {"name": "Order", "description": "Takes orders.", "url": "https://shop.example/order",
            "version": "1.0.0", "capabilities": [{"name": "order", "description": "Orders."}]}]"#,
);
