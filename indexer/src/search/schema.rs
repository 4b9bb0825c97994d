//! The fields of the index: one document per agent.

mod facets;

use super::analyzer::language::{Language, terms_in, tokens};
use super::semantic::Table;
use super::{Facet, alike, analyzer};
use facets::values;
use manifest::Level;
use manifest::agent::Agent;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{AgentStatus, StoredAgent};
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TantivyDocument, TextFieldIndexing,
    TextOptions,
};

/// Capabilities whose texts are kept for explanations, and characters of each text.
const MAX_TOLD: usize = 200;
const MAX_TOLD_CHARS: usize = 600;
/// Words by which near-identical agents are told.
const MAX_LIKENED: usize = 2_000;
/// Longest value of a facet in bytes; longer ones are no vocabulary.
const MAX_VALUE: usize = 120;
/// Words of fewer or more bytes are not compared with mistyped ones.
const MIN_SPELLED: usize = 4;
const MAX_SPELLED: usize = 40;

/// Every field of the index by name, so that nobody looks one up by string.
///
/// Words are indexed in one field, so that a word has one rarity and an agent one length: fields of their own, added
/// up, rank worse (docs/ranking.md).
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The agent's id.
    pub(crate) id: Field,
    /// Every searchable text.
    pub(crate) text: Field,
    /// Name, domain, names and ids of capabilities, folded, each as one term.
    pub(crate) exact: Field,
    /// The words as agents write them, in lower case and folded, each as one term: what slips are compared with.
    pub(crate) words: Field,
    /// What the whole text means: the bytes of a [`super::semantic::Vector`], eight to a number.
    pub(crate) meaning: Field,
    /// Texts that explain a hit, as JSON.
    pub(crate) told: Field,
    /// Hash of the id: breaks ties.
    pub(crate) tie: Field,
    /// Hash of the registrable domain.
    pub(crate) group: Field,
    /// How far the agent is below the best: its quality level, and how its site answers.
    pub(crate) shortfall: Field,
    /// Hash of the text that near-identical agents nearly share ([`super::alike`]).
    pub(crate) likeness: Field,
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

/// The texts of an agent, kept to explain why it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Told {
    pub(crate) name: String,
    /// Code of the language that its words are stemmed by; empty for English.
    pub(crate) language: String,
    pub(crate) description: String,
    pub(crate) provider: String,
    pub(crate) tags: Vec<String>,
    pub(crate) capabilities: Vec<ToldCapability>,
}

/// The texts of a capability.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ToldCapability {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) examples: Vec<String>,
    pub(crate) tags: Vec<String>,
}

impl Fields {
    /// Bump when the schema, the analyzer or the embedded text changes; an older index is rebuilt from the store.
    pub(crate) const VERSION: u32 = 6;

    /// The schema and its fields.
    pub(crate) fn define() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let words = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer(analyzer::NAME)
                .set_index_option(IndexRecordOption::WithFreqsAndPositions),
        );
        let spellings = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default()
                .set_tokenizer("raw")
                .set_index_option(IndexRecordOption::Basic)
                .set_fieldnorms(false),
        );
        let fields = Self {
            id: schema.add_text_field("id", STRING | STORED),
            text: schema.add_text_field("text", words),
            exact: schema.add_text_field("exact", STRING),
            words: schema.add_text_field("words", spellings),
            meaning: schema.add_u64_field("meaning", FAST),
            told: schema.add_text_field("told", STORED),
            tie: schema.add_u64_field("tie", FAST),
            group: schema.add_u64_field("group", FAST),
            shortfall: schema.add_u64_field("shortfall", FAST),
            likeness: schema.add_u64_field("likeness", FAST),
            updated: schema.add_i64_field("updated", FAST),
            first_seen: schema.add_i64_field("first_seen", FAST),
            name: schema.add_text_field("name", TextOptions::default().set_fast("raw")),
            name_key: schema.add_u64_field("name_key", FAST),
            facets: Facet::ALL
                .map(|facet| schema.add_text_field(facet.as_str(), STRING.set_fast("raw"))),
        };
        (schema.build(), fields)
    }

    /// The field of a facet.
    pub(crate) fn facet(&self, facet: Facet) -> Field {
        self.facets[facet as usize]
    }

    /// The document of an agent; without a table its meaning is left out.
    pub(crate) fn document(&self, stored: &StoredAgent, table: Option<&Table>) -> TantivyDocument {
        let agent = &stored.listing.agent;
        let domain = stored.domain.as_str();
        let id = stored.listing.id.as_str();
        let mut document = TantivyDocument::default();
        document.add_text(self.id, id);
        document.add_u64(self.tie, stable_hash(id));
        document.add_u64(self.group, stable_hash(stored.domain.registrable()));
        document.add_u64(self.shortfall, shortfall(stored));
        let words: Vec<String> = texts(agent)
            .flat_map(analyzer::words)
            .map(|it| it.text)
            .collect();
        document.add_u64(
            self.likeness,
            alike::likeness(&words[..words.len().min(MAX_LIKENED)]),
        );
        document.add_i64(self.updated, stored.changed.0);
        document.add_i64(self.first_seen, stored.first_seen.0);
        let name = analyzer::fold(&agent.name);
        document.add_u64(self.name_key, name_key(&name));
        document.add_text(self.name, name);
        let language = Language::of(agent);
        for text in texts(agent) {
            if language.is_some() {
                let terms = terms_in(text, language);
                document.add_pre_tokenized_text(self.text, tokens(terms));
            } else {
                document.add_text(self.text, text);
            }
        }
        if let Some(language) = language {
            let marker = analyzer::Term::alone(language.marker());
            document.add_pre_tokenized_text(self.text, tokens(vec![marker]));
        }
        for word in spelled(&words) {
            document.add_text(self.words, word);
        }
        document.add_text(self.text, domain);
        document.add_text(self.text, stored.domain.to_unicode());
        for text in exact(agent, domain) {
            document.add_text(self.exact, text);
        }
        if let Some(vector) = table.and_then(|table| table.embed(&meant(agent))) {
            for number in vector.to_numbers() {
                document.add_u64(self.meaning, number);
            }
        }
        document.add_text(self.told, Told::of(agent, language).to_json());
        for facet in Facet::ALL {
            for value in values(facet, stored, language) {
                document.add_text(self.facet(facet), value);
            }
        }
        document
    }
}

