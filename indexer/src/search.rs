//! Search over the agents: schema, writing, querying and explaining. All code that uses Tantivy is
//! here.
//!
//! [`Searcher`] answers a [`Request`] with [`Results`]; [`IndexWriter`] keeps the index in step
//! with the store. A search runs in three steps: it collects every agent that has enough of the
//! words or is near enough in meaning, ranks them by one formula (docs/ranking.md), and explains
//! the hits shown by snippets of their texts.

pub mod embedding;
pub mod query;
pub mod searcher;
pub mod writer;

mod address;
mod analyzer;
mod bm25;
mod collector;
mod directory;
mod explain;
mod files;
mod near_duplicates;
mod proximity;
mod query_plan;
mod ranking;
mod schema;
mod spelling;
mod suggest;
mod vector_search;
mod word_map;

pub use searcher::{SearchError, Searcher};
pub use suggest::{Suggestion, SuggestionKind};
pub use writer::{IndexWriter, WriteError};

use manifest::AgentId;
use serde::Serialize;
use std::collections::BTreeMap;

/// A search request: words, filters, order and page.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The user's words, in the grammar of docs/search.md; an empty text matches every agent.
    pub text: String,
    /// Facet name to accepted values: any value within a facet, every facet.
    pub filters: BTreeMap<Facet, Vec<String>>,
    /// Order of the hits.
    pub sort: Sort,
    /// Maximum number of hits of one registrable domain; further ones are counted in
    /// `more_from_site`. Zero means no limit; a filter by site lifts the limit.
    pub per_site: usize,
    /// Shows near-duplicates as hits of their own. Otherwise they are only counted at the first
    /// one. A filter by site has the same effect.
    pub unfold: bool,
    /// Maximum number of hits.
    pub limit: usize,
    /// Cursor of the last page, from [`Results::next`]: only hits after it are returned.
    pub after: Option<Cursor>,
    /// Facets whose values are counted over all matches.
    pub facets: Vec<Facet>,
}

/// A property of agents to filter and count by.
///
/// To add a facet, add a variant here, extend `ALL`, `as_str`, `canonical` and `values`, compute
/// its values in `schema/facets.rs`, and raise `Fields::VERSION` so that older indexes are rebuilt.
/// Give it a label in `web/src/pages/search.rs`, and describe it in docs/search.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    /// Format id of the leading document.
    Format,
    /// Protocol of an interface.
    Protocol,
    /// Authentication scheme; `unknown` when the agent declares none.
    Auth,
    /// `true` when a capability needs a session.
    Session,
    /// `true` when a capability hands over to a person.
    Handoff,
    /// Quality level.
    Level,
    /// `ok`, `failing` or `unknown`: how the agent's site answered at our last visit.
    Status,
    /// Top-level domain.
    Tld,
    /// Domain, or the registrable domain with everything below it.
    Site,
    /// Tag.
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

impl Facet {
    /// Every facet.
    pub const ALL: [Self; 16] = [
        Self::Format,
        Self::Protocol,
        Self::Auth,
        Self::Session,
        Self::Handoff,
        Self::Level,
        Self::Status,
        Self::Tld,
        Self::Site,
        Self::Tag,
        Self::Capability,
        Self::Signed,
        Self::Language,
        Self::Openapi,
        Self::ModalityIn,
        Self::ModalityOut,
    ];

