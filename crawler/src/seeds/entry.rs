//! Parser of one line of a seed list.

use manifest::ajson::{AjsonError, AjsonUri, Unresolvable};
use manifest::{Domain, domain::DomainError};
use std::net::IpAddr;
use store::{Seed, SeedSource};
use url::Url;

/// Ports that browsers block because no web server listens there: the bad ports of the Fetch
/// standard (<https://fetch.spec.whatwg.org/#port-blocking>), sorted.
const OTHER_SERVICES: [u16; 82] = [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
];

/// Reason why a line gives no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// It is longer than [`super::LINE_CAP`].
    #[error("longer than 1024 bytes")]
    TooLong,
    /// It is not UTF-8, or has control characters.
    #[error("not UTF-8 text, or with control characters")]
    NotText,
    /// It looks like a URL but is invalid.
    #[error("not a URL")]
    Url,
    /// It is a URL of another scheme.
    #[error("only http, https and ajson URLs name a web site")]
    Scheme,
    /// It is a malformed `ajson://` URI.
    #[error("{0}")]
    Ajson(AjsonError),
    /// It is an `ajson://` URI that does not resolve to a web site.
    #[error("{0}")]
    Unresolvable(Unresolvable),
    /// The URL has a user name or a password.
    #[error("a URL with a user name or password")]
    Userinfo,
    /// The port is invalid.
    #[error("the port is not a number from 1 to 65535")]
    Port,
    /// It is an http URL with a port; the port of a seed is that of its https origin.
    #[error("ports are supported with https only: write https:// if the port speaks it")]
    PlainPort,
    /// No web server listens on this port, such as 22.
    #[error("the port belongs to another service; browsers block it too")]
    OtherService,
    /// It is not a registrable name.
    #[error("{0}")]
    Domain(DomainError),
    /// It is a record of a registry without an address.
    #[error("no address of a site")]
    NoAddress,
    /// It is a record of a registry that names only a repository or a package.
    #[error("only a repository or a package, which is no site of the publisher")]
    Repository,
    /// It is a record that its registry has deleted.
    #[error("deleted in its registry")]
    Deleted,
    /// The name does not exist in the public DNS.
    #[error("a special-use name, which does not exist in the public DNS")]
    SpecialUse,
}

/// Content of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The site.
    pub(super) seed: Seed,
    /// Documents on it outside of the default paths, as URLs (P9).
    pub(super) documents: Vec<String>,
}

/// Site with its port, and documents on it, as named by a URL or the columns of a line.
type EntryParts = (Domain, Option<u16>, Vec<String>);

/// Returns the entry of a line; `None` for blank lines and comments.
pub(super) fn parse(line: &[u8], allow_special_use: bool) -> Result<Option<Entry>, Rejection> {
    let entry = line.split(|byte| *byte == b'#').next().unwrap_or_default();
    let entry = std::str::from_utf8(entry).map_err(|_| Rejection::NotText)?;
    let entry = entry.trim();
    if entry.is_empty() {
        return Ok(None);
    }
    if entry.contains(|character: char| character.is_control() && character != '\t') {
        return Err(Rejection::NotText);
    }
    let (domain, port, documents) = if entry.contains("://") {
        from_url(entry)?
    } else {
        let (domain, port) = from_columns(entry)?;
        (domain, port, Vec::new())
    };
    if port.is_some_and(|port| OTHER_SERVICES.binary_search(&port).is_ok()) {
        return Err(Rejection::OtherService);
    }
    if domain.is_special_use() && !allow_special_use {
        return Err(Rejection::SpecialUse);
    }
    Ok(Some(Entry {
        seed: Seed {
            domain,
            port: port.filter(|port| *port != 443),
            source: SeedSource::Seed,
        },
        documents,
    }))
}

/// Reports whether a line names the columns of a ranking, such as `rank,domain`.
pub(super) fn is_header(line: &[u8]) -> bool {
    const NAMES: [&str; 8] = [
        "domain", "domains", "host", "hostname", "origin", "site", "url", "website",
    ];
    let is_name = |column: &str| NAMES.iter().any(|name| column.eq_ignore_ascii_case(name));
    std::str::from_utf8(line).is_ok_and(|line| line.split(is_separator).map(unquoted).any(is_name))
}

/// Returns the site of a URL, and the document that it names unless it is the front page.
fn from_url(entry: &str) -> Result<EntryParts, Rejection> {
    // A ranking may also contain URLs.
    let entry = entry
        .split(is_separator)
        .map(unquoted)
        .find(|column| column.contains("://"))
        .unwrap_or(entry);
    if entry.starts_with("ajson://") {
        return from_ajson(entry);
    }
    let mut url = Url::parse(entry).map_err(|_| Rejection::Url)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Rejection::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Rejection::Userinfo);
    }
    if url.port() == Some(0) {
        return Err(Rejection::Port);
    }
    if url.scheme() == "http" && url.port().is_some() {
        return Err(Rejection::PlainPort);
    }
    let host = url.host_str().unwrap_or_default();
    let domain = Domain::parse(host).map_err(Rejection::Domain)?;
    let port = url.port();
    // A site is always requested over https first (P14).
    let is_document =
        (url.path() != "/" || url.query().is_some()) && url.set_scheme("https").is_ok();
    url.set_fragment(None);
    let document = is_document.then(|| url.into());
    Ok((domain, port, document.into_iter().collect()))
}

/// Returns the site of an `ajson://` URI, and the URLs at which its manifest may be.
fn from_ajson(entry: &str) -> Result<EntryParts, Rejection> {
    let uri = AjsonUri::parse(entry).map_err(Rejection::Ajson)?;
    let candidates = uri.candidates().map_err(Rejection::Unresolvable)?;
    let host = candidates.first().and_then(Url::host_str);
    let domain = Domain::parse(host.unwrap_or_default()).map_err(Rejection::Domain)?;
    Ok((
        domain,
        None,
        candidates.into_iter().map(String::from).collect(),
    ))
}

/// Returns the domain of the first column with one, otherwise the error of the last column that is
/// not a number.
fn from_columns(entry: &str) -> Result<(Domain, Option<u16>), Rejection> {
    let mut fault = None;
    for column in entry.split(is_separator).map(unquoted) {
        match from_host(column) {
            Ok(found) => return Ok(found),
            Err(reason) => {
                let is_number = column.bytes().all(|byte| byte.is_ascii_digit());
                if fault.is_none() || !is_number {
                    fault = Some(reason);
                }
            }
        }
    }
    Err(fault.unwrap_or(Rejection::Domain(DomainError::Empty)))
}

/// Parses a name with an optional port and an optional path.
fn from_host(column: &str) -> Result<(Domain, Option<u16>), Rejection> {
    let host = column.split(['/', '?']).next().unwrap_or_default();
    if host.parse::<IpAddr>().is_ok() {
        return Err(Rejection::Domain(DomainError::IpAddress));
    }
    if host.contains('@') {
        return Err(Rejection::Userinfo);
    }
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !host.ends_with(']') => {
            let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            let port = port.parse().ok().filter(|port| is_number && *port != 0);
            (name, Some(port.ok_or(Rejection::Port)?))
        }
        _ => (host, None),
    };
    let domain = Domain::parse(name).map_err(Rejection::Domain)?;
    Ok((domain, port))
}

fn is_separator(character: char) -> bool {
    matches!(character, ',' | ';' | '\t')
}

fn unquoted(column: &str) -> &str {
    column.trim().trim_matches('"').trim()
}
