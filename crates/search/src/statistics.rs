//! Statistics of BM25 over one field.

use tantivy::Searcher;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;

/// BM25 parameters: term frequency saturation and length normalization.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Minimum score of one occurrence of a word of weight one in a text that does not count as long.
const FOCUSED: f32 = 0.5;

/// Index-wide statistics of BM25.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statistics {
    documents: u64,
    average_length: f32,
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

    /// Returns the inverse document frequency of a word.
    pub(crate) fn idf(&self, count: u64) -> f32 {
        let count = as_f32(count.min(self.documents));
        (1.0 + (as_f32(self.documents) - count + 0.5) / (count + 0.5)).ln()
    }

    /// Returns the weight of a word pair: the sum of both, at most that of a word of a single
    /// agent.
    pub(crate) fn idf_of_pair(&self, left: f32, right: f32) -> f32 {
        (left + right).min(self.idf(1))
    }

    /// Returns the share of the matches of a text that count as evidence, by its length: 1 up to 3.4
    /// times the average length and less beyond, since a very long text has almost any word and
    /// almost any pair of words.
    pub(crate) fn focus(&self, code: u8) -> f32 {
        (score(1.0, 1, self.discount(code)) / FOCUSED).min(1.0)
    }

    /// Returns the part of the denominator that depends on the length of a text.
    pub(crate) fn discount(&self, code: u8) -> f32 {
        let length = as_f32(u64::from(FieldNormReader::id_to_fieldnorm(code)));
        K1 * (1.0 - B + B * length / self.average_length.max(1.0))
    }
}

/// Returns the BM25 score for a term frequency and a [`Statistics::discount`].
pub(crate) fn score(idf: f32, count: u32, discount: f32) -> f32 {
    let count = as_f32(u64::from(count));
    idf * count * (K1 + 1.0) / (count + discount)
}

#[expect(clippy::cast_precision_loss, reason = "rarity needs no precision")]
pub(crate) fn as_f32(count: u64) -> f32 {
    count as f32
}
