//! MCP catalogue: the links from a domain to the cards of its MCP servers.
//!
//! It is a subset of AI Catalog for one kind of entry. Nothing is listed from it: a card describes the server, and
//! the link to it becomes a reference.
//!
//! <https://github.com/modelcontextprotocol/experimental-ext-server-card>

use super::ai_catalog::{self, Catalog, Entry};
use crate::field::Field;
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::rule::{Example, Rule};
use crate::shape::Shape::{List, Name, Open, Text};
use crate::shape::{Member, Schema, Test, item, member, recommended, required, text_test};
use crate::{Agent, FormatId, Mention, Reference};
use serde_json::Value;

/// Maximum number of entries that are read.
const MAX_ENTRIES: usize = 200;
/// Only type of an entry.
const CARD: &str = "application/mcp-server-card+json";
/// Relation of a link to a card.
const CARD_RELATION: &str = "mcp-card";

/// Reader of such catalogues.
pub(super) struct McpCatalog;

/// Entries with their pointers.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    entries: Vec<(String, Entry)>,
}

static CATALOG: Schema = Schema::open(&MCC_01, &MEMBERS);
static MEMBERS: [Member; 2] = [
    recommended(
        "specVersion",
        Name("the version of the format, today \"draft\""),
    ),
    required("entries", List(&ENTRY)).what("a list of entries"),
];
static ENTRY: Member = item(Open(&ENTRY_MEMBERS))
    .rule(&MCC_02)
    .what("an entry object");
static ENTRY_MEMBERS: [Member; 5] = [
    required(
        "identifier",
        Name("a name such as urn:air:<domain>:<server>"),
    ),
    recommended("displayName", Name("a name for people")),
    required("url", Text).what("the address of a server card"),
    member("type", Text).tests(&[IS_CARD]),
    member("mediaType", Text).tests(&[IS_CARD]),
];

const IS_CARD: Test = text_test!(
    |media_type: &str| media_type.split(';').next().unwrap_or_default().trim() == CARD,
    "not the type of a server card; clients skip the entry unless it is application/mcp-server-card+json"
);

/// The members that these rules share.
const OF_CATALOG: Rule = Rule::shared(
    "MCP catalogue",
    &[catalog(
        r#"{"specVersion": "draft", "entries": [{
    "identifier": "urn:air:shop.example:stock",
    "displayName": "Stock of the bookshop",
    "type": "application/mcp-server-card+json",
    "url": "https://shop.example/mcp/server-card"
}]}"#,
    )],
);

pub(crate) static MCC_01: Rule = Rule {
    id: "MCC-01",
    title: "The catalogue is a list of entries",
    explanation: "`entries` is required and holds one object for each server; it may be empty. `specVersion` is \"draft\" today, and its absence is a warning.",
    section: "MCP server cards, discovery, catalog format",
    bad: &[catalog(
        r#"{"specVersion": "draft", "entries": {"stock": "https://shop.example/mcp/server-card"}}"#,
    )],
    ..OF_CATALOG
};

pub(crate) static MCC_02: Rule = Rule {
    id: "MCC-02",
    title: "An entry leads to a server card",
    explanation: "`identifier`, `displayName`, `type` and `url` are required of an entry: `type` is that of a server card, formerly in `mediaType`, and `url` is the address of the card, not that of the server.",
    section: "MCP server cards, discovery, catalog entry",
    bad: &[catalog(
        r#"{"specVersion": "draft", "entries": [{"identifier": "urn:air:shop.example:stock", "displayName": "Stock", "type": "application/json", "url": "https://shop.example/mcp/server-card"}]}"#,
    )],
    ..OF_CATALOG
};

impl Format for McpCatalog {
    type Manifest = Manifest;

    const ID: FormatId = FormatId::specified("mcp-catalog");
    const TITLE: &'static str = "MCP catalogue";
    const MARKERS: &'static [Marker] = &[Marker::named(Self::ID, |o| {
        o.contains_key("entries") && marker::text(o, "specVersion") == Some("draft")
    })];
    const SHAPE: Option<&'static Schema> = Some(&CATALOG);
    const PLACES: &'static [&'static str] = &["/.well-known/mcp/catalog.json"];
    const RULES: &'static [&'static Rule] = &[&MCC_01, &MCC_02];

    fn parse(input: &Input<'_>) -> Manifest {
        let catalog: Catalog = Field::of(input.value).get().cloned().unwrap_or_default();
        Manifest {
            entries: catalog.all_entries(),
        }
    }

    fn validate(manifest: &Manifest, _: &Input<'_>, findings: &mut Findings) {
        findings.rest("/entries", manifest.entries.len(), MAX_ENTRIES);
        for (at, entry) in manifest.entries.iter().take(MAX_ENTRIES) {
            if entry.media_type().is_none() {
                let message = format!("`type` is missing; give {CARD}");
                findings.add(&MCC_02, format!("{at}/type"), message);
            }
        }
    }

    fn normalize(_: &Manifest, _: &Input<'_>) -> Vec<Agent> {
        Vec::new()
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        let entries = manifest.entries.iter().take(MAX_ENTRIES);
        let own = entries.filter(|(_, entry)| ai_catalog::is_own(entry, input));
        own.filter_map(|(at, entry)| ai_catalog::link(entry, CARD_RELATION, at, input))
            .collect()
    }

    fn mentions(manifest: &Manifest, input: &Input<'_>) -> Vec<Mention> {
        let entries = manifest.entries.iter().take(MAX_ENTRIES);
        let others = entries.filter(|(_, entry)| !ai_catalog::is_own(entry, input));
        others
            .map(|(at, entry)| ai_catalog::mention(entry, at, input))
            .collect()
    }
}

/// Reports whether a value at `path` is a catalogue that does not state its version: at its own place, a list
/// of entries that lead to server cards.
pub(super) fn by_place(value: &Value, path: &str) -> bool {
    let entries = value.get("entries").and_then(Value::as_array);
    let leads_to_card = |entry: &Value| {
        ["type", "mediaType"].iter().any(|name| {
            let media_type = entry.get(*name).and_then(Value::as_str);
            media_type.is_some_and(|it| it.starts_with(CARD))
        })
    };
    McpCatalog::PLACES.contains(&path)
        && entries.is_some_and(|entries| entries.iter().all(leads_to_card))
}

const fn catalog(body: &'static str) -> Example {
    Example::at("/.well-known/mcp/catalog.json", body)
}
