//! Formula of relevance. `docs/ranking.md` gives the reasons for its numbers.

use serde::Serialize;

/// Largest number of words of a keyword query, and smallest of a sentence.
const KEYWORDS: f32 = 3.0;
const SENTENCE: f32 = 6.0;
/// Reduction of relevance per point of an agent's shortfall, and the maximum number of points.
const POINT: f64 = 0.01;
const MOST_POINTS: u8 = 4;
/// Weight of the meaning relative to the words, for keywords and for a sentence.
const MEANING_OF_KEYWORDS: f32 = 0.5;
const MEANING_OF_SENTENCE: f32 = 0.7;
/// Contribution of the largest share of words to the sum that decides whether any agent fits; the
/// largest cosine is the other summand.
const SHARE: f32 = 0.4;
/// Largest number of words of a short need, stop words included, and the required value of that sum
/// for it.
const SHORT: f32 = 5.0;
const SHORT_THRESHOLD: f32 = 0.55;
/// Smallest number of words of a long need, and the required value of that sum for it; between the
/// two it is interpolated.
const LONG: f32 = 9.0;
const LONG_THRESHOLD: f32 = 0.35;
/// Share of the words that suffices regardless of the meaning.
const NEARLY_ALL: f32 = 0.7;
/// Threshold of relevance, as a share of the highest relevance.
const NEAR_THE_BEST: f64 = 0.4;

/// Logistic estimate of the probability that a hit is right, from its cosine and its share of the
/// words.
const NOTHING: f64 = -3.0;
const PER_COSINE: f64 = 4.7;
const PER_SHARE: f64 = 1.1;
/// Cosine that a full share of the words stands for when the need has no vector.
const COSINE_OF_SHARE: f64 = 0.7;
/// Probabilities from which a hit is strong, and good.
const STRONG: f64 = 0.6;
const GOOD: f64 = 0.4;

/// Level of relevance of a hit or an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// Estimated probability of 60 % or more, or an exact name.
    Strong,
    /// Estimated probability of 40 % or more, or most of the words.
    Good,
    /// Lower estimated probability: more likely wrong than right.
    Weak,
    /// No agent is near enough to be shown.
    #[default]
    None,
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

/// Features that an agent matches a need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Features {
    /// True when its name, domain or a capability is the query itself.
    pub(crate) is_exact: bool,
    /// True when the agent has enough of the need's words to be admitted.
    pub(crate) has_enough: bool,
    /// BM25 over its words.
    pub(crate) words: f32,
    /// Share of the need's words, by weight, that the agent has.
    pub(crate) share: f32,
    /// Cosine of the agent's vector and the need's; none if it was not computed.
    pub(crate) cosine: Option<f32>,
}

/// Weights of words and meaning in a need, which depend on its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// Weight of the meaning; the words have the rest.
    meaning: f64,
    /// Weight of coverage: with three keywords every word is wanted, in a sentence only few are.
    coverage: f32,
    /// Sum of the best cosine and the weighted best share of words from which the need counts as
    /// met; none for a need without a vector.
    threshold: Option<f32>,
}

/// Maxima over all candidates, against which each agent is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    weights: Weights,
    words: f32,
    cosine: f32,
    /// Largest share of words among agents that have enough of them; zero if there is none.
    share: f32,
    /// Factors from the scores of words and of meaning to the fused score; zero for a score that no
    /// agent has.
    per_words: f64,
    per_cosine: f64,
}

impl Features {
    /// Returns the estimated probability that the hit is right, from 0 to 1, independently of other
    /// agents.
    pub(crate) fn strength(&self) -> f64 {
        chance(self.odds())
    }

    /// Returns the logarithm of the odds that the hit is right.
    fn odds(&self) -> f64 {
        if self.is_exact {
            return f64::INFINITY;
        }
        let share = f64::from(self.share);
        let cosine = self.cosine.map_or(COSINE_OF_SHARE * share, f64::from);
        let odds = NOTHING + PER_COSINE * cosine + PER_SHARE * share;
        if self.has_most() {
            odds.max((GOOD / (1.0 - GOOD)).ln())
        } else {
            odds
        }
    }

    /// Reports whether the agent has at least `NEARLY_ALL` of the words by weight, and therefore
    /// fits regardless of the meaning.
    fn has_most(&self) -> bool {
        self.has_enough && self.share >= NEARLY_ALL
    }

