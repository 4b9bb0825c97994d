//! What ranking needs to know of an agent, small enough for a column of numbers.
//!
//! A posting list says *that* an agent has a word; ranking asks *where*: in its name, or all words in one
//! capability. Each distinct word of each unit (the agent itself, or one capability) is one number: unit, place
//! and 24 bits of hash. A false match of a hash shifts a rank once in some millions, and nothing else.

use super::analyzer::language::{Language, terms_in};
use super::need::Word;
use manifest::agent::Agent;
use std::collections::BTreeSet;

/// Capabilities beyond this share the last unit.
const MAX_UNITS: u64 = 63;
/// Words kept of one agent.
const MAX_ENTRIES: usize = 4_000;
const HASH_BITS: u32 = 24;
const PLACE_BITS: u32 = 4;

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// The agent's name.
    Name,
    /// A tag.
    Tag,
    /// The agent's description.
    Description,
    /// Who runs it.
    Provider,
    /// Its domain.
    Site,
    /// The name or id of a capability.
    CapabilityName,
    /// Description, examples or tags of a capability.
    CapabilityText,
    /// The name of a parameter.
    Parameter,
}

impl Place {
    const ALL: [Self; 8] = [
        Self::Name,
        Self::Tag,
        Self::Description,
        Self::Provider,
        Self::Site,
        Self::CapabilityName,
        Self::CapabilityText,
        Self::Parameter,
    ];

    /// How much a word here says: the order of FORMATS.md 12.3, its weights drawn together.
    ///
    /// With the weights 4 to 0.5 as they stand, half of the words in a name would beat all words in the
    /// examples of one capability.
    fn strength(self) -> f32 {
        match self {
            Self::Name | Self::CapabilityName => 1.0,
            Self::Tag => 0.9,
            Self::CapabilityText => 0.85,
            Self::Description => 0.7,
            Self::Site => 0.6,
            Self::Provider => 0.5,
            Self::Parameter => 0.4,
        }
    }

    /// True for what is said of the agent as a whole and so holds for each of its capabilities.
    fn is_context(self) -> bool {
        matches!(self, Self::Name | Self::Tag | Self::Provider | Self::Site)
    }
}

/// The numbers of an agent, sorted.
pub(crate) fn encode(agent: &Agent, domain: &str, language: Option<Language>) -> Vec<u64> {
    let mut entries = BTreeSet::new();
    let mut add = |unit: u64, place: Place, text: &str| {
        for term in terms_in(text, language) {
            if entries.len() < MAX_ENTRIES {
                entries.insert(pack(unit, place, hash(&term.text)));
            }
        }
    };
    add(0, Place::Name, &agent.name);
    for name in &agent.other_names {
        add(0, Place::Name, name);
    }
    add(0, Place::Site, domain);
    for tag in &agent.tags {
        add(0, Place::Tag, tag);
    }
    if let Some(provider) = &agent.provider {
        add(0, Place::Provider, &provider.name);
    }
    if let Some(description) = &agent.description {
        add(0, Place::Description, description);
    }
    for (unit, capability) in (1..).zip(&agent.capabilities) {
        let unit = MAX_UNITS.min(unit);
        add(unit, Place::CapabilityName, &capability.name);
        add(unit, Place::CapabilityName, &capability.id);
        for text in capability
            .description
            .iter()
            .chain(&capability.examples)
            .chain(&capability.tags)
        {
            add(unit, Place::CapabilityText, text);
        }
        for param in &capability.params {
            add(unit, Place::Parameter, &param.name);
        }
    }
    entries.into_iter().collect()
}

/// How well an agent meets a need, from 0 to 1 (exact names aside, which the caller puts first).
///
/// Never more than the weighted share of the words that the agent has at all: the caller relies on that bound.
pub(crate) fn score(entries: impl Iterator<Item = u64>, words: &[Word]) -> f32 {
    const FREQUENT: f32 = 1.2;
    const USUAL_LENGTH: f32 = 60.0;
    let total: f32 = words.iter().map(|word| word.weight).sum();
    if total <= 0.0 {
        return 0.0;
    }
    let mut tally = Tally::new(words.len());
    let mut length = 0.0;
    for entry in entries {
        length += 1.0;
        let (unit, place, hash) = unpack(entry);
        for (index, word) in words.iter().enumerate() {
            if word.hashes.contains(&hash) {
                tally.add(unit, place, index);
            }
        }
    }
    let share = |strengths: &[f32]| -> f32 {
        let sum: f32 = words
            .iter()
            .zip(strengths)
            .map(|(word, strength)| word.weight * strength)
            .sum();
        sum / total
    };
    let frequency: Vec<f32> = tally
        .counts
        .iter()
        .zip(&tally.anywhere)
        .map(|(count, strength)| {
            let damped = count + FREQUENT * (0.25 + 0.75 * length / USUAL_LENGTH);
            (count * (FREQUENT + 1.0) / damped).min(1.0) * strength
        })
        .collect();
    let best_unit = tally
        .units
        .iter()
        .map(|(unit, strengths)| {
            if *unit == 0 {
                // A description that mentions everything is worth less than one thing that does it.
                return 0.75 * share(strengths);
            }
            let joined: Vec<f32> = strengths
                .iter()
                .zip(&tally.context)
                .map(|(own, context)| own.max(0.8 * context))
                .collect();
            share(&joined)
        })
        .fold(0.0, f32::max);
    0.45 * share(&tally.anywhere) + 0.4 * best_unit + 0.15 * share(&frequency)
}

