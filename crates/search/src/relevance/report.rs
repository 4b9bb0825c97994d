//! Figures of a run, by type of query.

use super::measure::{mean, share};
use super::{Answer, Collection, Measures};
use crate::Fit;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Number of bootstrap resamples for an interval.
const RESAMPLES: usize = 1_000;
/// Width of a bin of scores, in percent.
const BIN_WIDTH: u8 = 20;
/// Score of an exact match, which is certain and has no part in the reliability.
const EXACT: u8 = 100;
/// Seed of the resampling, so that the same figures give the same interval.
const SEED: u64 = 1;

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Types of queries, then their families (`need-*`), each by name, then `all`.
    pub groups: Vec<Group>,
    /// Bins of scores, lowest first, of the queries that have a relevant document.
    pub reliability: Vec<ScoreBin>,
    /// Queries without a relevant document, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmet: Option<UnmetNeeds>,
}

/// The figures of queries of one type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The type, a family of types as `family-*`, or `all`.
    #[serde(rename = "type")]
    pub name: String,
    /// Number of queries.
    pub queries: usize,
    /// Means of the measures.
    #[serde(flatten)]
    pub mean: Measures,
    /// Share of queries whose first hit is relevant.
    pub first_right: f64,
    /// 95 % bootstrap confidence interval of NDCG@10: a difference within it may be chance.
    #[serde(rename = "ndcg@10_95")]
    pub interval: (f64, f64),
}

/// Comparison of what scores promise with how often the first hit is right; exact matches are left
/// out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreBin {
    /// Lowest score of the bin, in percent; it is 20 wide.
    pub from: u8,
    /// Number of queries whose first hit has such a score.
    pub queries: usize,
    /// Mean of these scores, from 0 to 1.
    pub promised: f64,
    /// Share of the queries whose first hit is relevant.
    pub right: f64,
}

/// Match levels of the answers to queries without a relevant document.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnmetNeeds {
    /// Number of queries.
    pub queries: usize,
    /// Share answered with `none`, which is correct.
    pub none: f64,
    /// Share answered with a weak match.
    pub weak: f64,
    /// Share answered with a good match.
    pub good: f64,
    /// Share answered with a strong match, the worst error.
    pub strong: f64,
}

impl Report {
    /// Scores the answers to the queries of a collection, given in the same order.
    pub fn of(collection: &Collection, answers: &[Answer]) -> Self {
        let mut types: BTreeMap<&str, Vec<Measures>> = BTreeMap::new();
        let mut families: BTreeMap<String, Vec<Measures>> = BTreeMap::new();
        let mut all = Vec::new();
        let mut unmet = Vec::new();
        let mut first_hits = Vec::new();
        let nothing = BTreeMap::new();
        for (query, answer) in collection.queries.iter().zip(answers) {
            let grades = collection.grades.get(&query.id).unwrap_or(&nothing);
            let Some(measures) = Measures::of(&answer.found, grades) else {
                unmet.push(answer.fit);
                continue;
            };
            all.push(measures);
            first_hits.push((answer.score, measures.mrr_10 >= 1.0));
            if !query.kind.is_empty() {
                types.entry(&query.kind).or_default().push(measures);
            }
            if let Some((family, _)) = query.kind.split_once('-') {
                let family = families.entry(format!("{family}-*")).or_default();
                family.push(measures);
            }
        }
        let types = types.into_iter().map(|(name, of)| (name.to_owned(), of));
        let groups = types.chain(families).chain([("all".to_owned(), all)]);
        Self {
            groups: groups.map(|(name, of)| Group::of(name, &of)).collect(),
            reliability: ScoreBin::all(&first_hits),
            unmet: UnmetNeeds::of(&unmet),
        }
    }

    /// Computes the figures of one type, of a family (`need-*`) or of `all`.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }
}

impl Group {
    fn of(name: String, measures: &[Measures]) -> Self {
        // Only rank one has the reciprocal 1.
        let first_right = measures.iter().filter(|it| it.mrr_10 >= 1.0).count();
        let ndcg: Vec<f64> = measures.iter().map(|it| it.ndcg_10).collect();
        Self {
            name,
            queries: measures.len(),
            mean: Measures::mean(measures),
            first_right: share(first_right, measures.len()),
            interval: interval(&ndcg),
        }
    }
}

impl ScoreBin {
    /// Sorts first hits, each with its score and whether it is right, into bins.
    fn all(first_hits: &[(u8, bool)]) -> Vec<Self> {
        let mut bins: BTreeMap<u8, Vec<(u8, bool)>> = BTreeMap::new();
        for &(score, is_right) in first_hits {
            if (1..EXACT).contains(&score) {
                let from = score / BIN_WIDTH * BIN_WIDTH;
                bins.entry(from).or_default().push((score, is_right));
            }
        }
        let bin = |(from, of): (u8, Vec<(u8, bool)>)| Self {
            from,
            queries: of.len(),
            promised: mean(of.iter().map(|(score, _)| f64::from(*score) / 100.0)),
            right: share(of.iter().filter(|(_, it)| *it).count(), of.len()),
        };
        bins.into_iter().map(bin).collect()
    }
}

impl UnmetNeeds {
    fn of(fits: &[Fit]) -> Option<Self> {
        let of = |fit: Fit| share(fits.iter().filter(|it| **it == fit).count(), fits.len());
        (!fits.is_empty()).then(|| Self {
            queries: fits.len(),
            none: of(Fit::None),
            weak: of(Fit::Weak),
            good: of(Fit::Good),
            strong: of(Fit::Strong),
        })
    }
}

