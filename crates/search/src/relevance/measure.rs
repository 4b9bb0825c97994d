//! Measures of one ranking, and their means.

use serde::Serialize;
use std::collections::BTreeMap;

/// Quality measures of one ranking, or their means over several; each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Measures {
    /// NDCG@10: discounted gain of the first ten over that of the ideal ranking.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
    /// MRR@10: reciprocal rank of the first relevant document among the first ten.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
    /// Recall@10: share of the relevant documents that are among the first ten.
    #[serde(rename = "r@10")]
    pub recall_10: f64,
    /// Recall@50: share of the relevant documents that are among the first fifty.
    #[serde(rename = "r@50")]
    pub recall_50: f64,
}

impl Measures {
    /// Measures a ranking without duplicates; documents without a grade above zero are not
    /// relevant.
    ///
    /// Returns `None` if no document is relevant, as there is no ideal ranking to compare with.
    pub fn of(ranking: &[String], grades: &BTreeMap<String, f64>) -> Option<Self> {
        let gain = |name: &String| grades.get(name).copied().filter(|grade| *grade > 0.0);
        let mut best: Vec<f64> = grades.values().copied().filter(|it| *it > 0.0).collect();
        if best.is_empty() {
            return None;
        }
        best.sort_by(|a, b| b.total_cmp(a));
        let gains: Vec<f64> = ranking
            .iter()
            .map(|name| gain(name).unwrap_or(0.0))
            .collect();
        let recall = |depth: usize| {
            let found = gains.iter().take(depth).filter(|gain| **gain > 0.0);
            share(found.count(), best.len())
        };
        let first = gains.iter().take(10).position(|gain| *gain > 0.0);
        Some(Self {
            ndcg_10: discounted(&gains) / discounted(&best),
            mrr_10: first.map_or(0.0, |index| 1.0 / float(index + 1)),
            recall_10: recall(10),
            recall_50: recall(50),
        })
    }

    /// Returns the means; zero for an empty input.
    pub fn mean(all: &[Self]) -> Self {
        let mean = |one: fn(&Self) -> f64| mean(all.iter().map(one));
        Self {
            ndcg_10: mean(|it| it.ndcg_10),
            mrr_10: mean(|it| it.mrr_10),
            recall_10: mean(|it| it.recall_10),
            recall_50: mean(|it| it.recall_50),
        }
    }
}

/// Returns the sum of the first ten gains, each divided by the binary logarithm of its rank plus
/// one.
fn discounted(gains: &[f64]) -> f64 {
    let gains = gains.iter().take(10).enumerate();
    gains
        .map(|(index, gain)| gain / float(index + 2).log2())
        .sum()
}

/// Returns the mean; zero for an empty input.
pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    match values.len() {
        0 => 0.0,
        // Starts at zero: otherwise the sum of zeros is -0.
        count => values.fold(0.0, |sum, it| sum + it) / float(count),
    }
}

/// Returns `part` as a share of a whole, from 0 to 1.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    float(part) / float(whole.max(1))
}

fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measures(ranking: &[&str], grades: &[(&str, f64)]) -> Option<Measures> {
        let ranking: Vec<_> = ranking.iter().map(|&it| it.to_owned()).collect();
        let grades = grades
            .iter()
            .map(|(name, grade)| ((*name).to_owned(), *grade));
        Measures::of(&ranking, &grades.collect())
    }

    #[track_caller]
    fn assert_close(measured: f64, expected: f64) {
        assert!(
            (measured - expected).abs() < 1e-12,
            "{measured} is not {expected}"
        );
    }

    #[test]
    fn the_right_one_first_is_perfect() {
        let measures = measures(&["a", "b", "c"], &[("a", 1.0)]).unwrap();
        let perfect = Measures {
            ndcg_10: 1.0,
            mrr_10: 1.0,
            recall_10: 1.0,
            recall_50: 1.0,
        };
        assert_eq!(measures, perfect);
    }

    #[test]
    fn one_of_two_at_rank_three() {
        // Gain 1/log2(4); the best is 1/log2(2) + 1/log2(3).
        let measures = measures(&["x", "y", "a"], &[("a", 1.0), ("b", 1.0)]).unwrap();
        assert_close(measures.ndcg_10, 0.5 / 1.630_929_753_571_457_3);
        assert_close(measures.mrr_10, 1.0 / 3.0);
        assert_close(measures.recall_10, 0.5);
    }

    #[test]
    fn the_better_grade_belongs_first() {
        // Gain 1/log2(2) + 2/log2(3) against 2/log2(2) + 1/log2(3).
        let measures = measures(&["g1", "g2"], &[("g1", 1.0), ("g2", 2.0)]).unwrap();
        assert_close(
            measures.ndcg_10,
            2.261_859_507_142_915 / 2.630_929_753_571_457_3,
        );
    }

    #[test]
    fn rank_eleven_counts_for_the_fifty_only() {
        let ranking = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a"];
        let measures = measures(&ranking, &[("a", 1.0)]).unwrap();
        let late = Measures {
            recall_50: 1.0,
            ..Measures::default()
        };
        assert_eq!(measures, late);
    }

    #[test]
    fn more_than_ten_relevant_can_still_be_perfect() {
        let names: Vec<String> = (0..20).map(|it| format!("d{it}")).collect();
        let grades = names.iter().map(|name| (name.clone(), 1.0)).collect();
        let measures = Measures::of(&names[..10], &grades).unwrap();
        assert_close(measures.ndcg_10, 1.0);
        assert_close(measures.recall_10, 0.5);
    }

    #[test]
    fn grade_zero_is_not_relevant() {
        let found_nothing = measures(&["z"], &[("z", 0.0), ("a", 1.0)]).unwrap();
        assert_eq!(found_nothing, Measures::default());
        assert_eq!(measures(&["z"], &[("z", 0.0)]), None);
        assert_eq!(measures(&[], &[("a", 1.0)]), Some(Measures::default()));
    }
}
