//! The rules of MCP server cards.

use crate::Severity::Warning;
use crate::rule::{Example, Rule};

/// Title of the format.
pub(super) const FORMAT: &str = "MCP server card";
const SECTION: &str = "MCP server card (experimental extension), schema.json, ServerCard";

/// The members that most of these rules share; each is an error unless it says otherwise.
const RULE: Rule = Rule {
    section: SECTION,
    ..Rule::shared(FORMAT, &[])
};

pub(crate) static MC_01: Rule = Rule {
    id: "MC-01",
    title: "A card is one object",
    explanation: "Each server has a card of its own. List several in an AI Catalog.",
    good: &[GOOD],
    bad: &[card("[]")],
    ..RULE
};

pub(crate) static MC_02: Rule = Rule {
    id: "MC-02",
    title: "$schema, name, version and description are given",
    explanation: "Clients know a card by its schema and a server by its name and version. Optional members must be of their type, too.",
    good: &[GOOD],
    bad: &[card(
        r#"{"name": "shop.example/mugs", "version": "^1.0.0", "description": "Finds mugs.",
                "remotes": [{"type": "sse", "url": "https://shop.example/sse"}]}"#,
    )],
    ..RULE
};

pub(crate) static MC_03: Rule = Rule {
    id: "MC-03",
    title: "The name is namespace/name",
    explanation: "A namespace that you own, such as your domain, keeps names apart: one slash, 3 to 200 characters. Entries of the registry without a schema only get a warning.",
    good: &[GOOD],
    bad: &[card(
        r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
                "name": "mugs", "version": "1.0.0", "description": "Finds mugs."}"#,
    )],
    ..RULE
};

pub(crate) static MC_04: Rule = Rule {
    id: "MC-04",
    title: "$schema names the card's own schema",
    explanation: "It is a constant; another value tells clients that this is another kind of document.",
    good: &[GOOD],
    bad: &[card(
        r#"{"$schema": "https://shop.example/schemas/server-card.schema.json",
                "name": "shop.example/mugs", "version": "1.0.0", "description": "Finds mugs."}"#,
    )],
    ..RULE
};

pub(crate) static MC_05: Rule = Rule {
    id: "MC-05",
    title: "The description has at most 100 characters",
    explanation: "Clients show it in lists. Say what the server is for; the rest belongs on its page.",
    good: &[GOOD],
    bad: &[card(
        r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
                "name": "shop.example/mugs", "version": "1.0.0",
                "description": "Finds mugs by colour, by size, by maker, by glaze and by price, and tells which of them are in stock in which of our shops today."}"#,
    )],
    ..RULE
};

pub(crate) static MC_06: Rule = Rule {
    id: "MC-06",
    title: "Each remote has a known type and a URL",
    explanation: "A client needs both to connect: streamable-http or sse, and an absolute URL or one that begins with a variable.",
    section: "MCP server card (experimental extension), schema.json, Remote",
    good: &[GOOD],
    bad: &[card(
        r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
                "name": "shop.example/mugs", "version": "1.0.0", "description": "Finds mugs.",
                "remotes": [{"type": "stdio", "url": "mugs-mcp"}]}"#,
    )],
    ..RULE
};

pub(crate) static MC_07: Rule = Rule {
    id: "MC-07",
    severity: Warning,
    title: "Variables in URLs are declared",
    explanation: "A client can only ask its user for variables that the remote explains.",
    section: "MCP server card (experimental extension), schema.json, Remote",
    good: &[card(
        r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
                "name": "shop.example/mugs", "version": "1.0.0", "description": "Finds mugs.",
                "remotes": [{"type": "streamable-http", "url": "https://shop.example/{branch}/mcp",
                             "variables": {"branch": {"description": "Which shop"}}}]}"#,
    )],
    bad: &[card(
        r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
                "name": "shop.example/mugs", "version": "1.0.0", "description": "Finds mugs.",
                "remotes": [{"type": "streamable-http", "url": "https://shop.example/{branch}/mcp"}]}"#,
    )],
    ..RULE
};

pub(crate) static MC_08: Rule = Rule {
    id: "MC-08",
    severity: Warning,
    title: "The card is of the current generation",
    explanation: "Cards with serverInfo, transport and tools come from older proposals. They are read, tools included; new clients look for the current card in an AI Catalog.",
    section: "SEP-1649 and SEP-2127, both superseded",
    good: &[GOOD],
    bad: &[card(
        r#"{"serverInfo": {"name": "mugs", "version": "1.0.0"},
                "transport": {"type": "streamable-http", "endpoint": "/mcp"},
                "tools": [{"name": "find_mugs", "description": "Finds mugs by colour",
                           "inputSchema": {"type": "object"}}]}"#,
    )],
    ..RULE
};

pub(super) const RULES: &[&Rule] = &[
    &MC_01, &MC_02, &MC_03, &MC_04, &MC_05, &MC_06, &MC_07, &MC_08,
];

const GOOD: Example = card(
    r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": "shop.example/mugs", "title": "Mugs", "version": "1.4.0",
        "description": "Finds mugs by colour and size.",
        "remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}]}"#,
);

const fn card(body: &'static str) -> Example {
    Example::at("/.well-known/mcp/server-card.json", body)
}
