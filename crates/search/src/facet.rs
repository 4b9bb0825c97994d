//! Facets: properties of agents to filter and count by.

use super::category::{Category, OTHER};
use schemars::JsonSchema;
use serde::Serialize;

/// Value of the facet of documents for an MCP server that has no document of its own: everything that a
/// client needs is in its record.
pub const MCP_SERVER: &str = "mcp-server";

/// Value of the facet of documents for an A2A agent that has no card of its own, but of which one can be
/// written.
pub const A2A_AGENT: &str = "a2a-agent";

/// Values of the facet of documents for MCP servers.
pub const MCP_DOCUMENTS: [&str; 3] = ["mcp-server-card", "mcp-registry-server", MCP_SERVER];

/// A property of agents to filter and count by.
///
/// To add a facet, add a variant here, extend `ALL`, `as_str`, `canonical` and `values`, compute
/// its values in `schema/facets.rs`, and raise `Fields::VERSION` so that older indexes are rebuilt.
/// Give it a label in `web/src/pages/search.rs`, and describe it in docs/search.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    /// Best way in which a stranger can use the agent.
    Callable,
    /// Id of its category, or [`OTHER`]; none while it waits for its sentence vector.
    Category,
    /// Format id of the leading document.
    Format,
    /// Format id of any of its documents, [`MCP_SERVER`] or [`A2A_AGENT`].
    Document,
    /// Protocol of an interface.
    Protocol,
    /// Authentication scheme; `unknown` when the agent declares none.
    Auth,
    /// `true` when a program can register by itself to get a credential.
    Registration,
    /// `true` when a capability needs a session.
    Session,
    /// `true` when a capability hands over to a person.
    Handoff,
    /// Level: manifest A to D.
    Level,
    /// `ok`, `failing` or `unknown`: how the agent's site answered at our last visit.
    Status,
    /// Top-level domain.
    Tld,
    /// Domain, or the registrable domain with everything below it.
    Site,
    /// Tag of the agent or of one of its capabilities.
    Tag,
    /// Exact capability name or id, lower case.
    Capability,
    /// `true` when a document of the agent carries a signature, which need not be valid.
    Signed,
    /// Language that the agent announces, or else the one detected in its texts: the first subtag
    /// of BCP 47.
    Language,
    /// `true` when an interface of the agent is an `OpenAPI` description.
    Openapi,
    /// Media type or kind of its input.
    ModalityIn,
    /// Media type or kind of its output.
    ModalityOut,
}

manifest::words!(Facet {
    Callable = "callable",
    Category = "category",
    Format = "format",
    Document = "document",
    Protocol = "protocol",
    Auth = "auth",
    Registration = "registration",
    Session = "session",
    Handoff = "handoff",
    Level = "level",
    Status = "status",
    Tld = "tld",
    Site = "site",
    Tag = "tag",
    Capability = "capability",
    Signed = "signed",
    Language = "language",
    Openapi = "openapi",
    ModalityIn = "modality_in",
    ModalityOut = "modality_out",
});

impl Facet {
    /// Converts a value as typed to the spelling of the index.
    pub fn canonical(self, value: &str) -> String {
        let value = value.trim();
        match self {
            Self::Level => value.to_ascii_uppercase(),
            Self::Site => manifest::Domain::parse(value).map_or_else(
                |_| value.to_lowercase(),
                |domain| domain.as_str().to_owned(),
            ),
            Self::Tld => value.trim_start_matches('.').to_lowercase(),
            Self::Auth => match value.to_lowercase().as_str() {
                "key" | "apikey" | "api-key" => "api_key".to_owned(),
                scheme => scheme.to_owned(),
            },
            Self::Language => {
                let subtags = value.split(['-', '_']);
                subtags.take(1).map(str::to_lowercase).collect()
            }
            Self::ModalityIn | Self::ModalityOut => {
                // Parameters such as `charset` do not change the media type.
                let kinds = value.split(';');
                kinds.take(1).map(|it| it.trim().to_lowercase()).collect()
            }
            Self::Registration | Self::Session | Self::Handoff | Self::Signed | Self::Openapi => {
                match value.to_lowercase().as_str() {
                    "yes" => "true".to_owned(),
                    "no" => "false".to_owned(),
                    word => word.to_owned(),
                }
            }
            Self::Format | Self::Document => {
                manifest::formats::current_id(&value.to_lowercase()).to_owned()
            }
            Self::Callable
            | Self::Category
            | Self::Protocol
            | Self::Status
            | Self::Tag
            | Self::Capability => value.to_lowercase(),
        }
    }

    /// Returns all values of a facet with a fixed set of values; `None` if agents define the
    /// values.
    pub fn values(self) -> Option<Vec<&'static str>> {
        let values: &[&str] = match self {
            Self::Registration | Self::Session | Self::Handoff | Self::Signed | Self::Openapi => {
                &["true", "false"]
            }
            Self::Callable => &["call", "connect", "run", "ask", "described"],
            Self::Category => {
                let ids = Category::all().iter().map(|it| it.id);
                return Some(ids.chain([OTHER]).collect());
            }
            Self::Level => &["A", "B", "C"],
            Self::Status => &["ok", "failing", "unknown"],
            Self::Auth => &[
                "none", "api_key", "oauth2", "bearer", "basic", "openid", "mtls", "hmac", "other",
                "unknown",
            ],
            Self::Format => return Some(formats().collect()),
            Self::Document => return Some(formats().chain([MCP_SERVER, A2A_AGENT]).collect()),
            Self::Protocol
            | Self::Tld
            | Self::Site
            | Self::Tag
            | Self::Capability
            | Self::Language
            | Self::ModalityIn
            | Self::ModalityOut => return None,
        };
        Some(values.to_vec())
    }
}

/// A value of a facet with its count.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FacetCount {
    /// The value.
    pub value: String,
    /// Matches that have it.
    pub count: u64,
}

/// Returns the names of all formats.
fn formats() -> impl Iterator<Item = &'static str> {
    manifest::formats::ids().map(manifest::FormatId::as_str)
}
