//! The rules of FORMATS.md 11.2.

use crate::Severity::{Error, Warning};
use crate::rules::{Example, Rule};

const FORMAT: &str = "agents.json of agents-txt.com";

/// A document of the site with one more member.
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

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "AC-01",
        format: FORMAT,
        severity: Error,
        title: "The site has a name and an address",
        explanation: "The object site says whose file this is: its name, and its absolute address.",
        section: "agents-txt.com, schema of agents.json, site",
        good: &[SOUND],
        bad: &[Example::at(
            "/agents.json",
            r#"{"version": "1.0", "standard": "https://agents-txt.com", "site": {"name": ""},
                "mcp": [{"url": "https://shop.example/mcp", "type": "streamable-http"}]}"#,
        )],
    },
    Rule {
        id: "AC-02",
        format: FORMAT,
        severity: Warning,
        title: "Version and standard are named",
        explanation: "version is major.minor, standard the address of the standard; without them the file is recognised by its other members only.",
        section: "agents-txt.com, schema of agents.json, version and standard",
        good: &[SOUND],
        bad: &[Example::at(
            "/agents.json",
            r#"{"site": {"name": "Quill & Ink", "url": "https://shop.example"},
                "mcp": [{"url": "https://shop.example/mcp", "type": "streamable-http"}]}"#,
        )],
    },
    Rule {
        id: "AC-03",
        format: FORMAT,
        severity: Error,
        title: "Payments name a protocol",
        explanation: "That payment is required, or its price, is of no use without a way to pay: x402, mpp, ap2, or one of your own that begins with x-.",
        section: "agents-txt.com, payments",
        good: &[SOUND],
        bad: &[document!(
            r#""payments": {"required": true, "pricing": {"amount": "0.01"}}"#
        )],
    },
    Rule {
        id: "AC-04",
        format: FORMAT,
        severity: Error,
        title: "Each pointer has an address",
        explanation: "mcp, skills, a2a, ucp and webmcp list objects with an absolute url; https is asked for.",
        section: "agents-txt.com, schema of agents.json, mcp to webmcp",
        good: &[SOUND],
        bad: &[
            document!(r#""skills": [{"description": "Writes letters"}]"#),
            document!(r#""a2a": [{"url": "agent-card.json"}]"#),
        ],
    },
    Rule {
        id: "AC-05",
        format: FORMAT,
        severity: Warning,
        title: "MCP servers speak streamable HTTP",
        explanation: "The type of an MCP server is streamable-http, the only transport that the format registers.",
        section: "agents-txt.com, schema of agents.json, mcp",
        good: &[SOUND],
        bad: &[document!(
            r#""mcp": [{"url": "https://shop.example/sse", "type": "sse"}]"#
        )],
    },
    Rule {
        id: "AC-06",
        format: FORMAT,
        severity: Error,
        title: "Payment and authorization say what their protocols need",
        explanation: "mpp lists its methods, x402 its chains, and authorization its protocols and the path of its discovery document; none of the lists is empty.",
        section: "agents-txt.com, schema of agents.json, payments and authorization",
        good: &[SOUND],
        bad: &[
            document!(r#""payments": {"mpp": {"methods": []}}"#),
            document!(r#""authorization": {"protocols": ["oauth2"]}"#),
        ],
    },
    Rule {
        id: "AC-07",
        format: FORMAT,
        severity: Warning,
        title: "Protocols of one's own begin with x-",
        explanation: "A name that is neither registered nor marked as experimental may come to mean something else.",
        section: "agents-txt.com, payments and authorization",
        good: &[
            SOUND,
            document!(r#""payments": {"x-barter": {"goods": ["ink"]}}"#),
        ],
        bad: &[
            document!(r#""payments": {"barter": {}}"#),
            document!(
                r#""authorization": {"protocols": ["handshake"], "discovery": "/handshake"}"#
            ),
        ],
    },
    Rule {
        id: "AC-09",
        format: FORMAT,
        severity: Warning,
        title: "Only defined members",
        explanation: "The schema of the format is closed: other members are kept here, and other readers may refuse the file.",
        section: "agents-txt.com, schema of agents.json",
        good: &[SOUND],
        bad: &[document!(r#""slogan": "Letters that last""#)],
    },
];
