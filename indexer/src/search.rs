//! Everything that knows Tantivy: schema, writing, querying, explaining.
//!
//! [`Searcher`] answers a [`Request`] with [`Results`]; [`IndexWriter`] keeps the index in step with the store.
//! A search runs in three steps: every agent is found that has enough of the words or is near enough in meaning, one
//! formula ranks them (docs/ranking.md), and the hits shown are explained from their texts.

pub mod query;
pub mod searcher;
pub mod semantic;
pub mod writer;

mod address;
mod alike;
mod analyzer;
mod collector;
mod explain;
mod files;
mod folder;
mod lexical;
mod lexicon;
mod meaning;
mod need;
mod ranking;
mod row;
mod schema;
mod suggest;
mod word_map;

pub use searcher::{SearchError, Searcher};
pub use suggest::{Suggestion, SuggestionKind};
pub use writer::{IndexWriter, WriteError};

use manifest::AgentId;
use serde::Serialize;
use std::collections::BTreeMap;

/// A search as asked: words, filters, order and page.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The user's words, in the grammar of DESIGN.md 5.2; empty finds everything.
    pub text: String,
    /// Facet name to accepted values: any value within a facet, every facet.
    pub filters: BTreeMap<Facet, Vec<String>>,
    /// Order of the hits.
    pub sort: Sort,
    /// At most so many hits of one registrable domain; the rest is counted in `more_from_site`.
    /// Zero is no limit; a filter by site lifts it.
    pub per_site: usize,
    /// Whether agents that are nearly the same as one before are hits of their own, and not only counted at that
    /// one. A filter by site unfolds them as well.
    pub unfold: bool,
    /// At most so many hits.
    pub limit: usize,
    /// Hits after this one, as [`Results::next`] gave it.
    pub after: Option<Cursor>,
    /// Facets to count over all matches.
    pub facets: Vec<Facet>,
}

/// A property to filter and count by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    /// Format id of the leading document.
    Format,
    /// Protocol of an interface.
    Protocol,
    /// Authentication scheme; `unknown` when nothing is said.
    Auth,
    /// `true` when a capability needs a session.
    Session,
    /// `true` when a capability ends with a person.
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
    /// `true` when a document of the agent carries a signature; nobody has verified it.
    Signed,
    /// Language that it announces, or else that its texts are in: the first subtag of BCP 47.
    Language,
    /// `true` when an interface of the agent is an `OpenAPI` description.
    Openapi,
    /// Media type or kind of what it takes.
    ModalityIn,
    /// Media type or kind of what it gives.
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

    /// The snake-case word for it.
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

    /// A value in the spelling of the index, from whatever somebody typed.
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
                // Parameters such as `charset` do not make another kind.
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
            Self::Format | Self::Protocol | Self::Status | Self::Tag | Self::Capability => {
                value.to_lowercase()
            }
        }
    }

    /// Every value of a facet that has few; none where agents make their own.
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
                let formats = manifest::formats::ALL.iter();
                let ids = formats.flat_map(|it| std::iter::once(&it.id).chain(it.also));
                return Some(ids.map(|it| it.as_str()).collect());
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

/// Where a page ended: the sort value and id of its last hit.
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
    /// Words that were looked for, after analysis.
    pub terms: Vec<String>,
    /// Parts of the query that could not be used.
    pub ignored: Vec<String>,
    /// Mistyped words, or the whole query as a mistyped name, and what they were taken for.
    pub corrected: Vec<Correction>,
    /// How well the best hit fits: `good`, `weak` or `none`.
    pub fit: Fit,
    /// Number of all matches.
    pub total: u64,
    /// This page.
    pub hits: Vec<Hit>,
    /// Counts by facet, most frequent first.
    pub facets: BTreeMap<Facet, Vec<FacetCount>>,
    /// Registrable domain to the number of further matches not shown.
    pub more_from_site: BTreeMap<String, u64>,
    /// Capability names near the query, when nothing fits.
    pub nearest_capabilities: Vec<String>,
    /// Where the next page starts.
    pub next: Option<Cursor>,
    /// Generation of the index that answered.
    pub generation: u64,
}

/// A word or name that few or no agents have, and the one that was looked for in its place or beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Correction {
    /// As typed, in lower case and folded.
    pub from: String,
    /// As agents write it, in lower case and folded.
    pub to: String,
}

/// How well an answer fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// Right with a chance of 60 % and more, or an exact name.
    Strong,
    /// Right with a chance of 40 % and more, or it has most of the words.
    Good,
    /// Rather wrong than right.
    Weak,
    /// Nobody is near enough to be shown.
    #[default]
    None,
}

impl Fit {
    /// The word used in answers.
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
    /// Which.
    pub id: AgentId,
    /// Relevance from 0 to 100; 0 where nothing but filters was asked for.
    pub score: u8,
    /// How well it fits; [`Fit::None`] where nothing but filters was asked for.
    pub fit: Fit,
    /// Number of further matches that are nearly the same and not shown.
    pub alike: u64,
    /// Why, best reason first.
    pub because: Vec<Reason>,
}

/// Why an agent was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// `name`, `capability.name`, `capability.description`, `capability.example`, `capability.parameter`, `tag`,
    /// `description`, `provider`, `site`, or `meaning` for the text that comes nearest to the need without its words.
    pub field: String,
    /// The capability, when it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The text that matched, in parts, so that each side can mark it its own way.
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
