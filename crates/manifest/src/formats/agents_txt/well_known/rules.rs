//! The rules AT-30 to AT-39.

use crate::Severity::Warning;
use crate::formats::agents_txt::examples::text;
use crate::rule::{Example, Rule};

const FORMAT: &str = "agents.txt (well-known-1.0)";

/// A file without a fault.
const GOOD: &[Example] = &[text(
    "\
Spec-Version: 1.0
Site-Name: Harbour Books
Site-URL: https://shop.example
Site-Description: Second-hand books, shipped from the harbour.

Capability: find-book
  Endpoint: https://shop.example/api/books
  Method: GET
  Protocol: REST
  Auth: bearer-token
  Auth-Endpoint: https://shop.example/token
  Rate-Limit: 60/minute
  Description: Finds a book by title
  Param: title (query, string, required) - Words of the title

Agent: *
  Rate-Limit: 100/hour
  Capabilities: find-book
",
)];

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule {
    section: "agents.txt 1.0 (draft-car-agents-txt-wellknown-00)",
    ..Rule::shared(FORMAT, GOOD)
};

pub(crate) static AT_30: Rule = Rule {
    id: "AT-30",
    severity: Warning,
    title: "Spec-Version is 1.x",
    explanation: "The specification requires the version. Its own parser assumes 1.0 if the version is missing or in a comment, and so do we.",
    bad: &[text(
        "Site-Name: Harbour Books\nSite-URL: https://shop.example\n",
    )],
    ..RULE
};

pub(crate) static AT_31: Rule = Rule {
    id: "AT-31",
    title: "The site has a name and an absolute URL",
    explanation: "Site-Name and Site-URL identify the site. The URL should be on the host that serves the file: a file speaks for its own site only.",
    bad: &[text("Spec-Version: 1.0\nSite-Name: Harbour Books\n")],
    ..RULE
};

pub(crate) static AT_32: Rule = Rule {
    id: "AT-32",
    title: "A capability has an id and an endpoint",
    explanation: "The id consists of lower-case letters, digits and dashes. The Endpoint is an absolute https URL. The Protocol is REST, MCP, A2A, GraphQL or WebSocket; REST if it is missing.",
    bad: &[text(
        "Spec-Version: 1.0\nSite-Name: Harbour Books\nSite-URL: https://shop.example\nCapability: find-book\n  Protocol: REST\n",
    )],
    ..RULE
};

pub(crate) static AT_33: Rule = Rule {
    id: "AT-33",
    severity: Warning,
    title: "Method and Auth have known values",
    explanation: "Method is one HTTP method; GET if it is missing. Auth is none, api-key, bearer-token, oauth2 or hmac; bearer-token and oauth2 need an Auth-Endpoint to get a token from.",
    bad: &[text(
        "Spec-Version: 1.0\nSite-Name: Harbour Books\nSite-URL: https://shop.example\nCapability: find-book\n  Endpoint: https://shop.example/api/books\n  Protocol: REST\n  Auth: oauth2\n",
    )],
    ..RULE
};

pub(crate) static AT_34: Rule = Rule {
    id: "AT-34",
    severity: Warning,
    title: "Each parameter is one line in the specified form",
    explanation: "Write `name (location, type, required) - text`. The location is query, path, header or body; the type is string, integer, number or boolean.",
    bad: &[text(
        "Spec-Version: 1.0\nSite-Name: Harbour Books\nSite-URL: https://shop.example\nCapability: find-book\n  Endpoint: https://shop.example/api/books\n  Protocol: REST\n  Param: title is a string\n",
    )],
    ..RULE
};

pub(crate) static AT_35: Rule = Rule {
    id: "AT-35",
    severity: Warning,
    title: "Agent blocks name capabilities that exist",
    explanation: "The Capabilities of an Agent block name capabilities of this file, and its Agent-Declaration is a URL.",
    bad: &[text(
        "Spec-Version: 1.0\nSite-Name: Harbour Books\nSite-URL: https://shop.example\nCapability: find-book\n  Endpoint: https://shop.example/api/books\n  Protocol: REST\nAgent: *\n  Capabilities: find-book, buy-book\n",
    )],
    ..RULE
};

pub(crate) static AT_37: Rule = Rule {
    id: "AT-37",
    severity: Warning,
    title: "A declaration of a bot states where the bot works",
    explanation: "`Declaration-Type: agent` describes the publisher's own bot, which others cannot call. Operates-On states where that bot works. Each of the two needs the other.",
    bad: &[text(
        "Spec-Version: 1.0\nSite-Name: Harbour Books\nSite-URL: https://shop.example\nDeclaration-Type: agent\n",
    )],
    ..RULE
};

pub(crate) static AT_38: Rule = Rule {
    id: "AT-38",
    severity: Warning,
    title: "Rate-Limit is a rate",
    explanation: "Write it as `60/minute`; the unit is second, minute, hour or day. The stricter limit of the capability and the agent applies.",
    bad: &[text(
        "Spec-Version: 1.0\nSite-Name: Harbour Books\nSite-URL: https://shop.example\nCapability: find-book\n  Endpoint: https://shop.example/api/books\n  Protocol: REST\n  Rate-Limit: not too often\n",
    )],
    ..RULE
};

pub(crate) static AT_39: Rule = Rule {
    id: "AT-39",
    severity: Warning,
    title: "Each capability is declared once, by its own site",
    explanation: "An id that is declared twice is ambiguous. A file cannot declare what another domain offers, so we mark an endpoint on another domain.",
    bad: &[text(
        "Spec-Version: 1.0\nSite-Name: Harbour Books\nSite-URL: https://shop.example\nCapability: find-book\n  Endpoint: https://shop.example/api/books\n  Protocol: REST\nCapability: find-book\n  Endpoint: https://shop.example/api/books\n  Protocol: REST\n",
    )],
    ..RULE
};

pub(in crate::formats::agents_txt) const RULES: &[&Rule] = &[
    &AT_30, &AT_31, &AT_32, &AT_33, &AT_34, &AT_35, &AT_37, &AT_38, &AT_39,
];
