//! The rules of `agents.json` of agents-txt.com.

use crate::Severity::Warning;
use crate::rule::{Example, Rule};

/// Title of the format.
pub(super) const FORMAT: &str = "agents.json of agents-txt.com";

/// Expands to an example document with the given members added.
macro_rules! document {
    ($member:literal) => {
        Example::at(
            "/agents.json",
            concat!(
                r#"{"version": "1.0", "standard": "https://agents-txt.com",
                    "site": {"name": "Quill & Ink", "url": "https://shop.example"}, "#,
                $member,
                "}"
            ),
        )
    };
}

const SOUND: Example = document!(
    r#""payments": {"x402": {"chains": ["eip155:8453"]}, "mpp": {"methods": ["stripe"]}},
       "authorization": {"protocols": ["oauth2"], "discovery": "/.well-known/agent-configuration"},
       "mcp": [{"url": "https://shop.example/mcp", "type": "streamable-http"}],
       "a2a": [{"url": "https://shop.example/.well-known/agent-card.json"}]"#
);

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule::shared(FORMAT, &[]);

pub(crate) static AC_01: Rule = Rule {
    id: "AC-01",
    title: "The site has a name and an address",
    explanation: "The object site identifies the site by its name and its absolute address.",
    section: "agents-txt.com, schema of agents.json, site",
    good: &[SOUND],
    bad: &[Example::at(
        "/agents.json",
        r#"{"version": "1.0", "standard": "https://agents-txt.com", "site": {"name": ""},
                "mcp": [{"url": "https://shop.example/mcp", "type": "streamable-http"}]}"#,
    )],
    ..RULE
};

pub(crate) static AC_02: Rule = Rule {
    id: "AC-02",
    severity: Warning,
    title: "Version and standard are named",
    explanation: "version is major.minor, and standard is the address of the standard. Without them the file is recognised by its other members only.",
    section: "agents-txt.com, schema of agents.json, version and standard",
    good: &[SOUND],
    bad: &[Example::at(
        "/agents.json",
        r#"{"site": {"name": "Quill & Ink", "url": "https://shop.example"},
                "mcp": [{"url": "https://shop.example/mcp", "type": "streamable-http"}]}"#,
    )],
    ..RULE
};

pub(crate) static AC_03: Rule = Rule {
    id: "AC-03",
    title: "Payments name a protocol",
    explanation: "A price, or the statement that payment is required, needs a protocol to pay with: x402, mpp, ap2, or a custom one whose name begins with x-.",
    section: "agents-txt.com, payments",
    good: &[SOUND],
    bad: &[document!(
        r#""payments": {"required": true, "pricing": {"amount": "0.01"}}"#
    )],
    ..RULE
};

pub(crate) static AC_04: Rule = Rule {
    id: "AC-04",
    title: "Each pointer has an address",
    explanation: "mcp, skills, a2a, ucp and webmcp list objects with an absolute url, which should use https.",
    section: "agents-txt.com, schema of agents.json, mcp to webmcp",
    good: &[SOUND],
    bad: &[
        document!(r#""skills": [{"description": "Writes letters"}]"#),
        document!(r#""a2a": [{"url": "agent-card.json"}]"#),
    ],
    ..RULE
};

pub(crate) static AC_05: Rule = Rule {
    id: "AC-05",
    severity: Warning,
    title: "MCP servers speak streamable HTTP",
    explanation: "The type of an MCP server is streamable-http, the only transport that the format registers.",
    section: "agents-txt.com, schema of agents.json, mcp",
    good: &[SOUND],
    bad: &[document!(
        r#""mcp": [{"url": "https://shop.example/sse", "type": "sse"}]"#
    )],
    ..RULE
};

pub(crate) static AC_06: Rule = Rule {
    id: "AC-06",
    title: "Payment and authorization have the members that their protocols need",
    explanation: "mpp lists its methods, x402 its chains, and authorization its protocols and the path of its discovery document; none of the lists is empty.",
    section: "agents-txt.com, schema of agents.json, payments and authorization",
    good: &[SOUND],
    bad: &[
        document!(r#""payments": {"mpp": {"methods": []}}"#),
        document!(r#""authorization": {"protocols": ["oauth2"]}"#),
    ],
    ..RULE
};

pub(crate) static AC_07: Rule = Rule {
    id: "AC-07",
    severity: Warning,
    title: "Names of custom protocols begin with x-",
    explanation: "A name that is neither registered nor marked as custom may be registered later with another meaning.",
    section: "agents-txt.com, payments and authorization",
    good: &[
        SOUND,
        document!(r#""payments": {"x-barter": {"goods": ["ink"]}}"#),
    ],
    bad: &[
        document!(r#""payments": {"barter": {}}"#),
        document!(r#""authorization": {"protocols": ["handshake"], "discovery": "/handshake"}"#),
    ],
    ..RULE
};

pub(crate) static AC_09: Rule = Rule {
    id: "AC-09",
    severity: Warning,
    title: "The document has only defined members",
    explanation: "The schema of the format is closed. Other members are kept here, but other clients may reject the file.",
    section: "agents-txt.com, schema of agents.json",
    good: &[SOUND],
    bad: &[document!(r#""slogan": "Letters that last""#)],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &AC_01, &AC_02, &AC_03, &AC_04, &AC_05, &AC_06, &AC_07, &AC_09,
];
