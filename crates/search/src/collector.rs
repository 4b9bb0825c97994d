//! Collection of the matches of a segment, with their sort keys and the counts of facets.

use super::facet::{Facet, FacetCount};
use super::ranking::{Features, Scale, Score};
use super::request::Sort;
use super::schema::Fields;
use std::collections::HashMap;
use tantivy::columnar::{Cardinality, Column, StrColumn};
use tantivy::schema::Field;
use tantivy::{DocId, Searcher, SegmentOrdinal, SegmentReader};

/// Number of matches whose column values are read at once.
const BLOCK: usize = 512;
/// Maximum number of values returned for a facet, most frequent first.
const MAX_VALUES: usize = 100;

/// One match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    /// Segment in the searcher.
    pub(crate) segment: SegmentOrdinal,
    /// Document in the segment.
    pub(crate) document: DocId,
    /// Features of the match.
    pub(crate) features: Features,
    /// Score, computed from the features once all of them are known.
    pub(crate) score: Score,
}

/// A numeric field of all agents, read on demand.
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

    /// Returns the value of one match.
    pub(crate) fn of(&self, found: &Match) -> u64 {
        let column = self.0.get(found.segment as usize);
        let number = column.and_then(|column| column.first(found.document));
        number.unwrap_or(0)
    }

    /// Passes the values of many matches, which must be in index order, to `take`, with the index
    /// of each match.
    pub(crate) fn of_all(&self, matches: &[Match], mut take: impl FnMut(usize, u64)) {
        let (mut documents, mut numbers) = ([0; BLOCK], [None; BLOCK]);
        let mut at = 0;
        for of_segment in by_segment(matches) {
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

/// Sort key of matches, higher first: the score, or a property.
#[derive(Debug)]
pub(crate) enum Key {
    Score,
    Time(Vec<Column<i64>>),
    Name(Numbers),
}

impl Key {
    /// Creates the key of an order.
    pub(crate) fn of_sort(
        sort: Sort,
        searcher: &Searcher,
        fields: &Fields,
    ) -> tantivy::Result<Self> {
        let times = |field| {
            let name = searcher.schema().get_field_name(field);
            let segments = searcher.segment_readers().iter();
            let columns = segments.map(|segment| segment.fast_fields().i64(name));
            columns.collect::<tantivy::Result<_>>()
        };
        Ok(match sort {
            Sort::Relevance => Self::Score,
            Sort::Updated => Self::Time(times(fields.updated)?),
            Sort::FirstSeen => Self::Time(times(fields.first_seen)?),
            Sort::Name => Self::Name(Numbers::open(searcher, fields.name_key)?),
        })
    }

    /// Returns the key of a match.
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds and six bytes fit into the 53 bits of a double"
    )]
    pub(crate) fn of(&self, found: &Match) -> f64 {
        match self {
            Self::Score => found.score.key(),
            Self::Time(times) => {
                let column = times.get(found.segment as usize);
                column.and_then(|it| it.first(found.document)).unwrap_or(0) as f64
            }
            Self::Name(names) => -(names.of(found) as f64),
        }
    }
}

/// Splits matches in index order by segment.
pub(crate) fn by_segment(matches: &[Match]) -> impl Iterator<Item = &[Match]> {
    let mut rest = matches;
    std::iter::from_fn(move || {
        let segment = rest.first()?.segment;
        let end = rest.partition_point(|it| it.segment == segment);
        let (of_segment, others) = rest.split_at(end);
        rest = others;
        Some(of_segment)
    })
}

/// Returns the index of the first match at or after a document, or the number of matches if there
/// is none. The matches must be of one segment and in order.
///
/// Callers walk through the matches and pass the rest of them, so the index is usually small.
/// Galloping search takes time logarithmic in the index, binary search in the number of matches.
pub(crate) fn from_document(matches: &[Match], document: DocId) -> usize {
    let mut stride = 1;
    let is_before = |found: &Match| found.document <= document;
    while matches.get(stride).is_some_and(is_before) {
        stride *= 2;
    }
    let near = &matches[..matches.len().min(stride)];
    near.partition_point(|found| found.document < document)
}

/// All matches, in index order.
#[derive(Debug)]
pub(crate) struct MatchSet {
    pub(crate) matches: Vec<Match>,
    pub(crate) key: Key,
    pub(crate) facets: HashMap<Facet, HashMap<String, u64>>,
    /// Scale of their scores; none if nothing is needed.
    pub(crate) scale: Option<Scale>,
}

impl MatchSet {
    /// Returns the counts of a facet, most frequent first, then by value.
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

/// Facet counters of one segment.
pub(crate) struct Counter {
    facets: Vec<FacetColumn>,
}

struct FacetColumn {
    facet: Facet,
    column: Option<StrColumn>,
    /// Numbers of matches by the ordinal of the value.
    counts: Vec<u64>,
    rows: Rows,
}

/// Reusable buffers for the positions of values in a column, and the values.
#[derive(Default)]
struct Rows {
    documents: Vec<DocId>,
    places: Vec<u32>,
    values: Vec<u64>,
}

impl FacetColumn {
    /// Counts the values of some documents.
    fn count(&mut self, documents: &[DocId]) {
        let Some(column) = &self.column else {
            return;
        };
        let Rows {
            documents: owners,
            places,
            values,
        } = &mut self.rows;
        let places: &[u32] = if column.ords().get_cardinality() == Cardinality::Full {
            documents
        } else {
            owners.clear();
            places.clear();
            column.ords().row_ids_for_docs(documents, owners, places);
            places
        };
        values.resize(places.len(), 0);
        column.ords().values.get_vals(places, values);
        for value in &*values {
            // An ordinal fits in a `usize` on every supported machine.
            let count = usize::try_from(*value).ok();
            if let Some(count) = count.and_then(|it| self.counts.get_mut(it)) {
                *count += 1;
            }
        }
    }
}

impl Counter {
    /// Opens the facet columns of a segment.
    pub(crate) fn open(reader: &SegmentReader, facets: &[Facet]) -> tantivy::Result<Self> {
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
        Ok(Self {
            facets: counted.collect::<tantivy::Result<_>>()?,
        })
    }

    /// Counts a match for one facet.
    pub(crate) fn count_one(&mut self, facet: Facet, found: &Match) {
        for column in self.facets.iter_mut().filter(|it| it.facet == facet) {
            column.count(&[found.document]);
        }
    }

    /// Counts the values of the matches of the segment.
    pub(crate) fn count(&mut self, matches: &[Match]) {
        let mut documents = [0; BLOCK];
        for block in matches.chunks(BLOCK) {
            for (document, found) in documents.iter_mut().zip(block) {
                *document = found.document;
            }
            for facet in &mut self.facets {
                facet.count(&documents[..block.len()]);
            }
        }
    }

    /// Adds the counts of this segment to the total.
    pub(crate) fn pour_into(self, all: &mut MatchSet) -> tantivy::Result<()> {
        for facet in self.facets {
            let sums = all.facets.entry(facet.facet).or_default();
            let Some(column) = facet.column else {
                continue;
            };
            let counts = (0..).zip(facet.counts).filter(|(_, count)| *count > 0);
            let (ordinals, counts): (Vec<u64>, Vec<u64>) = counts.unzip();
            let mut counts = counts.into_iter();
            column
                .dictionary()
                .sorted_ords_to_term_cb(&ordinals, |value| {
                    let count = counts.next().unwrap_or_default();
                    if let Ok(value) = str::from_utf8(value) {
                        *sums.entry(value.to_owned()).or_default() += count;
                    }
                })?;
        }
        Ok(())
    }
}
