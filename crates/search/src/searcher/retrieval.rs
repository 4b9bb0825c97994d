//! Matching of a need by words, meaning and conditions, segment by segment.

use super::State;
use super::conditions::{Conditions, Rejection};
use crate::bm25;
use crate::collector::{Counter, Key, Match, MatchSet, Numbers};
use crate::embedding::Direction;
use crate::query_plan::QueryPlan;
use crate::ranking::{Features, Fit, Name, Scale, Score};
use crate::statistics::Statistics;
use crate::vector_search::{NeedVectors, Vectors};
use crate::{collector, proximity};
use std::cmp::Reverse;
use std::collections::HashMap;
use tantivy::collector::TopNComputer;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentOrdinal, SegmentReader, TERMINATED, Term};

/// Number of best matches by words whose cosine is computed.
const COMPARED: usize = 1_000;
/// Number of agents that are listed however far they are.
const MIN_LISTED: usize = 3;
/// Number of best matches whose word order is evaluated.
const REFINED: usize = 200;

impl State {
    /// Returns all matches of the need under the conditions. Their key is the score unless another
    /// order is requested.
    pub(super) fn matches(
        &self,
        need: &QueryPlan,
        statistics: &Statistics,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<MatchSet> {
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
        let vectors = need.vectors();
        let near = self
            .sketches
            .nearest(&vectors, searcher, &self.fields, is_allowed)?;
        let mut matches = Vec::new();
        for ((ordinal, segment), near) in (0..).zip(segments).zip(near) {
            let is_allowed = |document| is_allowed(ordinal, document);
            if need.is_empty() {
                let all = (0..segment.max_doc()).filter(|it| is_allowed(*it));
                matches.extend(all.map(|document| Match {
                    segment: ordinal,
                    document,
                    features: Features::default(),
                    score: Score::ANY,
                }));
            } else {
                let place = (ordinal, segment);
                self.find(need, place, statistics, is_allowed, &near, &mut matches)?;
            }
        }
        let scale = if need.is_empty() {
            None
        } else {
            Some(self.score(need, statistics, &mut matches)?)
        };
        self.retain_listed(need, conditions.least, &mut matches)?;
        // A filter removes agents and changes nothing else. Those that the filter of one facet alone
        // refuses are counted for that facet.
        if conditions.has_filters() {
            matches.retain(|it| {
                let rejection = filters[it.segment as usize].rejection(it.document);
                if let Rejection::One(facet) = rejection {
                    counters[it.segment as usize].count_one(facet, it);
                }
                rejection == Rejection::None
            });
        }
        for of_segment in collector::by_segment(&matches) {
            counters[of_segment[0].segment as usize].count(of_segment);
        }
        let mut collected = MatchSet {
            matches,
            key: Key::of_sort(conditions.sort, searcher, &self.fields)?,
            facets: HashMap::new(),
            scale,
        };
        for counter in counters {
            counter.pour_into(&mut collected)?;
        }
        Ok(collected)
    }

    /// Removes agents that are too far from the need or below the lowest level; the nearest
    /// [`MIN_LISTED`] are not too far.
    fn retain_listed(
        &self,
        need: &QueryPlan,
        least: Fit,
        matches: &mut Vec<Match>,
    ) -> tantivy::Result<()> {
        matches.retain(|it| it.score.fit() >= least);
        if need.is_only_exact {
            matches.retain(|it| it.features.name == Name::Exact);
        }
        let near = matches.iter().filter(|it| it.score.is_listed()).count();
        if near >= MIN_LISTED {
            matches.retain(|it| it.score.is_listed());
        } else if near < matches.len() {
            let ties = Numbers::open(&self.searcher, self.fields.tie)?;
            let nearest = best_of(matches, MIN_LISTED, &ties, |it| it.score.key());
            *matches = nearest.into_iter().map(|at| matches[at]).collect();
        }
        Ok(())
    }

    /// Finds the agents of one segment that have a word or are near in meaning, with their
    /// features.
    fn find(
        &self,
        need: &QueryPlan,
        (ordinal, segment): (SegmentOrdinal, &SegmentReader),
        statistics: &Statistics,
        is_allowed: impl Fn(DocId) -> bool,
        near: &[DocId],
        matches: &mut Vec<Match>,
    ) -> tantivy::Result<()> {
        let kinds = [
            (&need.near, Name::Similar),
            (&need.slips, Name::Slip),
            (&need.within, Name::Within),
            (&need.exact, Name::Exact),
        ];
        let mut of_names = Vec::with_capacity(kinds.len());
        for (terms, name) in kinds {
            of_names.push((Self::having(terms, segment, &is_allowed)?, name));
        }
        let mut others: Vec<DocId> = near.to_vec();
        others.extend(of_names.iter().flat_map(|(documents, _)| documents));
        others.sort_unstable();
        let (start, field) = (matches.len(), self.fields.text);
        // Reserving more memory than is written is cheap; growing the vector would copy it.
        matches.reserve(bm25::most(&need.words, segment, field)? + others.len());
        let mut pruner = Pruner::new(need.scale().least_words());
        let mut named = others.iter().copied().peekable();
        bm25::found(&need.words, segment, field, statistics, &others, |cell| {
            let document = cell.document;
            while named.next_if(|it| *it < document).is_some() {}
            let is_named = named.peek() == Some(&document);
            if !is_allowed(document) {
                return;
            }
            if pruner.keeps(cell.score) || is_named {
                matches.push(Match {
                    segment: ordinal,
                    document,
                    features: Features {
                        words: cell.score,
                        ..Features::default()
                    },
                    score: Score::ANY,
                });
            }
        })?;
        let found = &mut matches[start..];
        for (documents, name) in of_names {
            let documents = documents.into_iter().map(|document| (document, name));
            note(found, documents, |features, name| features.name = name);
        }
        let near = near.iter().map(|document| (*document, ()));
        note(found, near, |features, ()| features.is_compared = true);
        Ok(())
    }

    /// Returns the agents of a segment that have one of some names, addresses or ids, in
    /// order.
    fn having(
        terms: &[Term],
        segment: &SegmentReader,
        is_allowed: impl Fn(DocId) -> bool,
    ) -> tantivy::Result<Vec<DocId>> {
        let mut found = Vec::new();
        for term in terms {
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

    /// Scores matches: evaluates the meaning and the word order of the best. Removes those that are
    /// neither among the nearest nor among the best by words, and no match. Returns the scale of the
    /// scores.
    fn score(
        &self,
        need: &QueryPlan,
        statistics: &Statistics,
        matches: &mut Vec<Match>,
    ) -> tantivy::Result<Scale> {
        let ties = Numbers::open(&self.searcher, self.fields.tie)?;
        let scale = need.scale();
        for at in best_of(matches, COMPARED, &ties, |it| f64::from(it.features.words)) {
            matches[at].features.is_compared = true;
        }
        let enough = scale.least_words();
        matches.retain(|Match { features, .. }| {
            features.is_compared || features.name != Name::Other || features.words >= enough
        });
        let compared = (0..matches.len()).filter(|at| matches[*at].features.is_compared);
        let compared: Vec<usize> = compared.collect();
        self.compare(&need.vectors(), matches, &compared)?;
        self.add_properties(matches)?;
        for found in matches.iter_mut() {
            found.score = scale.score(&found.features);
        }
        let top = best_of(matches, REFINED, &ties, |it| it.score.key());
        self.refine(need, statistics, matches, &top)?;
        for &at in &top {
            let found = &mut matches[at];
            found.score = scale.score(&found.features);
        }
        let estimates = top.iter().map(|at| &matches[*at].features);
        let best = estimates.max_by(|left, right| {
            let chance = |features| scale.chance(features);
            chance(left).total_cmp(&chance(right))
        });
        let agreed = best.map_or(scale, |best| scale.agreed(best));
        if agreed.agreement() < 1.0 {
            for found in matches.iter_mut() {
                found.score = match found.features.name {
                    Name::Other => found.score.lowered(agreed.agreement()),
                    _ => agreed.score(&found.features),
                };
            }
        }
        Ok(agreed)
    }

    /// Adds what the scores need to know of each match, beside the need.
    fn add_properties(&self, matches: &mut [Match]) -> tantivy::Result<()> {
        let shortfalls = Numbers::open(&self.searcher, self.fields.shortfall)?;
        let foreign = Numbers::open(&self.searcher, self.fields.foreign)?;
        let mut numbers = Vec::with_capacity(matches.len());
        shortfalls.of_all(matches, |_, shortfall| numbers.push(shortfall));
        for (found, shortfall) in matches.iter_mut().zip(numbers.drain(..)) {
            found.features.shortfall = u8::try_from(shortfall).unwrap_or(u8::MAX);
        }
        foreign.of_all(matches, |_, is_foreign| numbers.push(is_foreign));
        for (found, is_foreign) in matches.iter_mut().zip(numbers) {
            found.features.is_foreign = is_foreign == 1;
        }
        Ok(())
    }

    /// Computes the cosines of some matches.
    fn compare(
        &self,
        need: &NeedVectors,
        matches: &mut [Match],
        some: &[usize],
    ) -> tantivy::Result<()> {
        for of_segment in by_segment(matches, some) {
            let segment = self.searcher.segment_reader(matches[of_segment[0]].segment);
            let sentences = self.cosines(
                need.sentence.as_ref(),
                self.fields.sentence,
                segment,
                matches,
                of_segment,
            )?;
            let by_table = self.cosines(
                need.table.as_ref(),
                self.fields.meaning,
                segment,
                matches,
                of_segment,
            )?;
            for ((&at, sentence), cosine) in of_segment.iter().zip(sentences).zip(by_table) {
                let features = &mut matches[at].features;
                (features.sentence, features.cosine) = (sentence, cosine);
            }
        }
        Ok(())
    }

    /// Returns the cosine of each of some matches of a segment with one vector of a need.
    fn cosines<const D: usize>(
        &self,
        need: Option<&Direction<D>>,
        field: Field,
        segment: &SegmentReader,
        matches: &[Match],
        some: &[usize],
    ) -> tantivy::Result<Vec<Option<f32>>> {
        let Some(need) = need else {
            return Ok(vec![None; some.len()]);
        };
        let column = self.searcher.schema().get_field_name(field);
        let vectors = Vectors::<D>::of(segment, column)?;
        let found = some.iter().map(|at| {
            let vector = vectors.get(matches[*at].document);
            vector.map(|it| need.cosine(&it))
        });
        Ok(found.collect())
    }

    /// Adds the word order to the words of some matches.
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
            let (steps, field) = (&need.steps, self.fields.text);
            let found = proximity::adjacencies(steps, &agents, segment, field, statistics)?;
            for (at, found) in of_segment.iter().zip(found) {
                let features = &mut matches[*at].features;
                features.words += found.bonus;
                features.focus = found.focus;
            }
        }
        Ok(())
    }
}

/// Pruning of the agents of a segment that match by words alone: most of those with one word of
/// many need not be kept.
struct Pruner {
    /// BM25 score from which an agent is shown without any meaning.
    enough: f32,
    /// The highest scores so far, of which the best [`COMPARED`] are kept from time to time.
    best: Vec<f32>,
    /// Score that fewer than [`COMPARED`] agents exceed.
    least: f32,
}

impl Pruner {
    fn new(enough: f32) -> Self {
        Self {
            enough,
            best: Vec::with_capacity(COMPARED * 2),
            least: f32::NEG_INFINITY,
        }
    }

    /// Records an agent, and reports whether it may be shown: for its words alone, or because its
    /// meaning will be compared.
    fn keeps(&mut self, words: f32) -> bool {
        if words >= self.enough {
            return true;
        }
        if words < self.least {
            return false;
        }
        if self.best.len() == COMPARED * 2 {
            let (_, least, _) = self
                .best
                .select_nth_unstable_by(COMPARED - 1, |left, right| right.total_cmp(left));
            self.least = *least;
            self.best.truncate(COMPARED);
        }
        self.best.push(words);
        true
    }
}

/// Records a value for some documents of a segment, which must be in order, in the features of
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
            set(&mut found.features, it);
        }
    }
}

/// Returns the indexes of the best matches, in index order; of equal ones the lower tie is better.
fn best_of(
    matches: &[Match],
    count: usize,
    ties: &Numbers,
    value: impl Fn(&Match) -> f64,
) -> Vec<usize> {
    let mut best = TopNComputer::<(Reverse<f64>, u64), usize, _>::new(count);
    let mut least = f64::NEG_INFINITY;
    for (at, found) in matches.iter().enumerate() {
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
