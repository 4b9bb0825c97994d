//! Vector search: scans the binary sketches of all agents, then takes the cosines of the nearest.

use super::embedding::{Direction, SentenceVector, Sketch, Vector};
use super::schema::Fields;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::columnar::Column;
use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentOrdinal, SegmentReader};

/// Number of nearest agents whose cosine is computed.
const NEAREST: usize = 1_000;
/// Candidates kept until the nearest are selected.
const MAX_CAME: usize = 8 * NEAREST;

/// Number of sketches whose distances are computed at once.
const BLOCK: usize = 64;

/// Numbers of the longer vector.
const MAX_NUMBERS: usize = SentenceVector::NUMBERS;

/// The distance of opposite signs.
const FARTHEST: u32 = 256;

/// The sketches of each segment, read once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketches {
    by_segment: Arc<Mutex<HashMap<SegmentId, Arc<SegmentSketches>>>>,
}

/// The sketches of a segment.
#[derive(Debug)]
struct SegmentSketches {
    /// Sketches of the sentence vectors, by document.
    sentences: Vec<Sketch>,
    /// Sketches by the table of the agents that have no sentence vector.
    others: Vec<(DocId, Sketch)>,
}

/// Vectors of a need: by the sentence encoder and by the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeedVectors {
    pub(crate) sentence: Option<SentenceVector>,
    pub(crate) table: Option<Vector>,
}

/// The vectors of a segment in one column.
#[derive(Debug)]
pub(crate) struct Vectors<const D: usize> {
    column: Column<u64>,
}

impl<const D: usize> Vectors<D> {
    /// Opens the column.
    pub(crate) fn of(segment: &SegmentReader, column: &str) -> tantivy::Result<Self> {
        Ok(Self {
            column: segment.fast_fields().u64(column)?,
        })
    }

    /// Returns the sketch of the embedding of an agent; `None` if it has none.
    fn sketch(&self, document: DocId) -> Option<Sketch> {
        let rows = self.column.index.value_row_ids(document);
        let mut numbers = [0; Sketch::NUMBERS];
        if rows.len() != Direction::<D>::NUMBERS {
            return None;
        }
        let first = u64::from(rows.start);
        self.column.values.get_range(first, &mut numbers);
        Some(Sketch::of_numbers(&numbers))
    }

    /// Returns the embedding of an agent; `None` if it has none.
    pub(crate) fn get(&self, document: DocId) -> Option<Direction<D>> {
        let rows = self.column.index.value_row_ids(document);
        let mut numbers = [0; MAX_NUMBERS];
        let numbers = numbers.get_mut(..Direction::<D>::NUMBERS)?;
        if rows.len() != numbers.len() {
            return None;
        }
        self.column.values.get_range(u64::from(rows.start), numbers);
        Direction::from_numbers(numbers)
    }
}

/// The [`NEAREST`] of the agents that have come, in the order of the index.
struct NearestCandidates {
    /// Distance limit: enough candidates are at most this far, so only nearer ones are added.
    limit: u32,
    /// Number of candidates below the limit.
    nearer: usize,
    /// Number of candidates at each distance.
    at: [usize; FARTHEST as usize + 1],
    came: Vec<(u32, SegmentOrdinal, DocId)>,
}

impl NearestCandidates {
    fn new() -> Self {
        Self {
            limit: FARTHEST + 1,
            nearer: 0,
            at: [0; FARTHEST as usize + 1],
            came: Vec::with_capacity(MAX_CAME),
        }
    }

    /// Takes in an agent that is nearer than the limit.
    fn insert(&mut self, distance: u32, segment: SegmentOrdinal, document: DocId) {
        if self.came.len() == MAX_CAME {
            self.forget();
        }
        self.came.push((distance, segment, document));
        self.at[distance as usize] += 1;
        self.nearer += 1;
        while self.nearer >= NEAREST {
            self.limit -= 1;
            self.nearer -= self.at[self.limit as usize];
        }
    }

    /// Drops the candidates that are too far; ties go to the earlier one.
    fn forget(&mut self) {
        let mut room = NEAREST - self.nearer;
        self.came.retain(|(distance, ..)| {
            let is_last = *distance == self.limit && room > 0;
            room -= usize::from(is_last);
            *distance < self.limit || is_last
        });
    }

