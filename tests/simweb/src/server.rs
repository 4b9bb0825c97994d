//! The HTTP side of this web: TLS with HTTP/1.1 and HTTP/2, and a plain port that redirects.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderMap, HeaderValue, Response, Uri};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::behaviour::{Answer, Fault};
use crate::body::Body;
use crate::ending::{Closing, Ending, GuardedBody};
use crate::handshake::Handshakes;
use crate::http2::{self, Http2};
use crate::record::{Record, Request, now};
use crate::responder::{self, Responder};
use crate::script;
use crate::site::Sites;

/// Greatest number of concurrent connections of one listener; further ones wait.
const MAX_CONNECTIONS: usize = 8192;

/// Time limit of a client's TLS handshake.
const HANDSHAKE_TIME: Duration = Duration::from_secs(30);

/// HTTP server for the hosts of this web.
#[derive(Debug)]
pub(crate) struct WebServer {
    pub(crate) sites: Arc<Sites>,
    pub(crate) record: Arc<Record>,
    pub(crate) https_port: u16,
    pub(crate) http_port: u16,
    /// `Last-Modified` of every file.
    pub(crate) modified: SystemTime,
    /// Answers requests before the files do.
    pub(crate) responder: Option<Responder>,
}

/// Requests after which a connection is announced to end ([`Http2::GoAway`]).
const REQUESTS_BEFORE_GO_AWAY: u32 = 3;

/// State shared by the requests of one connection.
pub(crate) struct Connection {
    number: u64,
    local: SocketAddr,
    secure: bool,
    /// Signal to close the connection without sending more.
    close: Notify,
    /// Signal to end the connection once its requests are answered.
    go_away: Notify,
    requests: AtomicU32,
}

