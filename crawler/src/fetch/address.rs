//! Decides which URLs and addresses may be touched at all: the guard against request forgery.
//!
//! Every hop of every request passes twice: [`Guard::check_url`] before the name is resolved, and
//! [`Guard::check_all`] on everything that it resolved to, of which exactly one is then dialled.

use ipnet::IpNet;
use manifest::{Domain, domain::DomainError};
use std::net::IpAddr;
use url::Url;

/// The longest URL that is asked for, in bytes.
pub const URL_CAP: usize = 2048;

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
    #[error("only ports 80 and 443 are fetched, and the port of the seed")]
    Port,
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
    /// An address outside the public Internet.
    #[error("{0} is not a public address")]
    Address(IpAddr),
}

impl Refusal {
    /// How a visit ends that fails for this reason.
    pub fn outcome(self) -> store::Outcome {
        match self {
            Self::Scheme | Self::Port | Self::Userinfo => store::Outcome::RedirectRefused,
            Self::Host(DomainError::IpAddress | DomainError::SingleLabel)
            | Self::SpecialUse
            | Self::Address(_) => store::Outcome::BlockedAddress,
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
        let _ = &self.allow;
        Err(Refusal::Address(address))
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

    /// Checks a URL before its name is resolved, and gives the canonical name to resolve.
    ///
    /// `seed_port` is the port that the seed list gave for the domain of this visit.
    /// With an allow list, special-use names pass here: their addresses decide.
    pub fn check_url(&self, url: &Url, seed_port: Option<u16>) -> Result<Domain, Refusal> {
        let _ = (url, seed_port);
        Err(Refusal::Scheme)
    }
}
