//! The real network: reqwest, with limits against hostile servers.
//!
//! Each visit has its own client, and so its own connection, which closes at the end of the visit
//! (P13); the expensive parts of a client are shared. A second client, for HTTP/1.1 only, is
//! created for hosts that need it, and both are replaced when a connection must not be reused. The
//! second one examines the heads of answers itself, since reqwest tells none of the faults that it
//! refuses or ignores. Each
//! name is looked up and checked once, so that only checked addresses are connected to. IP literals
//! would bypass that and are refused earlier. The clients follow no redirect, keep no cookie, send
//! no referer and use no proxy.

mod addresses;
mod client;
mod content_encoding;
mod examining;
mod failure;
mod head;
mod raw_head;
#[cfg(test)]
mod tests;
mod tls;

use crate::clock::Clock;
use crate::fetch::address::{Guard, Refusal, check_url};
use crate::fetch::message_signature::{Nonce, Signer, authority};
use crate::fetch::resolver::Resolver;
use crate::fetch::{Fetch, FetchError, Limits, Request, Response, Stage};
use addresses::Addresses;
use client::{Body, Client};
use content_encoding::{Decoder, Extent};
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, FROM, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    USER_AGENT,
};
use ipnet::IpNet;
use manifest::Domain;
use rand::Rng as _;
use rand::rngs::StdRng;
use rustls::pki_types::CertificateDer;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
pub use tls::HttpError;
use tokio::time::{Instant, timeout_at};

/// Value of the `Accept` header.
const ACCEPTED: &str = "application/json, application/agents+json;q=0.9, application/a2a+json;q=0.9, \
                      application/ai-catalog+json;q=0.9, text/plain;q=0.8, */*;q=0.1";

/// Time for TCP and TLS together (P43).
const CONNECT: Duration = Duration::from_secs(5);
/// Time from sending, including the connection, to the end of the response head.
///
/// It also ends a flood of informational answers (HS-32): the library does not expose their number,
/// so that only the time limits them.
const HEADERS: Duration = Duration::from_secs(10);
/// Maximum time without data within a body.
const IDLE: Duration = Duration::from_secs(5);
/// Time after which a body must have arrived at [`MINIMUM_RATE`].
const RATE_GRACE: Duration = Duration::from_secs(5);
/// Minimum rate of a body in bytes a second.
const MINIMUM_RATE: u64 = 100;
/// Maximum size of the body of an answer other than 200: enough to recognize a catch-all page, and
/// to keep the connection.
const OTHER_BODY_BYTES: usize = 64 * 1024;

/// Number of bytes by which a content encoding may enlarge a body.
const CODING_OVERHEAD: u64 = 4 * 1024;

/// The identity of the crawler, and the authorities that it trusts.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The whole `User-Agent` header.
    pub user_agent: String,
    /// The `From` header, if the contact is a mailbox (P2).
    pub from: Option<String>,
    /// Signs every request, including those for robots.txt (P5).
    pub signer: Option<Signer>,
    /// Certificate authorities trusted in addition to the public ones.
    pub roots: Vec<CertificateDer<'static>>,
    /// Time for which a connection may stay idle: the gap between two requests, and a little more.
    pub idle: Duration,
}

/// The real network.
#[derive(Clone, Debug)]
pub struct Http {
    shared: Arc<Shared>,
    addresses: Addresses,
    clients: Arc<Mutex<Clients>>,
}

/// The clients of a visit, created on demand.
#[derive(Debug, Default)]
struct Clients {
    any: Option<Client>,
    http1: Option<Client>,
    /// The client for [`Request::is_separate`], and whether it speaks HTTP/1.1 only.
    separate: Option<(bool, Client)>,
}

/// State shared by all visits.
#[derive(Debug)]
struct Shared {
    signer: Option<Signer>,
    clock: Clock,
    random: Mutex<StdRng>,
    guard: Arc<Guard>,
    headers: HeaderMap,
    idle: Duration,
    tls: rustls::ClientConfig,
    tls_http1: Arc<rustls::ClientConfig>,
}

