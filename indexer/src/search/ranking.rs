//! The formula of relevance, in one place; `docs/ranking.md` has the reasons of its numbers.

use super::Fit;

/// Weight of the meaning against the words.
const MEANING: f64 = 0.6;
/// What the share of words adds to the cosine, where both are asked whether an agent fits at all.
const SHARE: f32 = 0.5;
/// Fitness that the best must reach, or nothing is found by its meaning.
const BAR: f32 = 0.5;
/// Relevance, as a share of the best one's, that others must reach.
const NEAR_THE_BEST: f64 = 0.4;

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

/// The best of an answer: each agent is measured against them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Best {
    words: f32,
    cosine: f32,
}

impl Evidence {
    /// True when it alone is reason to say that somebody fits.
    fn fits(&self) -> bool {
        let fitness = self.cosine.unwrap_or(0.0) + SHARE * self.share;
        self.is_exact || self.has_enough || fitness >= BAR
    }

    /// From 0 to 1 for how much of the need is met, whatever other agents there are.
    pub(crate) fn strength(&self) -> f64 {
        if self.is_exact {
            return 1.0;
        }
        let nearness = self.cosine.map_or(self.share, |cosine| cosine.max(0.0));
        f64::from(0.5 * self.share + 0.5 * nearness)
    }

    /// How well it fits.
    pub(crate) fn fit(&self) -> Fit {
        match self.strength() {
            0.62.. => Fit::Strong,
            0.42.. => Fit::Good,
            _ => Fit::Weak,
        }
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
    pub(crate) fn of<'a>(all: impl Iterator<Item = &'a Evidence> + Clone) -> Self {
        let best = Best::of(all.clone());
        let fits = all.clone().any(Evidence::fits);
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
            || evidence.has_enough
            || self.best.of_words_and_meaning(evidence) >= self.least
    }
}

impl Best {
    /// The best of all.
    pub(crate) fn of<'a>(all: impl Iterator<Item = &'a Evidence>) -> Self {
        all.fold(Self::default(), |best, evidence| Self {
            words: best.words.max(evidence.words),
            cosine: best.cosine.max(evidence.cosine.unwrap_or(0.0)),
        })
    }

    /// From 0 to 1, and from 2 to 3 for an exact name.
    pub(crate) fn relevance(self, evidence: &Evidence) -> f64 {
        self.of_words_and_meaning(evidence) + if evidence.is_exact { 2.0 } else { 0.0 }
    }

    /// The fused score, from 0 to 1.
    fn of_words_and_meaning(self, evidence: &Evidence) -> f64 {
        let words = share(evidence.words, self.words);
        if self.cosine > 0.0 {
            let meaning = share(evidence.cosine.unwrap_or(0.0), self.cosine);
            (1.0 - MEANING) * words + MEANING * meaning
        } else {
            words
        }
    }
}

fn share(part: f32, whole: f32) -> f64 {
    if whole > 0.0 {
        f64::from((part / whole).max(0.0))
    } else {
        0.0
    }
}
