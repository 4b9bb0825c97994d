//! Configuration and start of a web.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use tokio::task::JoinSet;

use crate::Simweb;
use crate::authority::{Authority, CertificateError};
use crate::behaviour::Behaviour;
use crate::derived::Derived;
use crate::dns::{self, NameServer};
use crate::endpoints::Endpoints;
use crate::handshake::Handshakes;
use crate::record::{Record, USUAL_CAPACITY, now};
use crate::responder::Responder;
use crate::server::{self, WebServer};
use crate::site::{SiteError, Sites};

/// Configuration of a web, which listens on 127.0.0.1 and free ports by default.
#[derive(Debug)]
pub struct Builder {
    sites: Sites,
    current: Option<String>,
    fault: Option<StartError>,
    dns: SocketAddr,
    https_port: u16,
    http_port: u16,
    addresses: u8,
    six: bool,
    further: Vec<IpAddr>,
    log: Option<PathBuf>,
    capacity: usize,
    responder: Option<Responder>,
}

/// Error that prevents the start of a web.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A site cannot be served.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// A file or behaviour was given before any site.
    #[error("name a site before its files and its behaviour")]
    NoSite,
    /// An address is not on this machine.
    #[error("{0} is not a loopback address: use one like 127.0.0.1")]
    NotLoopback(IpAddr),
    /// The number of addresses is zero.
    #[error("at least one address is needed")]
    NoAddress,
    /// A port cannot be listened on.
    #[error("cannot listen on {address} for {purpose}: {source}")]
    Listen {
        /// Address and port.
        address: SocketAddr,
        /// DNS, https or http.
        purpose: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The log cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Log {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The certificate authority cannot be created.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// TLS cannot be set up.
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            sites: Sites::default(),
            current: None,
            fault: None,
            dns: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            https_port: 0,
            http_port: 0,
            addresses: 1,
            six: false,
            further: Vec::new(),
            log: None,
            capacity: USUAL_CAPACITY,
            responder: None,
        }
    }
}

impl Builder {
    /// Adds a site; the files and the behaviour that follow belong to it.
    #[must_use]
    pub fn site(mut self, host: &str) -> Self {
        self.current = Some(host.to_owned());
        let added = self.sites.change(host, |_| ()).map_err(StartError::Site);
        self.recording(added)
    }

    /// Adds a file to the site named last; `path` begins with a slash.
    #[must_use]
    pub fn file(self, path: &str, body: impl Into<Bytes>) -> Self {
        let added = match &self.current {
            Some(host) => self
                .sites
                .put(host, path, body.into())
                .map_err(StartError::Site),
            None => Err(StartError::NoSite),
        };
        self.recording(added)
    }

    /// Sets the behaviour of the site named last.
    #[must_use]
    pub fn behaviour(self, behaviour: Behaviour) -> Self {
        let set = match &self.current {
            Some(host) => self.sites.behave(host, behaviour).map_err(StartError::Site),
            None => Err(StartError::NoSite),
        };
        self.recording(set)
    }

    /// Adds every site of a directory of `<host>/<path>`; files beside the site directories are
    /// skipped.
    #[must_use]
    pub fn folder(self, folder: impl AsRef<Path>) -> Self {
        let added = self
            .sites
            .add_folder(folder.as_ref())
            .map_err(StartError::Site);
        self.recording(added)
    }

    /// Adds sites from memory, such as embedded files, each file by `<host>/<path>`.
    #[must_use]
    pub fn files<P, B>(self, files: impl IntoIterator<Item = (P, B)>) -> Self
    where
        P: AsRef<str>,
        B: Into<Bytes>,
    {
        let mut files = files.into_iter();
        let added = files
            .try_for_each(|(path, body)| self.sites.add(path.as_ref(), body.into()))
            .map_err(StartError::Site);
        self.recording(added)
    }

    /// Adds `count` hosts generated from `seed`; see [`Derived`].
    #[must_use]
    pub fn derived(mut self, count: u32, seed: u64) -> Self {
        self.sites.derived = Some(Derived::new(count, seed));
        self
    }

    /// Sets the address of the name server; port 0 chooses a free one.
    #[must_use]
    pub fn dns(mut self, address: SocketAddr) -> Self {
        self.dns = address;
        self
    }

    /// Sets the port of https; 0 chooses a free one.
    #[must_use]
    pub fn https_port(mut self, port: u16) -> Self {
        self.https_port = port;
        self
    }

    /// Sets the port of plain HTTP; 0 chooses a free one.
    #[must_use]
    pub fn http_port(mut self, port: u16) -> Self {
        self.http_port = port;
        self
    }

