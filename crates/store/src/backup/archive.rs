//! The file of a backup: a manifest and a database in a compressed tar archive.

use super::error::{BackupError, while_doing};
use crate::model::Backup;
use data_encoding::HEXLOWER;
use manifest::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use tar::{Archive, EntryType, Header};

/// Name of the database in an archive, and of its copy while a backup is made or restored.
pub(super) const DATABASE: &str = "agentdex.sqlite";

/// Name of the manifest in an archive.
const MANIFEST: &str = "manifest.json";

/// Word by which a manifest is known.
const FORMAT: &str = "agentdex-backup";

/// Version of the archive.
const VERSION: u32 = 1;

/// First bytes of a Zstandard frame (RFC 8878, section 3.1.1).
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Maximum number of bytes of a manifest, and of what follows the database.
const MOST: u64 = 1 << 20;

/// Bytes read at a time.
const BUFFER: usize = 1 << 16;

/// Description of a backup, the first file of its archive.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Manifest {
    format: String,
    version: u32,
    /// RFC 3339, for people; `made_ms` is read.
    made: String,
    made_ms: i64,
    schema: i64,
    last_change: u64,
    database_bytes: u64,
    database_sha256: String,
    tables: BTreeMap<String, u64>,
}

impl Manifest {
    pub(super) fn of(backup: &Backup) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            made: backup.made.to_rfc3339(),
            made_ms: backup.made.0,
            schema: backup.schema,
            last_change: backup.last_change,
            database_bytes: backup.bytes,
            database_sha256: backup.sha256.clone(),
            tables: backup.tables.clone(),
        }
    }
}

/// Reports whether a new backup may replace what is at a path: nothing, an empty file, or a file that
/// begins as an archive does.
pub(super) fn may_be_replaced(path: &Path) -> io::Result<bool> {
    match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
        // Such as a folder or a device.
        Ok(metadata) if !metadata.is_file() => return Ok(false),
        Ok(_) => {}
    }
    let mut start = Vec::new();
    let most = ZSTANDARD.len() as u64;
    File::open(path)?.take(most).read_to_end(&mut start)?;
    Ok(start.is_empty() || start == ZSTANDARD)
}

/// Returns the size and the SHA-256 of a file.
pub(super) fn hash(path: &Path) -> io::Result<(u64, String)> {
    let mut hashed = HashingWriter::new(io::sink());
    io::copy(&mut File::open(path)?, &mut hashed)?;
    Ok(hashed.finish())
}

/// Writes an archive that only its owner may read.
pub(super) fn write(path: &Path, manifest: &Manifest, database: &Path) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(manifest)?;
    text.push(b'\n');
    let file = private(path)?;
    let mut encoder = zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    encoder.include_checksum(true)?;
    let mut archive = tar::Builder::new(encoder);
    let seconds = u64::try_from(manifest.made_ms / 1_000).unwrap_or_default();
    let mut append = |name, bytes, content: &mut dyn Read| {
        let mut header = Header::new_gnu();
        header.set_size(bytes);
        header.set_mode(0o600);
        header.set_mtime(seconds);
        archive.append_data(&mut header, name, content)
    };
    append(MANIFEST, text.len() as u64, &mut text.as_slice())?;
    append(
        DATABASE,
        manifest.database_bytes,
        &mut File::open(database)?,
    )?;
    archive.into_inner()?.finish()?.sync_all()
}

