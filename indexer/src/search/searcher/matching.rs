//! From a need to everything that meets it: words, meaning and conditions, segment by segment.

use super::super::collector::{Collected, Match, SegmentMatches};
use super::super::lexical::{Found, Statistics};
use super::super::meaning::Vectors;
use super::super::need::Need;
use super::super::ranking::{Bar, Best, Evidence, Weights};
use super::super::semantic::Vector;
use super::super::{Facet, Sort, row};
use super::State;
use std::collections::{HashMap, HashSet};
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
                    }
                }
                near
            }
            None => vec![HashMap::new(); segments.len()],
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
        let weights = Weights::of(need.words.len(), need.meaning.is_some());
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
        mut near: HashMap<DocId, f32>,
    ) -> tantivy::Result<Vec<(DocId, Evidence)>> {
        let enough = need.plenty().max(f32::MIN_POSITIVE);
        let threshold = need.threshold() - f32::EPSILON * 16.0;
        let words = Found::of(
            &need.words,
            segment,
            self.fields.text,
            statistics,
            &is_allowed,
        )?;
        let mut exact = self.exact(need, segment, is_allowed)?;
        let mut found = Vec::with_capacity(words.documents().len() + near.len());
        for &document in words.documents() {
            let cell = words.cell(document);
            let evidence = Evidence {
                is_exact: exact.remove(&document),
                has_enough: usize::from(cell.words) >= need.required() && cell.weight >= threshold,
                words: cell.score,
                share: (cell.weight / enough).min(1.0),
                cosine: near.remove(&document),
            };
            found.push((document, evidence));
        }
        // An exact name whose words say nothing.
        for document in exact {
            let evidence = Evidence {
                is_exact: true,
                cosine: near.remove(&document),
                ..Evidence::default()
            };
            found.push((document, evidence));
        }
        for (document, cosine) in near {
            let evidence = Evidence {
                cosine: Some(cosine),
                ..Evidence::default()
            };
            found.push((document, evidence));
        }
        Ok(found)
    }

    /// The agents of a segment whose name, domain or capability is the query itself.
    fn exact(
        &self,
        need: &Need,
        segment: &SegmentReader,
        is_allowed: impl Fn(DocId) -> bool,
    ) -> tantivy::Result<HashSet<DocId>> {
        let mut found = HashSet::new();
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
        let weights = Weights::of(need.words.len(), need.meaning.is_some());
        if let Some(vector) = &need.meaning {
            let (_, best) = best_first(matches, COMPARED, |it| f64::from(it.evidence.words));
            self.compare(searcher, vector, best)?;
        }
        let best = Best::of(weights, matches.iter().map(|it| &it.evidence));
        for found in &mut *matches {
            found.key = best.relevance(&found.evidence, found.shortfall);
        }
        let (_, top) = best_first(matches, REFINED, |it| it.key);
        self.refine(searcher, need, statistics, top)?;
        let best = Best::of(weights, matches.iter().map(|it| &it.evidence));
        for found in matches {
            found.key = best.relevance(&found.evidence, found.shortfall);
        }
        Ok(())
    }

    /// Takes the cosines that are not known yet.
    fn compare(
        &self,
        searcher: &tantivy::Searcher,
        need: &Vector,
        matches: &mut [Match],
    ) -> tantivy::Result<()> {
        let column = searcher.schema().get_field_name(self.fields.meaning);
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let vectors = Vectors::of(segment, column)?;
            for found in matches.iter_mut().filter(|it| it.segment == ordinal) {
                if found.evidence.cosine.is_none() {
                    let vector = vectors.get(found.document);
                    found.evidence.cosine = vector.map(|it| need.cosine(&it));
                }
            }
        }
        Ok(())
    }

    /// Adds what the order of the words says.
    fn refine(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        statistics: &Statistics,
        matches: &mut [Match],
    ) -> tantivy::Result<()> {
        matches.sort_unstable_by_key(|it| (it.segment, it.document));
        for of_segment in matches.chunk_by_mut(|left, right| left.segment == right.segment) {
            let agents: Vec<DocId> = of_segment.iter().map(|it| it.document).collect();
            let segment = searcher.segment_reader(of_segment[0].segment);
            let bonuses =
                row::bonuses(&need.steps, &agents, segment, self.fields.text, statistics)?;
            for (found, bonus) in of_segment.iter_mut().zip(bonuses) {
                found.evidence.words += bonus;
            }
        }
        Ok(())
    }
}

/// The rest and the best `count` of some matches.
fn best_first(
    matches: &mut [Match],
    count: usize,
    value: impl Fn(&Match) -> f64,
) -> (&mut [Match], &mut [Match]) {
    let order = |left: &Match, right: &Match| {
        value(left)
            .total_cmp(&value(right))
            .then_with(|| right.tie.cmp(&left.tie))
    };
    let rest = matches.len().saturating_sub(count);
    if rest > 0 {
        matches.select_nth_unstable_by(rest, order);
    }
    matches.split_at_mut(rest)
}
