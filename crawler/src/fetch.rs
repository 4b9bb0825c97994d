//! The only door to the network: one request at a time, bounded in every direction.
//!
//! [`Fetch`] is what a visit needs of the network; [`http::Http`] is the real one, tests use a map.
//! A failure is a [`FetchError`], which says enough to choose the outcome of a visit.

pub mod address;
mod failure;
pub mod header;
pub mod http;
mod interface;
mod link;
pub mod redirect;
pub mod resolver;
pub mod sign;
mod sockets;

pub use failure::{DnsFailure, FetchError, RedirectRefusal, Stage, TlsFailure};
use manifest::Domain;
use std::net::IpAddr;
use std::time::Duration;
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

    /// Closes the connections over which requests went [apart](Request::is_apart).
    fn part(&self) {}

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
    /// Over a connection that does not stay for as long as the visit: [`Fetch::part`] closes it.
    pub is_apart: bool,
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
            is_apart: false,
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
    /// `ETag`, when it is one entity-tag ([`header::entity_tag`]).
    pub etag: Option<String>,
    /// `Last-Modified`, when it is a date of HTTP.
    pub last_modified: Option<String>,
    /// `Location`, when it is at most 2 KiB.
    pub location: Option<String>,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// `Cache-Control`, when it is at most 256 bytes.
    pub cache_control: Option<String>,
    /// `Access-Control-Allow-Origin`, when it is at most 256 bytes.
    pub allow_origin: Option<String>,
    /// Targets of `Link` headers that lead to manifests (DS-10), as they are written.
    pub links: Vec<String>,
    /// The decoded body, up to the cap.
    pub body: Vec<u8>,
    /// The body was longer than the cap.
    pub was_cut: bool,
    /// The address that answered lies inside `--allow-address`: our own test host.
    pub is_own_host: bool,
}
