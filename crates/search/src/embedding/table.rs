//! The table of piece vectors, read from the bytes of its file.
//!
//! `crates/search/embedding/table.py` describes the file and writes it.

use super::vector::Vector;
use super::wordpiece::{PieceCache, Vocabulary};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::fmt;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

const MAGIC: &[u8] = b"agdxembd";
const FORMAT: u32 = 3;
/// Numbers of a row.
pub(super) const DIMENSIONS: usize = 256;
/// Bytes before the checksum.
const HEAD: usize = 28;
const CHECKSUM: usize = 32;
/// Pieces of a text that count; the model that the table follows reads no more.
const MAX_PIECES: usize = 256;
/// Finished embedders whose memory is kept, of up to about 5 MB each.
const MAX_SPARE: usize = 4;

/// A vector for each piece of an English word.
pub struct Table {
    vocabulary: Vocabulary,
    rows: Vec<Row>,
    checksum: [u8; CHECKSUM],
    /// Words that finished embedders remember, for the next ones.
    spare: Mutex<Vec<PieceCache>>,
}

/// A table that remembers how words are cut up, for many texts. The next embedder goes on with what
/// this one remembers.
#[derive(Debug)]
pub struct Embedder {
    table: &'static Table,
    known: PieceCache,
}

impl Embedder {
    /// Returns an embedder with what a finished one remembers.
    pub fn new(table: &'static Table) -> Self {
        Self {
            table,
            known: table.spare().pop().unwrap_or_default(),
        }
    }

    /// Returns the same as [`Table::embed`].
    pub fn embed(&mut self, text: &str) -> Option<Vector> {
        self.table.embed_with(text, &mut self.known)
    }
}

impl Drop for Embedder {
    fn drop(&mut self) {
        let mut spare = self.table.spare();
        if spare.len() < MAX_SPARE {
            spare.push(mem::take(&mut self.known));
        }
    }
}

/// The vector of a piece; all have one scale, which cosines do not depend on.
type Row = [i8; DIMENSIONS];

/// Error of a table that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// It is some other file.
    #[error("not an embedding table")]
    Foreign,
    /// It was written for another version of this program.
    #[error(
        "the embedding table has format {format} with {dimensions} dimensions; this program reads format {FORMAT} with {}",
        DIMENSIONS
    )]
    Unknown {
        /// Its format version.
        format: u32,
        /// Its dimensions.
        dimensions: u32,
    },
    /// Its bytes are not those that were written.
    #[error("the embedding table is damaged; fetch it again")]
    Damaged,
}

impl Table {
    /// Reads a table from the bytes of its file.
    pub fn read(bytes: &[u8]) -> Result<Self, TableError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(TableError::Foreign)?;
        let damaged = TableError::Damaged;
        let Some(([format, _recipe, dimensions, count, length], rest)) = numbers(rest) else {
            return Err(damaged);
        };
        if format != FORMAT || dimensions as usize != DIMENSIONS {
            return Err(TableError::Unknown { format, dimensions });
        }
        let Some((checksum, body)) = rest.split_first_chunk::<CHECKSUM>() else {
            return Err(damaged);
        };
        let digest = Sha256::new()
            .chain_update(&bytes[..HEAD])
            .chain_update(body);
        if digest.finalize()[..] != checksum[..] {
            return Err(damaged);
        }
        let parts = parts(body, count as usize, length as usize);
        let (vocabulary, rows) = parts.ok_or(damaged)?;
        Ok(Self {
            vocabulary,
            rows,
            checksum: *checksum,
            spare: Mutex::default(),
        })
    }

    /// Returns true for an English word that is common enough to be known as a whole; it is in
    /// lower case and without accents.
    pub fn has_word(&self, word: &str) -> bool {
        self.vocabulary.has_word(word)
    }

    /// Returns true for a word of known words, such as `screenwriting`; it is in lower case and
    /// without accents.
    pub fn is_made_of_words(&self, word: &str) -> bool {
        self.vocabulary.is_made_of_words(word)
    }

    /// Returns the share of a text that is known English, from 0 to 1.
    pub fn english_share(&self, text: &str) -> f64 {
        self.vocabulary.english_share(text)
    }

    /// Tells this table from every other: vectors of two tables cannot be compared.
    pub fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    /// Returns the checksum as 64 hexadecimal digits.
    pub fn name(&self) -> String {
        HEXLOWER.encode(&self.checksum)
    }

    /// Returns the embedding of a text from its first 256 pieces; `None` if none of them is known.
    pub fn embed(&self, text: &str) -> Option<Vector> {
        self.embed_with(text, &mut PieceCache::default())
    }

    fn spare(&self) -> MutexGuard<'_, Vec<PieceCache>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn embed_with(&self, text: &str, known: &mut PieceCache) -> Option<Vector> {
        // Exact: 256 times -128 is the least that an i16 holds.
        let mut sum = [0_i16; DIMENSIONS];
        for piece in self.vocabulary.pieces(text, MAX_PIECES, known) {
            for (sum, value) in sum.iter_mut().zip(&self.rows[piece as usize]) {
                *sum += i16::from(*value);
            }
        }
        Vector::of(&sum.map(f64::from))
    }

    /// Returns the pieces of a text as rows.
    #[cfg(test)]
    pub(super) fn pieces(&self, text: &str) -> Vec<u32> {
        self.vocabulary
            .pieces(text, MAX_PIECES, &mut PieceCache::default())
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Table")
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

/// Returns the five numbers of the head, and what follows.
fn numbers(bytes: &[u8]) -> Option<([u32; 5], &[u8])> {
    let (head, rest) = bytes.split_at_checked(HEAD - MAGIC.len())?;
    let mut numbers = [0; 5];
    for (number, bytes) in numbers.iter_mut().zip(head.as_chunks().0) {
        *number = u32::from_le_bytes(*bytes);
    }
    Some((numbers, rest))
}

/// Returns the vocabulary and rows, if the parts have the sizes that the head says.
fn parts(body: &[u8], count: usize, length: usize) -> Option<(Vocabulary, Vec<Row>)> {
    let (entries, rows) = body.split_at_checked(length)?;
    let entries = str::from_utf8(entries).ok()?;
    let (rows, rest) = rows.as_chunks::<DIMENSIONS>();
    let is_sound =
        count > 0 && rows.len() == count && rest.is_empty() && entries.lines().count() == count;
    is_sound.then(|| {
        let rows = rows.iter().map(|row| row.map(u8::cast_signed)).collect();
        (Vocabulary::new(entries.lines()), rows)
    })
}
