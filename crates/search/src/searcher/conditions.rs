//! Conditions that an agent must meet in addition to the need.
//!
//! Phrases and excluded words determine the candidates, and thereby the best one. Filters are
//! applied afterwards, to the matches of an answer, so that each shows as many agents as were counted
//! for it.

use super::State;
use crate::facet::Facet;
use crate::query_plan::{self, QueryPlan};
use crate::ranking::Fit;
use crate::request::Sort;
use std::collections::BTreeMap;
use tantivy::query::{EnableScoring, Query, Weight};
use tantivy::{BitSet, DocId, SegmentReader};

/// Conditions of a request, beside the need.
#[derive(Debug)]
pub(super) struct Conditions<'a> {
    pub(super) sort: Sort,
    pub(super) facets: &'a [Facet],
    pub(super) filters: &'a BTreeMap<Facet, Vec<String>>,
    pub(super) excluded: &'a BTreeMap<Facet, Vec<String>>,
    /// Lowest level.
    pub(super) least: Fit,
}

/// Candidates of a segment; `None` if every agent is a candidate.
type Candidates = Option<BitSet>;

/// Filters of a request, evaluated for one segment.
pub(super) struct Filters(Vec<Filter>);

struct Filter {
    /// Facet whose counts ignore the filter: with one format selected, the counts of the others
    /// remain.
    facet: Option<Facet>,
    accepted: BitSet,
}

/// Number of filters that reject an agent: none, one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    None,
    /// Only the filter of one facet; the agent still counts for this facet.
    One(Facet),
    /// Several filters, or an excluding one.
    Others,
}

impl Conditions<'_> {
    /// Reports whether a filter may reject some matches.
    pub(super) fn has_filters(&self) -> bool {
        !self.filters.is_empty() || !self.excluded.is_empty()
    }
}

impl Filters {
    /// Returns the filters that reject the agent.
    pub(super) fn rejection(&self, document: DocId) -> Rejection {
        let is_refusing = |filter: &&Filter| !filter.accepted.contains(document);
        let mut rejection = self.0.iter().filter(is_refusing);
        match (rejection.next(), rejection.next()) {
            (None, _) => Rejection::None,
            (Some(filter), None) => filter.facet.map_or(Rejection::Others, Rejection::One),
            (Some(_), Some(_)) => Rejection::Others,
        }
    }
}

impl State {
    /// Evaluates the filters, segment by segment.
    pub(super) fn filters(&self, conditions: &Conditions<'_>) -> tantivy::Result<Vec<Filters>> {
        let scoring = EnableScoring::disabled_from_searcher(&self.searcher);
        let weights = |filters: &BTreeMap<Facet, Vec<String>>| {
            filters
                .iter()
                .map(|(facet, values)| {
                    let query = query_plan::has_value(*facet, values, &self.fields);
                    Ok((*facet, query.weight(scoring)?))
                })
                .collect::<tantivy::Result<Vec<_>>>()
        };
        let (wanted, unwanted) = (weights(conditions.filters)?, weights(conditions.excluded)?);
        let of_segment = |segment| {
            let wanted = wanted.iter().map(|(facet, weight)| {
                Ok(Filter {
                    facet: Some(*facet),
                    accepted: those(&**weight, segment)?,
                })
            });
            let unwanted = unwanted.iter().map(|(_, weight)| {
                let mut accepted = BitSet::with_max_value_and_full(segment.max_doc());
                remove(&**weight, segment, &mut accepted)?;
                Ok(Filter {
                    facet: None,
                    accepted,
                })
            });
            Ok(Filters(
                wanted.chain(unwanted).collect::<tantivy::Result<_>>()?,
            ))
        };
        self.searcher
            .segment_readers()
            .iter()
            .map(of_segment)
            .collect()
    }

    /// Returns the candidates, segment by segment.
    pub(super) fn allowed(&self, need: &QueryPlan) -> tantivy::Result<Vec<Candidates>> {
        let required = need.required_of_all(&self.fields);
        self.candidates(required, need.excluded(&self.fields))
    }

    /// Returns the agents that match a required query and no excluded one, segment by segment.
    pub(super) fn candidates(
        &self,
        required: Option<Box<dyn Query>>,
        excluded: Vec<Box<dyn Query>>,
    ) -> tantivy::Result<Vec<Candidates>> {
        let scoring = EnableScoring::disabled_from_searcher(&self.searcher);
        let weigh = |query: Box<dyn Query>| query.weight(scoring);
        let required = required.map(weigh).transpose()?;
        let excluded = excluded.into_iter().map(weigh);
        let excluded = excluded.collect::<tantivy::Result<Vec<_>>>()?;
        let of_segment = |segment| {
            let mut allowed = match &required {
                Some(weight) => Some(those(&**weight, segment)?),
                None => None,
            };
            for weight in &excluded {
                let all = || BitSet::with_max_value_and_full(segment.max_doc());
                remove(&**weight, segment, allowed.get_or_insert_with(all))?;
            }
            Ok(allowed)
        };
        self.searcher
            .segment_readers()
            .iter()
            .map(of_segment)
            .collect()
    }
}

/// Returns the agents of a segment that match a query.
fn those(weight: &dyn Weight, segment: &SegmentReader) -> tantivy::Result<BitSet> {
    let mut found = BitSet::with_max_value(segment.max_doc());
    weight.for_each_no_score(segment, &mut |documents| {
        for document in documents {
            found.insert(*document);
        }
    })?;
    Ok(found)
}

/// Removes the agents of a segment that match a query.
fn remove(
    weight: &dyn Weight,
    segment: &SegmentReader,
    agents: &mut BitSet,
) -> tantivy::Result<()> {
    weight.for_each_no_score(segment, &mut |documents| {
        for document in documents {
            agents.remove(*document);
        }
    })
}
