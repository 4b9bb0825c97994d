//! With which key requests are signed, and where its public half is found (P5).

use super::ConfigError;
use super::contact::Contact;
use crate::fetch::sign::{Key, Signer};
use std::path::Path;
use url::Url;

/// The signer for the key at `path`. Unless `agent` says otherwise, the origin of the contact's page
/// serves the key directory.
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
    Key::read(path).map_err(|error| ConfigError::SignKey {
        path: path.display().to_string(),
        reason: error.to_string(),
    })
}

/// An https URL of nothing but a host, and perhaps a port.
fn origin(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_anonymous = url.username().is_empty() && url.password().is_none();
    (url.scheme() == "https" && is_bare && is_anonymous).then_some(url)
}