/// Extracts the database of the archive at `path` to a new file, and verifies its size and hash.
/// Schemas after `newest` are refused.
pub(super) fn extract(path: &Path, to: &Path, newest: i64) -> Result<Backup, BackupError> {
    let mut file = File::open(path).map_err(while_doing("read", path))?;
    check_start(path, &mut file)?;
    let fail = |error: io::Error| failed(path, &error);
    let decoder = zstd::Decoder::new(file).map_err(fail)?;
    let mut archive = Archive::new(decoder);
    let mut entries = archive.entries().map_err(fail)?;
    let mut next = || match entries.next() {
        Some(entry) => entry.map(Some),
        None => Ok(None),
    };

    let entry = next().map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => fail(error),
        _ => foreign(path, &error.to_string()),
    })?;
    let Some(mut entry) = entry.filter(|it| is_file(it, MANIFEST)) else {
        return Err(foreign(path, "its first file is no manifest"));
    };
    let mut text = Vec::new();
    let reading = entry.by_ref().take(MOST).read_to_end(&mut text);
    reading.map_err(fail)?;
    let backup = parse(path, &text, newest)?;

    let Some(mut entry) = next().map_err(fail)?.filter(|it| is_file(it, DATABASE)) else {
        return Err(damaged(path, "it has no database"));
    };
    let copy = private(to).map_err(while_doing("write", to))?;
    let mut copy = HashingWriter::new(copy);
    copy_all(&mut entry, &mut copy, path, to)?;
    let (bytes, sha256) = copy.finish();
    if bytes != backup.bytes {
        let reason = format!("its database has {bytes} bytes instead of {}", backup.bytes);
        return Err(damaged(path, &reason));
    }
    if sha256 != backup.sha256 {
        return Err(damaged(path, "the SHA-256 of its database differs"));
    }
    if next().map_err(fail)?.is_some() {
        return Err(damaged(path, "it has files after its database"));
    }
    // The checksum of the frame is at its end.
    let mut rest = archive.into_inner().take(MOST);
    io::copy(&mut rest, &mut io::sink()).map_err(fail)?;
    if rest.limit() == 0 {
        return Err(damaged(path, "it continues after its end"));
    }
    Ok(backup)
}

/// Refuses a file that is not compressed as backups are.
fn check_start(path: &Path, file: &mut File) -> Result<(), BackupError> {
    use std::io::Seek as _;
    let mut start = Vec::new();
    let reading = file.take(4).read_to_end(&mut start);
    reading
        .and_then(|_| file.rewind())
        .map_err(while_doing("read", path))?;
    if start == ZSTANDARD {
        Ok(())
    } else if start.is_empty() {
        Err(foreign(path, "it is empty"))
    } else {
        Err(foreign(path, "it is not compressed with Zstandard"))
    }
}

fn parse(path: &Path, text: &[u8], newest: i64) -> Result<Backup, BackupError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u32,
    }
    let head: Head = serde_json::from_slice(text)
        .map_err(|error| foreign(path, &format!("its manifest is unreadable ({error})")))?;
    if head.format != FORMAT {
        return Err(foreign(path, "its manifest is that of another program"));
    }
    let newer = |what| BackupError::Newer {
        path: path.to_owned(),
        what,
    };
    if head.version > VERSION {
        return Err(newer(format!("format {}", head.version)));
    }
    let manifest: Manifest = serde_json::from_slice(text)
        .map_err(|error| damaged(path, &format!("its manifest is incomplete ({error})")))?;
    if manifest.schema > newest {
        return Err(newer(format!("schema {}", manifest.schema)));
    }
    Ok(Backup {
        made: Timestamp(manifest.made_ms),
        schema: manifest.schema,
        last_change: manifest.last_change,
        tables: manifest.tables,
        bytes: manifest.database_bytes,
        sha256: manifest.database_sha256,
    })
}

/// Copies a file of the archive, so that errors of either side name their file.
fn copy_all(
    from: &mut impl Read,
    to: &mut impl Write,
    path: &Path,
    target: &Path,
) -> Result<(), BackupError> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let read = from.read(&mut buffer).map_err(|it| failed(path, &it))?;
        if read == 0 {
            return Ok(());
        }
        let writing = to.write_all(&buffer[..read]);
        writing.map_err(while_doing("write", target))?;
    }
}

fn is_file<R: Read>(entry: &tar::Entry<'_, R>, name: &str) -> bool {
    entry.header().entry_type() == EntryType::Regular && *entry.path_bytes() == *name.as_bytes()
}

/// Converts an error in the middle of a backup.
fn failed(path: &Path, error: &io::Error) -> BackupError {
    match error.kind() {
        ErrorKind::UnexpectedEof => BackupError::Truncated {
            path: path.to_owned(),
            bytes: path.metadata().map_or(0, |it| it.len()),
        },
        _ => damaged(path, &error.to_string()),
    }
}

fn foreign(path: &Path, reason: &str) -> BackupError {
    BackupError::Foreign {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

fn damaged(path: &Path, reason: &str) -> BackupError {
    BackupError::Damaged {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Creates a file that only its owner may read.
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Writer that counts and hashes.
struct HashingWriter<W> {
    inner: W,
    bytes: u64,
    hasher: Sha256,
}

impl<W> HashingWriter<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            bytes: 0,
            hasher: Sha256::new(),
        }
    }

    fn finish(self) -> (u64, String) {
        (self.bytes, HEXLOWER.encode(&self.hasher.finalize()))
    }
}

impl<W: Write> Write for HashingWriter<W> {
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
