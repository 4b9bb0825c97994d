//! What one line of a seed list says.

use manifest::ajson::{AjsonError, AjsonUri, Unresolvable};
use manifest::{Domain, domain::DomainError};
use std::net::IpAddr;
use store::{Seed, SeedSource};
use url::Url;

/// Ports that browsers refuse to ask, since what listens there is no web server: the bad ports of the Fetch standard
/// (<https://fetch.spec.whatwg.org/#port-blocking>), in order.
const OTHER_SERVICES: [u16; 82] = [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
];

/// Why a line gives no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// Over [`super::LINE_CAP`].
    #[error("longer than 1024 bytes")]
    TooLong,
    /// Not UTF-8, or with control characters.
    #[error("not text in UTF-8, or with control characters")]
    NotText,
    /// Looks like a URL, and is none.
    #[error("not a URL")]
    Url,
    /// A URL of another kind.
    #[error("only http, https and ajson URLs name a web site")]
    Scheme,
    /// An `ajson://` URI that is not well formed.
    #[error("{0}")]
    Ajson(AjsonError),
    /// An `ajson://` URI that leads to no web site.
    #[error("{0}")]
    Unresolvable(Unresolvable),
    /// A user name or a password in a URL.
    #[error("a URL with a user name or password")]
    Userinfo,
    /// A port that is no port.
    #[error("the port is not a number from 1 to 65535")]
    Port,
    /// An http URL with a port: the port of a seed is that of its https origin.
    #[error("a port is asked over https alone: write it with https:// if it speaks that")]
    PlainPort,
    /// A port where no web server listens, such as 22.
    #[error("the port is another service's; browsers do not ask it for pages either")]
    OtherService,
    /// Not a name that someone registered.
    #[error("{0}")]
    Domain(DomainError),
    /// A name that the public DNS does not know.
    #[error("a special-use name, which the public DNS does not know")]
    SpecialUse,
}

/// The content of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The site.
    pub(super) seed: Seed,
    /// Documents on it besides the usual places, as URLs (P9).
    pub(super) documents: Vec<String>,
}

/// The site that a URL or the columns of a line name, its port, and documents on it.
type Named = (Domain, Option<u16>, Vec<String>);

/// Returns what a line gives; `None` for blank lines and comments.
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

/// True for a line that names the columns of a ranking, such as `rank,domain`.
pub(super) fn is_header(line: &[u8]) -> bool {
    const NAMES: [&str; 8] = [
        "domain", "domains", "host", "hostname", "origin", "site", "url", "website",
    ];
    let is_name = |column: &str| NAMES.iter().any(|name| column.eq_ignore_ascii_case(name));
    std::str::from_utf8(line).is_ok_and(|line| line.split(is_separator).map(unquoted).any(is_name))
}

/// Returns the site of a URL, and the document that it names there unless it is the front page.
fn from_url(entry: &str) -> Result<Named, Rejection> {
    // A ranking may hold URLs too.
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
    // A site is asked over https first, whatever the list says (P14).
    let is_document =
        (url.path() != "/" || url.query().is_some()) && url.set_scheme("https").is_ok();
    url.set_fragment(None);
    let document = is_document.then(|| url.into());
    Ok((domain, port, document.into_iter().collect()))
}

/// Returns the site of an `ajson://` URI, and the places where its manifest may be.
fn from_ajson(entry: &str) -> Result<Named, Rejection> {
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

/// The first column that names a domain; when none does, the fault of the last one that is no number.
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

/// A name, perhaps with a port, perhaps with the path that somebody copied along.
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