    /// Spreads the hosts over 127.0.0.1 to 127.0.0.`count`.
    #[must_use]
    pub fn addresses(mut self, count: u8) -> Self {
        self.addresses = count;
        self
    }

    /// Listens on `::1` as well, for hosts whose behaviour has that address.
    #[must_use]
    pub fn six(mut self) -> Self {
        self.six = true;
        self
    }

    /// Listens on further addresses for https, for hosts whose behaviour has them.
    #[must_use]
    pub fn listen(mut self, addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        self.further.extend(addresses);
        self
    }

    /// Serves the endpoints that the manifests among the files so far announce, on hosts of their own
    /// too; see [`crate::endpoints`].
    #[must_use]
    pub fn endpoints(mut self) -> Self {
        let endpoints = Endpoints::of(&self.sites.written());
        for host in endpoints.hosts() {
            self = self.site(host);
        }
        self.responder = Some(Responder::Endpoints(Arc::new(endpoints)));
        self
    }

    /// Lets a function answer requests to any host; those for which it returns `None` are left to
    /// the files.
    #[must_use]
    pub fn responder(
        mut self,
        answer: impl Fn(&str, &Request<Bytes>) -> Option<Response<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        self.responder = Some(Responder::new(answer));
        self
    }

    /// Writes every request and query as a line of JSON to `file`, which is truncated first.
    #[must_use]
    pub fn log(mut self, file: impl Into<PathBuf>) -> Self {
        self.log = Some(file.into());
        self
    }

    /// Remembers so many requests, connections and queries at most, of each the latest; 500,000 by default.
    #[must_use]
    pub fn remember(mut self, most: usize) -> Self {
        self.capacity = most;
        self
    }

    /// Starts the web.
    pub async fn start(self) -> Result<Simweb, StartError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if !self.dns.ip().is_loopback() {
            return Err(StartError::NotLoopback(self.dns.ip()));
        }
        if let Some(address) = self.further.iter().find(|it| !it.is_loopback()) {
            return Err(StartError::NotLoopback(*address));
        }
        let addresses: Vec<IpAddr> = (1..=self.addresses)
            .map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)))
            .collect();
        let first = *addresses.first().ok_or(StartError::NoAddress)?;
        let record = Record::new(self.log.as_deref(), self.capacity);
        let record = record.map_err(|source| StartError::Log {
            path: self.log.clone().unwrap_or_default(),
            source,
        })?;
        let (sites, record) = (Arc::new(self.sites), Arc::new(record));
        let authority = Arc::new(Authority::new(Arc::clone(&sites))?);
        let tls = Arc::new(Handshakes::new(&authority)?);

        let cannot = |purpose, address| {
            move |source| StartError::Listen {
                address,
                purpose,
                source,
            }
        };
        let (dns_address, udp, tcp) = dns::bind(self.dns).await.map_err(cannot("DNS", self.dns))?;
        let mut listening = addresses.clone();
        listening.extend(sites.derived.iter().flat_map(Derived::addresses));
        listening.extend(&self.further);
        listening.extend(self.six.then_some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        let (https_port, over_tls) = server::bind(&listening, self.https_port)
            .await
            .map_err(cannot("https", (first, self.https_port).into()))?;
        // Tests do not use the plain port of derived hosts, which would double the number of
        // sockets.
        let (plain_port, plain) = server::bind(&addresses, self.http_port)
            .await
            .map_err(cannot("http", (first, self.http_port).into()))?;

        let names = Arc::new(NameServer {
            sites: Arc::clone(&sites),
            record: Arc::clone(&record),
            addresses,
            asked: Mutex::default(),
            texts: Mutex::default(),
        });
        let web = Arc::new(WebServer {
            sites: Arc::clone(&sites),
            record: Arc::clone(&record),
            https_port,
            http_port: plain_port,
            responder: self.responder,
            modified: std::time::UNIX_EPOCH + std::time::Duration::from_millis(now().1),
        });
        let mut servers = JoinSet::new();
        servers.spawn(Arc::clone(&names).serve_udp(udp));
        servers.spawn(Arc::clone(&names).serve_tcp(tcp));
        for listener in over_tls {
            servers.spawn(Arc::clone(&web).serve(listener, Some(Arc::clone(&tls))));
        }
        for listener in plain {
            servers.spawn(Arc::clone(&web).serve(listener, None));
        }
        Ok(Simweb {
            sites,
            record,
            authority,
            names,
            listening,
            dns_address,
            https_port,
            http_port: plain_port,
            _servers: servers,
        })
    }

    /// Keeps the first error until `start` can return it.
    fn recording(mut self, done: Result<(), StartError>) -> Self {
        if self.fault.is_none() {
            self.fault = done.err();
        }
        self
    }
}
