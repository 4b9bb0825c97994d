//! Sentence vectors of needs and capabilities, which are computed when they are needed.

use super::embedding::SentenceVector;
use encoder::Encoder;
use moka::sync::Cache;
use std::fmt;

/// Maximum number of texts whose vectors are kept, about 10 MB.
const KEPT: u64 = 10_000;

/// The sentence encoder, with the vectors of the texts that it read last: a need comes again for its next
/// page, or with another filter. Cheap to clone.
#[derive(Clone)]
pub(crate) struct CachedEncoder {
    encoder: &'static Encoder,
    kept: Cache<String, SentenceVector>,
}

impl CachedEncoder {
    /// Creates an encoder that has read nothing.
    pub(crate) fn new(encoder: &'static Encoder) -> Self {
        Self {
            encoder,
            kept: Cache::new(KEPT),
        }
    }

    /// Returns the vector of a text.
    pub(crate) fn vector(&self, text: &str) -> Option<SentenceVector> {
        self.vectors(&[text]).into_iter().next()
    }

    /// Returns the vectors of some texts.
    pub(crate) fn vectors(&self, texts: &[&str]) -> Vec<SentenceVector> {
        let mut vectors: Vec<_> = texts.iter().map(|it| self.kept.get(*it)).collect();
        let pairs = texts.iter().zip(&vectors);
        let missing: Vec<&str> = pairs
            .filter(|(_, vector)| vector.is_none())
            .map(|(text, _)| *text)
            .collect();
        let mut read = self.encoder.encode(&missing).into_iter();
        for (text, vector) in texts.iter().zip(&mut vectors) {
            if vector.is_none() {
                *vector = read.next().map(|it| SentenceVector::of_embedding(&it));
                if let Some(vector) = vector {
                    self.kept.insert((*text).to_owned(), *vector);
                }
            }
        }
        vectors.into_iter().flatten().collect()
    }
}

impl fmt::Debug for CachedEncoder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CachedEncoder")
            .finish_non_exhaustive()
    }
}
