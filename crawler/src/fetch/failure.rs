//! Why there is no answer, with the words for it in outcomes, receipts and messages.

use super::address::Refusal;
use crate::pace::uplink::Reach;
use crate::schedule::Contact;
use std::time::Duration;
use store::Outcome;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The name has no address.
    #[error("DNS: {}", .0.why())]
    Dns(DnsFailure),
    /// The URL or one of its addresses must not be touched.
    #[error("{0}")]
    Blocked(Refusal),
    /// Nobody was asked: this process has too many files open.
    #[error("too many open files")]
    Exhausted,
    /// Nobody listens.
    #[error("connection refused")]
    Refused,
    /// No way there.
    #[error("host or network unreachable")]
    Unreachable,
    /// The connection ended before the answer did.
    #[error("connection lost")]
    Reset,
    /// Too slow.
    #[error("timeout: {}", .0.why())]
    Timeout(Stage),
    /// No TLS session.
    #[error("TLS: {}", .0.why())]
    Tls(TlsFailure),
    /// More body than we take.
    #[error("more than {0} bytes")]
    TooLarge(usize),
    /// A content coding that we did not offer, several layers, or broken.
    #[error("unreadable content coding")]
    BadEncoding,
    /// Not HTTP as we know it.
    #[error("{0}")]
    Protocol(&'static str),
    /// It has no turn, or its address none, for so long (P19, P35).
    #[error("it, or its address, is to be left alone for {} s", .0.as_secs())]
    Busy(Duration),
    /// A host that a redirect leads to wants to be left alone for so long, which is nothing that the host which leads
    /// there did (P35).
    #[error("the host that it leads to wants to be left alone for {} s", .0.as_secs())]
    LeftAlone(Duration),
    /// A redirect that we do not follow.
    #[error("redirect not followed: {}", .0.why())]
    RedirectRefused(RedirectRefusal),
}

/// How a lookup failed; only the first kind says that the name does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DnsFailure {
    /// NXDOMAIN.
    NxDomain,
    /// The name exists, without an address.
    NoAddress,
    /// SERVFAIL, which also covers bogus DNSSEC.
    ServFail,
    /// REFUSED.
    Refused,
    /// No answer in time.
    Timeout,
    /// Anything else, such as a loop of aliases.
    Failed,
}

impl DnsFailure {
    /// The word in outcomes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NxDomain => "nxdomain",
            Self::NoAddress => "no_address",
            Self::ServFail => "servfail",
            Self::Refused => "refused",
            Self::Timeout => "timeout",
            Self::Failed => "failed",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::NxDomain => "no such name (NXDOMAIN)",
            Self::NoAddress => "the name has no address",
            Self::ServFail => "the name server failed (SERVFAIL)",
            Self::Refused => "the name server refused to answer",
            Self::Timeout => "no answer in time",
            Self::Failed => "the lookup failed",
        }
    }
}

/// What took too long (P43).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// TCP and TLS together.
    Connect,
    /// Waiting for the response head.
    Headers,
    /// Silence within the body.
    Idle,
    /// Fewer bytes a second than the minimum.
    Rate,
    /// The whole exchange.
    Total,
    /// The whole visit: nothing was sent any more.
    Visit,
}

impl Stage {
    /// The word in outcomes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Headers => "headers",
            Self::Idle => "idle",
            Self::Rate => "rate",
            Self::Total => "total",
            Self::Visit => "visit",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Connect => "no connection in time",
            Self::Headers => "no response head in time",
            Self::Idle => "silence within the body",
            Self::Rate => "the body came too slowly",
            Self::Total => "the answer was not complete in time",
            Self::Visit => "other requests of the visit took all its time",
        }
    }
}

