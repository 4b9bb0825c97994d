//! `ajson://` URIs and the possible locations of the manifests that they name (JSON Agents section
//! 16, rules AU-01 to AU-12).
//!
//! Nothing is fetched here. A caller that requests the candidates takes the first that is a JSON
//! Agents document, follows no redirect to plain http, and obeys the host's robots.txt (AU-10,
//! AU-11).
//!
//! ```
//! let candidates = manifest::ajson::candidates("ajson://shop.example/bots/clerk")?;
//! let candidates: Vec<_> = candidates.iter().map(url::Url::as_str).collect();
//! assert_eq!(
//!     candidates,
//!     [
//!         "https://shop.example/.well-known/agents/bots/clerk.agents.json",
//!         "https://shop.example/.well-known/bots/clerk.agents.json",
//!     ]
//! );
//!
//! // A name without dots is a mere identifier: it cannot be resolved.
//! assert!(manifest::ajson::candidates("ajson://router")?.is_empty());
//!
//! let error = manifest::ajson::candidates("ajson://me@shop.example/x").unwrap_err();
//! assert_eq!(error.rule().id, "AU-02");
//! # Ok::<(), manifest::ajson::AjsonError>(())
//! ```

use super::rules::{AU_01, AU_02, AU_03, AU_04, AU_05, AU_06, AU_12};
use crate::Domain;
use crate::rule::Rule;
use url::{Host, Url};

#[cfg(test)]
mod tests;

/// Maximum length of a URI, in bytes.
const MAX_BYTES: usize = 2_000;

/// Extension of every manifest's file name.
const EXTENSION: &str = ".agents.json";

/// A well-formed `ajson://authority/path`; it need not be resolvable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AjsonUri {
    host: Host<String>,
    port: Option<u16>,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
}

/// Reason why a text is not an `ajson://` URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AjsonError {
    /// Another scheme, or no authority.
    #[error("an agent URI is `ajson://` followed by a host and a path")]
    NoAuthority,
    /// A user name before the host.
    #[error("an agent URI must not name a user")]
    UserInfo,
    /// Characters that no host may have, or a port out of range.
    #[error("the host is not a DNS name, or the port is not between 1 and 65535")]
    Authority,
    /// Space, control character, `..` or an encoded slash; or longer than 2,000 bytes.
    #[error("the path must be free of spaces, control characters, `..` and encoded slashes")]
    Path,
}

/// Reason why a well-formed URI cannot be resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unresolvable {
    /// It has no path (AU-04).
    #[error("an identifier that cannot be resolved: it has no path")]
    NoPath,
    /// Its host is not a public name, or it gives a port other than 443 (AU-06, DI-09).
    #[error("an identifier that cannot be resolved: its host or port is not public")]
    PrivateHost,
    /// Its path is that of the Interaction API (AU-12).
    #[error("an identifier that cannot be resolved: `/agents/api/` belongs to the Interaction API")]
    Reserved,
}

impl AjsonError {
    /// Returns the id of the broken AU rule.
    pub fn rule(self) -> &'static Rule {
        match self {
            Self::NoAuthority => &AU_01,
            Self::UserInfo => &AU_02,
            Self::Authority => &AU_03,
            Self::Path => &AU_05,
        }
    }
}

impl Unresolvable {
    /// Returns the AU rule that applies.
    pub fn rule(self) -> &'static Rule {
        match self {
            Self::NoPath => &AU_04,
            Self::PrivateHost => &AU_06,
            Self::Reserved => &AU_12,
        }
    }
}

/// Returns the URLs at which the manifest named by `uri` may be, most likely first; empty for mere
/// identifiers.
pub fn candidates(uri: &str) -> Result<Vec<Url>, AjsonError> {
    Ok(AjsonUri::parse(uri)?.candidates().unwrap_or_default())
}

/// Reports whether a text has the scheme `ajson:`, well-formed or not.
pub(crate) fn has_scheme(text: &str) -> bool {
    let scheme = text.get(..6);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("ajson:"))
}

