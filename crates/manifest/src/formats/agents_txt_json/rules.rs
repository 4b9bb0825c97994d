//! The rules of `agents.json` of agents-txt 1.0.

use crate::Severity::Warning;
use crate::rule::{Example, Rule};

/// Title of the format.
pub(super) const FORMAT: &str = "agents.json of agents-txt 1.0";
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

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule {
    section: SECTION,
    ..Rule::shared(FORMAT, &[])
};

pub(crate) static AX_01: Rule = Rule {
    id: "AX-01",
    title: "The version of the specification is major.minor",
    explanation: "specVersion determines how the document is read. It is two numbers in a string: \"1.0\".",
    good: &[SOUND],
    bad: &[Example::at(
        PATH,
        r#"{"specVersion": "one", "site": {"name": "Paper Lantern", "url": "https://shop.example"},
                "capabilities": [], "access": {"allow": [], "disallow": []}, "agents": {}}"#,
    )],
    ..RULE
};

pub(crate) static AX_02: Rule = Rule {
    id: "AX-02",
    title: "The members site, access and agents are present",
    explanation: "A client needs the site's name and absolute address, the lists of paths that are open and closed, and the terms for callers; the lists may be empty.",
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
    ..RULE
};

pub(crate) static AX_03: Rule = Rule {
    id: "AX-03",
    title: "Each capability is complete",
    explanation: "It has an id of lower-case letters, digits and hyphens, a description of at most 500 characters and an absolute endpoint. Authentication, limits and parameters use the values of the specification.",
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
    ..RULE
};

pub(crate) static AX_04: Rule = Rule {
    id: "AX-04",
    title: "Each capability has a known protocol",
    explanation: "REST, MCP, A2A, GraphQL or WebSocket, in this spelling. The protocol determines how the endpoint is called.",
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "gopher""#
    )],
    ..RULE
};

pub(crate) static AX_05: Rule = Rule {
    id: "AX-05",
    title: "Each capability has a unique id",
    explanation: "Clients and the terms for callers refer to capabilities by id, so each id identifies one capability.",
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST"},
              {"id": "find-lanterns", "description": "Finds lanterns by colour.",
               "endpoint": "https://shop.example/api/colours", "protocol": "REST""#
    )],
    ..RULE
};

pub(crate) static AX_06: Rule = Rule {
    id: "AX-06",
    title: "Terms for callers name capabilities that exist",
    explanation: "Each id in the terms of a caller is the id of a capability in the same file.",
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST""#,
        r#"{"courier": {"capabilities": ["fold-lanterns"]}}"#
    )],
    ..RULE
};

pub(crate) static AX_07: Rule = Rule {
    id: "AX-07",
    title: "Members have the names and shapes of the specification",
    explanation: "The specification's own example writes auth as a string, parameters as params with location, and agents as a list. All of this is read here; the specification's validator rejects it.",
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "https://shop.example/api/lanterns", "protocol": "REST", "auth": "none",
               "params": [{"name": "size", "location": "query", "type": "string"}]"#,
        r#"[{"name": "*", "capabilities": ["find-lanterns"]}]"#
    )],
    ..RULE
};

pub(crate) static AX_08: Rule = Rule {
    id: "AX-08",
    severity: Warning,
    title: "Addresses use https",
    explanation: "Data sent over http can be read and changed in transit.",
    good: &[SOUND],
    bad: &[document!(
        r#""id": "find-lanterns", "description": "Finds lanterns by size.",
               "endpoint": "http://shop.example/api/lanterns", "protocol": "REST""#
    )],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &AX_01, &AX_02, &AX_03, &AX_04, &AX_05, &AX_06, &AX_07, &AX_08,
];
