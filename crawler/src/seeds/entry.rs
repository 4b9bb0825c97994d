//! What one line of a seed list says.

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
    #[error("not text in UTF-8")]
    NotText,
    /// Looks like a URL, and is none.
    #[error("not a URL")]
    Url,
    /// A URL of another kind.
    #[error("only http and https URLs name a web site")]
    Scheme,
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

/// The seed of a line; `None` for blank lines and comments.
pub(super) fn parse(line: &[u8], allow_special_use: bool) -> Result<Option<Seed>, Rejection> {
    let entry = line.split(|byte| *byte == b'#').next().unwrap_or_default();
    let entry = std::str::from_utf8(entry).map_err(|_| Rejection::NotText)?;
    let entry = entry.trim();
    if entry.is_empty() {
        return Ok(None);
    }
    if entry.contains(|character: char| character.is_control() && character != '\t') {
        return Err(Rejection::NotText);
    }
    let (domain, port) = if entry.contains("://") {
        from_url(entry)?
    } else {
        from_columns(entry)?
    };
    if port.is_some_and(|port| OTHER_SERVICES.binary_search(&port).is_ok()) {
        return Err(Rejection::OtherService);
    }
    if domain.is_special_use() && !allow_special_use {
        return Err(Rejection::SpecialUse);
    }
    Ok(Some(Seed {
        domain,
        port: port.filter(|port| *port != 443),
        source: SeedSource::Seed,
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

fn from_url(entry: &str) -> Result<(Domain, Option<u16>), Rejection> {
    // A ranking may hold URLs too.
    let entry = entry
        .split(is_separator)
        .map(unquoted)
        .find(|column| column.contains("://"))
        .unwrap_or(entry);
    let url = Url::parse(entry).map_err(|_| Rejection::Url)?;
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
    Ok((domain, url.port()))
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
