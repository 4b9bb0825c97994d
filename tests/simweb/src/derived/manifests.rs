//! The manifests of derived hosts: one short valid document for each path.

use bytes::Bytes;

/// Path of an A2A agent card.
pub(super) const CARD: &str = "/.well-known/agent-card.json";

const CARDS: &[&str] = &[CARD];
const AGENT_JSON: &[&str] = &["/.well-known/agent.json", "/agent.json"];
const AGENTS_TXT: &[&str] = &["/agents.txt"];
const AGENTS_JSON: &[&str] = &["/.well-known/agents.json", "/agents.json"];
const CATALOG: &[&str] = &["/.well-known/ai-catalog.json", "/.well-known/ard.json"];

/// Every path of every file that a first visit requests.
pub(super) const PLACES: &[&str] = &[
    CARD,
    AGENT_JSON[0],
    AGENT_JSON[1],
    AGENTS_TXT[0],
    AGENTS_JSON[0],
    AGENTS_JSON[1],
    CATALOG[0],
    CATALOG[1],
];

/// Sets of files that one host may have, each file at one of its paths.
///
/// No file has two paths, because a client that finds the first need not request the second.
pub(super) const SETS: &[&[&[&str]]] = &[
    &[CARDS],
    &[AGENT_JSON],
    &[AGENTS_TXT],
    &[AGENTS_JSON],
    &[CATALOG],
    &[CARDS, AGENTS_TXT],
    &[AGENT_JSON, CATALOG],
    &[CARDS, AGENTS_JSON, AGENTS_TXT],
];

/// Returns the document of `host` at one of these paths; no document refers to another on the host.
pub(super) fn at(path: &str, host: &str) -> Bytes {
    let text = if path == CARD {
        CARD_TEXT
    } else if AGENTS_TXT.contains(&path) {
        AGENTS_TXT_TEXT
    } else if CATALOG.contains(&path) {
        CATALOG_TEXT
    } else if AGENTS_JSON.contains(&path) {
        AGENTS_JSON_TEXT
    } else {
        AGENT_JSON_TEXT
    };
    Bytes::from(text.replace("HOST", host))
}

const CARD_TEXT: &str = r#"{
  "protocolVersion": "0.3.0", "name": "Clerk of HOST", "description": "Answers letters.",
  "version": "1.0.0", "url": "https://HOST/a2a", "capabilities": {},
  "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
  "skills": [{ "id": "answer", "name": "Answer", "description": "Answers a letter.", "tags": ["mail"] }]
}
"#;

const AGENT_JSON_TEXT: &str = r#"{
  "name": "Desk of HOST", "version": "1.0.0",
  "capabilities": {
    "hours": { "description": "When the desk is open", "method": "GET", "endpoint": "/hours" }
  }
}
"#;

const AGENTS_TXT_TEXT: &str =
    "Site: HOST\nURL: https://HOST\nDescription: Answers letters\nAllow: search\n";

const AGENTS_JSON_TEXT: &str = r#"{
  "manifest_version": "1.0",
  "agent": { "id": "ajson://HOST/agents/desk", "name": "Desk of HOST" }
}
"#;

const CATALOG_TEXT: &str = r#"{
  "specVersion": "1.0",
  "entries": [{
    "identifier": "urn:air:HOST:agent:desk", "displayName": "Desk of HOST",
    "type": "application/a2a-agent-card+json", "url": "https://desk.elsewhere.example/card.json"
  }]
}
"#;