impl AjsonUri {
    /// Parses a URI.
    pub fn parse(text: &str) -> Result<Self, AjsonError> {
        let rest = match text.split_at_checked(8) {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("ajson://") => rest,
            _ => return Err(AjsonError::NoAuthority),
        };
        if text.len() > MAX_BYTES {
            return Err(AjsonError::Path);
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (host, port) = host_and_port(authority)?;
        let is_blank = |character: char| character.is_whitespace() || character.is_control();
        if rest.contains(is_blank) {
            return Err(AjsonError::Path);
        }
        let (rest, fragment) = split(rest, '#');
        let (path, query) = split(rest, '?');
        let decoded = decoded(path);
        let slashes = |text: &str| text.matches(['/', '\\']).count();
        if slashes(&decoded) > path.matches('/').count()
            || decoded.contains(char::is_control)
            || decoded.split('/').any(|segment| segment == "..")
        {
            return Err(AjsonError::Path);
        }
        Ok(Self {
            host,
            port,
            path: path.to_owned(),
            query,
            fragment,
        })
    }

    /// Returns the host.
    pub(crate) fn host(&self) -> &Host<String> {
        &self.host
    }

    /// Returns the part after `?`, which resolving drops (AU-07).
    pub fn query(&self) -> Option<&str> {
        self.query.as_deref()
    }

    /// Returns the part after `#`: a member, `capability/<id>` or `node/<id>`, to be applied to the
    /// manifest found (AU-08).
    pub fn fragment(&self) -> Option<&str> {
        self.fragment.as_deref()
    }

    /// Returns the URLs at which the manifest may be: at most two, most likely first (AU-09).
    ///
    /// The specification and its Python validator agree on paths below `/agents/`. For other paths
    /// they differ, and both URLs are given.
    pub fn candidates(&self) -> Result<Vec<Url>, Unresolvable> {
        let path = self.path.strip_suffix(EXTENSION).unwrap_or(&self.path);
        if path.trim_matches('/').is_empty() || path.ends_with('/') {
            return Err(Unresolvable::NoPath);
        }
        let domain = match &self.host {
            Host::Domain(name) => Domain::parse(name).ok(),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        };
        let domain = domain.filter(|domain| !domain.is_special_use());
        let has_usual_port = self.port.is_none_or(|port| port == 443);
        let Some(domain) = domain.filter(|_| has_usual_port) else {
            return Err(Unresolvable::PrivateHost);
        };
        let directories: &[&str] = if path.starts_with("/agents/") {
            &["/.well-known"]
        } else {
            &["/.well-known/agents", "/.well-known"]
        };
        let urls = directories.iter().filter_map(|directory| {
            Url::parse(&format!("https://{domain}{directory}{path}{EXTENSION}")).ok()
        });
        let urls: Vec<Url> = urls.filter(|url| !is_reserved(url)).collect();
        if urls.is_empty() {
            return Err(Unresolvable::Reserved);
        }
        Ok(urls)
    }
}

fn host_and_port(authority: &str) -> Result<(Host<String>, Option<u16>), AjsonError> {
    if authority.is_empty() {
        return Err(AjsonError::NoAuthority);
    }
    if authority.contains('@') {
        return Err(AjsonError::UserInfo);
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            let port: u16 = port.parse().map_err(|_| AjsonError::Authority)?;
            (host, Some(port))
        }
        Some(_) | None => (authority, None),
    };
    let host = Host::parse(host).map_err(|_| AjsonError::Authority)?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || ".-".contains(character);
    let is_wrong = match &host {
        Host::Domain(name) => !name.chars().all(is_name) || name.contains(".."),
        Host::Ipv4(_) | Host::Ipv6(_) => false,
    };
    if is_wrong || port == Some(0) {
        return Err(AjsonError::Authority);
    }
    Ok((host, port))
}

/// Splits `text` at the first `mark` into the parts before and after it.
fn split(text: &str, mark: char) -> (&str, Option<String>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after.to_owned())),
        None => (text, None),
    }
}

/// Reports whether `url` is in the Interaction API, which shares `/.well-known/agents/` (AU-12).
fn is_reserved(url: &Url) -> bool {
    let path = decoded(url.path());
    path.starts_with("/.well-known/agents/api/") || path.starts_with("/.well-known/agents/api.")
}

/// Decodes percent-encoding; bytes that are not valid UTF-8 become U+FFFD.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%');
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
