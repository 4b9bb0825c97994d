//! Parser of seed lists of any size and form, in constant memory.
//!
//! Each line has one entry: a domain, `host:port`, a URL, an `ajson://` URI, or a row of a ranking
//! such as `12,shop.example`. A URL with a path names a document to request from that site in
//! addition to the default paths (P9). `#` starts a comment, at the start of a line or after an
//! entry. gzip and Zstandard are detected by their first bytes, whatever the file name.
//!
//! Column names above a ranking are skipped. Other lines without a domain are counted, and the
//! first few are kept as examples; a list without any domain is an error.

mod entry;
mod import;
mod stream;

pub use entry::Rejection;
pub use import::{SeedFormat, import};

use manifest::Domain;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Cursor, Read};
use store::{DocumentKind, NamedDocument, Seed};

/// Maximum length of a line in bytes; longer ones are skipped and counted.
pub const LINE_CAP: usize = 1024;

/// Number of rejected lines that are kept as examples.
pub const EXAMPLES: usize = 5;

/// Number of characters kept of a rejected line.
const EXAMPLE_LENGTH: usize = 60;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Error while reading a seed list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeedError {
    /// Reading failed, or the compressed stream is damaged.
    #[error("cannot read the seed list")]
    Read(#[from] std::io::Error),
    /// It is empty.
    #[error("the seed list is empty; give one domain, host:port, URL or ajson:// URI a line")]
    Empty,
    /// It is not a text file.
    #[error(
        "the seed list is not a UTF-8 text file; give one domain, host:port, URL or ajson:// URI a line, plain or as .gz or .zst; `agentdex seeds list FILE` reads .zip too"
    )]
    Binary,
    /// It is a zip archive, which can be read by [`import`] only.
    #[error("the seed list is a zip archive; `agentdex seeds list FILE` makes a seed list of it")]
    Packed,
    /// The archive cannot be read.
    #[error("cannot read the zip archive: {0}")]
    Archive(String),
    /// It is larger than this many MiB.
    #[error("the file has more than {0} MiB")]
    TooLarge(u64),
    /// It is not JSON.
    #[error("the export is not JSON: {0}")]
    Json(String),
    /// It has no record.
    #[error("the export has no records, which are expected in a member '{0}'")]
    NoRecords(String),
    /// It has records, but none with a site.
    #[error("no record of the export names a site: {}", .0.by_reason())]
    NoSites(Box<Counts>),
    /// It has lines but no domain.
    #[error(
        "no domain in the seed list ({} {}); give one domain, host:port, URL or ajson:// URI a line{}",
        .0.lines,
        if .0.lines == 1 { "line" } else { "lines" },
        listed(&.0.examples)
    )]
    Nothing(Box<Counts>),
}

/// Rejected line, kept as an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its number, from 1.
    pub line: u64,
    /// Its beginning, with control characters replaced.
    pub text: String,
    /// The reason.
    pub reason: Rejection,
}

impl std::fmt::Display for Example {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, text, reason } = self;
        write!(formatter, "line {line} '{text}' is refused: {reason}")
    }
}

/// Counts of the lines read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines, including blank ones and comments.
    pub lines: u64,
    /// Lines with a seed; of an import, the seeds that it found.
    pub seeds: u64,
    /// Seeds that an import found again.
    pub repeated: u64,
    /// Blank lines, comments, and the names of columns.
    pub without_entry: u64,
    /// Rejected lines, including those that are too long.
    pub rejected: u64,
    /// Lines longer than [`LINE_CAP`].
    pub too_long: u64,
    /// Rejected lines by reason; there are few different reasons.
    pub reasons: BTreeMap<String, u64>,
    /// The first rejected lines.
    pub examples: Vec<Example>,
}

/// Reader of seeds from a stream, batch by batch.
pub struct SeedReader<'a> {
    input: Box<dyn BufRead + Send + 'a>,
    line: Vec<u8>,
    counts: Counts,
    named: Vec<(Domain, NamedDocument)>,
    allow_special_use: bool,
}

/// State of a line while it is read.
enum LineState {
    Whole,
    TooLong,
    End,
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
    /// Returns a reader of `input`; `allow_special_use` admits names such as `shop.test`, for
    /// operators with own addresses.
    pub fn new(input: impl Read + Send + 'a, allow_special_use: bool) -> Result<Self, SeedError> {
        let mut text = stream::unpack(input)?;
        let mut start = Vec::new();
        text.by_ref().take(stream::START).read_to_end(&mut start)?;
        if start.is_empty() {
            return Err(SeedError::Empty);
        }
        if stream::is_zip(&start) {
            return Err(SeedError::Packed);
        }
        if stream::is_binary(&start) {
            return Err(SeedError::Binary);
        }
        if start.starts_with(BYTE_ORDER_MARK) {
            start.drain(..BYTE_ORDER_MARK.len());
        }
        let whole = Cursor::new(start).chain(text);
        Ok(Self {
            input: Box::new(BufReader::with_capacity(stream::BUFFER, whole)),
            line: Vec::with_capacity(LINE_CAP),
            counts: Counts::default(),
            named: Vec::new(),
            allow_special_use,
        })
    }

