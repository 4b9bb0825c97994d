//! Addresses that can be called from anywhere on the Internet, and those that cannot.
//!
//! The decision is one for the whole registry: the crawler contacts no other address, readers
//! follow no reference to one, and none is offered to callers.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

#[cfg(test)]
mod tests;

/// IPv4 networks without public web sites (IANA special-purpose registry and networks of cloud
/// providers).
const CLOSED_V4: [Ipv4Net; 20] = [
    v4(0, 0, 0, 0, 8),          // This host.
    v4(10, 0, 0, 0, 8),         // Private.
    v4(100, 64, 0, 0, 10),      // Shared by carriers; clouds keep metadata in it.
    v4(127, 0, 0, 0, 8),        // Loopback.
    v4(168, 63, 129, 16, 32),   // Azure's platform, in a public range.
    v4(169, 254, 0, 0, 16),     // Link-local; most clouds' metadata.
    v4(172, 16, 0, 0, 12),      // Private.
    v4(192, 0, 0, 0, 24),       // IETF protocols, NAT64 discovery.
    v4(192, 0, 2, 0, 24),       // Documentation.
    v4(192, 31, 196, 0, 24),    // AS112.
    v4(192, 52, 193, 0, 24),    // AMT relays.
    v4(192, 88, 99, 0, 24),     // 6to4 relays.
    v4(192, 168, 0, 0, 16),     // Private.
    v4(192, 175, 48, 0, 24),    // AS112.
    v4(198, 18, 0, 0, 15),      // Benchmarks.
    v4(198, 51, 100, 0, 24),    // Documentation.
    v4(203, 0, 113, 0, 24),     // Documentation.
    v4(224, 0, 0, 0, 4),        // Multicast.
    v4(240, 0, 0, 0, 4),        // Reserved.
    v4(255, 255, 255, 255, 32), // Broadcast.
];

/// IPv6 networks without public web sites, and every form that embeds an IPv4 address.
const CLOSED_V6: [Ipv6Net; 17] = [
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96), // Unspecified, loopback, IPv4-compatible.
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96), // IPv4-mapped.
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96), // IPv4-translated.
    v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96), // NAT64.
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), // NAT64, local use.
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64), // Discard.
    v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64), // Dummy.
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // IETF protocols, Teredo, ORCHID.
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // Documentation.
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4.
    v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // AS112.
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // Documentation.
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16), // Segment routing.
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), // Unique local.
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), // Link-local.
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), // Site-local.
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), // Multicast.
];

/// Suffixes that the public DNS never resolves (RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476).
///
/// Names reserved for examples and tests are not among them: their resolver decides.
const PRIVATE_SUFFIXES: [&str; 12] = [
    "localhost",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "onion",
    "alt",
    "invalid",
];

/// Reason why an address cannot be called from outside of its own machine or network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPublic {
    /// An IP address outside of the public Internet.
    #[error("an IP address outside of the public Internet")]
    Address,
    /// A name of one label.
    #[error("a name of one label, which only its own network resolves")]
    SingleLabel,
    /// A name below a suffix of private networks.
    #[error("a name of a private network, which the public DNS does not resolve")]
    PrivateName,
}

/// Returns the reason why a host cannot be called from outside; `None` if it can.
pub fn of_host<S: AsRef<str>>(host: &Host<S>) -> Option<NotPublic> {
    let is_closed = match host {
        Host::Domain(name) => return of_name(name.as_ref()),
        Host::Ipv4(address) => CLOSED_V4.iter().any(|net| net.contains(address)),
        Host::Ipv6(address) => CLOSED_V6.iter().any(|net| net.contains(address)),
    };
    is_closed.then_some(NotPublic::Address)
}

/// Returns the reason why an IP address cannot be called from outside; `None` if it can.
pub fn of_ip(address: IpAddr) -> Option<NotPublic> {
    match address {
        IpAddr::V4(address) => of_host(&Host::<&str>::Ipv4(address)),
        IpAddr::V6(address) => of_host(&Host::<&str>::Ipv6(address)),
    }
}

/// Returns the reason why the host of a URL, or of `host:port`, cannot be called from outside;
/// `None` if it can, or if the text has no host.
///
/// Every notation of an IPv4 address counts as that address. Variables in braces may stand for any
/// letters, so only the rest of their host decides.
pub fn of_url(address: &str) -> Option<NotPublic> {
    of_host(&host(address)?)
}

/// Returns the host of a URL or of `host:port`.
pub fn host(address: &str) -> Option<Host<String>> {
    let address = without_variables(address.trim());
    let url = Url::parse(&address).ok().filter(Url::has_host);
    let url = url.or_else(|| without_scheme(&address))?;
    match url.host()? {
        // URLs of other schemes than those of the web keep their host as it is written.
        Host::Domain(name) => Host::parse(name)
            .ok()
            .or(Some(Host::Domain(name.to_owned()))),
        Host::Ipv4(address) => Some(Host::Ipv4(address)),
        Host::Ipv6(address) => Some(Host::Ipv6(address)),
    }
}

/// Returns the URL of an address without a scheme, such as `host:port` of gRPC. A path is none, and
/// neither is a word.
fn without_scheme(address: &str) -> Option<Url> {
    let url = Url::parse(&format!("https://{address}")).ok()?;
    let host = url.host_str()?;
    let is_host = host.contains(['.', ':']) || host == "localhost" || url.port().is_some();
    (is_host && !address.starts_with('/')).then_some(url)
}

/// Reports whether a range is not entirely inside a network without public web sites.
pub fn has_public(range: &IpNet) -> bool {
    match range {
        IpNet::V4(range) => !CLOSED_V4.iter().any(|net| net.contains(range)),
        IpNet::V6(range) => !CLOSED_V6.iter().any(|net| net.contains(range)),
    }
}

fn of_name(name: &str) -> Option<NotPublic> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_below = |suffix: &&str| {
        let rest = name.strip_suffix(*suffix);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if PRIVATE_SUFFIXES.iter().any(is_below) {
        Some(NotPublic::PrivateName)
    } else if name.contains('.') {
        None
    } else {
        Some(NotPublic::SingleLabel)
    }
}

/// Replaces each variable in braces by a letter; a text without one stays as it is.
fn without_variables(address: &str) -> String {
    let mut text = String::with_capacity(address.len());
    let mut rest = address;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((_, after)) = after.split_once('}') else {
            break;
        };
        text.push_str(before);
        text.push('x');
        rest = after;
    }
    text.push_str(rest);
    text
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(groups: [u16; 8], length: u8) -> Ipv6Net {
    let address = Ipv6Addr::new(
        groups[0], groups[1], groups[2], groups[3], groups[4], groups[5], groups[6], groups[7],
    );
    Ipv6Net::new_assert(address, length)
}
