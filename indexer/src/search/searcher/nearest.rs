//! Agents nearest to a need, whose capabilities are suggested when no agent fits.

use super::super::embedding::Vector;
use super::super::query_plan::QueryPlan;
use super::State;
use manifest::AgentId;
use tantivy::DocAddress;
use tantivy::collector::TopDocs;

/// Maximum number of agents.
const NEAREST_AGENTS: usize = 10;

impl State {
    /// Returns the agents nearest to the need: by meaning, or by words if it has no vector.
    pub(super) fn nearest_agents(&self, need: &QueryPlan) -> tantivy::Result<Vec<AgentId>> {
        let near = match &need.meaning {
            Some(vector) => self.near_in_meaning(vector)?,
            None => self.near_in_words(need)?,
        };
        let mut agents = Vec::with_capacity(near.len());
        for address in near {
            agents.extend(self.fields.agent(&self.searcher, address)?);
        }
        Ok(agents)
    }

    /// Returns the agents nearest to a need in meaning.
    fn near_in_meaning(&self, need: &Vector) -> tantivy::Result<Vec<DocAddress>> {
        let searcher = &self.searcher;
        let column = searcher.schema().get_field_name(self.fields.meaning);
        let is_listed = |at, document| !searcher.segment_reader(at).is_deleted(document);
        let near = self.sketches.nearest(need, searcher, column, is_listed)?;
        let mut near: Vec<_> = (0..)
            .zip(near)
            .flat_map(|(at, near)| near.into_iter().map(move |it| (it.1, at, it.0)))
            .collect();
        near.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        near.truncate(NEAREST_AGENTS);
        let near = near.into_iter();
        Ok(near
            .map(|(_, at, document)| DocAddress::new(at, document))
            .collect())
    }

    /// Returns the agents with the highest scores for any of the need's words.
    fn near_in_words(&self, need: &QueryPlan) -> tantivy::Result<Vec<DocAddress>> {
        let collector = TopDocs::with_limit(NEAREST_AGENTS).order_by_score();
        let near = self
            .searcher
            .search(&need.any_word(&self.fields), &collector)?;
        Ok(near.into_iter().map(|(_, address)| address).collect())
    }
}
