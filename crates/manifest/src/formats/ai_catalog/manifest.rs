//! A catalogue as AI Catalog and ARD define it, including the early shape.

use crate::field::{Field, List};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The whole document, or a nested catalogue.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::formats) struct Catalog {
    pub(super) spec_version: Field<String>,
    pub(super) host: Field<Host>,
    pub(super) entries: List<Entry>,
    /// Members of the early shape, which had no entries.
    pub(super) agents: List<EarlyEntry>,
    /// Members of an intermediate shape: cards of agents and of other things.
    pub(super) records: List<EarlyEntry>,
}

/// Publisher of the catalogue.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Host {
    pub(super) display_name: Field<String>,
    /// Name of `displayName` in the early shape.
    pub(super) name: Field<String>,
    pub(super) documentation_url: Field<String>,
}

/// Catalogue entry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::formats) struct Entry {
    pub(super) identifier: Field<String>,
    pub(super) display_name: Field<String>,
    #[serde(rename = "type")]
    pub(super) kind: Field<String>,
    /// Older name of `type`.
    pub(super) media_type: Field<String>,
    pub(super) url: Field<String>,
    pub(super) data: Field<Value>,
    pub(super) description: Field<String>,
    pub(super) tags: List<String>,
    pub(super) capabilities: List<String>,
    pub(super) representative_queries: List<String>,
    pub(super) version: Field<String>,
    pub(super) trust_manifest: Field<TrustManifest>,
    /// True for an entry of `records`, whose card may describe an agent or a data set.
    #[serde(skip)]
    pub(super) is_record: bool,
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// Attestations of an entry; recorded, but not verified here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TrustManifest {
    pub(super) identity: Field<String>,
}

/// Agent or record of the early shapes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct EarlyEntry {
    pub(super) id: Field<String>,
    pub(super) name: Field<String>,
    pub(super) description: Field<String>,
    pub(super) tags: List<String>,
    pub(super) card_url: Field<String>,
}

/// Target of an entry, independent of the spelling of its media type (ARD-09).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    AgentCard,
    McpCard,
    /// MCP server: its card or its endpoint.
    Mcp,
    /// Card of an early record; only the card states its owner.
    Card,
    Catalog,
    /// Another registry: a referral, which is never crawled.
    Registry,
    OpenApi,
    /// Manifest of a site in another format, with the relation of a reference to it.
    Manifest(&'static str),
    Other,
}

/// Names of manifests that are served under a general media type, with that type and the relation of a
/// reference to them.
const MANIFESTS: [(&str, &str, &str); 3] = [
    ("agents.json", "application/json", "agents.json"),
    ("agent.json", "application/json", "agent-card"),
    ("agents.txt", "text/plain", "agents.txt"),
];

impl Catalog {
    /// Returns every entry with its pointer; agents and records of the early shapes are converted
    /// to entries.
    pub(in crate::formats) fn all_entries(&self) -> Vec<(String, Entry)> {
        let entries = self.entries.items();
        let entries = entries.map(|(index, entry)| (format!("/entries/{index}"), entry.clone()));
        if !self.entries.is_absent() {
            return entries.collect();
        }
        let agents = self.agents.items().map(|(index, agent)| {
            let kind = Field::Is("application/a2a-agent-card+json".to_owned());
            let entry = Entry {
                kind,
                ..agent.entry()
            };
            (format!("/agents/{index}"), entry)
        });
        let records = self.records.items().map(|(index, record)| {
            let entry = Entry {
                is_record: true,
                ..record.entry()
            };
            (format!("/records/{index}"), entry)
        });
        agents.chain(records).collect()
    }
}

impl EarlyEntry {
    /// Converts it to an entry with the present member names.
    fn entry(&self) -> Entry {
        Entry {
            identifier: self.id.clone(),
            display_name: self.name.clone(),
            url: self.card_url.clone(),
            description: self.description.clone(),
            tags: self.tags.clone(),
            ..Entry::default()
        }
    }
}

impl Entry {
    /// Returns the media type from its present or older member.
    pub(in crate::formats) fn media_type(&self) -> Option<&str> {
        self.kind.raw().or_else(|| self.media_type.raw())
    }

    /// Returns the target of the entry.
    pub(super) fn kind(&self) -> Kind {
        match self.media_type() {
            None if self.is_record => Kind::Card,
            media_type => match Kind::of(media_type.unwrap_or_default()) {
                Kind::Other => self.manifest().unwrap_or(Kind::Other),
                kind => kind,
            },
        }
    }

    /// Returns the manifest to which the entry leads, by its general media type and the name in its URL.
    fn manifest(&self) -> Option<Kind> {
        let essence = self.media_type()?.split(';').next()?.trim();
        let path = self.url.raw()?.split(['?', '#']).next()?;
        let (_, name) = path.rsplit_once('/')?;
        let mut manifests = MANIFESTS.iter();
        let (_, _, rel) =
            manifests.find(|it| it.0 == name && it.1.eq_ignore_ascii_case(essence))?;
        Some(Kind::Manifest(rel))
    }

    /// Returns the publisher in `urn:air:<publisher>:…`, or in the older `urn:ai:` (ARD-02).
    pub(super) fn publisher(&self) -> Option<&str> {
        let identifier = self.identifier.raw()?;
        let rest = identifier
            .strip_prefix("urn:air:")
            .or_else(|| identifier.strip_prefix("urn:ai:"))?;
        rest.split(':').next()
    }
}

impl Kind {
    fn of(media_type: &str) -> Self {
        let media_type = media_type.to_ascii_lowercase();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        match essence
            .trim_start_matches("application/")
            .trim_end_matches("+json")
        {
            "a2a-agent-card" | "a2a-agent" | "a2a" | "agent-card" => Self::AgentCard,
            "mcp-server-card" => Self::McpCard,
            "mcp-server" | "mcp" => Self::Mcp,
            "ai-catalog" => Self::Catalog,
            "ai-registry" => Self::Registry,
            "agents" => Self::Manifest("json-agents"),
            kind if kind.contains("openapi") => Self::OpenApi,
            _ => Self::Other,
        }
    }

    /// Returns the media type of the present specifications (ARD-09).
    pub(super) fn canonical(self) -> Option<&'static str> {
        match self {
            Self::AgentCard => Some("application/a2a-agent-card+json"),
            Self::McpCard | Self::Mcp => Some("application/mcp-server-card+json"),
            Self::Catalog => Some("application/ai-catalog+json"),
            Self::Registry => Some("application/ai-registry+json"),
            Self::Card | Self::OpenApi | Self::Manifest(_) | Self::Other => None,
        }
    }

    /// Reports whether the target can be called, rather than read.
    pub(super) fn is_agent(self) -> bool {
        matches!(
            self,
            Self::AgentCard | Self::McpCard | Self::Mcp | Self::Manifest(_)
        )
    }

    /// Returns the relation of a reference to the target.
    pub(super) fn rel(self) -> Option<&'static str> {
        match self {
            Self::AgentCard | Self::Card => Some("agent-card"),
            Self::McpCard => Some("mcp-card"),
            Self::Mcp => Some("mcp"),
            Self::Catalog => Some("ai-catalog"),
            Self::Registry => Some("registry"),
            Self::OpenApi => Some("openapi"),
            Self::Manifest(rel) => Some(rel),
            Self::Other => None,
        }
    }
}
