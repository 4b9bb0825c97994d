//! The files that an export fills, each with its size and SHA-256.

use super::row::{COLUMNS, Row};
use super::{Counts, ExportError, Format, LICENCE, blocking};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{ExportFile, ExportRow};
use tempfile::NamedTempFile;

/// Destination of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Standard,
    /// A file, compressed by zstd if its name ends with `.zst`.
    File(PathBuf),
}

/// A file that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileDigest {
    pub(super) bytes: u64,
    /// SHA-256 in hexadecimal.
    pub(super) sha256: String,
}

/// A file that is being filled.
pub(super) enum Sink {
    Lines(Box<FileWriter>),
    Table(Box<csv::Writer<FileWriter>>, PathBuf),
    /// A database, with the place to which it is compressed when it is complete.
    Database(Box<ExportFile>, Option<CompressedDatabase>),
}

/// Place of a compressed database, and the database until then: SQLite writes in random order.
pub(super) struct CompressedDatabase {
    database: NamedTempFile,
    path: PathBuf,
}

impl CompressedDatabase {
    /// Begins beside the file that it is to become.
    fn beside(path: PathBuf) -> Result<Self, ExportError> {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let made = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
        let database = made.map_err(|error| failed(&path, error))?;
        Ok(Self { database, path })
    }

    fn finish(self) -> Result<FileDigest, ExportError> {
        let Self { database, path } = self;
        let into = File::create(&path).map_err(|error| failed(&path, error))?;
        pack(database.path(), into, &path)
    }
}

impl Sink {
    /// Opens a destination.
    pub(super) async fn open(format: Format, output: Output) -> Result<Self, ExportError> {
        Ok(match (format, output) {
            (Format::Sqlite, Output::File(path)) if is_compressed(&path) => {
                let compressed = CompressedDatabase::beside(path)?;
                let file = ExportFile::create(compressed.database.path()).await?;
                Self::Database(Box::new(file), Some(compressed))
            }
            (Format::Sqlite, Output::File(path)) => {
                // A file of an earlier export is replaced, as in the other formats.
                if let Err(source) = std::fs::remove_file(&path)
                    && source.kind() != io::ErrorKind::NotFound
                {
                    return Err(ExportError::Write { path, source });
                }
                Self::Database(Box::new(ExportFile::create(&path).await?), None)
            }
            (Format::Sqlite, Output::Standard) => return Err(ExportError::SqliteNeedsFile),
            (Format::Jsonl, output) => Self::Lines(Box::new(FileWriter::open(output)?)),
            (Format::Csv, output) => {
                let packed = FileWriter::open(output)?;
                let path = packed.path.clone();
                let mut table = csv::Writer::from_writer(packed);
                let header = table.write_record(COLUMNS);
                header.map_err(|error| failed(&path, error.into()))?;
                Self::Table(Box::new(table), path)
            }
        })
    }

    /// Writes to an open file, compressed.
    pub(super) fn compressed(file: File, path: &Path) -> Result<Self, ExportError> {
        let packed = FileWriter::compressed(Box::new(file), path)?;
        Ok(Self::Lines(Box::new(packed)))
    }

    /// Adds agents.
    pub(super) async fn add(self, records: Arc<Vec<Row>>) -> Result<Self, ExportError> {
        match self {
            Self::Database(mut file, compressed) => {
                let rows: Vec<ExportRow> = records.iter().map(|it| it.row.clone()).collect();
                file.add(&rows).await?;
                Ok(Self::Database(file, compressed))
            }
            Self::Lines(mut lines) => {
                blocking(move || {
                    for record in records.iter() {
                        let line = format!("{}\n", record.row.agent);
                        let written = lines.write_all(line.as_bytes());
                        written.map_err(|error| failed(&lines.path, error))?;
                    }
                    Ok(Self::Lines(lines))
                })
                .await?
            }
            Self::Table(mut table, path) => {
                blocking(move || {
                    for record in records.iter() {
                        let written = table.write_record(record.cells());
                        written.map_err(|error| failed(&path, error.into()))?;
                    }
                    Ok(Self::Table(table, path))
                })
                .await?
            }
        }
    }

