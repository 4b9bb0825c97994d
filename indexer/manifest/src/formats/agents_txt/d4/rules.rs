//! The rules AT-41 to AT-46; AT-45 needs the agents.json as well.

use crate::Severity::{Error, Info, Warning};
use crate::formats::agents_txt::rules::text;
use crate::rules::{Example, Rule};

const FORMAT: &str = "agents.txt (D4)";

/// A file without a fault.
pub(in crate::formats::agents_txt) const GOOD: &[Example] = &[text(
    "\
# agents.txt
# Standard: https://agents-txt.com
Protocols: x402
Payments: required
Authorization: oauth2
MCP: https://shop.example/mcp
A2A: https://shop.example/.well-known/agent-card.json
",
)];

pub(in crate::formats::agents_txt) const RULES: &[Rule] = &[
    Rule {
        id: "AT-41",
        format: FORMAT,
        severity: Info,
        title: "The file declares something",
        explanation: "A file of comments only is valid, and declares that there is nothing. Add a line such as `MCP:` or `A2A:` for what the site offers.",
        section: "agents-txt.com, Standard v1.0",
        good: GOOD,
        bad: &[text("# agents.txt\n# Standard: https://agents-txt.com\n")],
    },
    Rule {
        id: "AT-42",
        format: FORMAT,
        severity: Error,
        title: "Pointers are https URLs",
        explanation: "MCP, Skills, A2A, UCP and WebMCP hold one https URL a line, and may be repeated.",
        section: "agents-txt.com, Standard v1.0",
        good: GOOD,
        bad: &[text("MCP: http://shop.example/mcp\n")],
    },
    Rule {
        id: "AT-43",
        format: FORMAT,
        severity: Warning,
        title: "Identifiers are known",
        explanation: "Protocols are x402, mpp and ap2, authorizations agent-auth, oauth2 and auth-md. Give anything else a name that begins with x-.",
        section: "agents-txt.com, Standard v1.0",
        good: GOOD,
        bad: &[text("Protocols: x402, barter\n")],
    },
    Rule {
        id: "AT-44",
        format: FORMAT,
        severity: Warning,
        title: "Payments come with Protocols",
        explanation: "A site that asks for payment has to say by which protocols it takes it.",
        section: "agents-txt.com, Standard v1.0",
        good: GOOD,
        bad: &[text(
            "# Standard: https://agents-txt.com\nPayments: required\n",
        )],
    },
    Rule {
        id: "AT-46",
        format: FORMAT,
        severity: Warning,
        title: "The file is served for programs",
        explanation: "Send it as text/plain, with `Access-Control-Allow-Origin: *` so that pages may read it, and with Cache-Control.",
        section: "agents-txt.com, Standard v1.0",
        good: &[Example {
            media_type: Some("text/plain; charset=utf-8"),
            headers: Some(&[
                ("Access-Control-Allow-Origin", "*"),
                ("Cache-Control", "public, max-age=3600"),
            ]),
            ..text("MCP: https://shop.example/mcp\n")
        }],
        bad: &[
            Example {
                media_type: Some("application/octet-stream"),
                ..text("MCP: https://shop.example/mcp\n")
            },
            Example {
                headers: Some(&[("Access-Control-Allow-Origin", "https://shop.example")]),
                ..text("MCP: https://shop.example/mcp\n")
            },
        ],
    },
];
