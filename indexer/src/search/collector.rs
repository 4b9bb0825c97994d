//! Collects every match of a segment: its place in the order, and the counts of facets.
//!
//! A facet that is both filtered and counted is filtered here and not in the query, because its own counts
//! ignore its own filter: whoever chose one format still sees how many the others have.

use super::ranking::Evidence;
use super::schema::Fields;
use super::{Facet, FacetCount, Sort};
use std::collections::HashMap;
use tantivy::columnar::{Column, StrColumn};
use tantivy::schema::Field;
use tantivy::{DocId, Searcher, SegmentOrdinal, SegmentReader};

/// Matches whose numbers and values are read at once.
const BLOCK: usize = 512;
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
}

/// A number of every agent, read when it is asked for.
#[derive(Debug)]
pub(crate) struct Numbers(Vec<Column<u64>>);

impl Numbers {
    /// Opens a field in every segment.
    pub(crate) fn open(searcher: &Searcher, field: Field) -> tantivy::Result<Self> {
        let name = searcher.schema().get_field_name(field);
        let segments = searcher.segment_readers().iter();
        let columns = segments.map(|segment| segment.fast_fields().u64(name));
        Ok(Self(columns.collect::<tantivy::Result<_>>()?))
    }

    /// That of one match.
    pub(crate) fn of(&self, found: &Match) -> u64 {
        let column = self.0.get(found.segment as usize);
        let number = column.and_then(|column| column.first(found.document));
        number.unwrap_or(0)
    }

    /// Those of many matches, which come in the order of the index.
    pub(crate) fn of_all(&self, matches: &[Match], mut take: impl FnMut(usize, u64)) {
        let (mut documents, mut numbers) = ([0; BLOCK], [None; BLOCK]);
        let mut at = 0;
        for of_segment in matches.chunk_by(|left, right| left.segment == right.segment) {
            let Some(column) = self.0.get(of_segment[0].segment as usize) else {
                continue;
            };
            for block in of_segment.chunks(BLOCK) {
                for (document, found) in documents.iter_mut().zip(block) {
                    *document = found.document;
                }
                let numbers = &mut numbers[..block.len()];
                numbers.fill(None);
                column.first_vals(&documents[..block.len()], numbers);
                for number in numbers {
                    take(at, number.unwrap_or(0));
                    at += 1;
                }
            }
        }
    }
}

/// Everything that matched, in the order of the index.
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
    key: Key,
    facets: Vec<FacetColumn>,
    filters: Vec<FilterColumn>,
    matches: Vec<Match>,
    /// How many of the matches have been counted.
    counted: usize,
}

enum Key {
    None,
    Time(Column<i64>),
    Name(Column<u64>),
}

struct FacetColumn {
    facet: Facet,
    column: Option<StrColumn>,
    /// By the ordinal of the value.
    counts: Vec<u32>,
    rows: Rows,
}

/// Where the values of some agents stand in a column, and the values: room that is used again and again.
#[derive(Default)]
struct Rows {
    documents: Vec<DocId>,
    places: Vec<u32>,
    values: Vec<u64>,
}

impl FacetColumn {
    /// Counts the values of some agents.
    fn count(&mut self, documents: &[DocId]) {
        let Some(column) = &self.column else {
            return;
        };
        let Rows {
            documents: owners,
            places,
            values,
        } = &mut self.rows;
        owners.clear();
        places.clear();
        column.ords().row_ids_for_docs(documents, owners, places);
        values.resize(places.len(), 0);
        column.ords().values.get_vals(places, values);
        for value in values {
            // An ordinal stands for a place in memory on every machine that this runs on.
            if let Some(count) = usize::try_from(*value)
                .ok()
                .and_then(|it| self.counts.get_mut(it))
            {
                *count += 1;
            }
        }
    }
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
            let column = columns.str(facet.as_str())?;
            Ok(FacetColumn {
                facet: *facet,
                counts: vec![0; column.as_ref().map_or(0, |it| it.num_terms())],
                column,
                rows: Rows::default(),
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
            key,
            facets: counted.collect::<tantivy::Result<_>>()?,
            filters: filtered,
            matches: Vec::new(),
            counted: 0,
        })
    }

    /// True when no filter refuses the agent.
    pub(crate) fn accepts(&self, document: DocId) -> bool {
        self.filters.iter().all(|filter| filter.accepts(document))
    }

    /// Takes a match in, unless a filter refuses it.
    pub(crate) fn collect(&mut self, document: DocId, evidence: Evidence) {
        let mut refused = self.filters.iter().filter(|it| !it.accepts(document));
        match (refused.next(), refused.next()) {
            (None, _) => {}
            (Some(_), Some(_)) => return,
            (Some(filter), None) => {
                let refusing = filter.facet;
                for facet in self.facets.iter_mut().filter(|it| it.facet == refusing) {
                    facet.count(&[document]);
                }
                return;
            }
        }
        self.matches.push(Match {
            segment: self.segment,
            document,
            evidence,
            key: self.key.of(document),
            shortfall: 0,
        });
        if self.matches.len() - self.counted == BLOCK {
            self.count();
        }
    }

    /// Counts the values of the matches that have not been counted.
    fn count(&mut self) {
        let documents = self.matches[self.counted..].iter().map(|it| it.document);
        let documents: Vec<DocId> = documents.collect();
        for facet in &mut self.facets {
            facet.count(&documents);
        }
        self.counted = self.matches.len();
    }

    /// Adds what was collected to what other segments gave.
    pub(crate) fn pour_into(mut self, all: &mut Collected) -> tantivy::Result<()> {
        self.count();
        all.matches.extend(self.matches);
        for facet in self.facets {
            let sums = all.facets.entry(facet.facet).or_default();
            let Some(column) = facet.column else {
                continue;
            };
            let counts = (0..).zip(facet.counts).filter(|(_, count)| *count > 0);
            let (ordinals, counts): (Vec<u64>, Vec<u32>) = counts.unzip();
            let mut counts = counts.into_iter().map(u64::from);
            column
                .dictionary()
                .sorted_ords_to_term_cb(&ordinals, |value| {
                    let count = counts.next().unwrap_or(0);
                    if let Ok(value) = str::from_utf8(value) {
                        match sums.get_mut(value) {
                            Some(sum) => *sum += count,
                            None => drop(sums.insert(value.to_owned(), count)),
                        }
                    }
                })?;
        }
        Ok(())
    }
}