    /// Returns the level of relevance.
    pub(crate) fn fit(&self) -> Fit {
        fit(self.strength())
    }
}

/// Returns the level of the best agent; [`Fit::None`] for an empty answer.
pub(crate) fn best_fit<'a>(all: impl Iterator<Item = &'a Features>) -> Fit {
    let best = all.map(Features::odds).reduce(f64::max);
    best.map_or(Fit::None, |odds| fit(chance(odds)))
}

/// Converts the logarithm of odds to a probability.
fn chance(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

fn fit(strength: f64) -> Fit {
    match strength {
        STRONG.. => Fit::Strong,
        GOOD.. => Fit::Good,
        _ => Fit::Weak,
    }
}

/// Threshold for agents that match neither by enough words nor by an exact name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelevanceThreshold {
    best: Best,
    least: f64,
}

impl RelevanceThreshold {
    /// Computes the threshold from the best evidence; no agent reaches it if even the best does not
    /// fit.
    pub(crate) fn of<'a>(
        weights: Weights,
        all: impl Iterator<Item = &'a Features> + Clone,
    ) -> Self {
        let best = Best::of(weights, all.clone());
        let fits = best.fits() || all.clone().any(|it| it.is_exact || it.has_most());
        let relevance = all
            .map(|it| best.of_words_and_meaning(it))
            .fold(0.0, f64::max);
        Self {
            best,
            least: if fits {
                NEAR_THE_BEST * relevance
            } else {
                f64::INFINITY
            },
        }
    }

    /// Reports whether an agent belongs to the results.
    pub(crate) fn admits(&self, evidence: &Features) -> bool {
        evidence.is_exact
            || (evidence.has_enough && self.least.is_finite())
            || self.best.of_words_and_meaning(evidence) >= self.least
    }
}

/// Pruning of candidates that match by words alone, before the best one is known: most agents with
/// one word of many need not be kept.
#[derive(Debug)]
pub(crate) struct CandidatePruner {
    weights: Weights,
    /// Highest score of words so far, reduced for missing words.
    words: f32,
}

impl CandidatePruner {
    /// Creates a pruner that has seen no candidate.
    pub(crate) fn of(weights: Weights) -> Self {
        Self {
            weights,
            words: 0.0,
        }
    }

    /// Records a candidate, and reports whether [`RelevanceThreshold::admits`] may admit it for its
    /// words alone.
    ///
    /// That requires enough words, or `NEAR_THE_BEST` of the best score of words so far. With a
    /// lower score, its relevance by words is less than that share of the relevance of the agent
    /// with the best words, and thus below the threshold.
    pub(crate) fn keeps(&mut self, evidence: &Features) -> bool {
        /// Tolerance for floating-point sums in another order.
        const ROUNDING: f32 = 0.999;
        let words = self.weights.words(evidence);
        self.words = self.words.max(words);
        evidence.has_enough || f64::from(words) >= NEAR_THE_BEST * f64::from(self.words * ROUNDING)
    }
}

impl Weights {
    /// Returns the weights for a number of informative words, a number of words including stop
    /// words, and a need with or without a vector.
    pub(crate) fn of(informative: usize, all: usize, has_meaning: bool) -> Self {
        let between = |words: usize, low: f32, high: f32| {
            let words = f32::from(u16::try_from(words).unwrap_or(u16::MAX));
            ((words - low) / (high - low)).clamp(0.0, 1.0)
        };
        let sentence = between(informative, KEYWORDS, SENTENCE);
        let long = between(all, SHORT, LONG);
        Self {
            meaning: f64::from(mixed(MEANING_OF_KEYWORDS, MEANING_OF_SENTENCE, sentence)),
            coverage: 1.0 - sentence,
            threshold: has_meaning.then(|| mixed(SHORT_THRESHOLD, LONG_THRESHOLD, long)),
        }
    }

    /// Returns the BM25 score, reduced for missing words.
    fn words(self, evidence: &Features) -> f32 {
        evidence.words * (1.0 - self.coverage + self.coverage * evidence.share)
    }
}

