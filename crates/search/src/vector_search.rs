//! Vector search: scans the binary sketches of all agents, then takes the cosines of the nearest.

use super::embedding::{Sketch, Vector};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::columnar::Column;
use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentOrdinal, SegmentReader};

/// Number of nearest agents whose cosine is computed.
const NEAREST: usize = 1_000;
/// Candidates kept until the nearest are selected.
const MAX_CAME: usize = 8 * NEAREST;

/// The distance of opposite signs.
const FARTHEST: u32 = 256;

/// Agents of a segment in order, with their cosines.
pub(crate) type Neighbors = Vec<(DocId, f32)>;

/// The sketches of each segment, read once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketches {
    by_segment: Arc<Mutex<HashMap<SegmentId, Arc<[Sketch]>>>>,
}

/// The vectors of a segment.
#[derive(Debug)]
pub(crate) struct Vectors {
    column: Column<u64>,
}

impl Vectors {
    /// Opens the column.
    pub(crate) fn of(segment: &SegmentReader, column: &str) -> tantivy::Result<Self> {
        Ok(Self {
            column: segment.fast_fields().u64(column)?,
        })
    }

    /// Returns the embedding of an agent's text; `None` if it has none.
    pub(crate) fn get(&self, document: DocId) -> Option<Vector> {
        let rows = self.column.index.value_row_ids(document);
        if rows.len() != Vector::NUMBERS {
            return None;
        }
        let mut numbers = [0; Vector::NUMBERS];
        self.column
            .values
            .get_range(u64::from(rows.start), &mut numbers);
        Vector::from_numbers(&numbers)
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
    /// Returns the nearest allowed agents with their cosines, by segment and in order.
    pub(crate) fn nearest(
        &self,
        need: &Vector,
        searcher: &Searcher,
        column: &str,
        is_allowed: impl Fn(SegmentOrdinal, DocId) -> bool,
    ) -> tantivy::Result<Vec<Neighbors>> {
        let wanted = need.signs();
        let mut nearest = NearestCandidates::new();
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let sketches = self.segment(segment, column)?;
            for (document, sketch) in (0..).zip(&*sketches) {
                let distance = wanted.distance(sketch);
                // The filter is checked last, as few agents are near enough.
                if distance < nearest.limit && is_allowed(ordinal, document) {
                    nearest.insert(distance, ordinal, document);
                }
            }
        }
        self.forget_all_but(searcher);
        let nearest = nearest.into_vec();
        let mut found = vec![Neighbors::new(); searcher.segment_readers().len()];
        for of_segment in nearest.chunk_by(|left, right| left.1 == right.1) {
            let ordinal = of_segment[0].1;
            let vectors = Vectors::of(searcher.segment_reader(ordinal), column)?;
            for &(_, _, document) in of_segment {
                if let Some(vector) = vectors.get(document) {
                    found[ordinal as usize].push((document, need.cosine(&vector)));
                }
            }
        }
        Ok(found)
    }

    /// Returns the sketches of a segment, which never changes.
    fn segment(&self, segment: &SegmentReader, column: &str) -> tantivy::Result<Arc<[Sketch]>> {
        let id = segment.segment_id();
        let known = self.lock().get(&id).cloned();
        if let Some(sketches) = known {
            return Ok(sketches);
        }
        let vectors = Vectors::of(segment, column)?;
        let sketches: Arc<[Sketch]> = (0..segment.max_doc())
            .map(|document| vectors.get(document).map_or(Sketch::NONE, |it| it.signs()))
            .collect();
        self.lock().insert(id, Arc::clone(&sketches));
        Ok(sketches)
    }

    /// Drops the sketches of segments that were merged.
    fn forget_all_but(&self, searcher: &Searcher) {
        let segments = searcher.segment_readers();
        self.lock()
            .retain(|id, _| segments.iter().any(|it| it.segment_id() == *id));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SegmentId, Arc<[Sketch]>>> {
        self.by_segment
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
