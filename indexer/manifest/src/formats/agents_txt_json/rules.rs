//! The rules of FORMATS.md 11.1.

use crate::Severity::{Error, Warning};
use crate::rules::{Example, Rule};

const FORMAT: &str = "agents.json of agents-txt 1.0";
const SECTION: &str = "agents-txt 1.0, section 4.1";
const PATH: &str = "/.well-known/agents.json";

/// A whole document with these members in its one capability, and these callers.
macro_rules! document {
    ($members:literal) => {
        document!($members, r#"{"*": {}}"#)
    };
    ($members:literal, $callers:literal) => {
        Example::at(
            PATH,
            concat!(
                r#"{"specVersion": "1.0",
                    "site": {"name": "Paper Lantern", "url": "https://shop.example"},
                    "capabilities": [{"#,
                $members,
                r#"}], "access": {"allow": ["/api/*"], "disallow": []}, "agents": "#,
                $callers,
                "}"
            ),
        )
    };
}

const SOUND: Example = document!(
    r#""id": "find-lanterns", "description": "Finds lanterns by size.",
       "endpoint": "https://shop.example/api/lanterns", "method": "GET", "protocol": "REST",
       "auth": {"type": "none"}, "rateLimit": {"requests": 60, "window": "minute"},
       "parameters": [{"name": "size", "in": "query", "type": "string"}]"#,
    r#"{"*": {"capabilities": ["find-lanterns"]}}"#
);

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "AX-01",
        format: FORMAT,
        severity: Error,
        title: "The version of the specification is major.minor",
        explanation: "specVersion says how the rest is to be read, as two numbers in a string: \"1.0\".",
        section: SECTION,
        good: &[SOUND],
        bad: &[Example::at(
            PATH,
            r#"{"specVersion": "one", "site": {"name": "Paper Lantern", "url": "https://shop.example"},
                "capabilities": [], "access": {"allow": [], "disallow": []}, "agents": {}}"#,
        )],
    },
    Rule {
        id: "AX-02",
        format: FORMAT,
        severity: Error,
        title: "Site, access and agents are there",
        explanation: "A reader needs the site's name and absolute address, the lists of paths that are open and closed, and the terms for callers; the lists may be empty.",
        section: SECTION,
        good: &[SOUND],
        bad: &[
            Example::at(
                PATH,
                r#"{"specVersion": "1.0", "site": {"name": "Paper Lantern"},
                    "capabilities": [], "access": {"allow": [], "disallow": []}, "agents": {}}"#,
            ),
            Example::at(
                PATH,
                r#"{"specVersion": "1.0", "capabilities": [],
                    "site": {"name": "Paper Lantern", "url": "https://shop.example"}}"#,
            ),
        ],
    },
    Rule {
        id: "AX-03",
        format: FORMAT,
        severity: Error,
        title: "Each capability is complete",
        explanation: "It has an id of lower-case letters, digits and hyphens, a description of at most 500 characters and an absolute endpoint. Authentication, limits and parameters keep to the words of the specification.",
        section: SECTION,
        good: &[SOUND],
        bad: &[
            document!(
                r#""id": "Find Lanterns", "description": "Finds lanterns by size.",
                   "endpoint": "https://shop.example/api/lanterns", "protocol": "REST""#
            ),
            document!(
                r#""id": "find-lanterns", "description": "", "endpoint": "/api/lanterns",
                   "protocol": "REST", "rateLimit": {"requests": 0, "window": "week"}"#
            ),
        ],
    },
    Rule {
        id: "AX-04",
        format: FORMAT,
        severity: Error,
        title: "The protocol is a known one",
        explanation: "REST, MCP, A2A, GraphQL or WebSocket, in this spelling: it decides how the endpoint is called.",
        section: SECTION,
        good: &[SOUND],
        bad: &[document!(
            r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "gopher""#
        )],
    },
    Rule {
        id: "AX-05",
        format: FORMAT,
        severity: Error,
        title: "Each capability has an id of its own",
        explanation: "Callers and their terms name capabilities by id; two of one id cannot be told apart.",
        section: SECTION,
        good: &[SOUND],
        bad: &[document!(
            r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST"},
              {"id": "find-lanterns", "description": "Finds lanterns by colour.",
               "endpoint": "https://shop.example/api/colours", "protocol": "REST""#
        )],
    },
    Rule {
        id: "AX-06",
        format: FORMAT,
        severity: Error,
        title: "Callers are given capabilities that exist",
        explanation: "Each id in the terms of a caller is the id of a capability in the same file.",
        section: SECTION,
        good: &[SOUND],
        bad: &[document!(
            r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST""#,
            r#"{"courier": {"capabilities": ["fold-lanterns"]}}"#
        )],
    },
    Rule {
        id: "AX-07",
        format: FORMAT,
        severity: Error,
        title: "Members have the names and shapes of the specification",
        explanation: "The authors' own example writes auth as a word, parameters as params with location, and agents as a list. All of it is read here; their validator refuses it.",
        section: SECTION,
        good: &[SOUND],
        bad: &[document!(
            r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST", "auth": "none",
               "params": [{"name": "size", "location": "query", "type": "string"}]"#,
            r#"[{"name": "*", "capabilities": ["find-lanterns"]}]"#
        )],
    },
    Rule {
        id: "AX-08",
        format: FORMAT,
        severity: Warning,
        title: "Addresses are https",
        explanation: "What agents send over http can be read and changed on the way.",
        section: SECTION,
        good: &[SOUND],
        bad: &[document!(
            r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "http://shop.example/api/lanterns", "protocol": "REST""#
        )],
    },
];
