//! MCP server cards in their three generations, and the MCP registry's `server.json`.
//!
//! The current card identifies a remote server and its endpoints, without its tools. Two older
//! proposals, which most sites still serve, also listed the tools (MC-08). Everything here is the
//! publisher's own statement: no server is contacted.
//!
//! <https://github.com/modelcontextprotocol/experimental-ext-server-card>

use crate::finding::Findings;
use crate::format::{Fields, Format, Input};
use crate::marker::{self, Marker};
use crate::reference;
use crate::rule::Rule;
use crate::shape::Schema;
use crate::{Agent, Fact, FormatId, Reference};
pub(super) use detect::{is_place, is_server};
use serde_json::{Map, Value};

mod card;
mod detect;
mod normalize;
mod package;
mod rules;
mod shape;
mod validate;

use card::{Card, Generation};

/// Pointers to a server's endpoint.
const ADDRESSES: &[&str] = &[
    "/remotes",
    "/transport/endpoint",
    "/transport/url",
    "/connection/endpoint",
    "/connection/url",
    "/serverUrl",
    "/endpoint",
    "/endpoints/mcp",
    "/url",
    "/server/url",
];

/// Reader of server cards and registry entries.
pub(super) struct McpServerCard;

impl Format for McpServerCard {
    type Manifest = Card;

    const ID: FormatId = FormatId::specified("mcp-server-card");
    const ALSO: &'static [FormatId] = &[card::REGISTRY];
    const TITLE: &'static str = rules::FORMAT;
    const CLAIMS: &'static [&'static str] = &[
        "server-card.json",
        "server-card",
        "mcp-server-card",
        "mcp.json",
    ];
    const MARKERS: &'static [Marker] = &[
        Marker::distinctive(card::REGISTRY, |o| {
            marker::has_namespaced_name(o)
                && (o.contains_key("packages") || o.contains_key("version_detail"))
        }),
        Marker::distinctive(Self::ID, |o| {
            marker::text(o, "$schema")
                .is_some_and(|schema| schema.contains("server-card.schema.json"))
                || (marker::has_namespaced_name(o) && o.contains_key("remotes"))
                || marker::object(o, "serverInfo").is_some()
                || (marker::text(o, "serverUrl").is_some() && o.contains_key("transport"))
        }),
    ];
    const OUTLINES: &'static [(&'static Schema, u8)] = &[(&shape::CURRENT, 0)];
    const ROWS: Option<&'static Schema> = Some(&shape::ROWS);
    const PLACES: &'static [&'static str] = &[
        "/.well-known/mcp/server-card.json",
        "/.well-known/mcp.json",
        "/.well-known/mcp-server-card",
    ];
    const FIELDS: Fields = &[
        (
            Fact::Name,
            &[
                "/title",
                "/serverInfo/title",
                "/server/title",
                "/name",
                "/serverInfo/name",
                "/server/name",
            ],
        ),
        (
            Fact::Description,
            &[
                "/description",
                "/serverInfo/description",
                "/server/description",
            ],
        ),
        (
            Fact::Version,
            &[
                "/version",
                "/version_detail/version",
                "/serverInfo/version",
                "/server/version",
            ],
        ),
        (Fact::Homepage, &["/websiteUrl", "/homepage"]),
        (Fact::Docs, &["/documentationUrl", "/documentation"]),
        (Fact::Logo, &["/icons", "/icon"]),
        (Fact::Capabilities, &["/tools", "/capabilities"]),
        (Fact::Interfaces, ADDRESSES),
        (Fact::Url, ADDRESSES),
        (Fact::Auth, &["/authentication", "/auth", "/remotes"]),
    ];
    const RULES: &'static [&'static Rule] = rules::RULES;
    const HAS_SCHEMAS: bool = true;
    const OWN_MEANINGS: &'static [&'static str] = &["capabilities", "packages"];

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
            ("homepage", &card.homepage, "/homepage"),
            ("docs", &card.documentation, "/documentation"),
        ]
        .into_iter()
        .filter_map(|(rel, url, pointer)| reference::to(input.document, rel, url.raw()?, pointer))
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

/// Reports whether `capabilities` has the features that MCP servers announce in the handshake.
pub(super) fn has_features(object: &Map<String, Value>) -> bool {
    const FEATURES: [&str; 7] = [
        "tools",
        "resources",
        "prompts",
        "logging",
        "completions",
        "tasks",
        "experimental",
    ];
    let features = object.get("capabilities").and_then(Value::as_object);
    features.is_some_and(|features| {
        !features.is_empty() && features.keys().all(|name| FEATURES.contains(&&**name))
    })
}
