//! From a need to everything that meets it: words, meaning and conditions, segment by segment.

use super::super::collector::{Collected, Match, Numbers, SegmentMatches};
use super::super::lexical::{self, Statistics};
use super::super::meaning::{Near, Vectors};
use super::super::need::Need;
use super::super::ranking::{Bar, Best, Evidence};
use super::super::semantic::Vector;
use super::super::{Facet, Sort, row};
use super::State;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use tantivy::collector::TopNComputer;
use tantivy::query::EnableScoring;
use tantivy::schema::IndexRecordOption;
use tantivy::{BitSet, DocId, DocSet, SegmentOrdinal, SegmentReader, TERMINATED};

/// Matches by words whose cosine is taken, best first.
const COMPARED: usize = 1_000;
/// Matches, best first, for which the order of the words is looked at.
const REFINED: usize = 200;

/// What is asked, beside the need.
#[derive(Debug)]
pub(super) struct Conditions<'a> {
    pub(super) sort: Sort,
    pub(super) facets: &'a [Facet],
    /// Filters on facets that are counted.
    pub(super) counted: &'a [(Facet, Vec<String>)],
    /// All other filters.
    pub(super) plain: &'a [(Facet, Vec<String>)],
    pub(super) excluded: &'a [(Facet, Vec<String>)],
}

/// The agents of a segment that meet the conditions; none when all do.
type Allowed = Option<BitSet>;

