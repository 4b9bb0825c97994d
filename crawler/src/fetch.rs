//! The only door to the network: one request at a time, bounded in every direction.
//!
//! [`Fetch`] is what a visit needs of the network; [`http::Http`] is the real one, tests use a map.
//! A failure is a [`FetchError`], which says enough to choose the outcome of a visit.

pub mod address;
pub mod header;
pub mod http;
mod interface;
pub mod redirect;
pub mod resolver;
pub mod sign;
mod sockets;

use crate::pace::uplink::Reach;
use crate::schedule::Contact;
use address::Refusal;
use manifest::Domain;
use std::net::IpAddr;
use std::time::Duration;
use store::Outcome;
use url::Url;

/// Gets one URL; tests use a map instead of the Internet.
pub trait Fetch: Sync {
    /// The same door with connections of its own, which close when it is dropped (P13), for a visit that
    /// was let in to `host` at this address: it dials that one, and none that is looked up later.
    #[must_use]
    fn for_visit(&self, host: &Domain, address: IpAddr) -> Self
    where
        Self: Clone,
    {
        let _ = (host, address);
        self.clone()
    }

    /// Looks the host of a request up: the address that will be dialled, or why none may be. A name
    /// without an address costs no request (P8).
    fn resolve(&self, request: &Request)
    -> impl Future<Output = Result<IpAddr, FetchError>> + Send;

    /// Sends one GET and reads the answer within the limits; follows nothing, retries nothing.
    fn get(&self, request: &Request) -> impl Future<Output = Result<Response, FetchError>> + Send;
}

/// One GET, perhaps conditional.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to get.
    pub url: Url,
    /// The port that the seed list gave, besides 80 and 443.
    pub seed_port: Option<u16>,
    /// Sent as `If-None-Match`.
    pub etag: Option<String>,
    /// Sent as `If-Modified-Since`.
    pub last_modified: Option<String>,
    /// How much of an answer is taken, and how long it may take.
    pub limits: Limits,
    /// Over HTTP/1.1 only, for a host that takes requests over HTTP/2 for somebody else's (P13).
    pub only_http1: bool,
}

impl Request {
    /// An unconditional GET.
    pub fn new(url: Url, seed_port: Option<u16>, limits: Limits) -> Self {
        Self {
            url,
            seed_port,
            etag: None,
            last_modified: None,
            limits,
            only_http1: false,
        }
    }

    /// True when a 304 would make sense as an answer.
    pub fn is_conditional(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

/// How much of an answer is taken, and how long it may take (P43, P44).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Decoded bytes of body.
    pub body_bytes: usize,
    /// What is over the cap is cut off rather than an error.
    pub may_be_cut: bool,
    /// From sending to the last byte.
    pub total: Duration,
}

impl Limits {
    /// For robots.txt: 500 KiB, the rest unread (P25).
    pub const ROBOTS: Self = Self {
        body_bytes: crate::robots::BODY_CAP,
        may_be_cut: true,
        total: Duration::from_secs(20),
    };

    /// For manifests: 1 MiB or nothing.
    pub const MANIFEST: Self = Self {
        body_bytes: 1 << 20,
        may_be_cut: false,
        total: Duration::from_secs(15),
    };
}

/// An answer, with the headers that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// `Content-Type`.
    pub media_type: Option<String>,
    /// `ETag`, when it is at most 256 bytes.
    pub etag: Option<String>,
    /// `Last-Modified`, when it is at most 256 bytes.
    pub last_modified: Option<String>,
    /// `Location`, when it is at most 2 KiB.
    pub location: Option<String>,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// `Cache-Control`, when it is at most 256 bytes.
    pub cache_control: Option<String>,
    /// `Access-Control-Allow-Origin`, when it is at most 256 bytes.
    pub allow_origin: Option<String>,
    /// The decoded body, up to the cap.
    pub body: Vec<u8>,
    /// The body was longer than the cap.
    pub was_cut: bool,
    /// The address that answered lies inside `--allow-address`: our own test host.
    pub is_own_host: bool,
}

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
    /// Its address wants to be left alone for so long (P35).
    #[error("its address wants to be left alone for {} s", .0.as_secs())]
    Busy(Duration),
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
    /// The visit's requests are used up.
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
            Self::Budget => "no requests left for this visit",
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
            Self::Busy(_) => Outcome::Throttled,
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
            Self::RedirectRefused(refusal) => Some(refusal.as_str()),
            Self::Blocked(refusal) => Some(refusal.as_str()),
            Self::TooLarge(_) | Self::Protocol(_) => None,
        }
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
                RedirectRefusal::Robots | RedirectRefusal::Budget => false,
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
            | Self::RedirectRefused(_) => false,
            Self::Reset
            | Self::Timeout(Stage::Headers | Stage::Idle | Stage::Rate | Stage::Total)
            | Self::TooLarge(_)
            | Self::BadEncoding
            | Self::Protocol(_) => true,
        }
    }
}