impl Best {
    /// Computes the maxima over all candidates.
    pub(crate) fn of<'a>(weights: Weights, all: impl Iterator<Item = &'a Features>) -> Self {
        let mut best = Self {
            weights,
            words: 0.0,
            cosine: 0.0,
            share: 0.0,
            per_words: 0.0,
            per_cosine: 0.0,
        };
        for evidence in all {
            best.words = best.words.max(weights.words(evidence));
            best.cosine = best.cosine.max(evidence.cosine.unwrap_or(0.0));
            if evidence.has_enough {
                best.share = best.share.max(evidence.share);
            }
        }
        let of_meaning = if best.cosine > 0.0 {
            weights.meaning
        } else {
            0.0
        };
        best.per_words = per(1.0 - of_meaning, best.words);
        best.per_cosine = per(of_meaning, best.cosine);
        best
    }

    /// Reports whether the need is met: the best cosine plus `SHARE` of the best share of words
    /// must reach the weights' `threshold`; without a vector, any agent with enough words suffices.
    fn fits(self) -> bool {
        match self.weights.threshold {
            Some(threshold) => self.cosine + SHARE * self.share >= threshold,
            None => self.share > 0.0,
        }
    }

    /// Returns the relevance: from 0 to 1, or from 2 to 3 for an exact name, reduced by `POINT` for
    /// each point of the shortfall.
    pub(crate) fn relevance(self, evidence: &Features, shortfall: u64) -> f64 {
        let name = if evidence.is_exact { 2.0 } else { 0.0 };
        let points = u8::try_from(shortfall).map_or(MOST_POINTS, |it| it.min(MOST_POINTS));
        let quality = 1.0 - POINT * f64::from(points);
        (self.of_words_and_meaning(evidence) + name) * quality
    }

    /// Returns the fused score, from 0 to 1.
    fn of_words_and_meaning(self, evidence: &Features) -> f64 {
        let words = f64::from(self.weights.words(evidence).max(0.0));
        let cosine = f64::from(evidence.cosine.unwrap_or(0.0).max(0.0));
        words * self.per_words + cosine * self.per_cosine
    }
}

/// Divides a part by a whole; zero if the whole is zero.
fn per(part: f64, whole: f32) -> f64 {
    if whole > 0.0 {
        part / f64::from(whole)
    } else {
        0.0
    }
}

/// Interpolates: `of_second` of the second number, and the rest of the first.
fn mixed(first: f32, second: f32, of_second: f32) -> f32 {
    first * (1.0 - of_second) + second * of_second
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    #[test]
    fn the_fit_of_an_answer_is_that_of_its_best_agent_in_any_position() {
        let of = |cosine: f32, share: f32| Features {
            cosine: Some(cosine),
            share,
            ..Features::default()
        };
        let (weak, good, strong) = (of(0.2, 0.0), of(0.45, 0.5), of(0.7, 1.0));
        for (all, expected) in [
            (vec![], Fit::None),
            (vec![weak], Fit::Weak),
            (vec![weak, good], Fit::Good),
            (vec![good, strong, weak], Fit::Strong),
        ] {
            assert_eq!(best_fit(all.iter()), expected, "{all:?}");
        }
        let exact = Features {
            is_exact: true,
            ..weak
        };
        assert_eq!((exact.strength(), exact.fit()), (1.0, Fit::Strong));
        let has_most = Features {
            has_enough: true,
            ..of(0.0, 0.75)
        };
        assert_eq!(has_most.fit(), Fit::Good);
    }

    proptest! {
        #[test]
        fn pruning_drops_no_admissible_agent(
            all in vec((0.0_f32..30.0, 0.0_f32..1.0, any::<bool>(), option::of(-1.0_f32..1.0)), 1..40),
            informative in 1_usize..9,
            has_meaning in any::<bool>(),
        ) {
            let weights = Weights::of(informative, informative + 2, has_meaning);
            let all: Vec<Features> = all
                .into_iter()
                .map(|(words, share, has_enough, cosine)| Features {
                    words,
                    share,
                    has_enough,
                    cosine: cosine.filter(|_| has_meaning),
                    is_exact: false,
                })
                .collect();
            let mut pruner = CandidatePruner::of(weights);
            let kept: Vec<bool> = all.iter().map(|it| pruner.keeps(it)).collect();
            let threshold = RelevanceThreshold::of(weights, all.iter());
            for (it, is_kept) in all.iter().zip(kept) {
                let is_by_words = it.cosine.is_none();
                prop_assert!(is_kept || !is_by_words || !threshold.admits(it), "{:?}", it);
            }
        }
    }
}
