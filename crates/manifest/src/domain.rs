//! Domain names, which identify sites in the crawler and the registry.

use crate::public_address;
use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use serde::{Deserialize, Serialize};

/// A DNS name in canonical form: A-labels, lower case, no trailing dot, at least two labels.
///
/// Input is processed by the WHATWG host rules and by UTS 46 for host names. Hyphens may be anywhere
/// within a label, as registries gave names such as `v2--otter.example` away, and underscores below
/// the registrable domain, where names need no registry. IP addresses are not domains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Domain(String);

/// Reason why a text is not a [`Domain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// Nothing but white space.
    #[error("the name is empty")]
    Empty,
    /// An IPv4 or IPv6 address in any notation.
    #[error("an IP address is not a domain; give the host name")]
    IpAddress,
    /// One label only, such as `localhost`.
    #[error("a single label is not a public domain")]
    SingleLabel,
    /// Refused by UTS 46, or with a character that is not permitted in host names.
    #[error("not a valid host name (UTS 46)")]
    Invalid,
    /// An underscore in the registrable domain, where no registry permits one.
    #[error("underscores are permitted only below the registrable domain")]
    Underscore,
    /// A label over 63 or a name over 253 octets.
    #[error("longer than DNS allows (63 octets a label, 253 in all)")]
    TooLong,
    /// The name is itself a public suffix, such as `co.uk`.
    #[error("a public suffix, below which domains are registered")]
    PublicSuffix,
}

/// Characters that UTS 46 permits, but that look like the end of the host to a reader.
const DELIMITER_LOOKALIKES: [char; 12] = [
    '\u{0589}', '\u{05c3}', '\u{2044}', '\u{2215}', '\u{2216}', '\u{2236}', '\u{27cb}', '\u{29f5}',
    '\u{29f8}', '\u{2afb}', '\u{2afd}', '\u{a789}',
];

impl Domain {
    /// Parses a host name: in Unicode or A-labels, in any case, with or without a trailing dot.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        let text = text.trim();
        let text = text.strip_suffix('.').unwrap_or(text);
        if text.is_empty() {
            return Err(DomainError::Empty);
        }
        match url::Host::parse(text) {
            Ok(url::Host::Ipv4(_) | url::Host::Ipv6(_)) => return Err(DomainError::IpAddress),
            Ok(url::Host::Domain(_)) => {}
            Err(_) if is_too_long(text) => return Err(DomainError::TooLong),
            Err(_) => return Err(DomainError::Invalid),
        }
        let name = to_ascii(text).ok_or(DomainError::Invalid)?;
        if is_too_long(&name) {
            return Err(DomainError::TooLong);
        }
        if !name.contains('.') {
            return Err(DomainError::SingleLabel);
        }
        if name.contains("xn--")
            && idna::domain_to_unicode(&name)
                .0
                .contains(DELIMITER_LOOKALIKES)
        {
            return Err(DomainError::Invalid);
        }
        let registrable = psl::domain_str(&name).ok_or(DomainError::PublicSuffix)?;
        if registrable.contains('_') {
            return Err(DomainError::Underscore);
        }
        Ok(Self(name))
    }

    /// The origin that stands for an unknown site ([`Document::of_file`](crate::Document::of_file)).
    pub const UNKNOWN_ORIGIN: &'static str = "https://manifest.invalid";

    /// Returns `manifest.invalid`, which stands for an unknown site.
    pub(crate) fn unknown() -> Self {
        Self("manifest.invalid".to_owned())
    }

    /// Reports whether the domain stands for an unknown site.
    pub(crate) fn is_unknown(&self) -> bool {
        self.0 == "manifest.invalid"
    }

    /// Returns the A-label form, such as `xn--bcher-kva.example`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the Unicode form, such as `bücher.example`; unsafe labels stay A-labels.
    pub fn to_unicode(&self) -> String {
        match idna::domain_to_unicode(&self.0) {
            (name, Ok(())) => name,
            (_, Err(_)) => self.0.clone(),
        }
    }

    /// Returns the registrable domain (public suffix list, private section included).
    pub fn registrable(&self) -> &str {
        psl::domain_str(&self.0).unwrap_or(&self.0)
    }

    /// Returns the last label.
    pub fn tld(&self) -> &str {
        self.0.rsplit('.').next().unwrap_or(&self.0)
    }

    /// Reports whether the name ends with a public suffix that is listed or reserved: `shop.com`
    /// and `shop.example` do, `node.js` does not.
    pub fn has_known_suffix(&self) -> bool {
        let listed = psl::suffix(self.0.as_bytes()).is_some_and(|suffix| suffix.is_known());
        listed || self.is_special_use() || self.tld() == "example"
    }

    /// Reports whether the name never exists in the public DNS, whether it is one of a private
    /// network or reserved for tests (RFC 6761).
    pub fn is_special_use(&self) -> bool {
        public_address::of_host(&url::Host::Domain(&self.0)).is_some() || self.tld() == "test"
    }
}

/// Returns the A-label form of a host name, of any length; `None` if it is none.
fn to_ascii(text: &str) -> Option<String> {
    /// All but letters, digits, hyphens, dots and underscores.
    const DENIED: AsciiDenyList = AsciiDenyList::new(true, "!\"#$%&'()*+,/:;<=>?@[\\]^`{|}~");
    let hyphens = Hyphens::CheckFirstLast;
    let name = Uts46::new().to_ascii(text.as_bytes(), DENIED, hyphens, DnsLength::Ignore);
    let name = name.ok()?.into_owned();
    let has_labels = name.split('.').all(|label| !label.is_empty());
    has_labels.then_some(name)
}

fn is_too_long(name: &str) -> bool {
    name.len() > 253 || name.split('.').any(|label| label.len() > 63)
}

impl std::fmt::Display for Domain {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(&self.0)
    }
}

impl std::str::FromStr for Domain {
    type Err = DomainError;

    fn from_str(text: &str) -> Result<Self, DomainError> {
        Self::parse(text)
    }
}

impl<'de> Deserialize<'de> for Domain {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
