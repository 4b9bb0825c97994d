//! Formula of relevance. `docs/ranking.md` gives the reasons for its numbers.
//!
//! Words and meaning are measured against what the need could reach, never against the best agent.
//! The score of an agent depends on the others only if the encoder does not agree with the best one.

use schemars::JsonSchema;
use serde::Serialize;

/// Weights of the words, relative to what they could reach, and of the cosines by the sentence
/// encoder and by the table of English words. Where need or agent are not in English, the encoder takes
/// over a part of the weight of the table.
const WORDS: f64 = 0.3;
const SENTENCE: f64 = 0.65;
const TABLE: f64 = 0.35;
const INSTEAD_OF_TABLE: f64 = 0.7;
/// Weight of the table for an agent that has no sentence vector yet.
const TABLE_ALONE: f64 = 0.7;
/// Number of words, of average rarity, that a need could reach at most; a longer one also describes
/// the circumstances.
const MAX_WORDS: f64 = 12.0;
/// Cosine that is assumed if all words match and no cosine can be measured.
const COSINE_OF_ALL: f64 = 0.6;
/// Meaning up to which the words of a long text do not count, and from which they count in full.
const NO_MEANING: f64 = 0.45;
const FULL_MEANING: f64 = 0.7;

/// Part of the meaning that an endless text loses.
const BREADTH: f64 = 0.2;

/// Logarithm of the odds that an agent is the right one, without closeness and for each point of it.
const NOTHING: f64 = -3.2;
const PER_CLOSENESS: f64 = 5.8;

/// Words may be those of another trade (a caterer for weddings is no photographer): the best score is at
/// most so many times the cosine by the encoder, less a constant, but not below what is just no good
/// hit.
const PER_SENTENCE: f64 = 4.0;
const LESS: f64 = 1.2;
const BY_WORDS: f64 = 0.39;

/// Estimated probability, at least, that an agent whose name is near the need is the right one: just
/// too little for a match.
const NEAR_NAME: f64 = 0.14;
/// The same for a name within the need, whatever stands beside it.
const NAME_WITHIN: f64 = 0.9;
/// The same for a name that differs by a slip of the fingers from a need of several words; a single
/// word says less.
const MISTYPED_NAME: f64 = 0.55;
const MISTYPED_WORD: f64 = 0.35;

/// Reduction of the score per point of an agent's shortfall, and the maximum number of points.
const POINT: f64 = 0.01;
const MAX_POINTS: u8 = 4;

/// Scores from which a hit is strong, good, and weak, and from which it is listed at all.
const STRONG: f64 = 0.6;
const GOOD: f64 = 0.4;
const WEAK: f64 = 0.15;
const LISTED: f64 = 0.07;

/// Level of relevance of a hit or an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// No agent seems to do it; those shown are the nearest.
    #[default]
    None,
    /// Estimated probability of 15 % or more: more likely wrong than right.
    Weak,
    /// Estimated probability of 40 % or more.
    Good,
    /// Estimated probability of 60 % or more, or an exact name.
    Strong,
}

manifest::words!(Fit {
    Strong = "strong",
    Good = "good",
    Weak = "weak",
    None = "none",
});

/// Names of an agent, or ids of its capabilities, compared with a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Name {
    /// None is near it.
    #[default]
    Other,
    /// One is the query but for a few letters, which make another word.
    Similar,
    /// One is the query but for one letter too many or too few, or two swapped, which make another
    /// word.
    Slip,
    /// One stands within the query, with a word that no dictionary has.
    Within,
    /// One is the query itself, or its domain is.
    Exact,
}

/// Features of an agent that matches a need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Features {
    /// Its names.
    pub(crate) name: Name,
    /// BM25 over its words.
    pub(crate) words: f32,
    /// Share of its matching words that count as evidence, by the length of its text.
    pub(crate) focus: f32,
    /// Cosine of the table's vectors of agent and need; none if it was not computed.
    pub(crate) cosine: Option<f32>,
    /// Cosine of the encoder's vectors; none if the agent has none yet.
    pub(crate) sentence: Option<f32>,
    /// True if its meaning is compared with that of the need: it is one of the nearest by sketches, or of
    /// the best by words.
    pub(crate) is_compared: bool,
    /// Points of its shortfall.
    pub(crate) shortfall: u8,
    /// True if its texts are in a language other than English.
    pub(crate) is_foreign: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            name: Name::Other,
            words: 0.0,
            focus: 1.0,
            cosine: None,
            sentence: None,
            is_compared: false,
            shortfall: 0,
            is_foreign: false,
        }
    }
}

/// Scale of a need, by which the features of every agent become a score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// One divided by the mean weight of the words; zero for a need without words.
    per_words: f64,
    /// Number of words that the need could reach, at least one.
    reach: f64,
    is_one_word: bool,
    /// True if the words decide: the need is a single word, or requires a phrase.
    is_literal: bool,
    has_meaning: bool,
    /// Share of the need that is in English, from 0 to 1.
    english: f64,
    /// Part of every estimate that remains if the encoder does not agree with the best one.
    agreement: f64,
}

/// Score of an agent, which decides its place and its level.
///
/// Below 1 it is the estimated probability that the agent is the right one. An exact match has 1
/// more, so that those with better texts come first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Score {
    value: f64,
}

impl Scale {
    /// Returns the scale of a need with informative words of these weights, in English to this share,
    /// with a required phrase or none, and with vectors or none.
    pub(crate) fn of(
        idfs: impl ExactSizeIterator<Item = f32>,
        english: f64,
        has_phrase: bool,
        has_meaning: bool,
    ) -> Self {
        let count = idfs.len();
        let sum: f64 = idfs.map(f64::from).sum();
        let words = float(count.max(1));
        Self {
            per_words: if sum > 0.0 { words / sum } else { 0.0 },
            reach: words.min(MAX_WORDS),
            is_one_word: count == 1,
            is_literal: count == 1 || has_phrase,
            has_meaning,
            english,
            agreement: 1.0,
        }
    }

