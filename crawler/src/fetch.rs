//! Network access: one request at a time, with limits on every dimension.
//!
//! [`Fetch`] is the interface that visits use; [`http::Http`] is the real implementation, tests use
//! a map. A failure is a [`FetchError`], from which the outcome of a visit follows.

pub mod address;
pub mod edge;
mod failure;
pub mod header;
pub mod http;
mod link;
mod local_address;
pub mod message_signature;
pub mod redirect;
pub mod resolver;
pub mod retry_after;
mod sockets;

use crate::rate_limit::Marks;
use crate::robots;
pub use failure::{DnsFailure, FetchError, RedirectRefusal, Stage, TlsFailure};
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::time::Duration;
use url::Url;

/// Interface for lookups and requests; tests use a map instead of the Internet.
pub trait Fetch: Sync {
    /// Returns a fetcher with its own connections, which close when it is dropped (P13), for a
    /// visit that was admitted to `host` at this address: it connects to that address and looks up
    /// no other for the host.
    #[must_use]
    fn for_visit(&self, host: &Domain, address: IpAddr) -> Self
    where
        Self: Clone,
    {
        let _ = (host, address);
        self.clone()
    }

    /// Looks up the host of a request and returns the address to connect to; an error if there is
    /// none or one is refused. A name without an address costs no request (P8).
    fn resolve(&self, request: &Request)
    -> impl Future<Output = Result<IpAddr, FetchError>> + Send;

    /// Looks up the TXT records of a name; the strings of one record are one text. Nothing is cached,
    /// as a record is looked up again only because it may have changed.
    fn texts(&self, name: &str) -> impl Future<Output = Result<Vec<String>, FetchError>> + Send {
        let _ = name;
        std::future::ready(Err(FetchError::Dns(DnsFailure::NxDomain)))
    }

    /// Closes the connections that were opened for requests with [`Request::is_separate`].
    fn close_separate(&self) {}

    /// Sends one GET and reads the answer within the limits; follows no redirect and retries
    /// nothing.
    fn get(&self, request: &Request) -> impl Future<Output = Result<Response, FetchError>> + Send;
}

/// A GET request, conditional if it has validators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The URL to request.
    pub url: Url,
    /// The port from the seed list, permitted in addition to 80 and 443.
    pub seed_port: Option<u16>,
    /// Value of `If-None-Match`.
    pub etag: Option<String>,
    /// Value of `If-Modified-Since`.
    pub last_modified: Option<String>,
    /// Limits on the size and duration of the answer.
    pub limits: Limits,
    /// True for HTTP/1.1 only, for a host that answered 421 over HTTP/2, or with a head that the
    /// usual client refuses (P13).
    pub only_http1: bool,
    /// True to use a separate connection, which [`Fetch::close_separate`] closes before the end of the visit.
    pub is_separate: bool,
}

impl Request {
    /// Creates an unconditional GET.
    pub fn new(url: Url, seed_port: Option<u16>, limits: Limits) -> Self {
        Self {
            url,
            seed_port,
            etag: None,
            last_modified: None,
            limits,
            only_http1: false,
            is_separate: false,
        }
    }

    /// Reports whether the request is conditional, so that 304 is a possible answer.
    pub fn is_conditional(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

/// Limits on the size and duration of an answer (P43, P44).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the decoded body in bytes.
    pub body_bytes: usize,
    /// True if a longer body is truncated rather than an error.
    pub may_be_cut: bool,
    /// Time from sending to the last byte.
    pub total: Duration,
}

impl Limits {
    /// Limits for robots.txt: 500 KiB, the rest unread (P25).
    pub const ROBOTS: Self = Self {
        body_bytes: robots::BODY_CAP,
        may_be_cut: true,
        total: Duration::from_secs(20),
    };

    /// Limits for manifests: 1 MiB, longer ones are an error.
    pub const MANIFEST: Self = Self {
        body_bytes: 1 << 20,
        may_be_cut: false,
        total: Duration::from_secs(15),
    };

    /// Limits for documents that are named as OpenAPI documents: 2 MiB.
    pub const OPENAPI: Self = Self {
        body_bytes: manifest::openapi::MAX_BYTES,
        ..Self::MANIFEST
    };

    /// Limits for files of skills: 64 KiB.
    pub const SKILL: Self = Self {
        body_bytes: manifest::reference::SKILL_BYTES,
        ..Self::MANIFEST
    };
}

/// An answer, with the headers that the crawler uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// `Content-Type`.
    pub media_type: Option<String>,
    /// `ETag`, if it is one entity-tag ([`header::entity_tag`]).
    pub etag: Option<String>,
    /// `Last-Modified`, if it is an HTTP date.
    pub last_modified: Option<String>,
    /// `Location`, if it is at most 2 KiB long.
    pub location: Option<String>,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// `Cache-Control`, if it is at most 256 bytes long.
    pub cache_control: Option<String>,
    /// `Access-Control-Allow-Origin`, if it is at most 256 bytes long.
    pub allow_origin: Option<String>,
    /// Targets, as written, of `Link` headers that lead to manifests (DS-10).
    pub links: Vec<String>,
    /// Headers on the use of the answer (P48): pairs of name and value.
    pub usage: Vec<(&'static str, String)>,
    /// Headers on how the request is treated, if the answer may refuse it (P49): pairs of name and
    /// value.
    pub edge: Vec<(&'static str, String)>,
    /// Shared edges whose own headers the answer has (P50).
    pub marks: Marks,
    /// The decoded body, up to the cap.
    pub body: Vec<u8>,
    /// True if the body was longer than the cap.
    pub was_cut: bool,
    /// True if the address lies inside `--allow-address`: one of the operator's own test hosts.
    pub is_own_host: bool,
}

impl Response {
    /// Returns the pause that `Retry-After` asks for.
    pub fn pause(&self, now: Timestamp) -> Option<Duration> {
        retry_after::retry_after(self.retry_after.as_deref()?, now)
    }

    /// Returns the header that keeps the answer from being indexed by `token`, if one does (P48).
    pub fn refusal(&self, token: &str) -> Option<String> {
        robots::header::refusal(&self.usage, token)
    }

    /// Returns the `max-age` of `Cache-Control`.
    pub fn max_age(&self) -> Option<Duration> {
        header::max_age(self.cache_control.as_deref()?)
    }
}
