//! The rules GP-01 to GP-05.

use super::{Example, Rule};
use crate::Severity::{Error, Info, Warning};

const FORMAT: &str = "JSON in its own format";

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

/// A profile in which every member has a usual name.
const PROFILE: &[Example] = &[profile(
    r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "mcp": "https://shop.example/mcp",
  "actions": [{"name": "book_crossing", "description": "Books a seat", "endpoint": "/book"}]}"#,
)];

pub(crate) static GP_01: Rule = Rule {
    id: "GP-01",
    format: FORMAT,
    severity: Info,
    title: "The document follows a specification",
    explanation: "The document states no format, so we read each fact from a member with a usual name. The finding lists these members. Follow a specification, and agents do not have to guess.",
    section: "No specification; common practice of many sites",
    good: GOOD,
    bad: PROFILE,
};

pub(crate) static GP_02: Rule = Rule {
    id: "GP-02",
    format: FORMAT,
    severity: Warning,
    title: "The document has all members of the format that it resembles",
    explanation: "The document has most of the members that a specified format requires. The finding names the format and the missing members; with them, every client of that format can call you.",
    section: "No specification; common practice of many sites",
    good: PROFILE,
    bad: &[profile(
        r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "url": "https://shop.example/", "version": "1.0.0"}"#,
    )],
};

pub(crate) static GP_03: Rule = Rule {
    id: "GP-03",
    format: FORMAT,
    severity: Warning,
    title: "No value is a placeholder of a template",
    explanation: "Values such as https://your-domain.com, __PLACEHOLDER__ or TODO are placeholders that should have been replaced. We do not use them. Put the real value there, or remove the member.",
    section: "No specification; common practice of many sites",
    good: PROFILE,
    bad: &[profile(
        r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "mcp": "https://your-domain.com/mcp"}"#,
    )],
};

pub(crate) static GP_04: Rule = Rule {
    id: "GP-04",
    format: FORMAT,
    severity: Warning,
    title: "An endpoint is an address, or is left out",
    explanation: "null and an empty string are not addresses. Give the endpoint, or leave the member out until there is one.",
    section: "No specification; common practice of many sites",
    good: PROFILE,
    bad: &[profile(
        r#"{"name": "Island Ferry", "description": "Crossings to the islands.", "mcp": null, "actions": [{"name": "book_crossing", "description": "Books a seat"}]}"#,
    )],
};

pub(crate) static GP_05: Rule = Rule {
    id: "GP-05",
    format: FORMAT,
    severity: Error,
    title: "The document is about a service",
    explanation: "A file of this name may list people, contain an article or be a JSON Schema. We keep such a document but do not list it, since it offers agents nothing.",
    section: "No specification; common practice of many sites",
    good: GOOD,
    bad: &[Example::at(
        "/.well-known/agents.json",
        r#"{"name": "Ida Holm", "title": "Estate agent", "phone": "+47 55 00 00 00", "contact": "ida@shop.example", "bio": "Twenty years on the coast."}"#,
    )],
};

pub(crate) const RULES: &[&Rule] = &[&GP_01, &GP_02, &GP_03, &GP_04, &GP_05];

const fn profile(body: &'static str) -> Example {
    Example::at("/.well-known/agent.json", body)
}
