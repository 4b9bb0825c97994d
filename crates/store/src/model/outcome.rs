//! Outcomes of visits.

use std::collections::BTreeMap;

/// Outcome of a visit, in the order of summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// At least one readable manifest was found.
    Found,
    /// The site answered and has no manifest.
    Empty,
    /// The site answers every path with the same page.
    Soft404,
    /// robots.txt disallows every path.
    RobotsDisallow,
    /// The site asked not to be listed.
    OptedOut,
    /// The site refused its robots.txt: 401, 403, 407, 451, or a status of no class.
    Blocked,
    /// The site answered paths that robots.txt permits with 401.
    LoginRequired,
    /// The site answered paths that robots.txt permits with 402.
    PaymentRequired,
    /// The site answered paths that robots.txt permits with 403.
    Refused,
    /// The site answered paths that robots.txt permits with a challenge for browsers, as a header
    /// says.
    Challenged,
    /// The site answered a path that robots.txt permits with 429.
    RateLimited,
    /// The site answered 503, or 429 for its robots.txt.
    Throttled,
    /// No connection, or server errors.
    Down,
    /// The name does not resolve.
    DnsError,
    /// The TLS handshake failed.
    TlsError,
    /// A time limit was exceeded.
    Timeout,
    /// An answer exceeded the size limit.
    TooLarge,
    /// The answer violates HTTP.
    ProtocolError,
    /// The name resolves to an address that is not contacted.
    BlockedAddress,
    /// A redirect was not followed.
    RedirectRefused,
    /// The request budget of the visit was exhausted.
    Budget,
}

manifest::words!(Outcome {
    Found = "found",
    Empty = "empty",
    Soft404 = "soft404",
    RobotsDisallow = "robots_disallow",
    OptedOut = "opted_out",
    Blocked = "blocked",
    LoginRequired = "login_required",
    PaymentRequired = "payment_required",
    Refused = "refused",
    Challenged = "challenged",
    RateLimited = "rate_limited",
    Throttled = "throttled",
    Down = "down",
    DnsError = "dns_error",
    TlsError = "tls_error",
    Timeout = "timeout",
    TooLarge = "too_large",
    ProtocolError = "protocol_error",
    BlockedAddress = "blocked_address",
    RedirectRefused = "redirect_refused",
    Budget = "budget",
});

impl Outcome {
    /// Reports whether a visit with this outcome counts as failed.
    pub fn is_failure(self) -> bool {
        match self {
            Self::Found
            | Self::Empty
            | Self::Soft404
            | Self::RobotsDisallow
            | Self::OptedOut
            | Self::Budget => false,
            Self::Blocked
            | Self::LoginRequired
            | Self::PaymentRequired
            | Self::Refused
            | Self::Challenged
            | Self::RateLimited
            | Self::Throttled
            | Self::Down
            | Self::DnsError
            | Self::TlsError
            | Self::Timeout
            | Self::TooLarge
            | Self::ProtocolError
            | Self::BlockedAddress
            | Self::RedirectRefused => true,
        }
    }

    /// Reports whether an answer decided it in which the site, or what stands before it, refused
    /// the request (P49).
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::Blocked | Self::Throttled) || self.is_refusal_of_path()
    }

    /// Reports whether the site refused paths that its robots.txt permits (P49).
    pub fn is_refusal_of_path(self) -> bool {
        matches!(
            self,
            Self::LoginRequired
                | Self::PaymentRequired
                | Self::Refused
                | Self::Challenged
                | Self::RateLimited
        )
    }

    /// Reports whether the site was contacted: its name led to an address that may be visited.
    pub fn is_contact(self) -> bool {
        !matches!(self, Self::DnsError | Self::BlockedAddress)
    }

    /// Counts the sites that were contacted, from numbers of sites by outcome.
    pub fn contacted(sites: &BTreeMap<String, u64>) -> u64 {
        let is_contact = |word: &str| Self::parse(word).is_none_or(Self::is_contact);
        let contacted = sites.iter().filter(|(word, _)| is_contact(word));
        contacted.map(|(_, number)| number).sum()
    }

    /// Returns the rule that explains it: its id, and the name of the document in `docs/` that
    /// defines it.
    pub fn rule(self) -> (&'static str, &'static str) {
        let id = match self {
            Self::OptedOut => return ("DS-04", "formats"),
            Self::Found => "P40",
            Self::Empty | Self::DnsError => "P39",
            Self::Soft404 => "P10",
            Self::RobotsDisallow => "P33",
            Self::Blocked => "P28",
            Self::LoginRequired
            | Self::PaymentRequired
            | Self::Refused
            | Self::Challenged
            | Self::RateLimited => "P49",
            Self::Throttled => "P35",
            Self::Down => "P30",
            Self::TlsError => "P46",
            Self::Timeout => "P43",
            Self::TooLarge => "P44",
            Self::ProtocolError => "P29",
            Self::BlockedAddress => "HS-56",
            Self::RedirectRefused => "P42",
            Self::Budget => "P7",
        };
        (id, "politeness")
    }
}