impl Http {
    /// Creates a client with this identity. It queries these name servers (those of the system if
    /// empty) and may connect to the addresses in `own` in addition to public ones. Signatures use
    /// the time of `clock` and nonces from `random`.
    pub fn new(
        identity: &Identity,
        nameservers: &[SocketAddr],
        own: Vec<IpNet>,
        clock: Clock,
        random: StdRng,
    ) -> Result<Self, HttpError> {
        let guard = Arc::new(Guard::new(own));
        let resolver = Resolver::new(nameservers, Arc::clone(&guard))?;
        // The shared part caches no addresses; the resolver has its own cache.
        let addresses = Addresses::new(resolver);
        let shared = Shared {
            signer: identity.signer.clone(),
            clock,
            random: Mutex::new(random),
            guard,
            headers: headers(identity)?,
            idle: identity.idle,
            tls: tls::config(&identity.roots, &[b"h2", b"http/1.1"])?,
            tls_http1: Arc::new(tls::config(&identity.roots, &[b"http/1.1"])?),
        };
        let clients = Clients {
            any: Some(Client::usual(&shared.tls, &addresses, shared.idle)?),
            ..Clients::default()
        };
        Ok(Self {
            clients: Arc::new(Mutex::new(clients)),
            addresses,
            shared: Arc::new(shared),
        })
    }

    fn client(&self, request: &Request) -> Result<Client, FetchError> {
        let mut clients = self.clients();
        let is_http1 = request.only_http1;
        let known = match &clients.separate {
            Some((is_same, client)) if *is_same == is_http1 => Some(client),
            Some(_) | None => None,
        };
        let known = match (request.is_separate, is_http1) {
            (true, _) => known,
            (false, true) => clients.http1.as_ref(),
            (false, false) => clients.any.as_ref(),
        };
        if let Some(client) = known {
            return Ok(client.clone());
        }
        let (shared, addresses) = (&self.shared, &self.addresses);
        let client = if is_http1 {
            Client::examining(&shared.tls_http1, addresses, shared.idle)
        } else {
            let usual = Client::usual(&shared.tls, addresses, shared.idle);
            usual.map_err(|_| FetchError::Protocol("no HTTP client"))?
        };
        match (request.is_separate, is_http1) {
            (true, _) => clients.separate = Some((is_http1, client.clone())),
            (false, true) => clients.http1 = Some(client.clone()),
            (false, false) => clients.any = Some(client.clone()),
        }
        Ok(client)
    }

    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the checked address of the request's host. No request reaches the client before this
    /// check, as it would connect to IP literals.
    async fn address(&self, request: &Request) -> Result<IpAddr, FetchError> {
        let guard = &self.shared.guard;
        let name = check_url(&request.url, request.seed_port).map_err(FetchError::Blocked)?;
        if let Some(address) = self.addresses.known(name) {
            return Ok(address);
        }
        let host = guard.check_name(name).map_err(FetchError::Blocked)?;
        let address = self.addresses.look_up(host.as_str()).await?;
        if host.is_special_use() && !guard.is_opened(address) {
            return Err(FetchError::Blocked(Refusal::SpecialUse));
        }
        self.addresses.remember(name, address);
        Ok(address)
    }
}

impl Fetch for Http {
    fn for_visit(&self, host: &Domain, address: IpAddr) -> Self {
        Self {
            addresses: self.addresses.of_visit(host.as_str(), address),
            clients: Arc::default(),
            shared: Arc::clone(&self.shared),
        }
    }

    async fn resolve(&self, request: &Request) -> Result<IpAddr, FetchError> {
        self.address(request).await
    }

    async fn texts(&self, name: &str) -> Result<Vec<String>, FetchError> {
        self.addresses.texts(name).await
    }

    fn close_separate(&self) {
        self.clients().separate = None;
    }

    async fn get(&self, request: &Request) -> Result<Response, FetchError> {
        // Each wait below has its own deadline; another timeout around them would be redundant.
        let deadline = Instant::now() + request.limits.total;
        let is_own_host = self.shared.guard.is_opened(self.address(request).await?);
        let (client, message) = (self.client(request)?, self.shared.message(request)?);
        let sent = client.send(message);
        let headers = Instant::now() + HEADERS;
        let answer = match timeout_at(headers.min(deadline), sent).await {
            Ok(answer) => answer?,
            Err(_) if headers < deadline => return Err(FetchError::Timeout(Stage::Headers)),
            Err(_) => return Err(FetchError::Timeout(Stage::Total)),
        };
        head::check(&answer)?;
        if head::is_ambiguous(answer.headers()) {
            // The next bytes on this connection may be a part of this answer.
            *self.clients() = Clients::default();
        }
        let response = head::read(&answer, is_own_host);
        read_body(answer, response, request.limits, deadline).await
    }
}

