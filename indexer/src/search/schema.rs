//! The fields of the index: one document per agent.

mod document;
mod facets;

pub(crate) use document::DocumentBuilder;
use document::names;

use super::Facet;
use super::analyzer::language::Language;
use super::analyzer::list;
use manifest::agent::Agent;
use serde::{Deserialize, Serialize};
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

/// Maximum number of capabilities and of tags that are stored for snippets, and of characters of
/// each text.
const MAX_STORED: usize = 200;
const MAX_STORED_CHARS: usize = 600;
/// Separator between the names of an agent.
pub(crate) const NAMES: &str = " · ";
/// Maximum length of a facet value in bytes; longer values are not indexed.
const MAX_VALUE: usize = 120;

/// Handles of all fields of the index, so that no field is looked up by string.
///
/// Words are indexed in one field, so that a word has one rarity and an agent one length. Separate
/// fields whose scores are added rank worse (docs/ranking.md).
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The agent's id.
    pub(crate) id: Field,
    /// Every searchable text.
    pub(crate) text: Field,
    /// Names, domain, and names and ids of capabilities, folded, each as one term.
    pub(crate) exact: Field,
    /// Words as written, in lower case and folded, each as one term: candidates for corrections of
    /// mistyped words.
    pub(crate) words: Field,
    /// Embedding of the whole text: the bytes of a [`super::embedding::Vector`], eight to a number.
    pub(crate) meaning: Field,
    /// Source texts of snippets, as JSON.
    pub(crate) snippet_source: Field,
    /// Hash of the id: breaks ties.
    pub(crate) tie: Field,
    /// Hash of the registrable domain.
    pub(crate) group: Field,
    /// Points for a lower quality level and for a site that is failing or in an unknown state; each
    /// reduces the relevance.
    pub(crate) shortfall: Field,
    /// Simhash that detects near-duplicates ([`super::near_duplicates`]).
    pub(crate) simhash: Field,
    /// Last change, in milliseconds.
    pub(crate) updated: Field,
    /// First seen, in milliseconds.
    pub(crate) first_seen: Field,
    /// The folded name, for sorting.
    pub(crate) name: Field,
    /// The first six bytes of the folded name as a number.
    pub(crate) name_key: Field,
    facets: [Field; Facet::ALL.len()],
}

/// Texts of an agent, stored as the source of snippets. Empty values are omitted and keys have one
/// letter, because these texts are the largest part of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SnippetSource {
    #[serde(rename = "n")]
    pub(crate) name: String,
    /// Code of the language by which its words are stemmed; empty for English.
    #[serde(rename = "l", skip_serializing_if = "String::is_empty")]
    pub(crate) language: String,
    #[serde(rename = "d", skip_serializing_if = "String::is_empty")]
    pub(crate) description: String,
    #[serde(rename = "o", skip_serializing_if = "String::is_empty")]
    pub(crate) provider: String,
    #[serde(rename = "t", skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    pub(crate) capabilities: Vec<SnippetCapability>,
}

/// Texts of a capability.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SnippetCapability {
    /// Id; empty if it equals the name.
    #[serde(rename = "i", skip_serializing_if = "String::is_empty")]
    pub(crate) id: String,
    #[serde(rename = "n")]
    pub(crate) name: String,
    #[serde(rename = "d", skip_serializing_if = "String::is_empty")]
    pub(crate) description: String,
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    pub(crate) examples: Vec<String>,
    #[serde(rename = "t", skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// Names of its parameters.
    #[serde(rename = "p", skip_serializing_if = "Vec::is_empty")]
    pub(crate) params: Vec<String>,
}

impl Fields {
    /// Version of the index. Raise it when the schema, the analyzer or the embedded text changes;
    /// an older index is then rebuilt from the store.
    pub(crate) const VERSION: u32 = 8;

