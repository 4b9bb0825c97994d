//! Number of rows and one hash over all of them, in any order.

use sha2::{Digest as _, Sha256};

/// Rows of a table, counted and hashed.
///
/// The hashes of the rows are added, so neither database has to sort a table, and rows that are equal
/// count as often as they occur. It finds damage and mistakes; it is not meant against an adversary who
/// chooses the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digest {
    rows: u64,
    sum: [u64; 4],
}

impl Digest {
    /// Adds a row in its common form.
    pub(crate) fn add(&mut self, row: &[u8]) {
        self.rows += 1;
        let hash = Sha256::digest(row);
        let (words, _) = hash.as_chunks::<8>();
        for (sum, word) in self.sum.iter_mut().zip(words) {
            *sum = sum.wrapping_add(u64::from_be_bytes(*word));
        }
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }
}

impl std::fmt::Display for Digest {
    /// Formats the hash in hexadecimal.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c, d] = self.sum;
        write!(formatter, "{a:016x}{b:016x}{c:016x}{d:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(rows: &[&str]) -> Digest {
        let mut digest = Digest::default();
        for row in rows {
            digest.add(row.as_bytes());
        }
        digest
    }

    #[test]
    fn the_order_of_rows_does_not_matter_but_each_row_does() {
        let all = digest(&["a", "b", "b"]);
        assert_eq!(digest(&["b", "a", "b"]), all);
        for others in [
            &["a", "b"][..],
            &["a", "a", "b"],
            &["a", "b", "c"],
            &["ab", "b", "b"],
        ] {
            assert_ne!(digest(others), all, "{others:?}");
        }
        assert_ne!(digest(&["a", "b"]).to_string(), all.to_string());
    }
}