/// A hash that is the same on every machine and in every version (FNV-1a, 64 bits).
pub(crate) fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A number that orders folded names as far as their first six bytes go.
pub(crate) fn name_key(folded: &str) -> u64 {
    let mut bytes = folded.bytes();
    (0..6).fold(0, |key, _| {
        (key << 8) | u64::from(bytes.next().unwrap_or(0))
    })
}

/// Everything that words are looked for in.
fn texts(agent: &Agent) -> impl Iterator<Item = &str> {
    let capabilities = agent.capabilities.iter().flat_map(|capability| {
        let name = std::iter::once(&capability.name);
        let id = (capability.id != capability.name).then_some(&capability.id);
        let params = capability.params.iter().map(|param| &param.name);
        name.chain(id)
            .chain(&capability.description)
            .chain(&capability.examples)
            .chain(&capability.tags)
            .chain(params)
    });
    names(agent)
        .chain(&agent.description)
        .chain(&agent.tags)
        .chain(agent.provider.iter().map(|provider| &provider.name))
        .chain(capabilities)
        .map(String::as_str)
}

/// Of the words of an agent those that somebody may mistype.
fn spelled(words: &[String]) -> BTreeSet<&str> {
    words
        .iter()
        .map(String::as_str)
        .filter(|word| (MIN_SPELLED..=MAX_SPELLED).contains(&word.len()))
        .filter(|word| word.chars().all(char::is_alphabetic))
        .collect()
}

/// The text whose meaning is kept. Its beginning counts most, since the table reads only so many pieces.
fn meant(agent: &Agent) -> String {
    let capabilities = agent.capabilities.iter().flat_map(|capability| {
        std::iter::once(&capability.name)
            .chain(&capability.description)
            .chain(&capability.examples)
    });
    let parts: Vec<&str> = names(agent)
        .chain(&agent.description)
        .chain(&agent.tags)
        .chain(capabilities)
        .map(String::as_str)
        .collect();
    parts.join(". ")
}

fn shortfall(stored: &StoredAgent) -> u64 {
    let of_level = match stored.listing.level {
        Level::A => 0,
        Level::B => 1,
        Level::C | Level::D => 2,
    };
    let of_status = match stored.status {
        AgentStatus::Ok => 0,
        AgentStatus::Unknown => 1,
        AgentStatus::Failing => 2,
    };
    of_level + of_status
}

/// The names of an agent, the leading document's first.
fn names(agent: &Agent) -> impl Iterator<Item = &String> {
    std::iter::once(&agent.name).chain(&agent.other_names)
}

/// What somebody types who knows exactly whom or what they want.
fn exact(agent: &Agent, domain: &str) -> BTreeSet<String> {
    let capabilities = agent
        .capabilities
        .iter()
        .flat_map(|capability| [&capability.name, &capability.id])
        .map(|text| analyzer::fold(text));
    names(agent)
        .map(|name| analyzer::fold(name))
        .chain(std::iter::once(domain.to_owned()))
        .chain(capabilities)
        .filter(|text| !text.is_empty() && text.len() <= MAX_VALUE)
        .collect()
}

impl Told {
    fn of(agent: &Agent, language: Option<Language>) -> Self {
        let capabilities = agent.capabilities.iter().take(MAX_TOLD);
        Self {
            language: language.map_or_else(String::new, |it| it.code.to_owned()),
            name: cut(&names(agent)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" · ")),
            description: agent.description.as_deref().map_or_else(String::new, cut),
            provider: agent
                .provider
                .as_ref()
                .map_or_else(String::new, |provider| cut(&provider.name)),
            tags: agent.tags.iter().take(MAX_TOLD).map(|it| cut(it)).collect(),
            capabilities: capabilities
                .map(|capability| ToldCapability {
                    id: cut(&capability.id),
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
                })
                .collect(),
        }
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain strings always become JSON")
    }

    /// What a document of this index version holds; nothing when it is not readable.
    pub(crate) fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TOLD_CHARS).collect()
}
