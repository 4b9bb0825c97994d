//! Agents nearest to a need, whose capabilities are suggested when no agent fits.

use super::super::embedding::Vector;
use super::super::query_plan::{self, QueryPlan};
use super::State;
use super::conditions::Conditions;
use manifest::AgentId;
use tantivy::DocAddress;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Occur, Query};

/// Maximum number of agents.
const NEAREST_AGENTS: usize = 10;

impl State {
    /// Returns the agents nearest to the need that no filter rejects: by meaning, or by words if it
    /// has no vector.
    pub(super) fn nearest_agents(
        &self,
        need: &QueryPlan,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<Vec<AgentId>> {
        let near = match &need.meaning {
            Some(vector) => self.near_in_meaning(vector, conditions)?,
            None => self.near_in_words(need, conditions)?,
        };
        let mut agents = Vec::with_capacity(near.len());
        for address in near {
            agents.extend(self.fields.agent(&self.searcher, address)?);
        }
        Ok(agents)
    }

    /// Returns the agents nearest to a need in meaning.
    fn near_in_meaning(
        &self,
        need: &Vector,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<Vec<DocAddress>> {
        let searcher = &self.searcher;
        let column = searcher.schema().get_field_name(self.fields.meaning);
        let filters = self.filters(conditions)?;
        let is_allowed = |at, document| {
            let is_deleted = searcher.segment_reader(at).is_deleted(document);
            let filters = filters.get(at as usize);
            !is_deleted && filters.is_none_or(|it| it.accept(document))
        };
        let near = self.sketches.nearest(need, searcher, column, is_allowed)?;
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
    fn near_in_words(
        &self,
        need: &QueryPlan,
        conditions: &Conditions<'_>,
    ) -> tantivy::Result<Vec<DocAddress>> {
        let of_facet = |(facet, values): (_, &Vec<String>)| {
            let query = query_plan::has_value(facet, values, &self.fields);
            Box::new(ConstScoreQuery::new(query, 0.0)) as Box<dyn Query>
        };
        let wanted = conditions
            .filters
            .iter()
            .map(|(facet, values)| (*facet, values));
        let unwanted = conditions
            .excluded
            .iter()
            .map(|(facet, values)| (*facet, values));
        let mut clauses = vec![(Occur::Must, need.any_word(&self.fields))];
        clauses.extend(wanted.map(of_facet).map(|it| (Occur::Must, it)));
        clauses.extend(unwanted.map(of_facet).map(|it| (Occur::MustNot, it)));
        let collector = TopDocs::with_limit(NEAREST_AGENTS).order_by_score();
        let near = self
            .searcher
            .search(&BooleanQuery::new(clauses), &collector)?;
        Ok(near.into_iter().map(|(_, address)| address).collect())
    }
}
