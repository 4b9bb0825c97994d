//! Secrets of the registry: keys that authenticate what clients bring back, and keys that sign its
//! agent card and the records of sessions.
//!
//! They are in one file with mode 0600, made at the first start, and never in the database, an
//! export or the log. Keys are rotated; the key before the newest is still accepted.

mod file;
mod public;

pub use file::SecretsError;
pub(crate) use public::key_set;

use manifest::Timestamp;
use ring::hmac;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
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
    stored: Arc<RwLock<KeyRing>>,
}

/// Keys of each purpose, the newest first.
#[derive(Clone, Debug, Default)]
struct KeyRing {
    cursor: Vec<StoredKey<hmac::Key>>,
    card: Vec<StoredKey<SigningKey>>,
    session: Vec<StoredKey<hmac::Key>>,
    audit: Vec<StoredKey<SigningKey>>,
}

/// Key with the time of its creation.
#[derive(Clone, Debug)]
struct StoredKey<K> {
    made: Timestamp,
    key: K,
}

/// Ed25519 key; its debug output shows the public part only.
#[derive(Clone, Debug)]
pub(crate) struct SigningKey(Arc<Ed25519KeyPair>);

/// Keys that sign documents of one kind, at one time.
#[derive(Clone, Debug)]
pub(crate) struct SigningKeys {
    signing: SigningKey,
    published: Vec<SigningKey>,
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

    /// Returns the keys of cursors in use at `now`.
    pub(crate) fn keys(&self, now: Timestamp) -> Keys {
        let stored = self.stored.read().unwrap_or_else(PoisonError::into_inner);
        Keys {
            signing: in_use(&stored.cursor, now),
            accepted: stored.cursor.iter().map(|it| it.key.clone()).collect(),
        }
    }

    /// Returns the keys of the agent card at `now`. A key is published before its first use.
    pub(crate) fn card_keys(&self, now: Timestamp) -> SigningKeys {
        let stored = self.stored.read().unwrap_or_else(PoisonError::into_inner);
        SigningKeys::of(&stored.card, now)
    }

    /// Returns the keys of the records of sessions at `now`. A key is published before its first use,
    /// and for as long as the records are kept that it signed.
    pub(crate) fn audit_keys(&self, now: Timestamp) -> SigningKeys {
        let stored = self.stored.read().unwrap_or_else(PoisonError::into_inner);
        SigningKeys::of(&stored.audit, now)
    }

    /// Returns the codes of a claim under each accepted key, that of the key in use at `now` first.
    ///
    /// They can be computed again, so that each request for the same claim is answered with the same token.
    pub(crate) fn claim_codes(&self, claim: &[u8], now: Timestamp) -> Vec<hmac::Tag> {
        let stored = self.stored.read().unwrap_or_else(PoisonError::into_inner);
        let newest = in_use(&stored.session, now);
        let older = stored.session.iter().map(|it| it.key.clone());
        let text = [b"claim:", claim].concat();
        let keys = std::iter::once(newest).chain(older);
        keys.map(|key| hmac::sign(&key, &text)).collect()
    }

    /// Returns the code under which a network of visitors is counted at `now`, which does not tell its
    /// address.
    pub(crate) fn pseudonym(&self, network: &[u8], now: Timestamp) -> hmac::Tag {
        let stored = self.stored.read().unwrap_or_else(PoisonError::into_inner);
        hmac::sign(&in_use(&stored.session, now), network)
    }
}

/// Returns the newest key that every process knows, or the oldest.
fn in_use<K: Clone>(stored: &[StoredKey<K>], now: Timestamp) -> K {
    let is_known = |it: &&StoredKey<K>| it.made.after(NOTICE) <= now;
    let signing = stored.iter().find(is_known).or_else(|| stored.last());
    signing
        .expect("a file of secrets has a key of each purpose")
        .key
        .clone()
}

impl SigningKey {
    /// Returns the public key.
    pub(crate) fn public(&self) -> &[u8] {
        self.0.public_key().as_ref()
    }
}

impl SigningKeys {
    fn of(stored: &[StoredKey<SigningKey>], now: Timestamp) -> Self {
        Self {
            signing: in_use(stored, now),
            published: stored.iter().map(|it| it.key.clone()).collect(),
        }
    }

    /// Returns the key that signs.
    pub(crate) fn signing(&self) -> &SigningKey {
        &self.signing
    }

    /// Returns the keys of valid signatures.
    pub(crate) fn published(&self) -> &[SigningKey] {
        &self.published
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

/// Checks that the secrets at `path` can be used, and changes nothing.
pub fn check(path: &Path) -> Result<(), SecretsError> {
    file::check(path)
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