    /// Completes the file, so that it outlives a power failure.
    pub(super) async fn finish(self, counts: &Counts) -> Result<FileDigest, ExportError> {
        match self {
            Self::Database(file, compressed) => {
                file.finish(&[
                    ("epoch", counts.epoch.clone()),
                    ("seq", counts.seq.to_string()),
                    ("agents", counts.agents.to_string()),
                    ("sites", counts.sites.to_string()),
                    ("capabilities", counts.capabilities.to_string()),
                    ("licence", LICENCE.to_owned()),
                ])
                .await?;
                match compressed {
                    Some(compressed) => blocking(move || compressed.finish()).await?,
                    None => Ok(FileDigest::default()),
                }
            }
            Self::Lines(lines) => blocking(move || lines.finish()).await?,
            Self::Table(table, path) => {
                blocking(move || {
                    let packed = table.into_inner();
                    let packed = packed.map_err(|error| failed(&path, error.into_error()))?;
                    packed.finish()
                })
                .await?
            }
        }
    }
}

/// Compresses a finished file.
pub(super) fn pack(from: &Path, into: File, path: &Path) -> Result<FileDigest, ExportError> {
    let mut packed = FileWriter::compressed(Box::new(into), path)?;
    let mut from = File::open(from).map_err(|error| failed(from, error))?;
    io::copy(&mut from, &mut packed).map_err(|error| failed(path, error))?;
    packed.finish()
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "zst")
}

pub(super) fn failed(path: &Path, source: io::Error) -> ExportError {
    ExportError::Write {
        path: path.to_owned(),
        source,
    }
}

/// Destination that can be made to outlive a power failure.
trait Durable: Write + Send {
    fn sync(&self) -> io::Result<()>;
}

impl Durable for File {
    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Durable for io::Stdout {
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Destination that counts and hashes the bytes.
struct HashWriter {
    inner: BufWriter<Box<dyn Durable>>,
    hasher: Sha256,
    bytes: u64,
}

impl Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Destination that is hashed, compressed or not.
pub(super) struct FileWriter {
    path: PathBuf,
    form: Form,
}

enum Form {
    Plain(HashWriter),
    Zstandard(zstd::Encoder<'static, HashWriter>),
}

impl FileWriter {
    fn open(output: Output) -> Result<Self, ExportError> {
        match output {
            Output::Standard => Ok(Self {
                path: PathBuf::from("standard output"),
                form: Form::Plain(HashWriter::new(Box::new(io::stdout()))),
            }),
            Output::File(path) => {
                let file = File::create(&path).map_err(|error| failed(&path, error))?;
                if is_compressed(&path) {
                    return Self::compressed(Box::new(file), &path);
                }
                let form = Form::Plain(HashWriter::new(Box::new(file)));
                Ok(Self { path, form })
            }
        }
    }

    fn compressed(inner: Box<dyn Durable>, path: &Path) -> Result<Self, ExportError> {
        let encoder = zstd::Encoder::new(HashWriter::new(inner), zstd::DEFAULT_COMPRESSION_LEVEL);
        let encoder = encoder.map_err(|error| failed(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            form: Form::Zstandard(encoder),
        })
    }

    fn finish(self) -> Result<FileDigest, ExportError> {
        let hashed = match self.form {
            Form::Plain(hashed) => Ok(hashed),
            Form::Zstandard(encoder) => encoder.finish(),
        };
        let finished = hashed.and_then(|mut hashed| {
            hashed.flush()?;
            hashed.inner.get_ref().sync()?;
            Ok(FileDigest {
                bytes: hashed.bytes,
                sha256: format!("{:x}", hashed.hasher.finalize()),
            })
        });
        finished.map_err(|error| failed(&self.path, error))
    }
}

impl Write for FileWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.form {
            Form::Plain(hashed) => hashed.write(bytes),
            Form::Zstandard(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Plain(hashed) => hashed.flush(),
            Form::Zstandard(encoder) => encoder.flush(),
        }
    }
}

impl HashWriter {
    fn new(inner: Box<dyn Durable>) -> Self {
        Self {
            inner: BufWriter::new(inner),
            hasher: Sha256::new(),
            bytes: 0,
        }
    }
}
