//! The file of secrets: one line for each key, the newest first.

use super::{ACCEPTED, KeyRing, ROTATION, SigningKey, StoredKey};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use manifest::Timestamp;
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::Ed25519KeyPair;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Purpose of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Authenticates cursors.
    Cursor,
    /// Signs the agent card.
    Card,
    /// Hides the addresses of clients with sessions.
    Session,
    /// Signs the records of sessions.
    Audit,
}

manifest::words!(Purpose {
    Cursor = "cursor",
    Card = "card",
    Session = "session",
    Audit = "audit",
});

impl Purpose {
    /// Returns the number of newest keys that are kept.
    fn kept(self) -> usize {
        match self {
            Self::Cursor | Self::Card | Self::Session => ACCEPTED,
            // The last record that a key signs is kept for a month after the key is replaced, and
            // the key for another one.
            Self::Audit => ACCEPTED + 1,
        }
    }
}

/// Bytes of a key: as long as the output of SHA-256 (RFC 2104, section 3), or the seed of an Ed25519
/// key (RFC 8032).
const KEY: usize = 32;

/// Maximum number of bytes of the file.
const MOST: u64 = 64 << 10;

const HEAD: &str = "# Secrets of this registry. Keep this file private, and out of exports.\n";

/// Reason why the secrets cannot be used, worded for the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretsError {
    /// The file cannot be read or written.
    #[error("cannot use the file of secrets '{path}'; choose another one with --secrets")]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Other users may read the file.
    #[error(
        "other users can read the secrets in '{path}' (mode {mode:03o}): run `chmod 600` on it"
    )]
    Exposed {
        /// Path of the file.
        path: PathBuf,
        /// Permission bits.
        mode: u32,
    },
    /// The file holds something else.
    #[error(
        "line {line} of the file of secrets '{path}' is not a key: repair it, or delete the file, which makes clients start their searches anew, and the agent card and the records of sessions be signed with new keys"
    )]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line.
        line: usize,
    },
}

/// Key as written to the file.
struct KeyLine {
    purpose: Purpose,
    made: Timestamp,
    bytes: [u8; KEY],
}

/// Returns the keys in the file at `path`, the newest first, after making those that are missing or
/// due for rotation.
pub(super) fn renewed(path: &Path, now: Timestamp) -> Result<KeyRing, SecretsError> {
    let unusable = |source| SecretsError::Unusable {
        path: path.to_owned(),
        source,
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(unusable)?;
    // Two processes that start at the same time agree on one key. The lock is on the directory,
    // because the file is replaced.
    let lock = File::open(folder).map_err(unusable)?;
    lock.lock().map_err(unusable)?;
    let text = read(path)?;
    let (mut keys, others) = parsed(&text).map_err(|line| damaged(path, line))?;
    let mut is_changed = false;
    for purpose in Purpose::ALL {
        let mut own = keys.iter().filter(|it| it.purpose == purpose);
        if own.next().is_some_and(|it| it.made.after(ROTATION) > now) {
            continue;
        }
        let bytes = random().map_err(unusable)?;
        let new = KeyLine {
            purpose,
            made: now,
            bytes,
        };
        keys.insert(0, new);
        let mut kept = 0;
        keys.retain(|it| {
            kept += usize::from(it.purpose == purpose);
            it.purpose != purpose || kept <= purpose.kept()
        });
        is_changed = true;
    }
    if is_changed {
        write(path, &formatted(&keys, &others)).map_err(unusable)?;
    }
    let mut stored = KeyRing::default();
    for KeyLine {
        purpose,
        made,
        bytes,
    } in keys
    {
        let keys = match purpose {
            Purpose::Cursor | Purpose::Session => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, &bytes);
                let key = StoredKey { made, key };
                if purpose == Purpose::Cursor {
                    stored.cursor.push(key);
                } else {
                    stored.session.push(key);
                }
                continue;
            }
            Purpose::Card => &mut stored.card,
            Purpose::Audit => &mut stored.audit,
        };
        let pair = Ed25519KeyPair::from_seed_unchecked(&bytes)
            .map_err(|_| unusable(ErrorKind::InvalidData.into()))?;
        let key = SigningKey(Arc::new(pair));
        keys.push(StoredKey { made, key });
    }
    Ok(stored)
}

/// Reports whether the file can be used as it is; a missing one can be made.
pub(super) fn check(path: &Path) -> Result<(), SecretsError> {
    parsed(&read(path)?)
        .map(|_| ())
        .map_err(|line| damaged(path, line))
}

fn damaged(path: &Path, line: usize) -> SecretsError {
    SecretsError::Damaged {
        path: path.to_owned(),
        line,
    }
}

/// Reads the file, which only its owner may be able to read; empty if there is none.
fn read(path: &Path) -> Result<String, SecretsError> {
    let unusable = |source| SecretsError::Unusable {
        path: path.to_owned(),
        source,
    };
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        metadata => metadata.map_err(unusable)?,
    };
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        let path = path.to_owned();
        return Err(SecretsError::Exposed { path, mode });
    }
    if !metadata.is_file() || metadata.len() > MOST {
        return Err(unusable(ErrorKind::InvalidData.into()));
    }
    fs::read_to_string(path).map_err(unusable)
}

/// Parses the file into its keys and the lines of other purposes; the error is the number of the
/// line that cannot be read.
fn parsed(text: &str) -> Result<(Vec<KeyLine>, Vec<&str>), usize> {
    let mut keys = Vec::new();
    let mut others = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [purpose, made, value] = *words else {
            return Err(index + 1);
        };
        match Purpose::parse(purpose) {
            Some(purpose) => keys.push(key(purpose, made, value).ok_or(index + 1)?),
            None => others.push(line),
        }
    }
    Ok((keys, others))
}

fn key(purpose: Purpose, made: &str, value: &str) -> Option<KeyLine> {
    let bytes = HEXLOWER_PERMISSIVE.decode(value.as_bytes()).ok()?;
    Some(KeyLine {
        purpose,
        made: Timestamp(made.parse().ok()?),
        bytes: bytes.try_into().ok()?,
    })
}

fn formatted(keys: &[KeyLine], others: &[&str]) -> String {
    let mut text = HEAD.to_owned();
    for key in keys {
        let purpose = key.purpose.as_str();
        let _ = writeln!(
            text,
            "{purpose} {} {}",
            key.made.0,
            HEXLOWER.encode(&key.bytes)
        );
    }
    for line in others {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn random() -> io::Result<[u8; KEY]> {
    let mut bytes = [0; KEY];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| io::Error::other("the system gives no random numbers"))?;
    Ok(bytes)
}

/// Replaces the file as a whole.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    // The rest of a process that was killed here.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)
}
