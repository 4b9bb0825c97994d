//! Collects every match: its weight, what sorts it, and the counts of facets.
//!
//! A facet that is both filtered and counted is filtered here and not in the query, because its own counts
//! ignore its own filter: whoever chose one format still sees how many the others have.

use super::schema::Fields;
use super::{Facet, FacetCount, Sort};
use std::collections::HashMap;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, Score, SegmentOrdinal, SegmentReader};

/// Values given for a facet, most frequent first.
const MAX_VALUES: usize = 100;

/// What to collect.
#[derive(Debug)]
pub(crate) struct Matches<'a> {
    /// Scores below do not match.
    pub(crate) threshold: f32,
    /// Order of the hits.
    pub(crate) sort: Sort,
    /// Facets to count.
    pub(crate) facets: &'a [Facet],
    /// Filters on facets that are counted.
    pub(crate) filters: &'a [(Facet, Vec<String>)],
    /// The fields' names.
    pub(crate) fields: &'a Fields,
}

/// One match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    /// Segment in the searcher.
    pub(crate) segment: SegmentOrdinal,
    /// Document in the segment.
    pub(crate) document: DocId,
    /// The query's score.
    pub(crate) score: Score,
    /// The sort field's value, higher first; nothing for relevance.
    pub(crate) key: f64,
    /// Hash of the id.
    pub(crate) tie: u64,
    /// Hash of the registrable domain.
    pub(crate) group: u64,
}

/// Everything that matched.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) matches: Vec<Match>,
    pub(crate) facets: HashMap<Facet, HashMap<String, u64>>,
}

impl Collected {
    /// The counts of a facet, most frequent first, then by value.
    pub(crate) fn counts(&mut self, facet: Facet) -> Vec<FacetCount> {
        let mut counts: Vec<_> = self
            .facets
            .remove(&facet)
            .unwrap_or_default()
            .into_iter()
            .map(|(value, count)| FacetCount { value, count })
            .collect();
        counts.sort_unstable_by(|left, right| {
            (right.count, &left.value).cmp(&(left.count, &right.value))
        });
        counts.truncate(MAX_VALUES);
        counts
    }
}

impl Collector for Matches<'_> {
    type Fruit = Collected;
    type Child = SegmentMatches;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<SegmentMatches> {
        let columns = reader.fast_fields();
        let mut facets = Vec::with_capacity(self.facets.len());
        for facet in self.facets {
            facets.push(FacetColumn {
                facet: *facet,
                column: columns.str(facet.as_str())?,
                counts: HashMap::new(),
            });
        }
        let mut filters = Vec::with_capacity(self.filters.len());
        for (facet, values) in self.filters {
            let mut accepted = Vec::with_capacity(values.len());
            let column = columns.str(facet.as_str())?;
            if let Some(column) = &column {
                for value in values {
                    accepted.extend(column.dictionary().term_ord(value)?);
                }
            }
            filters.push(FilterColumn {
                facet: *facet,
                column,
                accepted,
            });
        }
        let schema = reader.schema();
        let name = |field| schema.get_field_name(field);
        let key = match self.sort {
            Sort::Relevance => Key::None,
            Sort::Updated => Key::Time(columns.i64(name(self.fields.updated))?),
            Sort::FirstSeen => Key::Time(columns.i64(name(self.fields.first_seen))?),
            Sort::Name => Key::Name(columns.u64(name(self.fields.name_key))?),
        };
        Ok(SegmentMatches {
            segment,
            threshold: self.threshold,
            tie: columns.u64(name(self.fields.tie))?,
            group: columns.u64(name(self.fields.group))?,
            key,
            facets,
            filters,
            matches: Vec::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(
        &self,
        segments: Vec<tantivy::Result<Collected>>,
    ) -> tantivy::Result<Collected> {
        let mut merged = Collected::default();
        for segment in segments {
            let segment = segment?;
            merged.matches.extend(segment.matches);
            for (facet, counts) in segment.facets {
                let sums = merged.facets.entry(facet).or_default();
                for (value, count) in counts {
                    *sums.entry(value).or_default() += count;
                }
            }
        }
        Ok(merged)
    }
}

/// Collects from one segment.
pub(crate) struct SegmentMatches {
    segment: SegmentOrdinal,
    threshold: f32,
    tie: Column<u64>,
    group: Column<u64>,
    key: Key,
    facets: Vec<FacetColumn>,
    filters: Vec<FilterColumn>,
    matches: Vec<Match>,
}

enum Key {
    None,
    Time(Column<i64>),
    Name(Column<u64>),
}

struct FacetColumn {
    facet: Facet,
    column: Option<StrColumn>,
    counts: HashMap<u64, u64>,
}

struct FilterColumn {
    facet: Facet,
    column: Option<StrColumn>,
    /// Ordinals of the values asked for.
    accepted: Vec<u64>,
}

impl FilterColumn {
    fn accepts(&self, document: DocId) -> bool {
        self.column.as_ref().is_some_and(|column| {
            column
                .ords()
                .values_for_doc(document)
                .any(|value| self.accepted.contains(&value))
        })
    }
}

impl Key {
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds and six bytes fit into the 53 bits of a double"
    )]
    fn of(&self, document: DocId) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Time(column) => column.first(document).unwrap_or(0) as f64,
            Self::Name(column) => -(column.first(document).unwrap_or(0) as f64),
        }
    }
}

impl SegmentCollector for SegmentMatches {
    type Fruit = tantivy::Result<Collected>;

    fn collect(&mut self, document: DocId, score: Score) {
        if score < self.threshold {
            return;
        }
        let mut refused = self.filters.iter().filter(|it| !it.accepts(document));
        let (first, second) = (refused.next().map(|it| it.facet), refused.next());
        if second.is_some() {
            return;
        }
        for facet in &mut self.facets {
            if first.is_none_or(|refusing| refusing == facet.facet)
                && let Some(column) = &facet.column
            {
                for value in column.ords().values_for_doc(document) {
                    *facet.counts.entry(value).or_default() += 1;
                }
            }
        }
        if first.is_none() {
            self.matches.push(Match {
                segment: self.segment,
                document,
                score,
                key: self.key.of(document),
                tie: self.tie.first(document).unwrap_or(0),
                group: self.group.first(document).unwrap_or(0),
            });
        }
    }

    fn harvest(self) -> tantivy::Result<Collected> {
        let mut facets = HashMap::new();
        for facet in self.facets {
            let mut counts = HashMap::with_capacity(facet.counts.len());
            if let Some(column) = facet.column {
                let mut value = String::new();
                for (ordinal, count) in facet.counts {
                    if column.ord_to_str(ordinal, &mut value)? {
                        counts.insert(value.clone(), count);
                    }
                }
            }
            facets.insert(facet.facet, counts);
        }
        Ok(Collected {
            matches: self.matches,
            facets,
        })
    }
}
