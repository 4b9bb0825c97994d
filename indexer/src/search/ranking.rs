//! The formula of relevance, in one place; `docs/ranking.md` has the reasons of its numbers.

use super::Fit;

/// Needs of so many words are keywords, and of so many a sentence.
const KEYWORDS: f32 = 3.0;
const SENTENCE: f32 = 6.0;
/// What each point of an agent's shortfall takes off the relevance, and how many points do at most.
const POINT: f64 = 0.01;
const MOST_POINTS: u8 = 4;
/// Weight of the meaning against the words: of keywords, and of a sentence.
const MEANING_OF_KEYWORDS: f32 = 0.5;
const MEANING_OF_SENTENCE: f32 = 0.7;
/// What the largest share of words adds to the largest cosine, where both are asked whether anybody fits at all.
const SHARE: f32 = 0.4;
/// Their sum that must be reached in a need of so few words, stop words included, and of so many, or nobody fits.
const SHORT: f32 = 5.0;
const SHORT_BAR: f32 = 0.55;
const LONG: f32 = 9.0;
const LONG_BAR: f32 = 0.35;
/// The share of words that is reason enough whatever they mean.
const NEARLY_ALL: f32 = 0.7;
/// Relevance, as a share of the best one's, that others must reach.
const NEAR_THE_BEST: f64 = 0.4;

/// How likely a hit is right: a logistic function of its cosine and its share of the words.
const NOTHING: f64 = -3.0;
const PER_COSINE: f64 = 4.7;
const PER_SHARE: f64 = 1.1;
/// The cosine that a share of words is worth where nothing is known of the meaning.
const COSINE_OF_SHARE: f64 = 0.7;
/// Chances from which a hit is strong, and good.
const STRONG: f64 = 0.6;
const GOOD: f64 = 0.4;

/// What speaks for an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// True when its name, domain or a capability is the query itself.
    pub(crate) is_exact: bool,
    /// True when it has so many of the need's words that these are reason enough.
    pub(crate) has_enough: bool,
    /// BM25 over its words.
    pub(crate) words: f32,
    /// The share of the need's words, by weight, that it has.
    pub(crate) share: f32,
    /// How near its text comes to the need in meaning; none when that was not looked at.
    pub(crate) cosine: Option<f32>,
}

/// What counts how much in a need, by its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// Of the meaning; the rest is the words'.
    meaning: f64,
    /// How much it matters that all words are there: of three keywords each is wanted, of a sentence few are.
    coverage: f32,
    /// What the best cosine and the best share of words must reach together, or nobody fits; none for a need without
    /// a meaning.
    bar: Option<f32>,
}

/// The best of an answer: each agent is measured against them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    weights: Weights,
    words: f32,
    cosine: f32,
    /// The largest share of those that have enough of the words; zero when nobody has.
    share: f32,
    /// What the fused score is for each point of words and of cosine: nothing of what nobody has.
    per_words: f64,
    per_cosine: f64,
}

impl Evidence {
    /// From 0 to 1 for how likely it is right, whatever other agents there are.
    pub(crate) fn strength(&self) -> f64 {
        chance(self.odds())
    }

    /// The logarithm of the odds that it is right.
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

    /// True when it has so many of the words that these are reason enough, whatever they mean.
    fn has_most(&self) -> bool {
        self.has_enough && self.share >= NEARLY_ALL
    }

    /// How well it fits.
    pub(crate) fn fit(&self) -> Fit {
        fit(self.strength())
    }
}

/// How well the best of an answer fits; none when there is nobody.
pub(crate) fn best_fit<'a>(all: impl Iterator<Item = &'a Evidence>) -> Fit {
    let best = all.map(Evidence::odds).reduce(f64::max);
    best.map_or(Fit::None, |odds| fit(chance(odds)))
}

/// What odds, given by their logarithm, are as a chance.
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

/// What an agent must reach that has neither enough of the words nor the name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    best: Best,
    least: f64,
}

impl Bar {
    /// The bar that the best of all sets; nobody reaches it when even the best does not fit.
    pub(crate) fn of<'a>(
        weights: Weights,
        all: impl Iterator<Item = &'a Evidence> + Clone,
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

    /// True for an agent that belongs to the answer.
    pub(crate) fn admits(&self, evidence: &Evidence) -> bool {
        evidence.is_exact
            || (evidence.has_enough && self.least.is_finite())
            || self.best.of_words_and_meaning(evidence) >= self.least
    }
}