    /// Returns the snake-case name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Protocol => "protocol",
            Self::Auth => "auth",
            Self::Session => "session",
            Self::Handoff => "handoff",
            Self::Level => "level",
            Self::Status => "status",
            Self::Tld => "tld",
            Self::Site => "site",
            Self::Tag => "tag",
            Self::Capability => "capability",
            Self::Signed => "signed",
            Self::Language => "language",
            Self::Openapi => "openapi",
            Self::ModalityIn => "modality_in",
            Self::ModalityOut => "modality_out",
        }
    }

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
            Self::Session | Self::Handoff | Self::Signed | Self::Openapi => {
                match value.to_lowercase().as_str() {
                    "yes" => "true".to_owned(),
                    "no" => "false".to_owned(),
                    word => word.to_owned(),
                }
            }
            Self::Format => manifest::formats::current_id(&value.to_lowercase()).to_owned(),
            Self::Protocol | Self::Status | Self::Tag | Self::Capability => value.to_lowercase(),
        }
    }

    /// Returns all values of a facet with a fixed set of values; `None` if agents define the
    /// values.
    pub fn values(self) -> Option<Vec<&'static str>> {
        let values: &[&str] = match self {
            Self::Session | Self::Handoff | Self::Signed | Self::Openapi => &["true", "false"],
            Self::Level => &["A", "B", "C"],
            Self::Status => &["ok", "failing", "unknown"],
            Self::Auth => &[
                "none", "api_key", "oauth2", "bearer", "basic", "openid", "mtls", "hmac", "other",
                "unknown",
            ],
            Self::Format => {
                return Some(
                    manifest::formats::ids()
                        .map(manifest::FormatId::as_str)
                        .collect(),
                );
            }
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

/// Order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Best first.
    #[default]
    Relevance,
    /// Latest change first.
    Updated,
    /// Newest first.
    FirstSeen,
    /// By name.
    Name,
}

/// Cursor: the sort value and id of the last hit of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    /// Relevance score, or the sort field's value.
    pub value: f64,
    /// Id of the last hit.
    pub id: AgentId,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Words that were searched for, after analysis.
    pub terms: Vec<String>,
    /// Parts of the query that could not be used.
    pub ignored: Vec<String>,
    /// Mistyped words, or the whole query as a mistyped name, with their corrections.
    pub corrected: Vec<Correction>,
    /// Level of the best hit: `good`, `weak` or `none`.
    pub fit: Fit,
    /// Number of all matches.
    pub total: u64,
    /// Hits of this page.
    pub hits: Vec<Hit>,
    /// Counts by facet, most frequent first.
    pub facets: BTreeMap<Facet, Vec<FacetCount>>,
    /// Registrable domain to the number of further matches not shown.
    pub more_from_site: BTreeMap<String, u64>,
    /// Capability names near the query, when no agent matches.
    pub nearest_capabilities: Vec<String>,
    /// Cursor of the next page.
    pub next: Option<Cursor>,
    /// Generation of the index that answered.
    pub generation: u64,
}

/// Correction of a word or name that few or no agents have; the correction is searched for instead
/// of it or in addition to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Correction {
    /// As typed, in lower case and folded.
    pub from: String,
    /// As agents write it, in lower case and folded.
    pub to: String,
}

/// Level of relevance of a hit or an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// Estimated probability of 60 % or more, or an exact name.
    Strong,
    /// Estimated probability of 40 % or more, or most of the words.
    Good,
    /// Lower estimated probability: more likely wrong than right.
    Weak,
    /// No agent is near enough to be shown.
    #[default]
    None,
}

impl Fit {
    /// Returns the word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Good => "good",
            Self::Weak => "weak",
            Self::None => "none",
        }
    }
}

/// A value of a facet with its count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FacetCount {
    /// The value.
    pub value: String,
    /// Matches that have it.
    pub count: u64,
}

/// One agent found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Id of the agent.
    pub id: AgentId,
    /// Relevance from 0 to 100; 0 if the query consists of filters only.
    pub score: u8,
    /// Level of relevance; [`Fit::None`] if the query consists of filters only.
    pub fit: Fit,
    /// Number of near-duplicates that are not shown.
    pub near_duplicates: u64,
    /// Reasons for the match, best first.
    pub because: Vec<Reason>,
}

/// Reason why an agent matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// `name`, `capability.name`, `capability.description`, `capability.example`,
    /// `capability.parameter`, `tag`, `description`, `provider`, `site`, or `meaning` for the text
    /// nearest to the need in meaning when it shares no word with it.
    pub field: String,
    /// Name of the capability, if the text belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Snippet in fragments, so that each client can mark the matches in its own way.
    #[serde(skip)]
    pub snippet: Vec<Fragment>,
}

/// A piece of a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Plain text, unescaped.
    pub text: String,
    /// True when it matched.
    pub is_match: bool,
}
