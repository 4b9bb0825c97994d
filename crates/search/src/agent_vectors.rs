//! Vectors of agents: which of its texts are embedded, and how their vectors become one.
//!
//! An agent has two: one of the embedding table, made with its document, and one of the sentence
//! encoder, which takes a thousand times longer. The latter is therefore computed once, kept by the
//! hash of the texts, and passed to the index writer; until then the agent is found by the former.

use super::embedding::{Embedder, SentenceVector, Vector};
use data_encoding::HEXLOWER;
use encoder::Encoder;
use manifest::AgentId;
use manifest::agent::{Agent, Capability};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use store::StoredAgent;

/// Version of the way in which vectors of texts become one of their agent.
pub(crate) const COMPOSITION: u32 = 1;
/// Maximum number of capabilities that the table and the encoder embed.
const MAX_BY_TABLE: usize = 200;
const MAX_BY_ENCODER: usize = 40;
/// Maximum length in bytes of a text; the encoder reads no more.
const MAX_TEXT: usize = 8 * 1024;

/// Sentence vectors of agents.
pub type SentenceVectors = HashMap<AgentId, SentenceVector>;

/// Texts of an agent that the sentence encoder embeds: all of them as one, its own, and those of its
/// first 40 capabilities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTexts {
    whole: String,
    own: String,
    capabilities: Vec<String>,
}

impl AgentTexts {
    /// Collects the texts of an agent.
    pub fn of(agent: &Agent) -> Self {
        let capabilities = || agent.capabilities.iter().take(MAX_BY_ENCODER);
        Self {
            whole: joined(own(agent).chain(capabilities().flat_map(of_capability))),
            own: joined(own(agent)),
            capabilities: capabilities().map(|it| joined(of_capability(it))).collect(),
        }
    }

    /// Returns the length of all texts in bytes.
    pub fn length(&self) -> usize {
        self.all().map(String::len).sum()
    }

    /// Lists the texts.
    fn all(&self) -> impl Iterator<Item = &String> {
        let first = [&self.whole, &self.own];
        first.into_iter().chain(&self.capabilities)
    }

    /// Returns the hash under which the vector is kept. Other texts or another model have another
    /// hash, of 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new_with_prefix(encoder::VERSION.to_le_bytes());
        hash.update(COMPOSITION.to_le_bytes());
        for text in self.all() {
            // The length keeps apart what two texts and one text of both would have in common.
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        HEXLOWER.encode(&hash.finalize())
    }
}

/// Returns the vector of each agent from its texts: half from all as one, which knows what they have in
/// common, the other half from its own and the mean of those of its capabilities. An agent for
/// everything is near nothing: the mean of capabilities that have nothing in common is short, and a text
/// that is too long for the encoder counts by the share that it reads.
fn encoded(agents: &[AgentTexts], encoder: &Encoder) -> Vec<SentenceVector> {
    let texts = agents.iter().flat_map(AgentTexts::all);
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    let embeddings = encoder.encode(&texts);
    let mut vectors = embeddings.iter().map(SentenceVector::of_embedding);
    agents
        .iter()
        .map_while(|agent| {
            let (whole, own) = (vectors.next()?, vectors.next()?);
            let count = agent.capabilities.len();
            let weight = 1.0 / u32::try_from(count).map_or(f64::INFINITY, f64::from);
            let capabilities = vectors.by_ref().take(count).map(|it| (it, weight));
            let parts = std::iter::once((own, 1.0)).chain(capabilities);
            let parts = SentenceVector::weighted(parts);
            let whole = (whole, encoder.read_share(&agent.whole));
            let both = std::iter::once(whole).chain(parts.map(|it| (it, 1.0)));
            Some(SentenceVector::weighted(both).unwrap_or(own))
        })
        .collect()
}

/// Returns the sentence vectors of agents by their ids.
pub fn of_agents(agents: &[StoredAgent], encoder: &Encoder) -> SentenceVectors {
    let texts: Vec<_> = agents
        .iter()
        .map(|it| AgentTexts::of(&it.listing.agent))
        .collect();
    let ids = agents.iter().map(|it| it.listing.id.clone());
    ids.zip(encoded(&texts, encoder)).collect()
}

/// Returns the vector of the table for an agent, of the same parts.
pub(crate) fn by_table(agent: &Agent, embedder: &mut Embedder) -> Option<Vector> {
    let own = embedder.embed(&joined(own(agent)));
    let capabilities = agent.capabilities.iter().take(MAX_BY_TABLE);
    let capabilities = capabilities.filter_map(|it| embedder.embed(&joined(of_capability(it))));
    let capabilities = Vector::between(capabilities);
    Vector::between(own.into_iter().chain(capabilities))
}

fn own(agent: &Agent) -> impl Iterator<Item = &String> {
    std::iter::once(&agent.name)
        .chain(&agent.other_names)
        .chain(&agent.description)
        .chain(&agent.tags)
}

fn of_capability(capability: &Capability) -> impl Iterator<Item = &String> {
    std::iter::once(&capability.name)
        .chain(&capability.description)
        .chain(&capability.examples)
}

/// Returns the parts as one text, which ends where the encoder would stop reading.
fn joined<'a>(parts: impl Iterator<Item = &'a String>) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push_str(". ");
        }
        text.push_str(part);
        if text.len() >= MAX_TEXT {
            text.truncate(text.floor_char_boundary(MAX_TEXT));
            break;
        }
    }
    text
}
