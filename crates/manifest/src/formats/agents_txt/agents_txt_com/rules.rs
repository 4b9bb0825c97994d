//! The rules AT-41 to AT-46, except AT-45, which compares the file with the agents.json.

use crate::Severity::{Info, Warning};
use crate::formats::agents_txt::examples::text;
use crate::rule::{Example, Rule};

const FORMAT: &str = "agents.txt (agents-txt-com)";

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

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule {
    section: "agents-txt.com, Standard v1.0",
    ..Rule::shared(FORMAT, GOOD)
};

pub(crate) static AT_41: Rule = Rule {
    id: "AT-41",
    severity: Info,
    title: "The file declares something",
    explanation: "A file of comments only is valid, but declares nothing. Add a line such as `MCP:` or `A2A:` for what the site offers.",
    bad: &[text("# agents.txt\n# Standard: https://agents-txt.com\n")],
    ..RULE
};

pub(crate) static AT_42: Rule = Rule {
    id: "AT-42",
    title: "Pointers are https URLs",
    explanation: "MCP, Skills, A2A, UCP and WebMCP have one https URL per line, and may be repeated.",
    bad: &[text("MCP: http://shop.example/mcp\n")],
    ..RULE
};

pub(crate) static AT_43: Rule = Rule {
    id: "AT-43",
    severity: Warning,
    title: "Protocols and authorization schemes are known",
    explanation: "The protocols are x402, mpp and ap2; the authorization schemes are agent-auth, oauth2 and auth-md. Anything else needs a name that begins with x-.",
    bad: &[text("Protocols: x402, barter\n")],
    ..RULE
};

pub(crate) static AT_44: Rule = Rule {
    id: "AT-44",
    severity: Warning,
    title: "Payments come with Protocols",
    explanation: "A site that asks for payment has to state which payment protocols it accepts.",
    bad: &[text(
        "# Standard: https://agents-txt.com\nPayments: required\n",
    )],
    ..RULE
};

pub(crate) static AT_46: Rule = Rule {
    id: "AT-46",
    severity: Warning,
    title: "The file is served so that programs can read it",
    explanation: "Send it as text/plain, with `Access-Control-Allow-Origin: *` so that scripts in web pages can read it, and with Cache-Control.",
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
    ..RULE
};

pub(in crate::formats::agents_txt) const RULES: &[&Rule] =
    &[&AT_41, &AT_42, &AT_43, &AT_44, &AT_46];