    /// Builds the schema and the handles of its fields.
    pub(crate) fn define() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let listed = |records, has_lengths| {
            TextOptions::default().set_indexing_options(
                TextFieldIndexing::default()
                    .set_tokenizer(list::NAME)
                    .set_index_option(records)
                    .set_fieldnorms(has_lengths),
            )
        };
        let text = listed(IndexRecordOption::WithFreqsAndPositions, true);
        let terms = listed(IndexRecordOption::Basic, false);
        // Ranking does not depend on the frequency of these values.
        let whole = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer("raw")
                .set_index_option(IndexRecordOption::Basic)
                .set_fieldnorms(false),
        );
        let facet = whole.clone().set_fast("raw");
        let fields = Self {
            id: schema.add_text_field("id", whole | STORED),
            text: schema.add_text_field("text", text),
            exact: schema.add_text_field("exact", terms.clone()),
            words: schema.add_text_field("words", terms),
            meaning: schema.add_u64_field("meaning", FAST),
            snippet_source: schema.add_text_field("told", STORED),
            tie: schema.add_u64_field("tie", FAST),
            group: schema.add_u64_field("group", FAST),
            shortfall: schema.add_u64_field("shortfall", FAST),
            simhash: schema.add_u64_field("simhash", FAST),
            updated: schema.add_i64_field("updated", FAST),
            first_seen: schema.add_i64_field("first_seen", FAST),
            name: schema.add_text_field("name", TextOptions::default().set_fast("raw")),
            name_key: schema.add_u64_field("name_key", FAST),
            facets: Facet::ALL.map(|it| schema.add_text_field(it.as_str(), facet.clone())),
        };
        (schema.build(), fields)
    }

    /// Returns the field of a facet.
    pub(crate) fn facet(&self, facet: Facet) -> Field {
        self.facets[facet as usize]
    }
}

/// Returns a hash that is the same on every machine and in every version (FNV-1a, 64 bits).
pub(crate) fn stable_hash(text: &str) -> u64 {
    hash_on(0xcbf2_9ce4_8422_2325, text)
}

/// Continues a hash of [`stable_hash`] with further text.
pub(crate) fn hash_on(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns a number that orders folded names by their first six bytes.
pub(crate) fn name_key(folded: &str) -> u64 {
    let mut bytes = folded.bytes();
    (0..6).fold(0, |key, _| {
        (key << 8) | u64::from(bytes.next().unwrap_or(0))
    })
}

impl SnippetSource {
    fn of(agent: &Agent, language: Option<Language>) -> Self {
        let capabilities = agent.capabilities.iter().take(MAX_STORED);
        Self {
            language: language.map_or_else(String::new, |it| it.code.to_owned()),
            name: cut(&names(agent)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(NAMES)),
            description: agent.description.as_deref().map_or_else(String::new, cut),
            provider: agent
                .provider
                .as_ref()
                .map_or_else(String::new, |provider| cut(&provider.name)),
            tags: agent
                .tags
                .iter()
                .take(MAX_STORED)
                .map(|it| cut(it))
                .collect(),
            capabilities: capabilities
                .map(|capability| SnippetCapability {
                    id: if capability.id == capability.name {
                        String::new()
                    } else {
                        cut(&capability.id)
                    },
                    name: cut(&capability.name),
                    description: capability
                        .description
                        .as_deref()
                        .map_or_else(String::new, cut),
                    examples: capability
                        .examples
                        .iter()
                        .take(20)
                        .map(|it| cut(it))
                        .collect(),
                    tags: capability.tags.iter().take(20).map(|it| cut(it)).collect(),
                    params: capability
                        .params
                        .iter()
                        .take(50)
                        .map(|it| cut(&it.name))
                        .collect(),
                })
                .collect(),
        }
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain strings always become JSON")
    }

    /// Parses the stored JSON; returns empty texts if it is not readable.
    pub(crate) fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }
}

fn cut(text: &str) -> String {
    let end = text.char_indices().nth(MAX_STORED_CHARS);
    text[..end.map_or(text.len(), |(end, _)| end)].to_owned()
}
