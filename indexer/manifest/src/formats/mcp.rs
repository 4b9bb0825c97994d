//! MCP server cards in their three generations, and the MCP registry's `server.json`
//! (FORMATS.md 11.4).
//!
//! The current card says who a remote server is and how to reach it, nothing of its tools.
//! Two older proposals listed the tools too, and are what most sites still serve (MC-08).
//! Everything here is the publisher's word: no server is connected to.
//!
//! <https://github.com/modelcontextprotocol/experimental-ext-server-card>

use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::rules::Rule;
use crate::{Agent, FormatId, Reference, link};

mod card;
mod normalize;
mod rules;
mod validate;

use card::{Card, Generation};

/// Reads server cards and registry entries.
pub(super) struct McpServerCard;

impl Format for McpServerCard {
    type Manifest = Card;

    const ID: FormatId = FormatId("mcp-server-card");
    const ALSO: &'static [FormatId] = &[card::REGISTRY];
    const TITLE: &'static str = "MCP server card";
    const PLACES: &'static [&'static str] = &[
        "/.well-known/mcp/server-card.json",
        "/.well-known/mcp.json",
        "/.well-known/mcp-server-card",
    ];
    const FIELDS: Fields = &[
        (
            "name",
            &["/title", "/serverInfo/title", "/name", "/serverInfo/name"],
        ),
        ("description", &["/description", "/serverInfo/description"]),
        (
            "version",
            &["/version", "/version_detail/version", "/serverInfo/version"],
        ),
        ("homepage", &["/websiteUrl"]),
        ("docs", &["/documentationUrl"]),
        ("logo", &["/icons", "/icon"]),
        ("capabilities", &["/tools"]),
        (
            "interfaces",
            &["/remotes", "/transport", "/serverUrl", "/endpoint", "/url"],
        ),
        (
            "url",
            &["/remotes", "/transport", "/serverUrl", "/endpoint", "/url"],
        ),
        ("auth", &["/authentication", "/remotes"]),
    ];
    const RULES: &'static [Rule] = rules::RULES;
    const HAS_SCHEMAS: bool = true;

    fn parse(input: &Input<'_>) -> Card {
        input.manifest()
    }

    fn validate(card: &Card, input: &Input<'_>, findings: &mut Findings) {
        validate::validate(card, input, findings);
    }

    fn normalize(card: &Card, input: &Input<'_>) -> Vec<Agent> {
        vec![normalize::normalize(card, input)]
    }

    fn references(card: &Card, input: &Input<'_>) -> Vec<Reference> {
        [
            ("homepage", &card.website_url, "/websiteUrl"),
            ("docs", &card.documentation_url, "/documentationUrl"),
        ]
        .into_iter()
        .filter_map(|(rel, url, pointer)| link::reference(input.document, rel, url.raw()?, pointer))
        .collect()
    }

    fn generation(card: &Card) -> Option<String> {
        let generation = match card.generation() {
            Generation::Current => "v1",
            Generation::Flat => "SEP-2127",
            Generation::Nested => "SEP-1649",
            Generation::Registry => "registry",
        };
        Some(generation.to_owned())
    }
}
