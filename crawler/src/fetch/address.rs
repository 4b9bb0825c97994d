//! The guard against server-side request forgery: decides which URLs and addresses may be
//! contacted.
//!
//! Every hop of every request is checked twice: by [`check_url`] before the name is resolved, and
//! by [`Guard::check_all`] on all addresses of the name, of which exactly one is then connected to.

use ipnet::IpNet;
use manifest::domain::DomainError;
use manifest::{Domain, public_address};
use std::net::IpAddr;
use url::{Host, Url};

/// Maximum length of a requested URL in bytes.
pub const URL_CAP: usize = 2048;

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
    /// A name that the public DNS does not resolve ([`Domain::is_special_use`]).
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
        if public_address::of_ip(address).is_some() && !self.is_opened(address) {
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

#[cfg(test)]
mod tests;
