//! Search over the agents: schema, writing, querying and explaining. All code that uses Tantivy is
//! here.
//!
//! [`Searcher`] answers a [`Request`] with [`Results`]; [`IndexWriter`] keeps the index in step
//! with the store. A search runs in three steps: it collects every agent that has enough of the
//! words or is near enough in meaning, ranks them by one formula (docs/ranking.md), and explains
//! the hits shown by snippets of their texts. The index holds no texts: the caller loads the agents
//! of the hits from the store, and [`Results::join`] explains them.

pub mod dictionary;
pub mod embedding;
pub mod follower;
pub mod metrics;
pub mod query;
pub mod relevance;
pub mod searcher;
pub mod writer;

mod address;
mod agent_vectors;
mod analyzer;
mod bm25;
mod cached_encoder;
mod capability_ranking;
mod category;
mod collector;
mod directory;
mod explain;
mod facet;
mod files;
mod lookalike;
mod near_duplicates;
mod nearest;
mod position;
mod proximity;
mod query_plan;
mod ranking;
mod request;
mod results;
mod schema;
mod spelling;
mod stable_hash;
mod statistics;
mod suggest;
mod vector_search;
mod vocabulary;
mod word_map;

pub use agent_vectors::{AgentTexts, SentenceVectors, of_agents};
pub use analyzer::language::detect as language_of;
pub use category::{Category, OTHER};
pub use directory::WriteError;
pub use explain::{Fragment, MatchedField, Reason};
pub use facet::{A2A_AGENT, Facet, FacetCount, MCP_DOCUMENTS, MCP_SERVER};
pub use position::Position;
pub use query::Query;
pub use ranking::Fit;
pub use request::{Cursor, Request, Sort, Unit};
pub use results::{AgentHit, Answer, Hit, Results};
pub use schema::{Detected, facet_values};
pub use searcher::{Neighbours, SearchError, Searcher};
pub use spelling::Correction;
pub use suggest::{Completion, Suggestion, SuggestionKind};
pub use vocabulary::{ValueRange, Values, words};
pub use writer::{IndexWriter, Waiting};