impl Shared {
    /// Returns the message of a request, conditional if it has validators and signed if there is a
    /// key (P2, P5).
    fn message(&self, request: &Request) -> Result<hyper::Request<String>, FetchError> {
        let mut headers = self.headers.clone();
        let validators = [
            (IF_NONE_MATCH, &request.etag),
            (IF_MODIFIED_SINCE, &request.last_modified),
        ];
        let unusable = || FetchError::Protocol("a request that HTTP does not allow");
        for (name, value) in validators {
            if let Some(value) = value {
                let value = HeaderValue::from_str(value).map_err(|_| unusable())?;
                headers.insert(name, value);
            }
        }
        let mut message = hyper::Request::get(request.url.as_str());
        if let Some(signer) = &self.signer {
            let random = self.random.lock();
            let nonce: Nonce = random.unwrap_or_else(PoisonError::into_inner).random();
            let host = authority(&request.url);
            let signature = signer.signature_headers(&host, self.clock.now(), &nonce);
            message = message
                .header("signature-agent", signature.agent)
                .header("signature-input", signature.input)
                .header("signature", signature.signature);
        }
        if let Some(all) = message.headers_mut() {
            all.extend(headers);
        }
        message.body(String::new()).map_err(|_| unusable())
    }
}

fn headers(identity: &Identity) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    let user_agent = HeaderValue::from_str(&identity.user_agent);
    headers.insert(USER_AGENT, user_agent.map_err(|_| HttpError::Contact)?);
    headers.insert(
        ACCEPT_ENCODING,
        HeaderValue::from_static(content_encoding::OFFERED),
    );
    if let Some(from) = &identity.from {
        let from = HeaderValue::from_str(from).map_err(|_| HttpError::Contact)?;
        headers.insert(FROM, from);
    }
    Ok(headers)
}

/// Reads the body of an answer. A refusal or an error is complete without: its status says all that
/// counts, also if its body is cut off or cannot be decoded (P27).
async fn read_body(
    answer: hyper::Response<Body>,
    response: Response,
    limits: Limits,
    deadline: Instant,
) -> Result<Response, FetchError> {
    let has_content = matches!(response.status, 200..=299);
    let without_body = Response {
        was_cut: true,
        ..response.clone()
    };
    match read_content(answer, response, limits, has_content, deadline).await {
        Err(_) if !has_content => Ok(without_body),
        result => result,
    }
}

async fn read_content(
    answer: hyper::Response<Body>,
    mut response: Response,
    limits: Limits,
    has_content: bool,
    deadline: Instant,
) -> Result<Response, FetchError> {
    let cap = if has_content {
        limits.body_bytes
    } else {
        limits.body_bytes.min(OTHER_BODY_BYTES)
    };
    let may_be_cut = limits.may_be_cut || !has_content;
    let length = answer.body().length();
    if !may_be_cut && length.is_some_and(|length| length > cap as u64) {
        return Err(FetchError::TooLarge(cap));
    }
    let mut decoder = Decoder::of(answer.headers())?;
    let mut body = answer.into_body();
    let started = Instant::now();
    let mut received = 0;
    loop {
        let idle = (Instant::now() + IDLE).min(deadline);
        let chunk = match timeout_at(idle, body.next()).await {
            Ok(chunk) => chunk?,
            Err(_) if Instant::now() >= deadline => {
                return Err(FetchError::Timeout(Stage::Total));
            }
            Err(_) => return Err(FetchError::Timeout(Stage::Idle)),
        };
        let Some(chunk) = chunk else {
            response.was_cut = decoder.finish(&mut response.body, cap)? == Extent::Truncated;
            return if response.was_cut && !may_be_cut {
                Err(FetchError::TooLarge(cap))
            } else {
                Ok(response)
            };
        };
        received += chunk.len() as u64;
        let extent = decoder.decode(&chunk, &mut response.body, cap)?;
        // A long encoded body can also decode to very little.
        if extent == Extent::Truncated || received > cap as u64 + CODING_OVERHEAD {
            // Returning drops the answer, which closes the connection instead of draining it.
            if !may_be_cut {
                return Err(FetchError::TooLarge(cap));
            }
            decoder.cut(&response.body)?;
            response.was_cut = true;
            return Ok(response);
        }
        let elapsed = started.elapsed();
        if elapsed > RATE_GRACE && received < MINIMUM_RATE * elapsed.as_secs() {
            return Err(FetchError::Timeout(Stage::Rate));
        }
    }
}
