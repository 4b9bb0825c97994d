//! Formula of relevance. `docs/ranking.md` gives the reasons for its numbers.
//!
//! Words and meaning are measured against what the need could reach, never against the best agent:
//! the score of an agent does not depend on the others.

use schemars::JsonSchema;
use serde::Serialize;

/// Weight of the words, relative to what they could reach, and of the cosine.
const WORDS: f64 = 0.3;
const MEANING: f64 = 0.5;
/// Number of words, of average rarity, that a need could reach at most; a longer one also describes
/// the circumstances.
const MAX_WORDS: f64 = 12.0;
/// Cosine that is assumed if all words match and no cosine can be measured.
const COSINE_OF_ALL: f64 = 0.6;
/// Cosine from which the words of a long text count in full.
const FULL_MEANING: f64 = 0.35;
/// Number of matching words of average rarity that a cosine of 1 counts as if need and agent have no
/// language in common, and the maximum for each word of the need; a need of one word gets none.
const WORDS_PER_COSINE: f64 = 5.0;
const WORDS_PER_WORD: f64 = 1.5;

/// Numbers of informative words of a short and of a long need.
const SHORT: f64 = 2.0;
const LONG: f64 = 8.0;
/// Closeness from which the length of a need counts in full.
const CLOSE: f64 = 0.2;
/// Logarithm of the odds that an agent meets the need.
const MET: Odds = Odds {
    nothing: -4.1,
    per_closeness: 14.2,
    long: 1.6,
};
/// Logarithm of the odds that an agent is the right one, if it meets the need.
const RIGHT: Odds = Odds {
    nothing: -1.9,
    per_closeness: 3.2,
    long: 0.4,
};

/// Logarithm of the odds that an agent is on topic, and no chance match: by its cosine, which counts
/// so much more for each word of average rarity that the agent has.
const TOPICAL: Odds = Odds {
    nothing: -5.3,
    per_closeness: 10.0,
    long: 5.0,
};
const PER_WORD: f64 = 0.15;
const MAX_MATCHED: f64 = 3.0;
/// Cosine that is added if need or agent are in another language, which the embedding table knows
/// less well than English.
const LESS_KNOWN: f64 = 0.05;

/// Estimated probability, at least, that an agent whose name is near the need is the right one.
const NEAR_NAME: f64 = 0.35;
/// The same for a name within the need, whatever stands beside it.
const NAME_WITHIN: f64 = 0.55;
/// The same for a name that differs by a slip of the fingers from a need of several words; a single
/// word says less.
const MISTYPED_NAME: f64 = 0.55;

/// Reduction of the score per point of an agent's shortfall, and the maximum number of points.
const POINT: f64 = 0.01;
const MAX_POINTS: u64 = 4;

/// Scores from which a hit is strong, good, and weak.
const STRONG: f64 = 0.6;
const GOOD: f64 = 0.4;
const WEAK: f64 = 0.05;
/// Product of the probabilities of being on topic and of meeting the need, from which an answer with
/// an agent is better than none.
const HELPFUL: f64 = 0.375;

/// Level of relevance of a hit or an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// No agent is near enough to be shown.
    #[default]
    None,
    /// Lower estimated probability: more likely wrong than right.
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
    /// True when its text has the words of the query in a row, at least two.
    pub(crate) is_literal: bool,
    /// BM25 over its words.
    pub(crate) words: f32,
    /// Share of its matching words that count as evidence, by the length of its text.
    pub(crate) focus: f32,
    /// Cosine of the agent's vector and the need's; none if it was not computed.
    pub(crate) cosine: Option<f32>,
    /// Points of its shortfall.
    pub(crate) shortfall: u64,
    /// True if its texts are in a language other than English.
    pub(crate) is_foreign: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            name: Name::Other,
            is_literal: false,
            words: 0.0,
            focus: 1.0,
            cosine: None,
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
    has_meaning: bool,
    /// Share of the words that are of other languages.
    foreign: f64,
    /// Length of the need: 0 if it is short, 1 if it is long.
    length: f64,
}

/// Score of an agent, which decides its place, its level, and whether it is shown.
///
/// Below 1 it is the estimated probability that the agent is the right one. An exact match has 1
/// more, so that those with better texts come first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Score {
    value: f64,
    /// True if an answer with this agent is better than none.
    is_helpful: bool,
}

/// A logistic estimate.
#[derive(Clone, Copy, Debug)]
struct Odds {
    nothing: f64,
    per_closeness: f64,
    long: f64,
}

