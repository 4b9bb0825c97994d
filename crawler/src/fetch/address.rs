//! Decides which URLs and addresses may be touched at all: the guard against request forgery.
//!
//! Every hop of every request passes twice: [`check_url`] before the name is resolved, and
//! [`Guard::check_all`] on everything that it resolved to, of which exactly one is then dialled.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use manifest::{Domain, domain::DomainError};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// The longest URL that is asked for, in bytes.
pub const URL_CAP: usize = 2048;

/// IPv4 networks that no public web site lives in (IANA special-purpose registry and clouds' own).
const CLOSED_V4: [Ipv4Net; 20] = [
    v4(0, 0, 0, 0, 8),          // This host.
    v4(10, 0, 0, 0, 8),         // Private.
    v4(100, 64, 0, 0, 10),      // Shared by carriers; clouds keep metadata in it.
    v4(127, 0, 0, 0, 8),        // Loopback.
    v4(168, 63, 129, 16, 32),   // Azure's platform, public only by its looks.
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

/// IPv6 networks that no public web site lives in, and every form that carries an IPv4 address.
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

/// What may be touched: the public Internet, and what the operator opened besides.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    allow: Vec<IpNet>,
}

/// Why a URL or an address may not be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Neither `http` nor `https`.
    #[error("only http and https are fetched")]
    Scheme,
    /// A port that no web site has, unless its seed said so.
    #[error("port {0} is not fetched, but 80, 443 and the port of the seed")]
    Port(u16),
    /// A user name or a password in the URL.
    #[error("a URL with a user name or password is not fetched")]
    Userinfo,
    /// The host is no domain name.
    #[error("{0}")]
    Host(DomainError),
    /// A name that the public DNS does not know (RFC 6761, RFC 8375, RFC 9476).
    #[error("a special-use name, which the public DNS does not know")]
    SpecialUse,
    /// Over [`URL_CAP`].
    #[error("longer than 2048 bytes")]
    TooLong,
    /// The name has no address.
    #[error("the name has no address")]
    NoAddress,
    /// Its owner, or the operator, wants it left alone (P4).
    #[error("it is to be left alone")]
    Excluded,
    /// An address outside the public Internet.
    #[error("{0} is not a public address")]
    Address(IpAddr),
    /// An address of the machine that the crawler runs on.
    #[error("{0} is this machine itself; --allow-address opens it")]
    Ourselves(IpAddr),
}

impl Refusal {
    /// The word in outcomes.
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
            Self::Ourselves(_) => "ourselves",
            Self::Excluded => "excluded",
        }
    }

    /// How a visit ends that fails for this reason.
    pub fn outcome(self) -> store::Outcome {
        match self {
            Self::Scheme | Self::Port(_) | Self::Userinfo | Self::Excluded => {
                store::Outcome::RedirectRefused
            }
            Self::Host(DomainError::IpAddress | DomainError::SingleLabel)
            | Self::SpecialUse
            | Self::Address(_)
            | Self::Ourselves(_) => store::Outcome::BlockedAddress,
            Self::Host(_) | Self::TooLong => store::Outcome::ProtocolError,
            Self::NoAddress => store::Outcome::DnsError,
        }
    }
}

impl Guard {
    /// A guard that lets the public Internet through, and addresses inside `allow`.
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

    /// True when the operator opened the address.
    pub fn is_opened(&self, address: IpAddr) -> bool {
        self.allow.iter().any(|network| network.contains(&address))
    }

    /// Checks everything that a name resolved to; one bad address refuses the whole name.
    pub fn check_all(&self, addresses: &[IpAddr]) -> Result<(), Refusal> {
        if addresses.is_empty() {
            return Err(Refusal::NoAddress);
        }
        addresses
            .iter()
            .try_for_each(|address| self.check(*address))
    }

    /// Checks the name in a URL before it is resolved, and gives the canonical one.
    ///
    /// With an allow list, special-use names pass here: their addresses decide.
    pub fn check_name(&self, name: &str) -> Result<Domain, Refusal> {
        let domain = Domain::parse(name).map_err(Refusal::Host)?;
        if domain.is_special_use() && self.allow.is_empty() {
            return Err(Refusal::SpecialUse);
        }
        Ok(domain)
    }
}

/// True when a range is not wholly one that no public web site lives in.
pub fn has_public(range: &IpNet) -> bool {
    match range {
        IpNet::V4(range) => !CLOSED_V4.iter().any(|net| net.contains(range)),
        IpNet::V6(range) => !CLOSED_V6.iter().any(|net| net.contains(range)),
    }
}

/// Checks everything in a URL but the name, and gives that.
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
    // The parser has already turned every spelling of an IPv4 address into one.
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
