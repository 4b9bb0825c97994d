//! Agents near a need in meaning: a quick look at the sketches of all, then the cosines of the nearest.

use super::semantic::{Signs, Vector};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::columnar::Column;
use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentOrdinal, SegmentReader};

/// Agents whose cosine is taken.
const NEAREST: usize = 1_000;

/// The sketches of each segment, read once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketches {
    by_segment: Arc<Mutex<HashMap<SegmentId, Arc<[Signs]>>>>,
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

    /// What an agent's text means; none when nothing is known of it.
    pub(crate) fn get(&self, document: DocId) -> Option<Vector> {
        let mut numbers = [0; Vector::NUMBERS];
        let mut stored = self.column.values_for_doc(document);
        for number in &mut numbers {
            *number = stored.next()?;
        }
        Vector::from_numbers(&numbers)
    }
}

impl Sketches {
    /// The nearest agents of all that are allowed, with their cosines, by segment.
    pub(crate) fn nearest(
        &self,
        need: &Vector,
        searcher: &Searcher,
        column: &str,
        is_allowed: impl Fn(SegmentOrdinal, DocId) -> bool,
    ) -> tantivy::Result<Vec<HashMap<DocId, f32>>> {
        let wanted = need.signs();
        let mut near: Vec<(u32, SegmentOrdinal, DocId)> = Vec::new();
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let sketches = self.segment(segment, column)?;
            for (document, sketch) in (0..).zip(&*sketches) {
                if is_allowed(ordinal, document) {
                    near.push((wanted.distance(sketch), ordinal, document));
                }
            }
        }
        self.forget_all_but(searcher);
        if near.len() > NEAREST {
            near.select_nth_unstable(NEAREST);
            near.truncate(NEAREST);
        }
        let mut found = vec![HashMap::new(); searcher.segment_readers().len()];
        for (ordinal, (segment, found)) in
            (0..).zip(searcher.segment_readers().iter().zip(&mut found))
        {
            let vectors = Vectors::of(segment, column)?;
            for (_, _, document) in near.iter().filter(|(_, at, _)| *at == ordinal) {
                if let Some(vector) = vectors.get(*document) {
                    found.insert(*document, need.cosine(&vector));
                }
            }
        }
        Ok(found)
    }

    /// The sketches of a segment, which never changes.
    fn segment(&self, segment: &SegmentReader, column: &str) -> tantivy::Result<Arc<[Signs]>> {
        let id = segment.segment_id();
        let known = self.lock().get(&id).cloned();
        if let Some(sketches) = known {
            return Ok(sketches);
        }
        let vectors = Vectors::of(segment, column)?;
        let sketches: Arc<[Signs]> = (0..segment.max_doc())
            .map(|document| vectors.get(document).map_or(Signs::NONE, |it| it.signs()))
            .collect();
        self.lock().insert(id, Arc::clone(&sketches));
        Ok(sketches)
    }

    /// Forgets segments that were merged away.
    fn forget_all_but(&self, searcher: &Searcher) {
        let segments = searcher.segment_readers();
        self.lock()
            .retain(|id, _| segments.iter().any(|it| it.segment_id() == *id));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SegmentId, Arc<[Signs]>>> {
        self.by_segment
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
