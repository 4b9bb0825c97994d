//! The rules ZV-01 to ZV-10.

use crate::FormatId;
use crate::Severity::{Info, Warning};
use crate::rule::{Example, Rule};

/// Id of the format.
pub(super) const ID: FormatId = FormatId::specified("zervice");

/// Title of the format.
pub(super) const FORMAT: &str = "Zervice agents.json";

/// A list without a fault.
const GOOD: &[Example] = &[array(
    r#"[{
  "name": "Tide tables",
  "description": "High and low water for every harbour.",
  "url": "https://shop.example/api",
  "version": "1.2.0",
  "authentication": {"type": "none"},
  "capabilities": [{
    "name": "get_tides",
    "description": "Tides of one day",
    "input_schema": {"type": "object", "properties": {"harbour": {"type": "string"}}}
  }]
}]"#,
)];

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(FORMAT, GOOD);

pub(crate) static ZV_01: Rule = Rule {
    id: "ZV-01",
    title: "The file is a list of agents",
    explanation: "agents.json holds an array of objects, one for each agent; the single form at agent-card.json is one such object. Anything else in the list is skipped.",
    section: "Zervice agents.json, \"The standard format\"",
    bad: &[Example::read_as(
        ID,
        "/.well-known/agents.json",
        r#"["Tide tables"]"#,
    )],
    ..RULE
};

pub(crate) static ZV_02: Rule = Rule {
    id: "ZV-02",
    severity: Warning,
    title: "The list has at least one agent",
    explanation: "An empty array is a valid file that announces nothing. List your agents, or remove the file.",
    section: "Zervice agents.json, \"The standard format\"",
    bad: &[array("[]")],
    ..RULE
};

pub(crate) static ZV_03: Rule = Rule {
    id: "ZV-03",
    title: "An agent has name, description and an absolute url",
    explanation: "All three are required. `url` is the address of the agent's API. It must be absolute, and should be https to keep callers safe.",
    section: "Zervice agents.json, \"Agent fields\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "/api", "version": "1.2.0", "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_04: Rule = Rule {
    id: "ZV-04",
    title: "An agent has a semantic version",
    explanation: "`version` is required; it tells callers that an agent has changed. A value that is not major.minor.patch is a warning.",
    section: "Zervice agents.json, \"Agent fields\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_05: Rule = Rule {
    id: "ZV-05",
    title: "Capabilities are a list",
    explanation: "`capabilities` is an array of actions, unlike the object of an A2A card. An empty array announces nothing and is a warning.",
    section: "Zervice agents.json, \"Capabilities\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "version": "1.2.0"}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_06: Rule = Rule {
    id: "ZV-06",
    title: "Each capability has its own name",
    explanation: "Agents choose a capability by its name, which is required. A unique name in snake_case and a description are advised.",
    section: "Zervice agents.json, \"Capabilities\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "version": "1.2.0", "capabilities": [{"description": "Tides of one day"}]}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_07: Rule = Rule {
    id: "ZV-07",
    title: "Authentication is api_key, oauth or none",
    explanation: "We understand the words of other specifications (oauth2, bearer, basic), with a warning. An unknown word does not tell callers how to authenticate.",
    section: "Zervice agents.json, \"Authentication\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "version": "1.2.0", "authentication": {"type": "handshake"}, "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_08: Rule = Rule {
    id: "ZV-08",
    severity: Info,
    title: "The list holds Zervice agents, not A2A cards",
    explanation: "An element with skills and a capabilities object is an A2A agent card. We read it as one; A2A clients look for it at /.well-known/agent-card.json.",
    section: "Zervice agents.json, \"Relation to A2A\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/a2a", "version": "1.2.0", "protocolVersion": "0.3.0", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [{"id": "tides", "name": "Tides", "description": "Tides of one day", "tags": ["sea"]}]}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_09: Rule = Rule {
    id: "ZV-09",
    severity: Warning,
    title: "Schemas are JSON Schema objects",
    explanation: "`input_schema` and `output_schema` describe an object in JSON Schema, so that a caller can build the request.",
    section: "Zervice agents.json, \"Capabilities\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "version": "1.2.0", "capabilities": [{"name": "get_tides", "description": "Tides of one day", "input_schema": "a harbour"}]}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_10: Rule = Rule {
    id: "ZV-10",
    severity: Warning,
    title: "An agent is listed once",
    explanation: "Two elements with the same name and url are the same agent twice. Merge them, or give each its own name.",
    section: "Zervice agents.json, \"The standard format\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High water.", "url": "https://shop.example/api", "version": "1.2.0", "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]},
  {"name": "Tide tables", "description": "Low water.", "url": "https://shop.example/api", "version": "1.2.0", "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
    )],
    ..RULE
};

pub(crate) static ZV_11: Rule = Rule {
    id: "ZV-11",
    severity: Warning,
    title: "Links to other files are absolute URLs",
    explanation: "`openapi_url` and `logo_url` are optional. Given, each is an absolute URL as a string; a relative one is resolved against the file, which other clients may not do.",
    section: "Zervice agents.json, \"Schema Definition\"",
    bad: &[array(
        r#"[{"name": "Tide tables", "description": "High and low water.", "url": "https://shop.example/api", "version": "1.2.0", "logo_url": ["/logo.svg"], "capabilities": [{"name": "get_tides", "description": "Tides of one day"}]}]"#,
    )],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &ZV_01, &ZV_02, &ZV_03, &ZV_04, &ZV_05, &ZV_06, &ZV_07, &ZV_08, &ZV_09, &ZV_10, &ZV_11,
];

const fn array(body: &'static str) -> Example {
    Example::at("/.well-known/agents.json", body)
}
