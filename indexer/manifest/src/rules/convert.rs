//! Rules on converting a manifest to another format: what became of each fact on the way.
//!
//! Their bad examples break them when they are converted to some target, their good examples
//! hold when they are converted to the format that they have already.

use super::{Example, Rule};
use crate::Severity::{Error, Info, Warning};

const FORMAT: &str = "Conversion";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "CV-01",
        format: FORMAT,
        severity: Warning,
        title: "The target has a place for every fact",
        explanation: "The format converted to has no member for this fact, so the result does not \
            say it. Publish the original beside it, or say the fact in the description.",
        section: "FORMATS 12.1 and 12.2",
        good: &[CARD],
        bad: &[SHOP],
    },
    Rule {
        id: "CV-02",
        format: FORMAT,
        severity: Error,
        title: "What the target requires is said",
        explanation: "The format converted to requires a fact that the document does not give. It \
            is not guessed, so there is no result: add the fact to the document and convert again.",
        section: "FORMATS sections 5 to 11",
        good: &[CARD],
        bad: &[SHOP],
    },
    Rule {
        id: "CV-03",
        format: FORMAT,
        severity: Warning,
        title: "Every capability can be said",
        explanation: "The format converted to describes calls over HTTP, and of this capability \
            neither method nor address is known. The result leaves it out.",
        section: "FORMATS 12.2",
        good: &[CARD],
        bad: &[TOOLS],
    },
    Rule {
        id: "CV-04",
        format: FORMAT,
        severity: Info,
        title: "Names and values fit as they are",
        explanation: "The fact is said in another way so that it fits: a name in the characters \
            that are allowed, an identifier made of a name, a name in place of a description.",
        section: "FORMATS 12.2",
        good: &[CARD],
        bad: &[SHOP],
    },
    Rule {
        id: "CV-05",
        format: FORMAT,
        severity: Warning,
        title: "The document describes one agent",
        explanation: "The format converted to describes a single agent, and the document describes \
            several. The result is the first; convert the others one by one.",
        section: "FORMATS C-84",
        good: &[CARD],
        bad: &[TWO],
    },
];

/// Says nothing that its own format cannot say again.
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

/// Has methods, which cards have not, and no version, which most formats require.
const SHOP: Example = Example::at(
    "/.well-known/agents.json",
    r#"{"schema_version": "1.0", "site": {"name": "Harbour shop", "url": "https://shop.example/"},
        "capabilities": [{"name": "find", "endpoint": "/api/find", "method": "GET"}],
        "rate_limit": {"requests_per_minute": 60}}"#,
);

/// Of neither capability is it known how to call it over HTTP.
const TOOLS: Example = Example::at(
    "/.well-known/agents.json",
    r#"{"manifest_version": "1.0", "profiles": ["core"],
        "agent": {"id": "urn:air:shop.example:agent:shop", "name": "Harbour shop"},
        "capabilities": [{"id": "retrieval", "description": "Answers from the catalogue."}],
        "tools": [{"id": "stock", "name": "Stock", "type": "http",
            "endpoint": "https://shop.example/api/stock"}]}"#,
);

const TWO: Example = Example::at(
    "/.well-known/agents.json",
    r#"[{"name": "Find", "description": "Searches the stock.", "url": "https://shop.example/find",
            "version": "1.0.0", "capabilities": [{"name": "find", "description": "Searches."}]},
        {"name": "Order", "description": "Takes orders.", "url": "https://shop.example/order",
            "version": "1.0.0", "capabilities": [{"name": "order", "description": "Orders."}]}]"#,
);
