//! Neighbours of an agent: its category, and agents of other sites that are near it.

use super::State;
use crate::category::Category;
use crate::embedding::SentenceVector;
use crate::spelling::first_alive;
use crate::vector_search::{NeedVectors, Vectors};
use manifest::AgentId;
use std::collections::BTreeSet;
use tantivy::{DocAddress, DocId, SegmentOrdinal, Term};

/// Least cosine of a similar agent, in the same category and otherwise. Fitted to the demo: below, most are
/// of another trade.
const MIN_OF_CATEGORY: f32 = 0.3;
const MIN_OF_OTHERS: f32 = 0.45;

/// The category of an agent, and agents that are similar to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Category; none if the agent has none, waits for its sentence vector, or is not in the index.
    pub category: Option<&'static Category>,
    /// Similar agents, the nearest first, each of another registrable domain than the rest and the agent
    /// itself.
    pub similar: Vec<AgentId>,
}

impl State {
    /// Returns the neighbours of an agent, with at most `limit` similar agents.
    pub(super) fn neighbours(&self, id: &AgentId, limit: usize) -> tantivy::Result<Neighbours> {
        let term = Term::from_field_text(self.fields.id, id.as_str());
        let Some(own) = first_alive(&self.searcher, &term)? else {
            return Ok(Neighbours::default());
        };
        let category = self.fields.category(&self.searcher, own)?;
        let vectors = self.sentence_vectors(own.segment_ord)?;
        let vector = vectors.get(own.doc_id).filter(|_| limit > 0);
        let similar = match vector {
            Some(vector) => self.similar(own, &vector, category, limit)?,
            None => Vec::new(),
        };
        Ok(Neighbours { category, similar })
    }

    fn similar(
        &self,
        own: DocAddress,
        vector: &SentenceVector,
        category: Option<&'static Category>,
        limit: usize,
    ) -> tantivy::Result<Vec<AgentId>> {
        let segments = self.searcher.segment_readers();
        let column = self.searcher.schema().get_field_name(self.fields.group);
        let groups = segments
            .iter()
            .map(|it| it.fast_fields().u64(column))
            .collect::<tantivy::Result<Vec<_>>>()?;
        let group = |segment: SegmentOrdinal, document| groups[segment as usize].first(document);
        let own_group = group(own.segment_ord, own.doc_id);
        let is_other = |segment: SegmentOrdinal, document: DocId| {
            !segments[segment as usize].is_deleted(document)
                && group(segment, document) != own_group
        };
        let need = NeedVectors {
            sentence: Some(*vector),
            table: None,
        };
        let nearest = self
            .sketches
            .nearest(&need, &self.searcher, &self.fields, is_other)?;
        let mut near = Vec::new();
        for (segment, documents) in (0..).zip(nearest) {
            let vectors = self.sentence_vectors(segment)?;
            let cosines = documents.into_iter().filter_map(|document| {
                let cosine = vector.cosine(&vectors.get(document)?);
                let address = DocAddress::new(segment, document);
                (cosine >= MIN_OF_CATEGORY).then_some((cosine, address))
            });
            near.extend(cosines);
        }
        // Ties are in the order of the index.
        near.sort_by(|left, right| right.0.total_cmp(&left.0));
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for (cosine, address) in near {
            let is_near = cosine >= MIN_OF_OTHERS
                || category.is_some() && self.fields.category(&self.searcher, address)? == category;
            if is_near && seen.insert(group(address.segment_ord, address.doc_id)) {
                found.extend(self.fields.agent(&self.searcher, address)?);
                if found.len() == limit {
                    break;
                }
            }
        }
        Ok(found)
    }

    fn sentence_vectors(
        &self,
        segment: SegmentOrdinal,
    ) -> tantivy::Result<Vectors<{ SentenceVector::DIMENSIONS }>> {
        let column = self.searcher.schema().get_field_name(self.fields.sentence);
        Vectors::of(self.searcher.segment_reader(segment), column)
    }
}