impl State {
    /// Everything that meets the need under the conditions, with its relevance as key unless another order is asked.
    pub(super) fn matches(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        statistics: &Statistics,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<Collected> {
        let segments = searcher.segment_readers();
        let allowed = self.allowed(searcher, need, conditions)?;
        let mut sinks = Vec::with_capacity(segments.len());
        for (ordinal, segment) in (0..).zip(segments) {
            sinks.push(SegmentMatches::open(
                ordinal,
                segment,
                &self.fields,
                conditions.sort,
                conditions.facets,
                conditions.counted,
            )?);
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
                if !conditions.counted.is_empty() {
                    // The nearest of all may all be refused by a filter that only the counts ignore.
                    let accepted = self.sketches.nearest(vector, searcher, column, |at, it| {
                        is_allowed(at, it) && sinks[at as usize].accepts(it)
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
        let mut found = Vec::with_capacity(segments.len());
        for ((ordinal, segment), near) in (0..).zip(segments).zip(near) {
            let is_allowed = |document| is_allowed(ordinal, document);
            found.push(if need.is_empty() {
                let all = (0..segment.max_doc()).filter(|it| is_allowed(*it));
                all.map(|document| (document, Evidence::default()))
                    .collect()
            } else {
                self.evidence(need, segment, statistics, is_allowed, near)?
            });
        }
        let weights = need.weights();
        let bar = Bar::of(
            weights,
            found.iter().flatten().map(|(_, evidence)| evidence),
        );
        let mut collected = Collected::default();
        for (mut sink, found) in sinks.into_iter().zip(found) {
            for (document, evidence) in found {
                if need.is_empty() || bar.admits(&evidence) {
                    sink.collect(document, evidence);
                }
            }
            sink.pour_into(&mut collected)?;
        }
        if conditions.sort == Sort::Relevance {
            self.rank(searcher, need, statistics, &mut collected.matches)?;
        }
        Ok(collected)
    }

    fn allowed(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<Vec<Allowed>> {
        let segments = searcher.segment_readers();
        let query = need.conditions(&self.fields, conditions.plain, conditions.excluded);
        let Some(query) = query else {
            return Ok(vec![None; segments.len()]);
        };
        let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
        let mut allowed = Vec::with_capacity(segments.len());
        for segment in segments {
            let mut documents = BitSet::with_max_value(segment.max_doc());
            weight.for_each_no_score(segment, &mut |found| {
                for document in found {
                    documents.insert(*document);
                }
            })?;
            allowed.push(Some(documents));
        }
        Ok(allowed)
    }

    /// What speaks for the agents of one segment that have a word, or come near in meaning.
    fn evidence(
        &self,
        need: &Need,
        segment: &SegmentReader,
        statistics: &Statistics,
        is_allowed: impl Fn(DocId) -> bool,
        near: Near,
    ) -> tantivy::Result<Vec<(DocId, Evidence)>> {
        let enough = need.plenty().max(f32::MIN_POSITIVE);
        let threshold = need.threshold() - f32::EPSILON * 16.0;
        let required = need.required();
        let field = self.fields.text;
        let cells = lexical::found(&need.words, segment, field, statistics, &is_allowed)?;
        let mut cells = cells.into_iter().peekable();
        let mut near = near.into_iter().peekable();
        let mut exact = self
            .exact(need, segment, is_allowed)?
            .into_iter()
            .peekable();
        let mut found = Vec::with_capacity(cells.len() + near.len());
        loop {
            let next = [
                cells.peek().map(|cell| cell.document),
                near.peek().map(|(document, _)| *document),
                exact.peek().copied(),
            ];
            let Some(document) = next.into_iter().flatten().min() else {
                return Ok(found);
            };
            let mut evidence = Evidence::default();
            if let Some(cell) = cells.next_if(|cell| cell.document == document) {
                evidence.has_enough =
                    usize::from(cell.words) >= required && cell.weight >= threshold;
                evidence.words = cell.score;
                evidence.share = (cell.weight / enough).min(1.0);
            }
            evidence.is_exact = exact.next_if_eq(&document).is_some();
            evidence.cosine = near.next_if(|it| it.0 == document).map(|it| it.1);
            found.push((document, evidence));
        }
    }

    /// The agents of a segment whose name, domain or capability is the query itself.
    fn exact(
        &self,
        need: &Need,
        segment: &SegmentReader,
        is_allowed: impl Fn(DocId) -> bool,
    ) -> tantivy::Result<BTreeSet<DocId>> {
        let mut found = BTreeSet::new();
        let index = segment.inverted_index(self.fields.exact)?;
        for term in need.exact(&self.fields) {
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            while postings.doc() != TERMINATED {
                if is_allowed(postings.doc()) {
                    found.insert(postings.doc());
                }
                postings.advance();
            }
        }
        Ok(found)
    }

    /// Gives each match its relevance.
    fn rank(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        statistics: &Statistics,
        matches: &mut [Match],
    ) -> tantivy::Result<()> {
        let weights = need.weights();
        let ties = Numbers::open(searcher, self.fields.tie)?;
        if let Some(vector) = &need.meaning {
            let best = best_of(matches, COMPARED, &ties, |it| f64::from(it.evidence.words));
            self.compare(searcher, vector, matches, &best)?;
        }
        let shortfalls = Numbers::open(searcher, self.fields.shortfall)?;
        let mut read = Vec::with_capacity(matches.len());
        shortfalls.of_all(matches, |_, shortfall| read.push(shortfall));
        let best = Best::of(weights, matches.iter().map(|it| &it.evidence));
        for (found, shortfall) in matches.iter_mut().zip(read) {
            found.shortfall = shortfall;
            found.key = best.relevance(&found.evidence, shortfall);
        }
        let top = best_of(matches, REFINED, &ties, |it| it.key);
        self.refine(searcher, need, statistics, matches, &top)?;
        let best = Best::of(weights, matches.iter().map(|it| &it.evidence));
        for found in matches {
            found.key = best.relevance(&found.evidence, found.shortfall);
        }
        Ok(())
    }

    /// Takes the cosines of some matches that are not known yet.
    fn compare(
        &self,
        searcher: &tantivy::Searcher,
        need: &Vector,
        matches: &mut [Match],
        some: &[usize],
    ) -> tantivy::Result<()> {
        let column = searcher.schema().get_field_name(self.fields.meaning);
        for of_segment in by_segment(matches, some) {
            let segment = searcher.segment_reader(matches[of_segment[0]].segment);
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

    /// Adds what the order of the words says of some matches.
    fn refine(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        statistics: &Statistics,
        matches: &mut [Match],
        some: &[usize],
    ) -> tantivy::Result<()> {
        for of_segment in by_segment(matches, some) {
            let agents: Vec<DocId> = of_segment.iter().map(|at| matches[*at].document).collect();
            let segment = searcher.segment_reader(matches[of_segment[0]].segment);
            let bonuses =
                row::bonuses(&need.steps, &agents, segment, self.fields.text, statistics)?;
            for (at, bonus) in of_segment.iter().zip(bonuses) {
                matches[*at].evidence.words += bonus;
            }
        }
        Ok(())
    }
}

/// Where the best of some matches stand, in the order of the index; of equals the one with the lower tie is better.
fn best_of(
    matches: &[Match],
    count: usize,
    ties: &Numbers,
    value: impl Fn(&Match) -> f64,
) -> Vec<usize> {
    let mut best = TopNComputer::new(count);
    for (at, found) in matches.iter().enumerate() {
        let value = Reverse(value(found));
        let is_behind = |worst: &(Reverse<f64>, u64)| value > worst.0;
        if !best.threshold.as_ref().is_some_and(is_behind) {
            best.push((value, ties.of(found)), at);
        }
    }
    let mut best: Vec<usize> = best.into_vec().into_iter().map(|it| it.doc).collect();
    best.sort_unstable();
    best
}

/// Places that are sorted, by the segment of the match there.
fn by_segment<'a>(matches: &[Match], places: &'a [usize]) -> Vec<&'a [usize]> {
    let segment = |at: &usize| matches[*at].segment;
    places
        .chunk_by(|left, right| segment(left) == segment(right))
        .collect()
}
