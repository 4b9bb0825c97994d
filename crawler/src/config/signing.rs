//! The key for message signatures, and the origin of its public part (P5).

use super::contact::Contact;
use super::error::ConfigError;
use crate::fetch::message_signature::{Key, Signer};
use std::path::Path;
use url::Url;

/// Returns the signer for the key at `path`. By default the origin of the contact page serves the
/// key directory; `agent` overrides it.
pub(super) fn signer(
    path: &Path,
    agent: Option<&str>,
    contact: Option<&Contact>,
) -> Result<Signer, ConfigError> {
    let key = key(path)?;
    let origin = match agent {
        Some(text) => origin(text).ok_or_else(|| ConfigError::SignAgent(text.to_owned()))?,
        None => contact
            .and_then(Contact::origin)
            .ok_or(ConfigError::NoSignAgent)?,
    };
    Ok(Signer::new(key, &origin))
}

/// Reads the key at `path`.
pub(super) fn key(path: &Path) -> Result<Key, ConfigError> {
    let fail = ConfigError::of_file("use --sign-key", path);
    Key::read(path).map_err(|error| fail(error.to_string()))
}

/// Parses an https URL that consists of a host and an optional port.
fn origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    (url.scheme() == "https" && is_bare && is_anonymous).then_some(url)
}