/// Who may still reach the bar by words alone, while the best is not known yet: most agents with one word of many
/// need not be remembered.
#[derive(Debug)]
pub(crate) struct Hopes {
    weights: Weights,
    /// The best words so far.
    words: f32,
}

impl Hopes {
    /// Before anybody was met.
    pub(crate) fn of(weights: Weights) -> Self {
        Self {
            weights,
            words: 0.0,
        }
    }

    /// False for an agent that [`Bar::admits`] only for its meaning or its name: the relevance of the one with the
    /// best words is no less than what these words give, and `NEAR_THE_BEST` of that must be reached.
    pub(crate) fn has(&mut self, evidence: &Evidence) -> bool {
        /// Sums in another order differ by less.
        const ROUNDING: f32 = 0.999;
        let words = self.weights.words(evidence);
        self.words = self.words.max(words);
        evidence.has_enough || f64::from(words) >= NEAR_THE_BEST * f64::from(self.words * ROUNDING)
    }
}

impl Weights {
    /// Those of a need of so many informative words, and of so many with stop words, whose meaning is known or not.
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
            bar: has_meaning.then(|| mixed(SHORT_BAR, LONG_BAR, long)),
        }
    }

    /// The BM25 score, less what is missing.
    fn words(self, evidence: &Evidence) -> f32 {
        evidence.words * (1.0 - self.coverage + self.coverage * evidence.share)
    }
}

impl Best {
    /// The best of all.
    pub(crate) fn of<'a>(weights: Weights, all: impl Iterator<Item = &'a Evidence>) -> Self {
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

    /// True when somebody means enough of what is wanted, or has enough of its words, to say that the need is met.
    fn fits(self) -> bool {
        match self.weights.bar {
            Some(bar) => self.cosine + SHARE * self.share >= bar,
            None => self.share > 0.0,
        }
    }

    /// From 0 to 1, and nearly 2 to 3 for an exact name; a little less for each point of the shortfall.
    pub(crate) fn relevance(self, evidence: &Evidence, shortfall: u64) -> f64 {
        let name = if evidence.is_exact { 2.0 } else { 0.0 };
        let points = u8::try_from(shortfall).map_or(MOST_POINTS, |it| it.min(MOST_POINTS));
        let standing = 1.0 - POINT * f64::from(points);
        (self.of_words_and_meaning(evidence) + name) * standing
    }

    /// The fused score, from 0 to 1.
    fn of_words_and_meaning(self, evidence: &Evidence) -> f64 {
        let words = f64::from(self.weights.words(evidence).max(0.0));
        let cosine = f64::from(evidence.cosine.unwrap_or(0.0).max(0.0));
        words * self.per_words + cosine * self.per_cosine
    }
}

/// A part for each point of a whole; nothing when that has none.
fn per(part: f64, whole: f32) -> f64 {
    if whole > 0.0 {
        part / f64::from(whole)
    } else {
        0.0
    }
}

/// So much of the second number, and the rest of the first.
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
    fn an_answer_fits_as_well_as_its_best_agent_wherever_that_stands() {
        let of = |cosine: f32, share: f32| Evidence {
            cosine: Some(cosine),
            share,
            ..Evidence::default()
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
        let exact = Evidence {
            is_exact: true,
            ..weak
        };
        assert_eq!((exact.strength(), exact.fit()), (1.0, Fit::Strong));
        let has_most = Evidence {
            has_enough: true,
            ..of(0.0, 0.75)
        };
        assert_eq!(has_most.fit(), Fit::Good);
    }

    proptest! {
        #[test]
        fn whoever_the_bar_admits_had_hopes(
            all in vec((0.0_f32..30.0, 0.0_f32..1.0, any::<bool>(), option::of(-1.0_f32..1.0)), 1..40),
            informative in 1_usize..9,
            has_meaning in any::<bool>(),
        ) {
            let weights = Weights::of(informative, informative + 2, has_meaning);
            let all: Vec<Evidence> = all
                .into_iter()
                .map(|(words, share, has_enough, cosine)| Evidence {
                    words,
                    share,
                    has_enough,
                    cosine: cosine.filter(|_| has_meaning),
                    is_exact: false,
                })
                .collect();
            let mut hopes = Hopes::of(weights);
            let had: Vec<bool> = all.iter().map(|it| hopes.has(it)).collect();
            let bar = Bar::of(weights, all.iter());
            for (it, had) in all.iter().zip(had) {
                let is_by_words = it.cosine.is_none();
                prop_assert!(had || !is_by_words || !bar.admits(it), "{:?}", it);
            }
        }
    }
}
