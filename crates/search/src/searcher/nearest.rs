//! Agents nearest to a need, whose capabilities are suggested when no agent fits.

use super::State;
use super::conditions::Conditions;
use crate::embedding::Vector;
use crate::query_plan::QueryPlan;
use manifest::AgentId;
use std::cmp::Reverse;
use tantivy::collector::TopNComputer;
use tantivy::query::{EnableScoring, Query as _};
use tantivy::{DocAddress, DocId, SegmentOrdinal};

/// Maximum number of agents.
const NEAREST_AGENTS: usize = 10;

impl State {
    /// Returns the agents nearest to the need that no filter and no exclusion rejects: by meaning,
    /// or by words if it has no vector.
    pub(super) fn nearest_agents(
        &self,
        need: &QueryPlan,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<Vec<AgentId>> {
        let filters = self.filters(conditions)?;
        // What is missing is not offered again if it is excluded; a phrase may be the reason why
        // nothing was found.
        let excluded = self.candidates(None, need.excluded(&self.fields))?;
        let is_accepted = |at: SegmentOrdinal, document: DocId| {
            let is_deleted = self.searcher.segment_reader(at).is_deleted(document);
            let allowed = excluded.get(at as usize).and_then(Option::as_ref);
            let filters = filters.get(at as usize);
            !is_deleted
                && allowed.is_none_or(|it| it.contains(document))
                && filters.is_none_or(|it| it.accept(document))
        };
        let mut near = match &need.meaning {
            Some(vector) => self.near_in_meaning(vector, is_accepted)?,
            None => self.near_in_words(need, is_accepted)?,
        };
        near.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        near.truncate(NEAREST_AGENTS);
        let mut agents = Vec::with_capacity(near.len());
        for (_, address) in near {
            agents.extend(self.fields.agent(&self.searcher, address)?);
        }
        Ok(agents)
    }

    /// Returns agents near a need in meaning, with their cosine.
    fn near_in_meaning(
        &self,
        need: &Vector,
        is_accepted: impl Fn(SegmentOrdinal, DocId) -> bool,
    ) -> tantivy::Result<Vec<(f32, DocAddress)>> {
        let column = self.searcher.schema().get_field_name(self.fields.meaning);
        let near = self
            .sketches
            .nearest(need, &self.searcher, column, is_accepted)?;
        let near = (0..).zip(near).flat_map(|(at, near)| {
            let near = near.into_iter();
            near.map(move |(document, cosine)| (cosine, DocAddress::new(at, document)))
        });
        Ok(near.collect())
    }

    /// Returns the agents with the highest scores for any of the need's words, with their score.
    fn near_in_words(
        &self,
        need: &QueryPlan,
        is_accepted: impl Fn(SegmentOrdinal, DocId) -> bool,
    ) -> tantivy::Result<Vec<(f32, DocAddress)>> {
        let query = need.any_word(&self.fields);
        let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
        let mut near = Vec::new();
        for (at, segment) in (0..).zip(self.searcher.segment_readers()) {
            let mut best = TopNComputer::<Reverse<f32>, DocAddress, _>::new(NEAREST_AGENTS);
            weight.for_each(segment, &mut |document, score| {
                if is_accepted(at, document) {
                    best.push(Reverse(score), DocAddress::new(at, document));
                }
            })?;
            near.extend(
                best.into_vec()
                    .into_iter()
                    .map(|it| (it.sort_key.0, it.doc)),
            );
        }
        Ok(near)
    }
}
