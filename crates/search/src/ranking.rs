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
const MOST_WORDS: f64 = 12.0;
/// Cosine that all words stand for where it cannot be measured.
const COSINE_OF_ALL: f64 = 0.6;
/// Cosine from which all words of a long text count.
const FULL_MEANING: f64 = 0.35;
/// Number of matching words of average rarity that a cosine of 1 stands for where they cannot match,
/// and at most so much for each word of the need; none for a single word, which has little meaning.
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
const MOST_MATCHED: f64 = 3.0;
/// Cosine that is added if need or agent are in another language, which the embedding table knows
/// less well than English.
const LESS_KNOWN: f64 = 0.05;

/// Estimated probability, at least, that an agent whose name is near the need is the right one.
const NEAR_NAME: f64 = 0.35;
/// The same for a name that differs by a slip of the fingers from a need of several words; a single
/// word says less.
const MISTYPED_NAME: f64 = 0.55;

/// Reduction of the score per point of an agent's shortfall, and the maximum number of points.
const POINT: f64 = 0.01;
const MOST_POINTS: u64 = 4;

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
    /// Part of the words that are no chance, by the length of its text, if they have no meaning.
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
            reach: words.min(MOST_WORDS),
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
            Name::Slip if !self.is_one_word => MISTYPED_NAME,
            Name::Slip | Name::Similar => NEAR_NAME,
            Name::Other | Name::Exact => 0.0,
        };
        let points = u8::try_from(features.shortfall.min(MOST_POINTS)).unwrap_or(0);
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
        let evidence = cosine * (1.0 + PER_WORD * words.min(MOST_MATCHED)) + LESS_KNOWN * foreign;
        let topical = TOPICAL.chance(evidence, long);
        let is_topical = self.is_one_word || features.is_literal || topical * met >= HELPFUL;
        Score {
            value,
            is_helpful: matches!(features.name, Name::Exact | Name::Slip)
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
mod tests {
    use super::*;
    use proptest::option;
    use proptest::prelude::*;

    const IDFS: [f32; 3] = [4.0, 2.0, 3.0];

    fn features(words: f32, cosine: impl Into<Option<f32>>) -> Features {
        Features {
            words,
            cosine: cosine.into(),
            ..Features::default()
        }
    }

    #[test]
    fn levels_follow_from_the_score() {
        for (score, fit, percent) in [
            (0.0, Fit::None, 0),
            (0.049, Fit::None, 4),
            (0.05, Fit::Weak, 5),
            (0.399, Fit::Weak, 39),
            (0.4, Fit::Good, 40),
            (0.6, Fit::Strong, 60),
            (0.999, Fit::Strong, 99),
            (1.0, Fit::Strong, 100),
            (1.9, Fit::Strong, 100),
        ] {
            let score = Score {
                value: score,
                ..Score::ANY
            };
            assert_eq!((score.fit(), score.percent()), (fit, percent), "{score:?}");
        }
        assert!(Fit::None < Fit::Weak && Fit::Good < Fit::Strong);
    }

    #[test]
    fn an_exact_match_comes_before_everything_else() {
        let scale = Scale::of(IDFS.into_iter(), 0, true);
        let exact = Features {
            name: Name::Exact,
            shortfall: 4,
            ..features(0.0, None)
        };
        let best = features(60.0, 1.0);
        assert!(scale.score(&exact) > scale.score(&best));
        assert_eq!(scale.score(&exact).percent(), 100);
        assert!(scale.score(&best).percent() < 100);
    }

    #[test]
    fn a_name_near_the_need_makes_a_weak_hit_but_no_answer() {
        let scale = Scale::of(IDFS.into_iter(), 0, true);
        let score = |features| {
            scale.score(&Features {
                name: Name::Similar,
                ..features
            })
        };
        let far = score(features(0.0, None));
        assert_eq!((far.fit(), far.is_helpful()), (Fit::Weak, false));
        let best = features(60.0, 1.0);
        assert_eq!(score(best), scale.score(&best));
    }

    #[test]
    fn a_name_with_a_slip_makes_an_answer_which_is_weak_for_a_single_word() {
        for (idfs, fit) in [(&IDFS[..], Fit::Good), (&IDFS[..1], Fit::Weak)] {
            let scale = Scale::of(idfs.iter().copied(), 0, true);
            let score = scale.score(&Features {
                name: Name::Slip,
                ..features(0.0, None)
            });
            assert_eq!((score.fit(), score.is_helpful()), (fit, true));
        }
    }

    #[test]
    fn a_point_of_shortfall_costs_little_and_four_are_the_most() {
        let scale = Scale::of(IDFS.into_iter(), 0, true);
        let with = |shortfall| {
            scale
                .score(&Features {
                    shortfall,
                    ..features(9.0, 0.6)
                })
                .key()
        };
        assert!(with(0) > with(1) && with(1) > with(4));
        assert!((with(4) - 0.96 * with(0)).abs() < 1e-9);
        assert!((with(4) - with(u64::MAX)).abs() < 1e-12);
    }

    #[test]
    fn a_long_need_reaches_no_more_than_twelve_words() {
        let reach = |count| {
            let scale = Scale::of(vec![2.0_f32; count].into_iter(), 0, true);
            scale.reach / scale.per_words
        };
        assert!((reach(1) - 2.0).abs() < 1e-9);
        assert!((reach(12) - 24.0).abs() < 1e-9);
        assert!((reach(30) - 24.0).abs() < 1e-9);
        let nothing = Scale::of([].into_iter(), 0, true);
        assert!(nothing.score(&features(0.0, None)).key().is_finite());
    }

    #[test]
    fn a_word_found_by_chance_in_a_short_need_is_shown_only_beside_a_better_hit() {
        let scale = Scale::of([4.0, 4.0].into_iter(), 0, true);
        let (chance, topical) = (features(6.0, 0.1), features(6.0, 0.5));
        for (features, is_helpful) in [(chance, false), (topical, true)] {
            let score = scale.score(&features);
            assert!(score.is_shown());
            assert_eq!(score.is_helpful(), is_helpful, "{score:?}");
        }
        let literal = scale.score(&Features {
            is_literal: true,
            ..chance
        });
        assert!(literal.is_helpful());
    }

    #[test]
    fn between_two_languages_the_cosine_stands_for_the_words() {
        let need = |foreign| Scale::of(IDFS.into_iter(), foreign, true);
        let agent = |is_foreign| Features {
            is_foreign,
            ..features(0.0, 0.5)
        };
        let score = |foreign, is_foreign| need(foreign).score(&agent(is_foreign)).key();
        assert!(score(3, false) > score(1, false) && score(1, false) > score(0, false));
        assert!(score(0, true) > score(0, false));
        assert!((score(3, true) - score(0, false)).abs() < 1e-9);
    }

    #[test]
    fn within_another_language_the_words_stand_for_the_cosine() {
        let need = |foreign| Scale::of(IDFS.into_iter(), foreign, true);
        let agent = Features {
            is_foreign: true,
            ..features(9.0, 0.1)
        };
        let without_vector = Scale::of(IDFS.into_iter(), 0, false);
        assert!(need(3).score(&agent).key() > need(0).score(&agent).key());
        let same = without_vector.score(&agent).key();
        assert!((need(3).score(&agent).key() - same).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn more_words_and_a_higher_cosine_never_lower_the_score(
            words in 0.0_f32..60.0,
            more in 0.0_f32..20.0,
            cosine in option::of(-1.0_f32..1.0),
            nearer in 0.0_f32..0.5,
            foreign in 0_usize..4,
            is_foreign in any::<bool>(),
            has_meaning in any::<bool>(),
        ) {
            let scale = Scale::of(IDFS.into_iter(), foreign, has_meaning);
            let features = |words, cosine| Features { is_foreign, ..features(words, cosine) };
            let score = scale.score(&features(words, cosine));
            prop_assert!(scale.score(&features(words + more, cosine)) >= score);
            prop_assert!(scale.score(&features(words, cosine.map(|it| it + nearer))) >= score);
            prop_assert!((0.0..1.0).contains(&score.key()));
        }

        #[test]
        fn an_agent_with_fewer_words_than_the_least_is_not_shown_for_its_words(
            part in 0.0_f32..0.999,
            foreign in 0_usize..4,
            is_foreign in any::<bool>(),
            has_meaning in any::<bool>(),
        ) {
            let scale = Scale::of(IDFS.into_iter(), foreign, has_meaning);
            let least = scale.least_words();
            let agent = |words, is_foreign| Features { is_foreign, ..features(words, None) };
            let fewer = scale.score(&agent(least * part, is_foreign));
            prop_assert!(!fewer.is_shown() || least == 0.0);
            prop_assert!(scale.score(&agent(least * 1.001 + 0.001, true)).is_shown());
        }
    }
}
