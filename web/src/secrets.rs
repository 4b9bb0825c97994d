//! Secrets of the registry: keys that authenticate what clients bring back.
//!
//! They are in one file with mode 0600, made at the first start, and never in the database, an
//! export or the log. Keys are rotated; the key before the newest is still accepted.

mod file;

pub use file::SecretsError;

use manifest::Timestamp;
use ring::hmac;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// Age at which a key is replaced.
const ROTATION: Duration = Duration::from_hours(30 * 24);

/// Time from the creation of a key to its first use. Until then every process that uses the file has
/// read it, since all of them read it each [`RENEWAL`].
const NOTICE: Duration = Duration::from_hours(2);

/// Interval between two readings of the file.
pub(crate) const RENEWAL: Duration = Duration::from_hours(1);

/// Newest keys that are accepted.
const ACCEPTED: usize = 2;

/// Secrets in a file, shared by all handlers; cheap to clone.
#[derive(Clone, Debug)]
pub struct Secrets {
    path: Arc<Path>,
    stored: Arc<RwLock<Vec<StoredKey>>>,
}

/// Key with the time of its creation.
#[derive(Clone, Debug)]
struct StoredKey {
    made: Timestamp,
    key: hmac::Key,
}

/// Keys in use at one time.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    signing: hmac::Key,
    accepted: Vec<hmac::Key>,
}

impl Secrets {
    /// Reads the secrets at `path`, and makes those that are missing or due for rotation.
    pub fn open(path: &Path, now: Timestamp) -> Result<Self, SecretsError> {
        let stored = file::renewed(path, now)?;
        Ok(Self {
            path: path.into(),
            stored: Arc::new(RwLock::new(stored)),
        })
    }

    /// Reads the file again, and rotates the keys if that is due.
    pub fn renew(&self, now: Timestamp) -> Result<(), SecretsError> {
        let stored = file::renewed(&self.path, now)?;
        *self.stored.write().unwrap_or_else(PoisonError::into_inner) = stored;
        Ok(())
    }

    /// Returns the keys in use at `now`.
    pub(crate) fn keys(&self, now: Timestamp) -> Keys {
        let stored = self.stored.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = |it: &&StoredKey| it.made.after(NOTICE) <= now;
        let signing = stored.iter().find(is_known).or_else(|| stored.last());
        Keys {
            signing: signing.expect("a file of secrets has a key").key.clone(),
            accepted: stored.iter().map(|it| it.key.clone()).collect(),
        }
    }
}

impl Keys {
    /// Returns the authentication code of `bytes`.
    pub(crate) fn authenticate(&self, bytes: &[u8]) -> hmac::Tag {
        hmac::sign(&self.signing, bytes)
    }

    /// Reports whether `tag` is the authentication code of `bytes`.
    pub(crate) fn accept(&self, bytes: &[u8], tag: &[u8]) -> bool {
        let mut keys = self.accepted.iter();
        keys.any(|key| hmac::verify(key, bytes, tag).is_ok())
    }
}

/// Returns the default path of the secrets: beside the database if that is a file, else in the data
/// directory.
pub fn beside(database: &str) -> PathBuf {
    let location = database.strip_prefix("sqlite:").unwrap_or_default();
    let location = location.strip_prefix("//").unwrap_or(location);
    let location = location.split('?').next().unwrap_or_default();
    match location {
        "" => PathBuf::from("data/agentdex.secrets"),
        file => Path::new(file).with_extension("secrets"),
    }
}

#[cfg(test)]
pub(crate) mod tests;