    /// Returns the scale for a need whose best agent has these features: if the encoder does not agree
    /// with it, all estimates are lowered in proportion, so that the order remains. Words decide about a
    /// need of a single word, or that requires a phrase.
    pub(crate) fn agreed(self, best: &Features) -> Self {
        let Some(sentence) = best.sentence.filter(|_| !self.is_literal) else {
            return self;
        };
        let limit = (PER_SENTENCE * f64::from(sentence) - LESS).clamp(BY_WORDS, 1.0);
        Self {
            agreement: (limit / self.chance(best)).min(1.0),
            ..self
        }
    }

    /// Returns the part of the estimates without agreement that remains.
    pub(crate) fn agreement(&self) -> f64 {
        self.agreement
    }

    /// Returns the estimate for an agent by its words and meaning.
    pub(crate) fn chance(&self, features: &Features) -> f64 {
        let odds = NOTHING + PER_CLOSENESS * self.closeness(features);
        self.agreement / (1.0 + (-odds).exp())
    }

    /// Returns the score of an agent.
    pub(crate) fn score(&self, features: &Features) -> Score {
        let chance = self.chance(features);
        let named = match features.name {
            Name::Within => NAME_WITHIN,
            Name::Slip if self.is_one_word => MISTYPED_WORD,
            Name::Slip => MISTYPED_NAME,
            Name::Similar => NEAR_NAME,
            Name::Other | Name::Exact => 0.0,
        };
        let points = features.shortfall.min(MAX_POINTS);
        let quality = 1.0 - POINT * f64::from(points);
        let exact = if features.name == Name::Exact {
            1.0
        } else {
            0.0
        };
        Score {
            value: exact + chance.max(named) * quality,
        }
    }

    /// Returns how close an agent is to the need, by words and meaning.
    fn closeness(&self, features: &Features) -> f64 {
        let table = f64::from(features.cosine.unwrap_or(0.0).max(0.0));
        let agent = if features.is_foreign { 0.0 } else { 1.0 };
        let english = self.english * agent;
        let meaning = match features.sentence {
            Some(sentence) => {
                let sentence = f64::from(sentence.max(0.0));
                let instead = INSTEAD_OF_TABLE * (1.0 - english) * sentence;
                SENTENCE * sentence + TABLE * (english * table + instead)
            }
            None => TABLE_ALONE * english * table,
        };
        // A text about everything has something in common with every need.
        let focus = f64::from(features.focus);
        let meaning = meaning * (1.0 - BREADTH * (1.0 - focus));
        // In a long text, words count with their meaning.
        let share = (meaning - NO_MEANING) / (FULL_MEANING - NO_MEANING);
        let focus = (2.0 * focus - 1.0).max(share.min(1.0)).max(0.0);
        let words = f64::from(features.words.max(0.0)) * self.per_words * focus / self.reach;
        let for_words = COSINE_OF_ALL * words.min(1.0);
        let meaning = match features.sentence {
            // Without a vector, words stand for the meaning as far as the table cannot.
            None if self.has_meaning => meaning.max((1.0 - english) * for_words),
            None => for_words,
            Some(_) => meaning,
        };
        WORDS * words + meaning
    }

    /// Returns the BM25 score below which no agent is a match for its words alone; one that is neither
    /// among the nearest nor among the best by words need not be kept with less.
    pub(crate) fn least_words(&self) -> f32 {
        let (mut low, mut high) = (0.0_f32, f32::from(u16::MAX));
        for _ in 0..32 {
            let words = f32::midpoint(low, high);
            let most = Features {
                words,
                is_foreign: true,
                ..Features::default()
            };
            if self.score(&most).fit() > Fit::None {
                high = words;
            } else {
                low = words;
            }
        }
        low
    }
}

impl Score {
    /// Score of every agent if nothing is needed: a query that consists of filters.
    pub(crate) const ANY: Self = Self { value: 1.0 };

    /// Returns the score of an agent that is listed for its words and meaning alone, if this part of its
    /// estimate remains.
    pub(crate) fn lowered(self, agreement: f64) -> Self {
        Self {
            value: self.value * agreement,
        }
    }

    /// Returns the score of an agent whose hit has this estimate in percent.
    pub(crate) fn of_percent(percent: u8) -> Self {
        Self {
            value: f64::from(percent) / 100.0,
        }
    }

    /// Returns the score of a capability of the agent with this score, by the estimate for the capability
    /// alone: their geometric mean, at most the score of the agent.
    pub(crate) fn of_capability(self, estimate: f64) -> Self {
        Self {
            value: (self.value * estimate.min(self.value)).sqrt(),
        }
    }

    /// Reports whether the agent is listed, as a match or as one of the nearest.
    pub(crate) fn is_listed(self) -> bool {
        self.value >= LISTED
    }

    /// Returns the level of relevance.
    pub(crate) fn fit(self) -> Fit {
        match self.value {
            STRONG.. => Fit::Strong,
            GOOD.. => Fit::Good,
            WEAK.. => Fit::Weak,
            _ => Fit::None,
        }
    }

    /// Returns the estimated probability in percent; 100 for an exact match.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0..=100 before"
    )]
    pub(crate) fn percent(self) -> u8 {
        (self.value * 100.0).floor().clamp(0.0, 100.0) as u8
    }

    /// Returns the score as a sort key, higher first.
    pub(crate) fn key(self) -> f64 {
        self.value
    }
}

fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests;
