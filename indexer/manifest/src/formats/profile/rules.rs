//! The rules of FORMATS.md 11.10.

use crate::Severity::{Error, Info, Warning};
use crate::rules::{Example, Rule};

const FORMAT: &str = "Service profile in no specified format";

/// An agent card, which needs no guess.
const GOOD: &[Example] = &[Example::at(
    "/.well-known/agent-card.json",
    r#"{
  "protocolVersion": "0.3.0",
  "name": "Island Ferry",
  "description": "Crossings to the islands.",
  "url": "https://shop.example/a2a",
  "version": "1.0.0",
  "capabilities": {},
  "defaultInputModes": ["text/plain"],
  "defaultOutputModes": ["text/plain"],
  "skills": [{"id": "book", "name": "Book a crossing", "description": "Books a seat", "tags": ["travel"]}]
}"#,
)];

/// A profile that says everything with the usual words.
const PROFILE: &[Example] = &[profile(
    r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "mcp": "https://shop.example/mcp",
  "actions": [{"name": "book_crossing", "description": "Books a seat", "endpoint": "/book"}]}"#,
)];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "GP-01",
        format: FORMAT,
        severity: Info,
        title: "The document follows a specification",
        explanation: "Nothing says which format this is, so each fact was read from the member that looks like it. The finding lists which; follow a specification and agents need not guess.",
        section: "No specification: the habits of many sites",
        good: GOOD,
        bad: PROFILE,
    },
    Rule {
        id: "GP-02",
        format: FORMAT,
        severity: Warning,
        title: "What is almost a known format is one",
        explanation: "The document has the members of a specified format but one or two. The finding names the format and what is missing; with it every client of that format can call you.",
        section: "No specification: the habits of many sites",
        good: PROFILE,
        bad: &[profile(
            r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "url": "https://shop.example/", "version": "1.0.0"}"#,
        )],
    },
    Rule {
        id: "GP-03",
        format: FORMAT,
        severity: Warning,
        title: "Nothing is left over from a template",
        explanation: "Values such as https://your-domain.com, __PLACEHOLDER__ or TODO were meant to be replaced. We do not use them; put the real value there, or remove the member.",
        section: "No specification: the habits of many sites",
        good: PROFILE,
        bad: &[profile(
            r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "mcp": "https://your-domain.com/mcp"}"#,
        )],
    },
    Rule {
        id: "GP-04",
        format: FORMAT,
        severity: Warning,
        title: "An endpoint is an address or absent",
        explanation: "null and an empty text are no addresses. Name the endpoint, or leave the member out until there is one.",
        section: "No specification: the habits of many sites",
        good: PROFILE,
        bad: &[profile(
            r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "mcp": null, "actions": [{"name": "book_crossing", "description": "Books a seat"}]}"#,
        )],
    },
    Rule {
        id: "GP-05",
        format: FORMAT,
        severity: Error,
        title: "The document is about a service",
        explanation: "A file of this name may list people, hold an article or be a JSON Schema. Such a document is kept and not listed, since it offers agents nothing.",
        section: "No specification: the habits of many sites",
        good: GOOD,
        bad: &[Example::at(
            "/.well-known/agents.json",
            r#"{"name": "Ida Holm", "title": "Estate agent", "phone": "+47 55 00 00 00", "contact": "ida@shop.example", "bio": "Twenty years on the coast."}"#,
        )],
    },
];

const fn profile(body: &'static str) -> Example {
    Example::at("/.well-known/agent.json", body)
}
