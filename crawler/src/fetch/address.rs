//! The guard against server-side request forgery: decides which URLs and addresses may be
//! contacted.
//!
//! Every hop of every request is checked twice: by [`check_url`] before the name is resolved, and
//! by [`Guard::check_all`] on all addresses of the name, of which exactly one is then connected to.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use manifest::{Domain, domain::DomainError};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Maximum length of a requested URL in bytes.
pub const URL_CAP: usize = 2048;

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

/// Filter of the addresses that may be contacted: the public Internet, and the networks that the
/// operator opened.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    allow: Vec<IpNet>,
}

/// Reason not to contact a URL or an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Neither `http` nor `https`.
    #[error("only http and https are fetched")]
    Scheme,
    /// A port other than 80, 443 and the port of the seed.
    #[error("port {0} is not fetched, only 80, 443 and the port of the seed")]
    Port(u16),
    /// A user name or a password in the URL.
    #[error("a URL with a user name or password is not fetched")]
    Userinfo,
    /// The host is not a domain name.
    #[error("{0}")]
    Host(DomainError),
    /// A name that the public DNS does not resolve (RFC 6761, RFC 8375, RFC 9476).
    #[error("a special-use name, which the public DNS does not resolve")]
    SpecialUse,
    /// Longer than [`URL_CAP`].
    #[error("longer than 2048 bytes")]
    TooLong,
    /// The name has no address.
    #[error("the name has no address")]
    NoAddress,
    /// The domain is excluded by its owner or the operator (P4).
    #[error("the domain is excluded")]
    Excluded,
    /// An address outside the public Internet.
    #[error("{0} is not a public address")]
    Address(IpAddr),
    /// An address of the machine that the crawler runs on.
    #[error("{0} is an address of this machine; --allow-address permits it")]
    OwnAddress(IpAddr),
}

impl Refusal {
    /// Returns the word used in outcomes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Port(_) => "port",
            Self::Userinfo => "userinfo",
            Self::Host(DomainError::IpAddress) => "ip_address",
            Self::Host(DomainError::SingleLabel) => "single_label",
            Self::Host(_) => "host",
            Self::SpecialUse => "special_use",
            Self::TooLong => "too_long",
            Self::NoAddress => "no_address",
            Self::Address(_) => "not_public",
            Self::OwnAddress(_) => "ourselves",
            Self::Excluded => "excluded",
        }
    }

    /// Returns the outcome of a visit that fails for this reason.
    pub fn outcome(self) -> store::Outcome {
        match self {
            Self::Scheme | Self::Port(_) | Self::Userinfo | Self::Excluded => {
                store::Outcome::RedirectRefused
            }
            Self::Host(DomainError::IpAddress | DomainError::SingleLabel)
            | Self::SpecialUse
            | Self::Address(_)
            | Self::OwnAddress(_) => store::Outcome::BlockedAddress,
            Self::Host(_) | Self::TooLong => store::Outcome::ProtocolError,
            Self::NoAddress => store::Outcome::DnsError,
        }
    }
}

impl Guard {
    /// Creates a guard that admits the public Internet and the addresses inside `allow`.
    pub fn new(allow: Vec<IpNet>) -> Self {
        Self { allow }
    }

    /// Checks one address.
    pub fn check(&self, address: IpAddr) -> Result<(), Refusal> {
        let is_closed = match address {
            IpAddr::V4(address) => CLOSED_V4.iter().any(|net| net.contains(&address)),
            IpAddr::V6(address) => CLOSED_V6.iter().any(|net| net.contains(&address)),
        };
        if is_closed && !self.is_opened(address) {
            return Err(Refusal::Address(address));
        }
        Ok(())
    }

    /// Reports whether the operator opened the address.
    pub fn is_opened(&self, address: IpAddr) -> bool {
        self.allow.iter().any(|network| network.contains(&address))
    }

    /// Checks all addresses of a name; one refused address refuses the whole name.
    pub fn check_all(&self, addresses: &[IpAddr]) -> Result<(), Refusal> {
        if addresses.is_empty() {
            return Err(Refusal::NoAddress);
        }
        addresses
            .iter()
            .try_for_each(|address| self.check(*address))
    }

    /// Checks the name in a URL before it is resolved, and returns its canonical form.
    ///
    /// With an allow list, special-use names pass this check: their addresses decide.
    pub fn check_name(&self, name: &str) -> Result<Domain, Refusal> {
        let domain = Domain::parse(name).map_err(Refusal::Host)?;
        if domain.is_special_use() && self.allow.is_empty() {
            return Err(Refusal::SpecialUse);
        }
        Ok(domain)
    }
}

/// Reports whether a range is not entirely inside a network without public web sites.
pub fn has_public(range: &IpNet) -> bool {
    match range {
        IpNet::V4(range) => !CLOSED_V4.iter().any(|net| net.contains(range)),
        IpNet::V6(range) => !CLOSED_V6.iter().any(|net| net.contains(range)),
    }
}

/// Checks everything in a URL except the name, and returns the name.
///
/// `seed_port` is the port that the seed list gave for the domain of this visit.
pub fn check_url(url: &Url, seed_port: Option<u16>) -> Result<&str, Refusal> {
    if url.as_str().len() > URL_CAP {
        return Err(Refusal::TooLong);
    }
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Refusal::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Refusal::Userinfo);
    }
    // The parser has already canonicalized every notation of an IPv4 address.
    let name = match url.host() {
        Some(Host::Domain(name)) => name,
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => {
            return Err(Refusal::Host(DomainError::IpAddress));
        }
        None => return Err(Refusal::Host(DomainError::Empty)),
    };
    match url.port_or_known_default() {
        Some(80 | 443) => Ok(name),
        Some(port) if seed_port == Some(port) => Ok(name),
        Some(port) => Err(Refusal::Port(port)),
        None => Err(Refusal::Scheme),
    }
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

#[cfg(test)]
mod tests;