impl WebServer {
    /// Serves one listener for as long as it is polled, over TLS if `tls` is given.
    pub(crate) async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        tls: Option<Arc<Handshakes>>,
    ) {
        let mut connections = JoinSet::new();
        loop {
            if connections.len() >= MAX_CONNECTIONS {
                connections.join_next().await;
            }
            let accepted = listener.accept().await;
            while connections.try_join_next().is_some() {}
            match accepted {
                Ok((stream, _)) => {
                    connections.spawn(Arc::clone(&self).connect(stream, tls.clone()));
                }
                Err(error) => {
                    // Probably too many files are open; some will soon be closed.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        }
    }

    async fn connect(self: Arc<Self>, stream: TcpStream, tls: Option<Arc<Handshakes>>) {
        let Ok(local) = stream.local_addr() else {
            return;
        };
        let connection = Arc::new(Connection {
            number: self.record.connect(),
            local,
            secure: tls.is_some(),
            close: Notify::new(),
            go_away: Notify::new(),
            requests: AtomicU32::new(0),
        });
        let _closing = Closing::new(&self.record, connection.number, local);
        // Small answers must not be delayed by Nagle's algorithm.
        let _ = stream.set_nodelay(true);
        let Some(tls) = tls else {
            return self.converse(stream, connection).await;
        };
        let handshake = tls.shake(stream, |host| self.sites.get(host));
        match tokio::time::timeout(HANDSHAKE_TIME, handshake).await {
            Ok(Ok(Some(stream))) => {
                let host = stream.get_ref().1.server_name().unwrap_or_default();
                let host = host.to_ascii_lowercase();
                match self.sites.get(&host) {
                    Some(site) if site.behaviour.has_scripts() => {
                        script::converse(&self, stream, &connection).await;
                    }
                    Some(site) if site.behaviour.http2.is_by_hand() => {
                        let fault = site.behaviour.http2;
                        http2::converse(&self, stream, &connection, &host, fault).await;
                    }
                    Some(_) | None => self.converse(stream, connection).await,
                }
            }
            Ok(Ok(None)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the TLS handshake failed"),
            Err(_) => tracing::debug!("the TLS handshake timed out"),
        }
    }

    async fn converse<S>(self: Arc<Self>, stream: S, connection: Arc<Connection>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(|request| {
            let (server, connection) = (Arc::clone(&self), Arc::clone(&connection));
            async move { Ok::<_, Infallible>(server.respond(request, &connection).await) }
        });
        let builder = auto::Builder::new(TokioExecutor::new());
        let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
        loop {
            tokio::select! {
                done = serving.as_mut() => {
                    if let Err(error) = done {
                        tracing::debug!(%error, "a connection failed");
                    }
                    return;
                }
                () = connection.close.notified() => return,
                () = connection.go_away.notified() => serving.as_mut().graceful_shutdown(),
            }
        }
    }

    async fn respond(
        &self,
        request: http::Request<Incoming>,
        connection: &Connection,
    ) -> Response<GuardedBody> {
        let (parts, body) = request.into_parts();
        let (request, own) = match &self.responder {
            Some(responder) => {
                let request = http::Request::from_parts(parts, responder::collected(body).await);
                let own = responder.answer(&host_of(&request), &request).await;
                (request, own)
            }
            None => (http::Request::from_parts(parts, Bytes::new()), None),
        };
        let (answer, response, ending) = self.consider(&request, connection, own);
        if let Some(delay) = answer.delay_ms {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        if let Some(response) = response {
            return ending.watch(request.uri().path(), response);
        }
        connection.close.notify_one();
        std::future::pending().await
    }

    /// Records a request, and chooses its answer. The end of the answer is recorded when the
    /// [`Ending`] is dropped. There is no response if none is to be sent, or if it is scripted. The
    /// response `own` takes precedence over the site.
    pub(crate) fn consider<B>(
        &self,
        request: &http::Request<B>,
        connection: &Connection,
        own: Option<Response<Body>>,
    ) -> (Answer, Option<Response<Body>>, Ending) {
        let host = host_of(request);
        let site = self.sites.get(&host);
        let behaviour = site.as_ref().map(|site| &site.behaviour);
        let is_served = connection.secure || behaviour.is_some_and(|it| it.plain_http);
        let answer = match behaviour {
            Some(behaviour) if is_served => behaviour.answer_to(request.uri().path()),
            Some(_) | None => Answer::default(),
        };
        let response = if own.is_some() {
            own
        } else if answer.fault == Some(Fault::Close) || !answer.script.is_empty() {
            None
        } else {
            Some(self.response(request, &host, site.as_deref(), &answer, is_served))
        };
        let before = connection.requests.fetch_add(1, Ordering::Relaxed);
        if behaviour.is_some_and(|behaviour| behaviour.http2 == Http2::GoAway)
            && before + 1 == REQUESTS_BEFORE_GO_AWAY
        {
            connection.go_away.notify_one();
        }
        let (at, unix_ms) = now();
        let number = self.record.request(Request {
            at,
            unix_ms,
            host,
            method: request.method().to_string(),
            path: path_and_query(request.uri()).to_owned(),
            headers: listed(request.headers()),
            connection: connection.number,
            version: format!("{:?}", request.version()),
            secure: connection.secure,
            local: connection.local,
            status: response
                .as_ref()
                .map_or(0, |response| response.status().as_u16()),
        });
        (answer, response, Ending::new(&self.record, number))
    }

    /// Records a request over HTTP/2 whose header block is not decoded.
    pub(crate) fn record_undecoded(&self, host: &str, connection: &Connection) {
        let (at, unix_ms) = now();
        self.record.request(Request {
            at,
            unix_ms,
            host: host.to_owned(),
            method: String::new(),
            path: String::new(),
            headers: Vec::new(),
            connection: connection.number,
            version: "HTTP/2.0".to_owned(),
            secure: connection.secure,
            local: connection.local,
            status: 0,
        });
    }
}

/// Returns the host of a request, from its address or its `Host` header.
fn host_of<B>(request: &http::Request<B>) -> String {
    let from_header = || {
        let header = request.headers().get(HOST)?.to_str().ok()?;
        header.parse::<Uri>().ok()?.host().map(str::to_owned)
    };
    let host = request.uri().host().map(str::to_owned).or_else(from_header);
    let host = host.unwrap_or_default().to_ascii_lowercase();
    host.trim_end_matches('.').to_owned()
}

pub(crate) fn path_and_query(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |asked| asked.as_str())
}

fn listed(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}

/// Binds one port on every address; port 0 chooses one that is free on all.
pub(crate) async fn bind(addresses: &[IpAddr], wanted: u16) -> io::Result<(u16, Vec<TcpListener>)> {
    let mut tries = 0;
    loop {
        let mut port = wanted;
        let mut listeners = Vec::with_capacity(addresses.len());
        let mut failed = None;
        for address in addresses {
            match TcpListener::bind((*address, port)).await {
                Ok(listener) => {
                    port = listener.local_addr()?.port();
                    listeners.push(listener);
                }
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        match failed {
            None => return Ok((port, listeners)),
            // The port that was free on the first address is used on another.
            Some(_) if wanted == 0 && !listeners.is_empty() && tries < 20 => tries += 1,
            Some(error) => return Err(error),
        }
    }
}
