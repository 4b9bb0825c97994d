//! Capabilities as hits: the best ones of the best agents.
//!
//! The index has no vector of a single capability. Those of an answer are compared with the need when
//! the answer is joined with its agents; the encoder reads a few of them, and keeps their vectors.

use super::analyzer;
use super::analyzer::language::{self, Language};
use super::cached_encoder::CachedEncoder;
use super::embedding::{Embedder, SentenceVector, Vector};
use super::explain::{Explainer, Need};
use super::ranking::{Features, Scale, Score};
use manifest::Capability;
use store::StoredAgent;

/// Number of best agents whose capabilities are ranked.
pub(crate) const AGENTS: usize = 200;
/// Maximum number of capabilities of an agent in an answer.
const PER_AGENT: usize = 2;
/// Maximum number of capabilities of an agent that are compared with the need; once so many in all are,
/// fewer of each of the other agents.
const MAX_OF_AGENT: usize = 200;
const MAX_COMPARED: usize = 4_000;
const MIN_OF_AGENT: usize = 20;
/// Maximum length in bytes of the text of a capability that is compared.
const MAX_TEXT: usize = 300;
/// Maximum number of capabilities that the encoder reads for an answer, and of one agent.
const ENCODED: usize = 96;
const ENCODED_OF_AGENT: usize = 16;
/// Number of capabilities that are listed however far they are.
const MIN_LISTED: usize = 3;

/// Capability of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RankedCapability {
    /// Index of the agent.
    pub(crate) agent: usize,
    /// Index of the capability of that agent.
    pub(crate) index: usize,
    /// Its score; none if nothing is needed.
    pub(crate) score: Option<Score>,
}

/// Capability that is compared with the need.
struct Compared {
    index: usize,
    features: Features,
    /// True if the query is its id.
    is_exact: bool,
    /// Text that the encoder reads.
    text: String,
}

/// Ranks the capabilities of agents, which are in the order of an answer, with their scores in percent.
///
/// The best capability of an agent has the score of the agent, and the others the geometric mean of that
/// and their own estimate, at most that of the agent. So a text alone makes no capability of a wrong agent
/// a hit. An agent of whose capabilities none is told from the others has no best one. Without a need,
/// each agent has its first capabilities.
pub(crate) fn ranked(
    need: &Need,
    agents: &[StoredAgent],
    percents: &[u8],
) -> Vec<RankedCapability> {
    let Some(scale) = need.scale else {
        return first_of_each(need, agents);
    };
    let mut compared = compared(need, agents);
    for of_agent in &mut compared {
        sort(of_agent, &scale);
    }
    if let Some((vector, encoder)) = &need.sentence {
        add_sentences(vector, encoder, &mut compared);
    }
    // What the encoder did not read has to be told by words or by the table.
    let is_told = |it: &Compared| {
        let features = &it.features;
        let is_read = features.sentence.is_some() || features.cosine.is_some();
        is_read || features.words > 0.0 || need.sentence.is_none()
    };
    let mut ranked: Vec<RankedCapability> = Vec::new();
    for ((agent, percent), mut of_agent) in percents.iter().enumerate().zip(compared) {
        sort(&mut of_agent, &scale);
        let of_agent_score = Score::of_percent(*percent);
        let best = of_agent.iter().take(PER_AGENT).enumerate();
        ranked.extend(best.map(|(place, it)| RankedCapability {
            agent,
            index: it.index,
            score: Some(if place == 0 && (it.is_exact || is_told(it)) {
                of_agent_score
            } else {
                of_agent_score.of_capability(scale.chance(&it.features))
            }),
        }));
    }
    if need.is_by_relevance {
        let key = |it: &RankedCapability| it.score.map_or(0.0, Score::key);
        ranked.sort_by(|left, right| key(right).total_cmp(&key(left)));
        let is_listed = |it: &&RankedCapability| it.score.is_some_and(Score::is_listed);
        let listed = ranked.iter().filter(is_listed).count();
        ranked.truncate(listed.max(MIN_LISTED));
    }
    ranked
}

/// Returns the first capabilities of each agent.
fn first_of_each(need: &Need, agents: &[StoredAgent]) -> Vec<RankedCapability> {
    let mut first = Vec::new();
    for (agent, stored) in agents.iter().enumerate() {
        let wanted = need.wanted(&stored.listing.agent).take(PER_AGENT);
        first.extend(wanted.map(|(index, _)| RankedCapability {
            agent,
            index,
            score: None,
        }));
    }
    first
}

/// Compares the capabilities of each agent with the need, by words and by the table.
fn compared(need: &Need, agents: &[StoredAgent]) -> Vec<Vec<Compared>> {
    let mut explainer = Explainer::new(need);
    let mut table = need
        .meaning
        .map(|(need, table)| (need, Embedder::new(table)));
    let mut room = MAX_COMPARED;
    let is_exact = |it: &Capability| {
        let id = need.capability_id.as_ref();
        id.is_some_and(|id| *id == analyzer::fold(it.id.trim()))
    };
    let mut all = Vec::with_capacity(agents.len());
    for stored in agents {
        let agent = &stored.listing.agent;
        let detected = language::detect(agent);
        let language = detected.and_then(Language::of_tag);
        let is_foreign = detected.is_some_and(|it| it != "en");
        let limit = MAX_OF_AGENT.min(room.max(MIN_OF_AGENT));
        let wanted = need.wanted(agent).enumerate();
        let capabilities = wanted.filter(|(at, (_, it))| *at < limit || is_exact(it));
        let of_agent: Vec<Compared> = capabilities
            .map(|(_, (index, capability))| {
                let text = text_of(capability);
                let vector = |(need, embedder): &mut (Vector, Embedder)| {
                    let vector = embedder.embed(&text)?;
                    Some(need.cosine(&vector))
                };
                Compared {
                    index,
                    features: Features {
                        words: explainer.weight_of(capability, language),
                        cosine: table.as_mut().and_then(vector),
                        is_foreign,
                        ..Features::default()
                    },
                    is_exact: is_exact(capability),
                    text,
                }
            })
            .collect();
        room = room.saturating_sub(of_agent.len());
        all.push(of_agent);
    }
    all
}

/// Adds the cosines by the encoder to the first capabilities of each agent, as far as the number that it
/// reads for one answer permits.
fn add_sentences(need: &SentenceVector, encoder: &CachedEncoder, all: &mut [Vec<Compared>]) {
    let first = all
        .iter_mut()
        .flat_map(|it| it.iter_mut().take(ENCODED_OF_AGENT));
    let first: Vec<&mut Compared> = first.take(ENCODED).collect();
    let texts: Vec<&str> = first.iter().map(|it| it.text.as_str()).collect();
    let vectors = encoder.vectors(&texts);
    for (compared, vector) in first.into_iter().zip(vectors) {
        compared.features.sentence = Some(need.cosine(&vector));
    }
}

/// Sorts capabilities of one agent, the best first; equal ones stay in the order of the manifest.
fn sort(of_agent: &mut [Compared], scale: &Scale) {
    let key = |it: &Compared| (it.is_exact, scale.chance(&it.features));
    of_agent.sort_by(|left, right| {
        let (left, right) = (key(left), key(right));
        right.0.cmp(&left.0).then(right.1.total_cmp(&left.1))
    });
}

/// Returns the name and the description of a capability, as far as they are read.
fn text_of(capability: &Capability) -> String {
    let texts = std::iter::once(&capability.name).chain(&capability.description);
    let texts: Vec<&str> = texts.map(String::as_str).collect();
    let text = texts.join(". ");
    text[..text.floor_char_boundary(MAX_TEXT)].to_owned()
}