/// Why there is no TLS session (P46).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsFailure {
    /// The certificate is expired or not yet valid.
    Expired,
    /// The certificate is for another name.
    Name,
    /// Self-signed, or from an authority that we do not know.
    UnknownIssuer,
    /// Anything else that is wrong with the certificate.
    Certificate,
    /// The server does not speak TLS.
    NotTls,
    /// No common version, cipher or parameter, or the handshake broke off.
    Protocol,
}

impl TlsFailure {
    /// The word in outcomes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Name => "name",
            Self::UnknownIssuer => "unknown_issuer",
            Self::Certificate => "certificate",
            Self::NotTls => "not_tls",
            Self::Protocol => "protocol",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Expired => "the certificate is expired or not yet valid",
            Self::Name => "the certificate is for another name",
            Self::UnknownIssuer => "the certificate is self-signed or from an unknown authority",
            Self::Certificate => "the certificate is not acceptable",
            Self::NotTls => "the server does not speak TLS on this port",
            Self::Protocol => "the handshake failed",
        }
    }
}

/// Why a redirect is not followed (P42).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectRefusal {
    /// From https to http.
    Downgrade,
    /// To another registrable domain.
    CrossSite,
    /// Back to a URL already asked for in this chain.
    Loop,
    /// Too many hops.
    TooMany,
    /// The target's robots.txt keeps us out.
    Robots,
    /// The target's robots.txt failed, or must not be read.
    RobotsUnreadable,
    /// The target's robots.txt asks for a longer pause than a visit waits for.
    CrawlDelay,
    /// The requests of the visit, or those that one path may cost, are used up.
    Budget,
}

impl RedirectRefusal {
    /// The word in outcomes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Downgrade => "downgrade",
            Self::CrossSite => "cross_site",
            Self::Loop => "loop",
            Self::TooMany => "too_many",
            Self::Robots => "robots",
            Self::RobotsUnreadable => "robots_unreadable",
            Self::CrawlDelay => "crawl_delay",
            Self::Budget => "budget",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Self::Downgrade => "it leads from https to http",
            Self::CrossSite => "it leads to another site",
            Self::Loop => "it leads back to where it came from",
            Self::TooMany => "too many hops",
            Self::Robots => "the target's robots.txt forbids it",
            Self::RobotsUnreadable => "the target's robots.txt could not be read",
            Self::CrawlDelay => {
                "the target's robots.txt asks for a longer pause than a visit waits for"
            }
            Self::Budget => "no requests are left for it",
        }
    }
}

