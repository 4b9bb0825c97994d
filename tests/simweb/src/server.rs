//! The HTTP side of this web: TLS with HTTP/1.1 and HTTP/2, and a plain port that redirects.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HOST, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED, LOCATION,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::behaviour::{Answer, Fault};
use crate::body::{self, Body};
use crate::handshake::Handshakes;
use crate::http2::{self, Http2};
use crate::record::{Record, Request, now};
use crate::script;
use crate::site::{Site, Sites};

/// How many connections one listener serves at once; more must wait.
const MOST_CONNECTIONS: usize = 8192;

/// How long a client may take for its TLS handshake.
const HANDSHAKE_TIME: Duration = Duration::from_secs(30);

/// Answers HTTP requests for the hosts of this web.
#[derive(Debug)]
pub(crate) struct WebServer {
    pub(crate) sites: Arc<Sites>,
    pub(crate) record: Arc<Record>,
    pub(crate) https_port: u16,
    pub(crate) http_port: u16,
    /// When every file is said to have changed last.
    pub(crate) modified: SystemTime,
}

/// Requests that a connection takes before it is announced to end, when that is its behaviour.
const REQUESTS_BEFORE_GO_AWAY: u32 = 3;

/// What the requests of one connection share.
pub(crate) struct Connection {
    number: u64,
    local: SocketAddr,
    secure: bool,
    /// Tells the connection to close without another byte.
    close: Notify,
    /// Tells the connection to end when what was asked is answered.
    go_away: Notify,
    requests: AtomicU32,
}

