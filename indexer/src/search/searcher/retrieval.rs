//! Matching of a need by words, meaning and conditions, segment by segment.

use super::super::bm25;
use super::super::collector::{Collected, Counter, Key, Match, Numbers};
use super::super::embedding::Vector;
use super::super::query_plan::QueryPlan;
use super::super::ranking::{Best, CandidatePruner, Features, RelevanceThreshold, Weights};
use super::super::statistics::Statistics;
use super::super::vector_search::{Near, Vectors};
use super::super::{collector, proximity};
use super::State;
use super::conditions::{Conditions, Refusing};
use std::cmp::Reverse;
use std::collections::HashMap;
use tantivy::collector::TopNComputer;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentOrdinal, SegmentReader, TERMINATED};

/// Number of best matches by words whose cosine is computed.
const COMPARED: usize = 1_000;
/// Number of best matches whose word order is evaluated.
const REFINED: usize = 200;

impl State {
    /// Returns all matches of the need under the conditions. Their key is the relevance unless
    /// another order is requested.
    pub(super) fn matches(
        &self,
        need: &QueryPlan,
        statistics: &Statistics,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<Collected> {
        let searcher = &self.searcher;
        let segments = searcher.segment_readers();
        let allowed = self.allowed(need)?;
        let filters = self.filters(conditions)?;
        let mut counters = Vec::with_capacity(segments.len());
        for segment in segments {
            counters.push(Counter::open(segment, conditions.facets)?);
        }
        let is_allowed = |ordinal: SegmentOrdinal, document: DocId| {
            allowed[ordinal as usize]
                .as_ref()
                .is_none_or(|it| it.contains(document))
                && !segments[ordinal as usize].is_deleted(document)
        };
        let near = match &need.meaning {
            Some(vector) => {
                let column = searcher.schema().get_field_name(self.fields.meaning);
                let mut near = self
                    .sketches
                    .nearest(vector, searcher, column, is_allowed)?;
                if conditions.has_filters() {
                    // Filters may reject all of the nearest agents.
                    let accepted = self.sketches.nearest(vector, searcher, column, |at, it| {
                        is_allowed(at, it) && filters[at as usize].accept(it)
                    })?;
                    for (near, accepted) in near.iter_mut().zip(accepted) {
                        near.extend(accepted);
                        near.sort_unstable_by_key(|(document, _)| *document);
                        near.dedup_by_key(|(document, _)| *document);
                    }
                }
                near
            }
            None => vec![Near::new(); segments.len()],
        };
        let mut matches = Vec::new();
        let mut pruner = CandidatePruner::of(need.weights());
        for ((ordinal, segment), near) in (0..).zip(segments).zip(near) {
            let is_allowed = |document| is_allowed(ordinal, document);
            if need.is_empty() {
                let all = (0..segment.max_doc()).filter(|it| is_allowed(*it));
                matches.extend(all.map(|document| Match {
                    segment: ordinal,
                    document,
                    evidence: Features::default(),
                }));
            } else {
                self.find(
                    need,
                    (ordinal, segment),
                    statistics,
                    is_allowed,
                    &near,
                    (&mut matches, &mut pruner),
                )?;
            }
        }
        let weights = need.weights();
        if !need.is_empty() {
            let threshold = RelevanceThreshold::of(weights, matches.iter().map(|it| &it.evidence));
            let belongs = |it: &Features| threshold.admits(it) && (it.is_exact || !need.is_address);
            matches.retain(|it| belongs(&it.evidence));
        }
        // The threshold is applied before the filters: a filter shows as many as were counted
        // without it.
        if conditions.has_filters() {
            matches.retain(|it| {
                let at = it.segment as usize;
                let refusing = filters[at].refusing(it.document);
                if let Refusing::One(facet) = refusing {
                    counters[at].count_one(facet, it.document);
                }
                refusing == Refusing::None
            });
        }
        for of_segment in collector::by_segment(&matches) {
            counters[of_segment[0].segment as usize].count(of_segment);
        }
        let key = match Key::of_property(conditions.sort, searcher, &self.fields)? {
            Some(key) => key,
            None => self.rank(need, statistics, weights, &mut matches)?,
        };
        let mut collected = Collected {
            matches,
            key,
            facets: HashMap::new(),
        };
        for counter in counters {
            counter.pour_into(&mut collected)?;
        }
        Ok(collected)
    }

    /// Finds the agents of one segment that have a word or are near in meaning, with their
    /// evidence.
    fn find(
        &self,
        need: &QueryPlan,
        (ordinal, segment): (SegmentOrdinal, &SegmentReader),
        statistics: &Statistics,
        is_allowed: impl Fn(DocId) -> bool,
        near: &Near,
        (matches, pruner): (&mut Vec<Match>, &mut CandidatePruner),
    ) -> tantivy::Result<()> {
        let enough = need.plenty().max(f32::MIN_POSITIVE);
        let threshold = need.threshold() - f32::EPSILON * 16.0;
        let required = need.required();
        let exact = Self::exact(need, segment, &is_allowed)?;
        let mut others: Vec<DocId> = near.iter().map(|it| it.0).collect();
        others.extend(&exact);
        others.sort_unstable();
        let (start, field) = (matches.len(), self.fields.text);
        // Reserving more memory than is written is cheap; growing the vector would copy it.
        matches.reserve(bm25::most(&need.words, segment, field)? + others.len());
        let mut named = others.iter().copied().peekable();
        bm25::found(&need.words, segment, field, statistics, &others, |cell| {
            let document = cell.document;
            while named.next_if(|it| *it < document).is_some() {}
            let is_named = named.peek() == Some(&document);
            if !is_allowed(document) {
                return;
            }
            let is_enough = usize::from(cell.words) >= required && cell.weight >= threshold;
            let evidence = Features {
                has_enough: cell.words > 0 && is_enough,
                words: cell.score,
                share: (cell.weight / enough).min(1.0),
                ..Features::default()
            };
            if pruner.keeps(&evidence) || is_named {
                matches.push(Match {
                    segment: ordinal,
                    document,
                    evidence,
                });
            }
        })?;
        let found = &mut matches[start..];
        let exact = exact.into_iter().map(|document| (document, ()));
        note(found, exact, |evidence, ()| evidence.is_exact = true);
        let near = near.iter().copied();
        note(found, near, |evidence, cosine| {
            evidence.cosine = Some(cosine);
        });
        Ok(())
    }

    /// Returns the agents of a segment whose name, address or capability equals the query, in
    /// order.
    fn exact(
        need: &QueryPlan,
        segment: &SegmentReader,
        is_allowed: impl Fn(DocId) -> bool,
    ) -> tantivy::Result<Vec<DocId>> {
        let mut found = Vec::new();
        for term in &need.exact {
            let index = segment.inverted_index(term.field())?;
            let Some(mut postings) = index.read_postings(term, IndexRecordOption::Basic)? else {
                continue;
            };
            while postings.doc() != TERMINATED {
                if is_allowed(postings.doc()) {
                    found.push(postings.doc());
                }
                postings.advance();
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Ranks the matches: evaluates meaning and word order of the best, and returns the sort key.
    fn rank(
        &self,
        need: &QueryPlan,
        statistics: &Statistics,
        weights: Weights,
        matches: &mut [Match],
    ) -> tantivy::Result<Key> {
        let ties = Numbers::open(&self.searcher, self.fields.tie)?;
        if let Some(vector) = &need.meaning {
            let words = |it: &Match| f64::from(it.evidence.words);
            let best = best_of(matches, COMPARED, &ties, words, words);
            self.compare(vector, matches, &best)?;
        }
        let key = |matches: &[Match]| {
            let best = Best::of(weights, matches.iter().map(|it| &it.evidence));
            Key::relevance(best, &self.searcher, &self.fields)
        };
        let first = key(matches)?;
        let top = best_of(
            matches,
            REFINED,
            &ties,
            |it| first.limit(it),
            |it| first.of(it),
        );
        self.refine(need, statistics, matches, &top)?;
        key(matches)
    }

    /// Computes the missing cosines of some matches.
    fn compare(&self, need: &Vector, matches: &mut [Match], some: &[usize]) -> tantivy::Result<()> {
        let column = self.searcher.schema().get_field_name(self.fields.meaning);
        for of_segment in by_segment(matches, some) {
            let segment = self.searcher.segment_reader(matches[of_segment[0]].segment);
            let vectors = Vectors::of(segment, column)?;
            for &at in of_segment {
                let found = &mut matches[at];
                if found.evidence.cosine.is_none() {
                    let vector = vectors.get(found.document);
                    found.evidence.cosine = vector.map(|it| need.cosine(&it));
                }
            }
        }
        Ok(())
    }

    /// Adds the evidence of word order to some matches.
    fn refine(
        &self,
        need: &QueryPlan,
        statistics: &Statistics,
        matches: &mut [Match],
        some: &[usize],
    ) -> tantivy::Result<()> {
        for of_segment in by_segment(matches, some) {
            let agents: Vec<DocId> = of_segment.iter().map(|at| matches[*at].document).collect();
            let segment = self.searcher.segment_reader(matches[of_segment[0]].segment);
            let bonuses =
                proximity::bonuses(&need.steps, &agents, segment, self.fields.text, statistics)?;
            for (at, bonus) in of_segment.iter().zip(bonuses) {
                matches[*at].evidence.words += bonus;
            }
        }
        Ok(())
    }
}

/// Records a value for some documents of a segment, which must be in order, in the evidence of
/// their matches.
fn note<T>(
    mut matches: &mut [Match],
    known: impl Iterator<Item = (DocId, T)>,
    set: impl Fn(&mut Features, T),
) {
    for (document, it) in known {
        let at = collector::from_document(matches, document);
        matches = &mut matches[at..];
        if let Some(found) = matches.first_mut()
            && found.document == document
        {
            set(&mut found.evidence, it);
        }
    }
}

/// Returns the indexes of the best matches, in index order; of equal ones the lower tie is better.
/// `limit` is an upper bound of `value` that is cheaper to compute.
fn best_of(
    matches: &[Match],
    count: usize,
    ties: &Numbers,
    limit: impl Fn(&Match) -> f64,
    value: impl Fn(&Match) -> f64,
) -> Vec<usize> {
    let mut best = TopNComputer::<(Reverse<f64>, u64), usize, _>::new(count);
    let mut least = f64::NEG_INFINITY;
    for (at, found) in matches.iter().enumerate() {
        if limit(found) < least {
            continue;
        }
        let value = value(found);
        if value >= least {
            best.push((Reverse(value), ties.of(found)), at);
            if let Some((worst, _)) = &best.threshold {
                least = worst.0;
            }
        }
    }
    let mut best: Vec<usize> = best.into_vec().into_iter().map(|it| it.doc).collect();
    best.sort_unstable();
    best
}

/// Groups sorted indexes by the segment of their match.
fn by_segment<'a>(matches: &[Match], places: &'a [usize]) -> Vec<&'a [usize]> {
    let segment = |at: &usize| matches[*at].segment;
    places
        .chunk_by(|left, right| segment(left) == segment(right))
        .collect()
}
