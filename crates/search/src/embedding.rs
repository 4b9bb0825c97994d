//! Text embeddings: texts become vectors, and near vectors are near in meaning.
//!
//! [`Table`] holds a vector for each piece of a word and for each word of other languages; the
//! vector of a text is the sum of those of its words and pieces. The table is trained by
//! `crates/search/embedding/` to approximate a sentence model, and words are cut up as by that model
//! ([BERT's `WordPiece`]); nothing here calls a model.
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
pub use vector::{Sketch, Vector};

use std::sync::LazyLock;

/// Returns the shipped table, unless a flag says that agents are to be found by their words alone.
pub fn shipped_unless(is_off: bool) -> Option<&'static Table> {
    if is_off { None } else { shipped() }
}

/// Returns the table that this program ships; none when its bytes are not one, which a test
/// excludes.
pub fn shipped() -> Option<&'static Table> {
    static TABLE: LazyLock<Option<Table>> =
        LazyLock::new(|| Table::read(include_bytes!("../embedding/table.bin")).ok());
    TABLE.as_ref()
}
