//! A small web on loopback, with its own DNS and certificates, for tests and the demo.
//!
//! It serves a few sites in the way of the Internet: its name server resolves their names, hosts
//! are reached over TLS with HTTP/1.1 or HTTP/2, and plain HTTP redirects to https unless a site is
//! configured otherwise.
//!
//! It records every request and query, so that a test can judge a crawler from the other side. A
//! client needs only the address of the name server, the certificate of the authority, and
//! permission to connect to loopback.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), simweb::StartError> {
//! use simweb::{Answer, Behaviour, Simweb};
//!
//! let web = Simweb::builder()
//!     .site("mesa.example")
//!     .file("/agents.txt", "Name: Mesa")
//!     .behaviour(Behaviour::default().path("/robots.txt", Answer::status(503)))
//!     .start()
//!     .await?;
//! println!("ask {} for {:?}", web.dns_address(), web.seeds());
//! assert!(web.requests_of("mesa.example").is_empty());
//! # Ok(()) }
//! ```
//!
//! [`Behaviour`] describes the settings of a site, in code or in its `.simweb.toml`.

mod authority;
mod behaviour;
mod body;
mod builder;
mod derived;
mod dns;
mod edge;
mod ending;
pub mod endpoints;
mod handshake;
mod http2;
mod record;
mod reply;
mod responder;
mod script;
mod server;
mod site;

pub use authority::CertificateError;
pub use behaviour::{Answer, Behaviour, BehaviourError, Certificate, Dns, Fault};
pub use builder::{Builder, StartError};
pub use derived::{Derived, Kind, MAX_DERIVED, Truth};
pub use edge::Edge;
pub use handshake::Tls;
pub use http2::Http2;
pub use record::{Connection, DnsQuery, Exchange, Request};
pub use script::Act;
pub use site::SiteError;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use tokio::task::JoinSet;

use crate::authority::Authority;
use crate::dns::NameServer;
use crate::record::Record;
use crate::site::Sites;

/// Running web; it stops when dropped.
#[derive(Debug)]
pub struct Simweb {
    sites: Arc<Sites>,
    record: Arc<Record>,
    authority: Arc<Authority>,
    names: Arc<NameServer>,
    listening: Vec<IpAddr>,
    dns_address: SocketAddr,
    https_port: u16,
    http_port: u16,
    /// The servers, aborted when dropped together with every connection that they serve.
    _servers: JoinSet<()>,
}

impl Simweb {
    /// Returns a builder of a web without sites.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns the address of the name server, for UDP and TCP.
    pub fn dns_address(&self) -> SocketAddr {
        self.dns_address
    }

    /// Returns the port of https, the same on every address.
    pub fn https_port(&self) -> u16 {
        self.https_port
    }

    /// Returns the port of plain HTTP, which redirects to https.
    pub fn http_port(&self) -> u16 {
        self.http_port
    }

    /// Returns the addresses that it listens on.
    pub fn addresses(&self) -> &[IpAddr] {
        &self.listening
    }

    /// Returns the addresses that DNS gives for a host; none for an unknown one.
    pub fn addresses_of(&self, host: &str) -> Vec<IpAddr> {
        self.names.addresses_of(host)
    }

    /// Returns the certificate of the authority that signs every host's certificate, in PEM.
    pub fn ca_pem(&self) -> &str {
        self.authority.pem()
    }

    /// Returns every host: configured ones in alphabetical order, then the derived ones.
    pub fn hosts(&self) -> Vec<String> {
        self.sites.hosts()
    }

    /// Returns every host with the https port, as the lines of a seed list.
    pub fn seeds(&self) -> Vec<String> {
        let port = self.https_port;
        let hosts = self.sites.hosts().into_iter();
        hosts.map(|host| format!("{host}:{port}")).collect()
    }

    /// Returns the URL of a path on a host, with the https port.
    pub fn url(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.https_port)
    }

    /// Adds or replaces a file, and its site if it is new.
    pub fn put(&self, host: &str, path: &str, body: impl Into<Bytes>) -> Result<(), SiteError> {
        self.sites.put(host, path, body.into())
    }

    /// Removes a file.
    pub fn remove(&self, host: &str, path: &str) -> Result<(), SiteError> {
        self.sites.remove(host, path)
    }

    /// Replaces the behaviour of a site.
    pub fn behave(&self, host: &str, behaviour: Behaviour) -> Result<(), SiteError> {
        self.sites.behave(host, behaviour)
    }

    /// Replaces the TXT records of a name, which need not be a host.
    pub fn set_texts(&self, name: &str, texts: &[&str]) {
        let texts = texts.iter().map(|text| (*text).to_owned());
        self.names.set_texts(name, texts.collect());
    }

    /// Returns every recorded HTTP request, in the order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.record.requests()
    }

    /// Returns every recorded HTTP request with its answer, in the order of arrival.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.record.exchanges()
    }

    /// Returns the recorded HTTP requests to one host.
    pub fn requests_of(&self, host: &str) -> Vec<Request> {
        let mut requests = self.record.requests();
        requests.retain(|request| request.host == host);
        requests
    }

    /// Returns the recorded TCP connections, in the order of arrival.
    pub fn connections_seen(&self) -> Vec<Connection> {
        self.record.connections_seen()
    }

    /// Returns every recorded DNS query, in the order of arrival.
    pub fn dns_queries(&self) -> Vec<DnsQuery> {
        self.record.queries()
    }

    /// Returns the number of accepted TCP connections, failed TLS handshakes included.
    pub fn connections(&self) -> u64 {
        self.record.connections()
    }

    /// Clears the record of requests, connections and queries.
    pub fn forget(&self) {
        self.record.forget();
    }
}

#[cfg(test)]
mod tests;
