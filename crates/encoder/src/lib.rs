//! Sentence encoder: texts become vectors, and near vectors are near in meaning, also across
//! languages.
//!
//! It is Google's Universal Sentence Encoder multilingual v3 (Yang et al., [arXiv 1907.04307]) for
//! Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
//! Russian, Spanish, Thai and Turkish: a text is cut into pieces as by `SentencePiece`,
//! each piece has a vector, and three small convolutions and some dense layers make one vector of
//! the text. `model/README.md` tells where the weights come from.
//!
//! The same text always has the same vector, but for the last bits of a sum, which depend on the texts
//! beside it. No file is read and no clock; two threads multiply matrices.
//!
//! [arXiv 1907.04307]: https://arxiv.org/abs/1907.04307

mod charsmap;
mod network;
mod numbers;
mod packed;
mod table;
mod tokenizer;

#[cfg(test)]
mod tests;

pub use packed::ModelError;

use network::{Network, Work};
use packed::Packed;
use std::sync::LazyLock;
use table::Table;
use tokenizer::Tokenizer;

/// Version of the vectors: raised with the weights, and with all that changes the vector of a text.
pub const VERSION: u32 = 1;

/// Length of a vector.
pub const WIDTH: usize = 512;

/// Maximum number of pieces of a text that count.
pub const MAX_PIECES: usize = 256;

/// Maximum length of a text in bytes; more has far more pieces than count.
const MAX_TEXT: usize = 8 * 1024;

/// Pieces in one product of matrices: it fits into a cache, and more are no faster.
const BATCH: usize = 384;

/// Vector of a text, of length 1.
pub type Embedding = [f32; WIDTH];

/// The whole encoder, about 50 MB.
#[derive(Debug)]
pub struct Encoder {
    tokenizer: Tokenizer,
    table: Table,
    network: Network,
}

impl Encoder {
    /// Reads a model that `model/pack.py` has written.
    pub fn read(model: &[u8]) -> Result<Self, ModelError> {
        let packed = &mut Packed::open(model)?;
        let encoder = Self {
            tokenizer: Tokenizer::read(packed)?,
            table: Table::read(packed)?,
            network: Network::read(packed)?,
        };
        packed.end()?;
        Ok(encoder)
    }

    /// Returns the model that this program ships, unpacked at the first call; none when its bytes
    /// are not one, which a test excludes.
    pub fn shipped() -> Option<&'static Self> {
        static ENCODER: LazyLock<Option<Encoder>> =
            LazyLock::new(|| Encoder::read(include_bytes!("../model/model.bin.zst")).ok());
        ENCODER.as_ref()
    }

    /// Returns the vector of each text, in order. A single text is a need, which does not wait for
    /// batches of texts.
    ///
    /// Numbers are neutral: `for 5 people` has the vector of `for 8 people`. The first [`MAX_PIECES`]
    /// pieces count; a text without a piece has the vector of the empty text.
    pub fn encode<T: AsRef<str>>(&self, texts: &[T]) -> Vec<Embedding> {
        let mut vectors = Vec::with_capacity(texts.len());
        let work = if texts.len() == 1 {
            Work::Need
        } else {
            Work::Texts
        };
        let mut batch: Vec<Vec<u32>> = Vec::new();
        let mut size = 0;
        for text in texts {
            let pieces = self.pieces(text.as_ref());
            if size + pieces.len() > BATCH && !batch.is_empty() {
                self.network.run(&batch, &self.table, work, &mut vectors);
                batch.clear();
                size = 0;
            }
            size += pieces.len();
            batch.push(pieces);
        }
        if !batch.is_empty() {
            self.network.run(&batch, &self.table, work, &mut vectors);
        }
        vectors
    }

    /// Returns the share of a text that its vector knows, from 0 to 1: the first [`MAX_PIECES`] pieces.
    pub fn read_share(&self, text: &str) -> f64 {
        let count = self.tokenizer.pieces(&numbers::neutral(text)).len();
        let count = u32::try_from(count).map_or(f64::INFINITY, f64::from);
        (f64::from(u32::try_from(MAX_PIECES).unwrap_or(u32::MAX)) / count).min(1.0)
    }

    /// Returns the words of the vocabulary, in 16 languages, the most frequent first; some are beginnings
    /// of longer words.
    pub fn words(&self) -> Vec<String> {
        self.tokenizer.words()
    }

    /// Returns the pieces of a text with neutral numbers, between those for its start and its end.
    fn pieces(&self, text: &str) -> Vec<u32> {
        let text = &text[..text.floor_char_boundary(MAX_TEXT)];
        let mut pieces = vec![tokenizer::START];
        pieces.extend(self.tokenizer.pieces(&numbers::neutral(text)));
        pieces.truncate(MAX_PIECES + 1);
        pieces.push(tokenizer::END);
        pieces
    }
}

/// Converts a length, which is at most 65,535 here.
fn float(length: usize) -> f32 {
    u16::try_from(length).map_or(f32::INFINITY, f32::from)
}