    /// Returns up to `limit` more seeds; an empty batch is the end.
    ///
    /// A list without any seed is an error at its end.
    pub fn next_batch(&mut self, limit: usize) -> Result<Vec<Seed>, SeedError> {
        let mut seeds = Vec::new();
        while seeds.len() < limit {
            match self.take_line()? {
                LineState::End if self.counts.seeds == 0 => {
                    return Err(SeedError::Nothing(Box::new(self.counts.clone())));
                }
                LineState::End => break,
                LineState::TooLong => {
                    self.counts.too_long += 1;
                    self.reject(Rejection::TooLong);
                }
                LineState::Whole => match entry::parse(&self.line, self.allow_special_use) {
                    Ok(Some(entry)) => {
                        self.counts.seeds += 1;
                        self.name(&entry.seed.domain, entry.documents);
                        seeds.push(entry.seed);
                    }
                    Ok(None) => self.counts.without_entry += 1,
                    Err(_) if self.counts.lines == 1 && entry::is_header(&self.line) => {
                        self.counts.without_entry += 1;
                    }
                    Err(reason) => self.reject(reason),
                },
            }
        }
        Ok(seeds)
    }

    /// Takes the documents that the lines of the last batches name, with their sites.
    pub fn take_named(&mut self) -> Vec<(Domain, NamedDocument)> {
        std::mem::take(&mut self.named)
    }

    fn name(&mut self, domain: &Domain, documents: Vec<String>) {
        let documents = documents.into_iter().map(|url| {
            let document = NamedDocument {
                url,
                named_by: "a seed list".to_owned(),
                is_own: true,
                kind: DocumentKind::Manifest,
                is_absent: false,
            };
            (domain.clone(), document)
        });
        self.named.extend(documents);
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Reads one line into `self.line`, keeping at most [`LINE_CAP`] bytes of it.
    fn take_line(&mut self) -> Result<LineState, SeedError> {
        self.line.clear();
        let mut is_too_long = false;
        let mut is_started = false;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if buffer.is_empty() && !is_started {
                return Ok(LineState::End);
            }
            is_started = true;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let piece = &buffer[..end.unwrap_or(buffer.len())];
            let room = LINE_CAP - self.line.len();
            is_too_long |= piece.len() > room;
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            let is_last = end.is_some() || buffer.is_empty();
            let read = piece.len() + usize::from(end.is_some());
            self.input.consume(read);
            if is_last {
                self.counts.lines += 1;
                return Ok(if is_too_long {
                    LineState::TooLong
                } else {
                    LineState::Whole
                });
            }
        }
    }

    fn reject(&mut self, reason: Rejection) {
        let text = String::from_utf8_lossy(&self.line);
        self.counts.reject(self.counts.lines, &text, reason);
    }
}

impl Counts {
    /// Counts a rejected line or record.
    fn reject(&mut self, line: u64, text: &str, reason: Rejection) {
        self.rejected += 1;
        *self.reasons.entry(reason.to_string()).or_default() += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(Example {
                line,
                text: printable(text),
                reason,
            });
        }
    }

    /// Describes the rejected ones by reason, in one line.
    fn by_reason(&self) -> String {
        let reasons = self.reasons.iter();
        let reasons: Vec<_> = reasons
            .map(|(reason, count)| format!("{reason} ({count})"))
            .collect();
        reasons.join("; ")
    }

    /// Describes the rejected ones by reason, with examples, one line each.
    pub fn rejections(&self) -> String {
        let mut text = String::new();
        for (reason, count) in &self.reasons {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{count:>10}  {reason}");
        }
        for Example {
            line,
            text: of,
            reason,
        } in &self.examples
        {
            let _ = writeln!(text, "            {line}: '{of}': {reason}");
        }
        text
    }
}

/// Returns the first rejected lines for the error message of a list without seeds.
fn listed(examples: &[Example]) -> String {
    let Some(first) = examples.first() else {
        return String::new();
    };
    examples
        .iter()
        .skip(1)
        .fold(format!(": {first}"), |mut text, example| {
            // Writing to a string does not fail.
            let _ = write!(text, "; {example}");
            text
        })
}

/// Returns the beginning of a line, safe to print.
fn printable(line: &str) -> String {
    line.trim()
        .chars()
        .take(EXAMPLE_LENGTH)
        .map(|character| {
            if character.is_control() || ('\u{200b}'..='\u{206f}').contains(&character) {
                char::REPLACEMENT_CHARACTER
            } else {
                character
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