impl Scale {
    /// Returns the scale of a need with informative words of these weights, of which so many belong
    /// to languages other than English, and with a vector or none.
    pub(crate) fn of(
        idfs: impl ExactSizeIterator<Item = f32>,
        foreign: usize,
        has_meaning: bool,
    ) -> Self {
        let count = idfs.len();
        let sum: f64 = idfs.map(f64::from).sum();
        let words = float(count.max(1));
        Self {
            per_words: if sum > 0.0 { words / sum } else { 0.0 },
            reach: words.min(MAX_WORDS),
            is_one_word: count == 1,
            has_meaning,
            foreign: float(foreign) / words,
            length: (words.clamp(SHORT, LONG) - SHORT) / (LONG - SHORT),
        }
    }

    /// Returns the score of an agent.
    pub(crate) fn score(&self, features: &Features) -> Score {
        let (words, cosine) = self.measured(features);
        let closeness = WORDS * words / self.reach + MEANING * cosine;
        // A long need also describes circumstances, so its best agents match less of it; but an agent
        // is no better for being far from a long need.
        let long = self.length * (closeness / CLOSE).min(1.0);
        let met = MET.chance(closeness, long);
        let chance = met * RIGHT.chance(closeness, long);
        let named = match features.name {
            Name::Within => NAME_WITHIN,
            Name::Slip if !self.is_one_word => MISTYPED_NAME,
            Name::Slip | Name::Similar => NEAR_NAME,
            Name::Other | Name::Exact => 0.0,
        };
        let points = u8::try_from(features.shortfall.min(MAX_POINTS)).unwrap_or(0);
        let quality = 1.0 - POINT * f64::from(points);
        let exact = if features.name == Name::Exact {
            1.0
        } else {
            0.0
        };
        let value = exact + chance.max(named) * quality;
        // Of a few words, one is easily found by chance: words count only with their meaning.
        let foreign = self
            .foreign
            .max(if features.is_foreign { 1.0 } else { 0.0 });
        let evidence = cosine * (1.0 + PER_WORD * words.min(MAX_MATCHED)) + LESS_KNOWN * foreign;
        let topical = TOPICAL.chance(evidence, long);
        let is_topical = self.is_one_word || features.is_literal || topical * met >= HELPFUL;
        Score {
            value,
            is_helpful: matches!(features.name, Name::Exact | Name::Within | Name::Slip)
                || chance * quality >= WEAK && is_topical,
        }
    }

    /// Returns the number of matching words, of average rarity, and the cosine.
    ///
    /// If only one of need and agent is in English, their words cannot match. If none is, the
    /// embedding table knows them less well, and it has no vector for some needs.
    fn measured(&self, features: &Features) -> (f64, f64) {
        let cosine = f64::from(features.cosine.unwrap_or(0.0).max(0.0));
        // In a long text, words count with their meaning.
        let focus = f64::from(features.focus).max((cosine / FULL_MEANING).min(1.0));
        let words = f64::from(features.words.max(0.0)) * self.per_words * focus;
        let for_words = COSINE_OF_ALL * (words / self.reach).min(1.0);
        if !self.has_meaning {
            return (words, for_words);
        }
        let agent = if features.is_foreign { 1.0 } else { 0.0 };
        let (one, both) = ((self.foreign - agent).abs(), self.foreign.min(agent));
        let most = WORDS_PER_COSINE.min(WORDS_PER_WORD * self.reach);
        let for_cosine = if self.is_one_word { 0.0 } else { cosine * most };
        (words.max(one * for_cosine), cosine.max(both * for_words))
    }

    /// Returns the BM25 score below which no agent is shown for its words alone; one that is not
    /// among the nearest need not be kept with less.
    pub(crate) fn least_words(&self) -> f32 {
        let (mut low, mut high) = (0.0_f32, f32::from(u16::MAX));
        for _ in 0..32 {
            let words = f32::midpoint(low, high);
            let most = Features {
                words,
                is_foreign: true,
                ..Features::default()
            };
            if self.score(&most).is_shown() {
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
    pub(crate) const ANY: Self = Self {
        value: 1.0,
        is_helpful: true,
    };

    /// Reports whether the agent is shown in an answer that is better than none.
    pub(crate) fn is_shown(self) -> bool {
        self.value >= WEAK
    }

    /// Reports whether an answer with this agent is better than none.
    pub(crate) fn is_helpful(self) -> bool {
        self.is_helpful
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

impl Odds {
    /// Returns the estimated probability.
    fn chance(self, closeness: f64, long: f64) -> f64 {
        let odds = self.nothing + self.per_closeness * closeness + self.long * long;
        1.0 / (1.0 + (-odds).exp())
    }
}

fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests;