impl WebServer {
    /// Serves one listener for as long as it is polled; with an acceptor over TLS.
    pub(crate) async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        tls: Option<Arc<Handshakes>>,
    ) {
        let mut connections = JoinSet::new();
        loop {
            if connections.len() >= MOST_CONNECTIONS {
                connections.join_next().await;
            }
            let accepted = listener.accept().await;
            while connections.try_join_next().is_some() {}
            match accepted {
                Ok((stream, _)) => {
                    connections.spawn(Arc::clone(&self).connect(stream, tls.clone()));
                }
                Err(error) => {
                    // Most likely there are too many open files; some will be closed soon.
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
        // Small answers must not wait for each other.
        let _ = stream.set_nodelay(true);
        let Some(tls) = tls else {
            return self.converse(stream, connection).await;
        };
        let shaken = tls.shake(stream, |host| self.sites.get(host));
        match tokio::time::timeout(HANDSHAKE_TIME, shaken).await {
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
            Ok(Err(error)) => tracing::debug!(%error, "no TLS"),
            Err(_) => tracing::debug!("no TLS in time"),
        }
    }

    async fn converse<S>(self: Arc<Self>, stream: S, connection: Arc<Connection>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(|request| {
            let (server, connection) = (Arc::clone(&self), Arc::clone(&connection));
            async move { Ok::<_, Infallible>(server.respond(&request, &connection).await) }
        });
        let builder = auto::Builder::new(TokioExecutor::new());
        let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
        loop {
            tokio::select! {
                done = serving.as_mut() => {
                    if let Err(error) = done {
                        tracing::debug!(%error, "a connection ended badly");
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
        request: &http::Request<Incoming>,
        connection: &Connection,
    ) -> Response<Body> {
        let (answer, response) = self.consider(request, connection);
        if let Some(delay) = answer.delay_ms {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        if let Some(response) = response {
            return response;
        }
        connection.close.notify_one();
        std::future::pending().await
    }

    /// Records a request, and chooses its answer; there is no response when none is to be sent, or
    /// when it is written by hand.
    pub(crate) fn consider<B>(
        &self,
        request: &http::Request<B>,
        connection: &Connection,
    ) -> (Answer, Option<Response<Body>>) {
        let host = host_of(request);
        let site = self.sites.get(&host);
        let behaviour = site.as_ref().map(|site| &site.behaviour);
        let answer = match behaviour {
            Some(behaviour) if connection.secure => behaviour.answer_to(request.uri().path()),
            Some(_) | None => Answer::default(),
        };
        let response = if answer.fault == Some(Fault::Close) || !answer.script.is_empty() {
            None
        } else {
            Some(self.response(request, &host, site.as_deref(), &answer, connection.secure))
        };
        let before = connection.requests.fetch_add(1, Ordering::Relaxed);
        if behaviour.is_some_and(|behaviour| behaviour.http2 == Http2::GoAway)
            && before + 1 == REQUESTS_BEFORE_GO_AWAY
        {
            connection.go_away.notify_one();
        }
        let (at, unix_ms) = now();
        self.record.request(Request {
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
        (answer, response)
    }

    /// Records a request over HTTP/2 whose header block nobody reads.
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

    fn response<B>(
        &self,
        request: &http::Request<B>,
        host: &str,
        site: Option<&Site>,
        answer: &Answer,
        secure: bool,
    ) -> Response<Body> {
        let asked = path_and_query(request.uri());
        let head = request.method() == Method::HEAD;
        let mut response = if !head && request.method() != Method::GET {
            page(StatusCode::METHOD_NOT_ALLOWED)
        } else if !secure && site.is_some() {
            moved(&with_port(
                &format!("https://{host}{asked}"),
                self.https_port,
            ))
        } else if let Some(target) = &answer.redirect {
            moved(&self.target(&target.replace("{path}", asked)))
        } else if let Some(site) = site {
            self.file(request, site, answer)
        } else {
            // RFC 9110 section 15.5.20: this web does not speak for that host.
            page(StatusCode::MISDIRECTED_REQUEST)
        };
        if let Some(status) = answer
            .status
            .and_then(|status| StatusCode::from_u16(status).ok())
        {
            *response.status_mut() = status;
        }
        for (name, value) in &answer.headers {
            if let (Ok(name), Ok(value)) = (
                HeaderName::try_from(name.as_str()),
                HeaderValue::try_from(value.as_str()),
            ) {
                response.headers_mut().insert(name, value);
            }
        }
        if head {
            *response.body_mut() = Body::empty();
        }
        response
    }

    fn file<B>(&self, request: &http::Request<B>, site: &Site, answer: &Answer) -> Response<Body> {
        let path = request.uri().path();
        let caught = || site.file(site.behaviour.catch_all.as_deref()?);
        let file = site.file(path).or_else(caught);
        let (bytes, etag) = match (&answer.body, file) {
            (Some(body), _) => (Bytes::from(body.clone()), None),
            (None, Some(file)) => (file.bytes.clone(), Some(file.etag.as_str())),
            (None, None) if answer.fault.is_some() => (Bytes::new(), None),
            (None, None) => {
                let status = answer
                    .status
                    .and_then(|status| StatusCode::from_u16(status).ok());
                return page(status.unwrap_or(StatusCode::NOT_FOUND));
            }
        };
        let modified = httpdate::fmt_http_date(self.modified);
        let unchanged = match request.headers().get(IF_NONE_MATCH) {
            Some(known) => etag.is_some() && known.to_str().ok() == etag,
            None => request
                .headers()
                .get(IF_MODIFIED_SINCE)
                .and_then(|since| httpdate::parse_http_date(since.to_str().ok()?).ok())
                // HTTP dates have no fractions of a second.
                .is_some_and(|since| {
                    etag.is_some() && since + Duration::from_secs(1) > self.modified
                }),
        };
        let (length, body) = match answer.fault {
            _ if unchanged => (None, Body::empty()),
            Some(Fault::Endless) => (None, Body::Endless),
            Some(Fault::Truncate) => (Some(bytes.len().max(1)), Body::cut_off(&bytes)),
            Some(Fault::GzipBomb) => {
                let bomb = body::gzip_bomb();
                (Some(bomb.len()), Body::from(bomb))
            }
            Some(Fault::Close) | None => (Some(bytes.len()), Body::from(bytes)),
        };
        let mut response = Response::new(body);
        if unchanged {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(path)));
        if let Some(length) = length {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        if answer.fault == Some(Fault::GzipBomb) {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if let Some(etag) = etag
            && let (Ok(etag), Ok(modified)) =
                (HeaderValue::try_from(etag), HeaderValue::try_from(modified))
        {
            headers.insert(ETAG, etag);
            headers.insert(LAST_MODIFIED, modified);
        }
        response
    }

    /// A redirect's target, with this web's port when it is on this web.
    fn target(&self, target: &str) -> String {
        let Ok(uri) = target.parse::<Uri>() else {
            return target.to_owned();
        };
        let port = match uri.scheme_str() {
            Some("https") => self.https_port,
            Some("http") => self.http_port,
            _ => return target.to_owned(),
        };
        let ours = uri
            .host()
            .is_some_and(|host| self.sites.get(host).is_some());
        if ours && uri.port().is_none() {
            with_port(target, port)
        } else {
            target.to_owned()
        }
    }
}

/// Adds a port to an absolute URL that has none.
fn with_port(url: &str, port: u16) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    format!("{scheme}://{host}:{port}{path}")
}

fn moved(target: &str) -> Response<Body> {
    let mut response = page(StatusCode::MOVED_PERMANENTLY);
    if let Ok(target) = HeaderValue::try_from(target) {
        response.headers_mut().insert(LOCATION, target);
    }
    response
}

/// A small page that says what the status means.
fn page(status: StatusCode) -> Response<Body> {
    let text = Bytes::from(format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{status}</title><h1>{status}</h1></html>\n"
    ));
    let length = text.len();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    response
}

fn content_type(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        _ if name.is_empty() => "text/html; charset=utf-8",
        Some("html" | "htm") => "text/html; charset=utf-8",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        Some("md") => "text/markdown; charset=utf-8",
        Some("xml") => "application/xml",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some(_) | None => "application/octet-stream",
    }
}

/// The host a request names, whichever version of HTTP it uses.
fn host_of<B>(request: &http::Request<B>) -> String {
    let from_header = || {
        let header = request.headers().get(HOST)?.to_str().ok()?;
        header.parse::<Uri>().ok()?.host().map(str::to_owned)
    };
    let host = request.uri().host().map(str::to_owned).or_else(from_header);
    let host = host.unwrap_or_default().to_ascii_lowercase();
    host.trim_end_matches('.').to_owned()
}

fn path_and_query(uri: &Uri) -> &str {
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
            // The port that was free on the first address is taken on another.
            Some(_) if wanted == 0 && !listeners.is_empty() && tries < 20 => tries += 1,
            Some(error) => return Err(error),
        }
    }
}
