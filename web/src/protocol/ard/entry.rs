//! Listed agents as entries of a catalogue.

use crate::protocol::servers;
use crate::view;
use export::urn;
use manifest::caution::Caution;
use manifest::convert::agent_card;
use manifest::{Domain, FormatId, formats, text};
use schemars::JsonSchema;
use search::{A2A_AGENT, MCP_SERVER};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use store::StoredAgent;

/// Maximum number of capabilities of an entry.
const MAX_CAPABILITIES: usize = 50;
/// Most typical questions of an entry (ARD-05).
const MAX_QUERIES: usize = 5;
/// Fewest typical questions of an entry; a single one is left out.
const MIN_QUERIES: usize = 2;

/// Other spellings of media types, with those of the specification (ARD-09).
const ALIASES: [(&str, &str); 6] = [
    ("application/a2a-agent+json", A2A),
    ("application/a2a-agent-card", A2A),
    ("application/agent-card+json", A2A),
    ("application/mcp-server", MCP),
    ("application/mcp-server+json", MCP),
    ("application/mcp-server-card", MCP),
];
const A2A: &str = "application/a2a-agent-card+json";
const MCP: &str = "application/mcp-server-card+json";
const CATALOG: &str = "application/ai-catalog+json";

/// Entry of a catalogue.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdEntry")]
pub(super) struct Entry {
    identifier: String,
    display_name: String,
    r#type: Cow<'static, str>,
    /// Address of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The document itself, of an MCP server or an A2A agent whose site publishes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    capabilities: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    representative_queries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    updated_at: String,
    /// Facts of this registry, none of them a list or an object.
    metadata: Map<String, Value>,
}

impl Entry {
    /// Returns the entry of an agent with signs on it, with one of its documents that a filter accepts, which
    /// names formats; `registry` is the URL of this one.
    pub(super) fn of(
        stored: &StoredAgent,
        cautions: &[Caution],
        registry: &str,
        accepted: Option<&Vec<String>>,
    ) -> Self {
        let (listing, agent) = (&stored.listing, &stored.listing.agent);
        let capabilities = &agent.capabilities;
        let published = agent.extensions.get("representativeQueries");
        let published = published.and_then(Value::as_array).into_iter().flatten();
        let published = published.filter_map(|it| it.as_str().map(str::to_owned));
        let examples = capabilities.iter().flat_map(|it| it.examples.clone());
        let mut queries = text::distinct(published.chain(examples));
        queries.truncate(MAX_QUERIES);
        if queries.len() < MIN_QUERIES {
            queries.clear();
        }
        let page = view::agent_path(&listing.id);
        let names = capabilities.iter().take(MAX_CAPABILITIES);
        let mut metadata = json!({
            "id": listing.id,
            "site": stored.domain.as_str(),
            "page": format!("{registry}{page}"),
            "format": listing.format,
            "level": listing.level.as_str(),
            "status": stored.status.as_str(),
            "firstSeen": stored.first_seen.to_rfc3339(),
            "checkedAt": stored.last_seen.to_rfc3339(),
        });
        if !cautions.is_empty() {
            let cautions: Vec<String> = cautions.iter().map(Caution::text).collect();
            metadata["cautions"] = json!(cautions.join(" "));
        }
        let artifact = Artifact::of(stored, accepted);
        Self {
            identifier: urn::of(stored),
            display_name: agent.name.clone(),
            r#type: artifact.media_type,
            url: artifact.url,
            data: artifact.data,
            description: agent.description.clone(),
            tags: agent.tags.clone(),
            capabilities: text::distinct(names.map(|it| it.name.clone())),
            representative_queries: queries,
            version: agent.version.clone(),
            updated_at: stored.changed.to_rfc3339(),
            metadata: metadata.as_object().cloned().unwrap_or_default(),
        }
    }
}

/// Document of an agent that its entry delivers, by its address or as it is.
struct Artifact {
    media_type: Cow<'static, str>,
    url: Option<String>,
    data: Option<Value>,
}

impl Artifact {
    /// Returns the first document whose format a filter accepts: a card that is published, one that is written
    /// here, or else the leading document.
    fn of(stored: &StoredAgent, accepted: Option<&Vec<String>>) -> Self {
        let sources = &stored.listing.sources;
        let is_accepted =
            |format: &str| accepted.is_none_or(|known| known.iter().any(|it| it == format));
        let mut fitting = sources.iter().filter(|it| is_accepted(it.format.as_str()));
        let mut described = fitting.clone().map(|it| (media_type(it.format), it));
        let known = described.find_map(|(it, source)| [A2A, MCP].contains(&&*it).then_some(source));
        let written = || {
            let server = servers::server_card(stored).filter(|_| is_accepted(MCP_SERVER));
            let of_a2a = || agent_card::written(&stored.domain, &stored.listing);
            let agent = || {
                of_a2a()
                    .filter(|_| is_accepted(A2A_AGENT))
                    .map(|it| (A2A, it))
            };
            server.map(|it| (MCP, it)).or_else(agent)
        };
        if known.is_none()
            && let Some((media_type, data)) = written()
        {
            return Self {
                media_type: media_type.into(),
                url: None,
                data: Some(data),
            };
        }
        let source = known.or_else(|| fitting.next());
        let home = || format!("https://{}/", stored.domain);
        Self {
            media_type: media_type(source.map_or(stored.listing.format, |it| it.format)),
            url: Some(source.map_or_else(home, |it| it.url.clone())),
            data: None,
        }
    }
}

/// Returns the domain of the publisher of an agent.
pub(super) fn publisher_of(stored: &StoredAgent) -> Option<Domain> {
    Domain::parse(urn::publisher(&urn::of(stored))?).ok()
}

/// Returns the media type of a document. Formats without one have a name of ours.
fn media_type(format: FormatId) -> Cow<'static, str> {
    match format.as_str() {
        "a2a-agent-card" => A2A.into(),
        "mcp-server-card" | "mcp-registry-server" => MCP.into(),
        "ai-catalog" => CATALOG.into(),
        "json-agents" => "application/agents+json".into(),
        other => {
            let is_text = other.starts_with("agents-txt") || other == "auth-md";
            let suffix = if is_text { "" } else { "+json" };
            format!(
                "application/vnd.agentdex.{}{suffix}",
                other.replace('/', ".")
            )
            .into()
        }
    }
}

/// Returns the media type of a value of the facet of documents.
pub(super) fn media_type_of(document: &str) -> Option<Cow<'static, str>> {
    match document {
        MCP_SERVER => Some(MCP.into()),
        A2A_AGENT => Some(A2A.into()),
        format => formats::find(format).map(media_type),
    }
}

/// Returns the values of the facet of documents that have a media type, in any of its spellings.
pub(super) fn documents_of(media_type: &str) -> Vec<&'static str> {
    let media_type = media_type.trim().to_ascii_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == media_type);
    let media_type = alias.map_or(media_type.as_str(), |(_, canonical)| canonical);
    let all = formats::ids()
        .map(FormatId::as_str)
        .chain([MCP_SERVER, A2A_AGENT]);
    all.filter(|it| media_type_of(it).is_some_and(|it| it == media_type))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_media_type() {
        for format in formats::ids() {
            let found = documents_of(&media_type(format));
            assert!(found.contains(&format.as_str()), "{format}");
        }
        assert_eq!(documents_of("application/mcp-server"), documents_of(MCP));
        assert!(documents_of(MCP).contains(&MCP_SERVER));
        assert!(documents_of(A2A).contains(&A2A_AGENT));
        assert!(documents_of("application/parquet").is_empty());
    }
}
