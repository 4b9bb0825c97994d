//! Collects every match of a segment: its place in the order, and the counts of facets.
//!
//! A facet that is both filtered and counted is filtered here and not in the query, because its own counts
//! ignore its own filter: whoever chose one format still sees how many the others have.

use super::ranking::Evidence;
use super::schema::Fields;
use super::{Facet, FacetCount, Sort};
use std::collections::HashMap;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentOrdinal, SegmentReader};

/// Values given for a facet, most frequent first.
const MAX_VALUES: usize = 100;

/// One match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    /// Segment in the searcher.
    pub(crate) segment: SegmentOrdinal,
    /// Document in the segment.
    pub(crate) document: DocId,
    /// The sort field's value or the relevance, higher first.
    pub(crate) key: f64,
    /// What speaks for it.
    pub(crate) evidence: Evidence,
    /// How many quality levels it is below the best.
    pub(crate) shortfall: u64,
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

/// Collects from one segment.
pub(crate) struct SegmentMatches {
    segment: SegmentOrdinal,
    tie: Column<u64>,
    group: Column<u64>,
    shortfall: Column<u64>,
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

impl SegmentMatches {
    /// Prepares the columns of a segment.
    pub(crate) fn open(
        segment: SegmentOrdinal,
        reader: &SegmentReader,
        fields: &Fields,
        sort: Sort,
        facets: &[Facet],
        filters: &[(Facet, Vec<String>)],
    ) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        let counted = facets.iter().map(|facet| {
            Ok(FacetColumn {
                facet: *facet,
                column: columns.str(facet.as_str())?,
                counts: HashMap::new(),
            })
        });
        let mut filtered = Vec::with_capacity(filters.len());
        for (facet, values) in filters {
            let mut accepted = Vec::with_capacity(values.len());
            let column = columns.str(facet.as_str())?;
            if let Some(column) = &column {
                for value in values {
                    accepted.extend(column.dictionary().term_ord(value)?);
                }
            }
            filtered.push(FilterColumn {
                facet: *facet,
                column,
                accepted,
            });
        }
        let schema = reader.schema();
        let name = |field| schema.get_field_name(field);
        let key = match sort {
            Sort::Relevance => Key::None,
            Sort::Updated => Key::Time(columns.i64(name(fields.updated))?),
            Sort::FirstSeen => Key::Time(columns.i64(name(fields.first_seen))?),
            Sort::Name => Key::Name(columns.u64(name(fields.name_key))?),
        };
        Ok(Self {
            segment,
            tie: columns.u64(name(fields.tie))?,
            group: columns.u64(name(fields.group))?,
            shortfall: columns.u64(name(fields.shortfall))?,
            key,
            facets: counted.collect::<tantivy::Result<_>>()?,
            filters: filtered,
            matches: Vec::new(),
        })
    }

    /// True when no filter refuses the agent.
    pub(crate) fn accepts(&self, document: DocId) -> bool {
        self.filters.iter().all(|filter| filter.accepts(document))
    }

    /// Takes a match in, unless a filter refuses it.
    pub(crate) fn collect(&mut self, document: DocId, evidence: Evidence) {
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
                evidence,
                key: self.key.of(document),
                tie: self.tie.first(document).unwrap_or(0),
                group: self.group.first(document).unwrap_or(0),
                shortfall: self.shortfall.first(document).unwrap_or(0),
            });
        }
    }

    /// Adds what was collected to what other segments gave.
    pub(crate) fn pour_into(self, all: &mut Collected) -> tantivy::Result<()> {
        all.matches.extend(self.matches);
        for facet in self.facets {
            let sums = all.facets.entry(facet.facet).or_default();
            let Some(column) = facet.column else {
                continue;
            };
            let mut value = String::new();
            for (ordinal, count) in facet.counts {
                if column.ord_to_str(ordinal, &mut value)? {
                    *sums.entry(value.clone()).or_default() += count;
                }
            }
        }
        Ok(())
    }
}