/// Computes the 95 % interval of the mean by the bootstrap: resamples of the same size, drawn with
/// replacement.
fn interval(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut generator = StdRng::seed_from_u64(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            mean(
                values
                    .iter()
                    .map(|_| values[generator.random_range(0..values.len())]),
            )
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let tail = RESAMPLES * 25 / 1_000;
    (means[tail], means[RESAMPLES - tail - 1])
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "type              queries  NDCG@10   95 % interval   MRR@10  Recall@10  Recall@50  first right"
        )?;
        for group in &self.groups {
            let Group {
                name,
                queries,
                mean,
                first_right,
                interval,
            } = group;
            writeln!(
                formatter,
                "{name:16} {queries:8}   {:.4}  {:.3} to {:.3}   {:.4}     {:.4}     {:.4}        {first_right:.3}",
                mean.ndcg_10, interval.0, interval.1, mean.mrr_10, mean.recall_10, mean.recall_50
            )?;
        }
        for ScoreBin {
            from,
            queries,
            promised,
            right,
        } in &self.reliability
        {
            let to = from + BIN_WIDTH - 1;
            writeln!(
                formatter,
                "score {from:2} to {to}: {queries:5} first hits, {promised:.3} promised, {right:.3} right"
            )?;
        }
        if let Some(UnmetNeeds {
            queries,
            none,
            weak,
            good,
            strong,
        }) = self.unmet
        {
            writeln!(
                formatter,
                "{queries} queries without a relevant document: {none:.3} answered none, {weak:.3} weak, {good:.3} good, {strong:.3} strong"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Query;
    use super::*;

    /// Builds the report of queries with these match levels; those with a grade have a miss.
    fn report(answers: &[(Fit, bool)]) -> Report {
        let mut collection = Collection::default();
        for (number, (_, is_met)) in answers.iter().enumerate() {
            let id = number.to_string();
            if *is_met {
                let grade = ("other.example".to_owned(), 1.0);
                collection.grades.insert(id.clone(), [grade].into());
            }
            collection.queries.push(Query {
                id,
                text: String::new(),
                kind: "need-x".to_owned(),
            });
        }
        let answers = answers.iter().map(|(fit, _)| Answer {
            fit: *fit,
            score: 0,
            found: Vec::new(),
        });
        Report::of(&collection, &answers.collect::<Vec<_>>())
    }

    #[test]
    fn needs_without_an_answer_are_counted_by_level() {
        use Fit::{Good, None, Strong, Weak};
        let of = |fits: &[Fit]| {
            let answers: Vec<_> = fits.iter().map(|fit| (*fit, false)).collect();
            let text = report(&answers).to_string();
            text.lines().last().unwrap().to_owned()
        };
        assert_eq!(
            of(&[None, None, None, None, Weak, Weak, Good, Good, Good, Strong]),
            "10 queries without a relevant document: 0.400 answered none, 0.200 weak, 0.300 good, 0.100 strong"
        );
        // Rounding makes the remainder of these shares slightly negative.
        assert_eq!(
            of(&[None, None, Weak, Weak, Strong]),
            "5 queries without a relevant document: 0.400 answered none, 0.400 weak, 0.000 good, 0.200 strong"
        );
    }

    #[test]
    fn first_hits_are_compared_with_their_scores() {
        let first_hits = [(100, true), (0, false), (40, true), (59, false), (60, true)];
        let mut collection = Collection::default();
        let mut answers = Vec::new();
        for (number, (score, is_right)) in (0..).zip(first_hits) {
            let id = format!("q{number}");
            let grade = ("right.example".to_owned(), 1.0);
            collection.grades.insert(id.clone(), [grade].into());
            let (text, kind) = (String::new(), String::new());
            collection.queries.push(Query { id, text, kind });
            let first = if is_right {
                "right.example"
            } else {
                "wrong.example"
            };
            answers.push(Answer {
                fit: Fit::Weak,
                score,
                found: vec![first.to_owned()],
            });
        }
        let report = Report::of(&collection, &answers);
        let [low, high] = report.reliability[..] else {
            panic!("two bins are wanted: {report}");
        };
        assert_eq!((low.from, low.queries, low.right), (40, 2, 0.5));
        assert!((low.promised - 0.495).abs() < 1e-9);
        assert_eq!((high.from, high.queries, high.right), (60, 1, 1.0));
        let line = "score 40 to 59:     2 first hits, 0.495 promised, 0.500 right";
        assert!(report.to_string().contains(line), "{report}");
    }

    #[test]
    fn nothing_found_is_no_less_than_nothing() {
        let report = report(&[(Fit::None, true), (Fit::None, true)]);
        let text = report.to_string();
        assert!(
            text.contains("   0.0000  0.000 to 0.000   0.0000"),
            "{text}"
        );
        assert!(!text.contains("-0."), "{text}");
        let json = serde_json::to_string(&report).unwrap();
        assert!(!json.contains("-0"), "{json}");
    }

    #[test]
    fn an_interval_holds_the_mean_and_repeats() {
        let coin: Vec<f64> = [0.0, 1.0].repeat(200);
        let (low, high) = interval(&coin);
        assert!(
            low < 0.5 && 0.5 < high && high - low < 0.12,
            "{low} to {high}"
        );
        assert_eq!(interval(&coin), (low, high));
        assert_eq!(interval(&[]), (0.0, 0.0));
    }
}
