//! The rules of `agents.json` of agents-txt 1.0.

use crate::Severity::{Error, Warning};
use crate::rule::{Example, Rule};

const FORMAT: &str = "agents.json of agents-txt 1.0";
const SECTION: &str = "agents-txt 1.0, section 4.1";
const PATH: &str = "/.well-known/agents.json";

/// Expands to an example document with one capability of these members, and these callers.
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

pub(crate) static AX_01: Rule = Rule {
    id: "AX-01",
    format: FORMAT,
    severity: Error,
    title: "The version of the specification is major.minor",
    explanation: "specVersion determines how the document is read. It is two numbers in a string: \"1.0\".",
    section: SECTION,
    good: &[SOUND],
    bad: &[Example::at(
        PATH,
        r#"{"specVersion": "one", "site": {"name": "Paper Lantern", "url": "https://shop.example"},
                "capabilities": [], "access": {"allow": [], "disallow": []}, "agents": {}}"#,
    )],
};

pub(crate) static AX_02: Rule = Rule {
    id: "AX-02",
    format: FORMAT,
    severity: Error,
    title: "The members site, access and agents are present",
    explanation: "A client needs the site's name and absolute address, the lists of paths that are open and closed, and the terms for callers; the lists may be empty.",
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
};

pub(crate) static AX_03: Rule = Rule {
    id: "AX-03",
    format: FORMAT,
    severity: Error,
    title: "Each capability is complete",
    explanation: "It has an id of lower-case letters, digits and hyphens, a description of at most 500 characters and an absolute endpoint. Authentication, limits and parameters use the values of the specification.",
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
};

pub(crate) static AX_04: Rule = Rule {
    id: "AX-04",
    format: FORMAT,
    severity: Error,
    title: "Each capability has a known protocol",
    explanation: "REST, MCP, A2A, GraphQL or WebSocket, in this spelling. The protocol determines how the endpoint is called.",
    section: SECTION,
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "gopher""#
    )],
};

pub(crate) static AX_05: Rule = Rule {
    id: "AX-05",
    format: FORMAT,
    severity: Error,
    title: "Each capability has a unique id",
    explanation: "Clients and the terms for callers refer to capabilities by id, so each id identifies one capability.",
    section: SECTION,
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST"},
              {"id": "find-lanterns", "description": "Finds lanterns by colour.",
               "endpoint": "https://shop.example/api/colours", "protocol": "REST""#
    )],
};

pub(crate) static AX_06: Rule = Rule {
    id: "AX-06",
    format: FORMAT,
    severity: Error,
    title: "Terms for callers name capabilities that exist",
    explanation: "Each id in the terms of a caller is the id of a capability in the same file.",
    section: SECTION,
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST""#,
        r#"{"courier": {"capabilities": ["fold-lanterns"]}}"#
    )],
};

pub(crate) static AX_07: Rule = Rule {
    id: "AX-07",
    format: FORMAT,
    severity: Error,
    title: "Members have the names and shapes of the specification",
    explanation: "The specification's own example writes auth as a string, parameters as params with location, and agents as a list. All of this is read here; the specification's validator rejects it.",
    section: SECTION,
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST", "auth": "none",
               "params": [{"name": "size", "location": "query", "type": "string"}]"#,
        r#"[{"name": "*", "capabilities": ["find-lanterns"]}]"#
    )],
};

pub(crate) static AX_08: Rule = Rule {
    id: "AX-08",
    format: FORMAT,
    severity: Warning,
    title: "Addresses use https",
    explanation: "Data sent over http can be read and changed in transit.",
    section: SECTION,
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "http://shop.example/api/lanterns", "protocol": "REST""#
    )],
};

pub(super) const RULES: &[&Rule] = &[
    &AX_01, &AX_02, &AX_03, &AX_04, &AX_05, &AX_06, &AX_07, &AX_08,
];
