//! Text embeddings: texts become vectors, and near vectors are near in meaning.
//!
//! [`Table`] holds a vector for each piece of an English word; the vector of a text is the sum of
//! those of its pieces. The table is trained by
//! `crates/search/embedding/` to approximate a sentence model, and words are cut up as by that model
//! ([BERT's `WordPiece`]). The sentence encoder is a crate of its own.
//!
//! Everything here is pure.
//!
//! [BERT's `WordPiece`]: https://github.com/google-research/bert/blob/master/tokenization.py

mod table;
mod vector;
mod wordpiece;

#[cfg(test)]
mod tests;

pub use table::{Embedder, Table, TableError};
pub use vector::{Direction, SentenceVector, Sketch, Vector};

use encoder::Encoder;

use std::sync::LazyLock;

/// The models by which texts become vectors.
#[derive(Clone, Copy, Debug)]
pub struct Models {
    /// Table of English words and pieces, whose vectors are there at once.
    pub table: &'static Table,
    /// Multilingual sentence encoder, whose vectors of agents follow; none for an index that has
    /// those of another one.
    pub encoder: Option<&'static Encoder>,
}

/// Returns the shipped models, unless a flag says that agents are to be found by their words alone.
pub fn shipped_unless(is_off: bool) -> Option<Models> {
    if is_off { None } else { shipped() }
}

/// Returns the models that this program ships, unpacked at the first call; none when their bytes are
/// none, which tests exclude.
pub fn shipped() -> Option<Models> {
    Some(Models {
        table: table()?,
        encoder: Encoder::shipped(),
    })
}

/// Returns the table that this program ships, which is also its dictionary.
pub(crate) fn table() -> Option<&'static Table> {
    static TABLE: LazyLock<Option<Table>> =
        LazyLock::new(|| Table::read(include_bytes!("../embedding/table.bin")).ok());
    TABLE.as_ref()
}
