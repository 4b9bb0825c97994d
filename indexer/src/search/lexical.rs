//! How well the words of a need stand in the agents of a segment: BM25 over one field, word by word.
//!
//! Tantivy's own scorers give one number per agent; ranking also asks how much of the need was found. Walking the
//! posting lists here gives both in one pass, and lets a word have several spellings without counting twice.

use super::need::Word;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Searcher, SegmentReader, Term};

/// How soon further mentions of a word stop to count, and how much long texts are discounted.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// What BM25 needs to know of the whole index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statistics {
    documents: u64,
    average_length: f32,
}

/// What was found in one segment.
#[derive(Debug)]
pub(crate) struct Found {
    cells: Vec<Cell>,
    documents: Vec<DocId>,
}

/// What was found of a need in one agent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    /// The BM25 score.
    pub(crate) score: f32,
    /// Weights of the words found.
    pub(crate) weight: f32,
    /// Number of the words found.
    pub(crate) words: u16,
    /// The last word found, counted from one.
    last: u16,
}

impl Statistics {
    /// Reads them off the index.
    pub(crate) fn of(searcher: &Searcher, field: Field) -> tantivy::Result<Self> {
        let (mut tokens, mut documents) = (0, 0);
        for segment in searcher.segment_readers() {
            tokens += segment.inverted_index(field)?.total_num_tokens();
            documents += u64::from(segment.max_doc());
        }
        Ok(Self {
            documents: documents.max(1),
            average_length: as_f32(tokens) / as_f32(documents.max(1)),
        })
    }

    /// How much a word says that so many agents have.
    pub(crate) fn idf(&self, count: u64) -> f32 {
        let count = as_f32(count.min(self.documents));
        (1.0 + (as_f32(self.documents) - count + 0.5) / (count + 0.5)).ln()
    }

    /// How much two words in a row say: what both say, and no more than words of one agent.
    pub(crate) fn idf_of_pair(&self, left: f32, right: f32) -> f32 {
        (left + right).min(self.idf(1))
    }

    /// The score of a word that stands so often in a text of such a length, in Tantivy's code for lengths.
    pub(crate) fn score(&self, idf: f32, count: u32, code: u8) -> f32 {
        let count = as_f32(u64::from(count));
        idf * count * (K1 + 1.0) / (count + self.discount(code))
    }

    fn discount(&self, code: u8) -> f32 {
        let length = as_f32(u64::from(FieldNormReader::id_to_fieldnorm(code)));
        K1 * (1.0 - B + B * length / self.average_length.max(1.0))
    }
}

impl Found {
    /// Walks the lists of all words.
    pub(crate) fn of(
        words: &[Word],
        segment: &SegmentReader,
        field: Field,
        statistics: &Statistics,
        is_allowed: impl Fn(DocId) -> bool,
    ) -> tantivy::Result<Self> {
        let mut found = Self {
            cells: Vec::new(),
            documents: Vec::new(),
        };
        if words.is_empty() {
            return Ok(found);
        }
        found
            .cells
            .resize(segment.max_doc() as usize, Cell::default());
        let mut codes = 0..=u8::MAX;
        let discounts = [(); 256].map(|()| statistics.discount(codes.next().unwrap_or(u8::MAX)));
        let lengths = segment.get_fieldnorms_reader(field)?;
        let index = segment.inverted_index(field)?;
        for (number, word) in (1..).zip(words) {
            for term in &word.terms {
                let term = Term::from_field_text(field, term);
                let Some(mut postings) =
                    index.read_block_postings(&term, IndexRecordOption::WithFreqs)?
                else {
                    continue;
                };
                while !postings.docs().is_empty() {
                    for (&document, &count) in postings.docs().iter().zip(postings.freqs()) {
                        let Some(cell) = found.cells.get_mut(document as usize) else {
                            continue;
                        };
                        if cell.last == number || !is_allowed(document) {
                            continue;
                        }
                        if cell.last == 0 {
                            found.documents.push(document);
                        }
                        let count = as_f32(u64::from(count));
                        let discount = discounts[usize::from(lengths.fieldnorm_id(document))];
                        cell.score += word.idf * count * (K1 + 1.0) / (count + discount);
                        cell.weight += word.weight;
                        cell.words += 1;
                        cell.last = number;
                    }
                    postings.advance();
                }
            }
        }
        Ok(found)
    }

    /// Every agent that has a word.
    pub(crate) fn documents(&self) -> &[DocId] {
        &self.documents
    }

    /// What was found in one.
    pub(crate) fn cell(&self, document: DocId) -> Cell {
        self.cells
            .get(document as usize)
            .copied()
            .unwrap_or_default()
    }
}

#[expect(clippy::cast_precision_loss, reason = "rarity needs no precision")]
pub(crate) fn as_f32(count: u64) -> f32 {
    count as f32
}