/// The strongest place of each word, by unit.
struct Tally {
    anywhere: Vec<f32>,
    context: Vec<f32>,
    counts: Vec<f32>,
    units: Vec<(u64, Vec<f32>)>,
}

impl Tally {
    fn new(words: usize) -> Self {
        Self {
            anywhere: vec![0.0; words],
            context: vec![0.0; words],
            counts: vec![0.0; words],
            units: Vec::new(),
        }
    }

    /// Entries come sorted by unit.
    fn add(&mut self, unit: u64, place: Place, word: usize) {
        let strength = place.strength();
        if self.units.last().is_none_or(|(last, _)| *last != unit) {
            self.units.push((unit, vec![0.0; self.anywhere.len()]));
        }
        if let Some((_, strengths)) = self.units.last_mut() {
            strengths[word] = strengths[word].max(strength);
        }
        if place.is_context() {
            self.context[word] = self.context[word].max(strength);
        }
        self.anywhere[word] = self.anywhere[word].max(strength);
        self.counts[word] += 1.0;
    }
}

/// The 24 bits that stand for a term (FNV-1a, folded).
pub(crate) fn hash(term: &str) -> u32 {
    let wide = stable_hash(term);
    let folded = (wide >> HASH_BITS) ^ wide;
    u32::try_from(folded & ((1 << HASH_BITS) - 1)).unwrap_or(0)
}

/// A hash that is the same on every machine and in every version (FNV-1a, 64 bits).
pub(crate) fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn pack(unit: u64, place: Place, hash: u32) -> u64 {
    (unit << (PLACE_BITS + HASH_BITS)) | ((place as u64) << HASH_BITS) | u64::from(hash)
}

fn unpack(entry: u64) -> (u64, Place, u32) {
    let hash = u32::try_from(entry & ((1 << HASH_BITS) - 1)).unwrap_or(0);
    let place = usize::try_from((entry >> HASH_BITS) & ((1 << PLACE_BITS) - 1)).unwrap_or(0);
    let place = Place::ALL.get(place).copied().unwrap_or(Place::Parameter);
    (entry >> (PLACE_BITS + HASH_BITS), place, hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::analyzer;
    use manifest::Capability;

    fn words(text: &str) -> Vec<Word> {
        analyzer::terms(text)
            .into_iter()
            .map(|term| Word {
                label: term.text.clone(),
                hashes: vec![hash(&term.text)],
                terms: vec![term.text],
                typed: 1,
                weight: 1.0,
            })
            .collect()
    }

    fn rank(agent: &Agent, need: &str) -> f32 {
        score(
            encode(agent, "site.example", None).into_iter(),
            &words(need),
        )
    }

    fn capability(name: &str, description: &str) -> Capability {
        Capability {
            id: name.to_owned(),
            name: name.to_owned(),
            description: Some(description.to_owned()),
            ..Capability::default()
        }
    }

    #[test]
    fn one_capability_that_does_it_beats_a_description_that_mentions_it() {
        let doer = Agent {
            name: "Mesa".to_owned(),
            capabilities: vec![capability("book_table", "Reserves a table in Lisbon.")],
            ..Agent::default()
        };
        let talker = Agent {
            name: "Guide".to_owned(),
            description: Some("We write about Lisbon: book fairs, table tops.".to_owned()),
            ..Agent::default()
        };
        assert!(rank(&doer, "book table lisbon") > rank(&talker, "book table lisbon") + 0.1);
    }

    #[test]
    fn words_of_one_capability_beat_the_same_words_spread_over_several() {
        let together = Agent {
            name: "One".to_owned(),
            capabilities: vec![capability("translate contract", ""), capability("chat", "")],
            ..Agent::default()
        };
        let apart = Agent {
            name: "Two".to_owned(),
            capabilities: vec![capability("translate", ""), capability("contract", "")],
            ..Agent::default()
        };
        assert!(rank(&together, "translate contract") > rank(&apart, "translate contract"));
    }

    #[test]
    fn a_number_gives_back_what_went_in() {
        for place in Place::ALL {
            assert_eq!(
                unpack(pack(63, place, 0x00ab_cdef)),
                (63, place, 0x00ab_cdef)
            );
        }
    }

    #[test]
    fn no_score_exceeds_the_share_of_words_found() {
        let agent = Agent {
            name: "weather weather".to_owned(),
            capabilities: vec![capability("weather", "weather"); 80],
            ..Agent::default()
        };
        let score = rank(&agent, "weather lisbon");
        assert!((0.0..=0.5).contains(&score), "{score}");
    }
}
