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

/// Reports whether a dictionary has a word: the English one, or that of other languages. The word is in
/// lower case and without accents.
pub(crate) fn is_known(word: &str) -> bool {
    let is_of_others = |it: &Table| it.has_foreign_word(word) || it.is_made_of_words(word);
    is_common(word) || shipped().is_some_and(is_of_others)
}

/// Reports whether the word or its singular is an English word that is common enough to be known as a
/// whole.
pub(crate) fn is_common(word: &str) -> bool {
    let Some(table) = shipped() else {
        return false;
    };
    let singular = word.strip_suffix('s');
    table.has_word(word) || singular.is_some_and(|it| table.has_word(it))
}

/// Returns the table that this program ships; none when its bytes are not one, which a test
/// excludes.
pub fn shipped() -> Option<&'static Table> {
    static TABLE: LazyLock<Option<Table>> =
        LazyLock::new(|| Table::read(include_bytes!("../embedding/table.bin")).ok());
    TABLE.as_ref()
}