impl FetchError {
    /// How a visit ends that fails like this.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Dns(_) => Outcome::DnsError,
            Self::Blocked(refusal) => refusal.outcome(),
            // The first is never recorded as such: see `Reach::Unasked`.
            Self::Exhausted | Self::Refused | Self::Unreachable | Self::Reset => Outcome::Down,
            Self::Timeout(_) => Outcome::Timeout,
            Self::Tls(_) => Outcome::TlsError,
            Self::TooLarge(_) => Outcome::TooLarge,
            Self::BadEncoding | Self::Protocol(_) => Outcome::ProtocolError,
            Self::Busy(_) | Self::LeftAlone(_) => Outcome::Throttled,
            Self::RedirectRefused(_) => Outcome::RedirectRefused,
        }
    }

    /// How far the request came.
    pub fn contact(&self) -> Contact {
        match self {
            Self::Dns(DnsFailure::NxDomain) => Contact::NoName,
            Self::Dns(
                DnsFailure::ServFail
                | DnsFailure::Refused
                | DnsFailure::Timeout
                | DnsFailure::Failed,
            )
            | Self::Exhausted => Contact::NoAnswer,
            Self::Dns(DnsFailure::NoAddress)
            | Self::Refused
            | Self::Unreachable
            | Self::Timeout(Stage::Connect) => Contact::NoConnection,
            Self::Blocked(_)
            | Self::Reset
            | Self::Timeout(
                Stage::Headers | Stage::Idle | Stage::Rate | Stage::Total | Stage::Visit,
            )
            | Self::Tls(_)
            | Self::TooLarge(_)
            | Self::BadEncoding
            | Self::Protocol(_)
            | Self::Busy(_)
            | Self::LeftAlone(_)
            | Self::RedirectRefused(_) => Contact::Connected,
        }
    }

    /// Whether anybody answered at all: silence may be our own line's (P38).
    pub fn reach(&self) -> Reach {
        match self {
            Self::Dns(DnsFailure::Timeout) | Self::Unreachable | Self::Timeout(Stage::Connect) => {
                Reach::Silence
            }
            Self::Exhausted => Reach::Unasked,
            _ => Reach::Reached,
        }
    }

    /// The word for the kind within the outcome, such as `nxdomain` or `expired`.
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Dns(failure) => Some(failure.as_str()),
            Self::Exhausted => Some("exhausted"),
            Self::Refused => Some("refused"),
            Self::Unreachable => Some("unreachable"),
            Self::Reset => Some("reset"),
            Self::Timeout(stage) => Some(stage.as_str()),
            Self::Tls(failure) => Some(failure.as_str()),
            Self::BadEncoding => Some("bad_encoding"),
            Self::Busy(_) => Some("address"),
            Self::LeftAlone(_) => Some("redirect"),
            Self::RedirectRefused(refusal) => Some(refusal.as_str()),
            Self::Blocked(refusal) => Some(refusal.as_str()),
            Self::TooLarge(_) | Self::Protocol(_) => None,
        }
    }

    /// True for what a host, its name servers or the way there did, rather than for what we do not do.
    pub fn is_hosts_own(&self) -> bool {
        match self {
            Self::Dns(_)
            | Self::Refused
            | Self::Unreachable
            | Self::Reset
            | Self::Timeout(
                Stage::Connect | Stage::Headers | Stage::Idle | Stage::Rate | Stage::Total,
            )
            | Self::Tls(_)
            | Self::TooLarge(_)
            | Self::BadEncoding
            | Self::Protocol(_)
            | Self::LeftAlone(_) => true,
            Self::Blocked(_)
            | Self::Exhausted
            | Self::Timeout(Stage::Visit)
            | Self::Busy(_)
            | Self::RedirectRefused(_) => false,
        }
    }

    /// True when the host may have noticed, be it but a connection.
    pub fn has_reached_out(&self) -> bool {
        let is_elsewhere = matches!(self, Self::Dns(_) | Self::LeftAlone(_));
        self.is_hosts_own() && !is_elsewhere
    }

    /// True for a redirect to where no path is followed, whichever was asked for (P10, P42).
    pub fn leads_astray(&self) -> bool {
        match self {
            Self::RedirectRefused(refusal) => match refusal {
                RedirectRefusal::Downgrade
                | RedirectRefusal::CrossSite
                | RedirectRefusal::Loop
                | RedirectRefusal::TooMany => true,
                // Another path may fare better.
                RedirectRefusal::Robots
                | RedirectRefusal::RobotsUnreadable
                | RedirectRefusal::CrawlDelay
                | RedirectRefusal::Budget => false,
            },
            Self::Blocked(_) => true,
            _ => false,
        }
    }

    /// True when a request went out, so that it counts against the budget (P7, P8).
    pub fn was_sent(&self) -> bool {
        match self {
            Self::Dns(_)
            | Self::Blocked(_)
            | Self::Exhausted
            | Self::Refused
            | Self::Unreachable
            | Self::Tls(_)
            | Self::Timeout(Stage::Connect | Stage::Visit)
            | Self::Busy(_)
            | Self::LeftAlone(_)
            | Self::RedirectRefused(_) => false,
            Self::Reset
            | Self::Timeout(Stage::Headers | Stage::Idle | Stage::Rate | Stage::Total)
            | Self::TooLarge(_)
            | Self::BadEncoding
            | Self::Protocol(_) => true,
        }
    }
}