    fn into_vec(mut self) -> Vec<(u32, SegmentOrdinal, DocId)> {
        self.forget();
        self.came
    }
}

impl Sketches {
    /// Returns the nearest allowed agents with a sentence vector, and the nearest of those without
    /// one by the table, by segment and in order.
    pub(crate) fn nearest(
        &self,
        need: &NeedVectors,
        searcher: &Searcher,
        fields: &Fields,
        is_allowed: impl Fn(SegmentOrdinal, DocId) -> bool,
    ) -> tantivy::Result<Vec<Vec<DocId>>> {
        if need.sentence.is_none() && need.table.is_none() {
            return Ok(vec![Vec::new(); searcher.segment_readers().len()]);
        }
        let sentence = need.sentence.map(|it| it.signs());
        let table = need.table.map(|it| it.signs());
        let (mut nearest, mut others) = (NearestCandidates::new(), NearestCandidates::new());
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let sketches = self.segment(segment, searcher, fields)?;
            // The filter is checked last, as few agents are near enough.
            if let Some(wanted) = sentence {
                let mut distances = [0; BLOCK];
                for (first, block) in (0..).step_by(BLOCK).zip(sketches.sentences.chunks(BLOCK)) {
                    let distances = &mut distances[..block.len()];
                    wanted.distances(block, distances);
                    // Most blocks have no near agent, which is faster found out without a branch for each.
                    if distances.iter().all(|it| *it >= nearest.limit) {
                        continue;
                    }
                    for ((document, sketch), distance) in (first..).zip(block).zip(&*distances) {
                        let is_near = *distance < nearest.limit && *sketch != Sketch::NONE;
                        if is_near && is_allowed(ordinal, document) {
                            nearest.insert(*distance, ordinal, document);
                        }
                    }
                }
            }
            if let Some(wanted) = table {
                for (document, sketch) in &sketches.others {
                    let distance = wanted.distance(sketch);
                    if distance < others.limit && is_allowed(ordinal, *document) {
                        others.insert(distance, ordinal, *document);
                    }
                }
            }
        }
        self.forget_all_but(searcher);
        let mut found = vec![Vec::new(); searcher.segment_readers().len()];
        for (_, ordinal, document) in nearest.into_vec().into_iter().chain(others.into_vec()) {
            found[ordinal as usize].push(document);
        }
        for of_segment in &mut found {
            of_segment.sort_unstable();
            of_segment.dedup();
        }
        Ok(found)
    }

    /// Returns the sketches of a segment, which never changes.
    fn segment(
        &self,
        segment: &SegmentReader,
        searcher: &Searcher,
        fields: &Fields,
    ) -> tantivy::Result<Arc<SegmentSketches>> {
        let id = segment.segment_id();
        let known = self.lock().get(&id).cloned();
        if let Some(sketches) = known {
            return Ok(sketches);
        }
        let column = |field| searcher.schema().get_field_name(field);
        let vectors =
            Vectors::<{ SentenceVector::DIMENSIONS }>::of(segment, column(fields.sentence))?;
        let by_table = Vectors::<{ Vector::DIMENSIONS }>::of(segment, column(fields.meaning))?;
        let mut sentences = Vec::with_capacity(segment.max_doc() as usize);
        let mut others = Vec::new();
        for document in 0..segment.max_doc() {
            let sketch = vectors.sketch(document);
            if sketch.is_none() {
                let by_table = by_table.sketch(document);
                others.extend(by_table.map(|it| (document, it)));
            }
            sentences.push(sketch.unwrap_or(Sketch::NONE));
        }
        let sketches = Arc::new(SegmentSketches { sentences, others });
        self.lock().insert(id, Arc::clone(&sketches));
        Ok(sketches)
    }

    /// Drops the sketches of segments that were merged.
    fn forget_all_but(&self, searcher: &Searcher) {
        let segments = searcher.segment_readers();
        self.lock()
            .retain(|id, _| segments.iter().any(|it| it.segment_id() == *id));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SegmentId, Arc<SegmentSketches>>> {
        self.by_segment
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
