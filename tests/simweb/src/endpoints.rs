//! The endpoints that the manifests of sites announce: servers that refuse every call that breaks
//! its manifest.
//!
//! They read the manifests by themselves, in the words of each format, so that an error of the
//! product's readers is not repeated here.

mod a2a;
mod guard;
mod manifests;
mod mcp;
mod rest;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use guard::Guard;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use serde_json::Value;

use crate::body::Body;
use crate::site::Site;

pub use guard::{KEY, PASSWORD, TOKEN};

/// Most sessions that are open at the same time; the oldest one ends for a new one.
const MAX_SESSIONS: usize = 1_000;

/// Refusal of a call: the status and the reason.
type Refusal = (StatusCode, String);

/// Answer to a call.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    media_type: &'static str,
    body: Body,
}

impl Answer {
    fn ok(body: &Value) -> Self {
        Self {
            status: StatusCode::OK,
            media_type: "application/json",
            body: Body::from(Bytes::from(body.to_string())),
        }
    }

    /// Answers with events, as `text/event-stream`.
    fn events(events: impl IntoIterator<Item = Value>) -> Self {
        let events = events.into_iter();
        let events = events.map(|it| Bytes::from(format!("data: {it}\n\n")));
        Self {
            status: StatusCode::OK,
            media_type: "text/event-stream",
            body: Body::Events(events.collect()),
        }
    }

    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let media_type = HeaderValue::from_static(self.media_type);
        response.headers_mut().insert(CONTENT_TYPE, media_type);
        response
    }
}

fn refused<T>(status: StatusCode, reason: impl Into<String>) -> Result<T, Refusal> {
    Err((status, reason.into()))
}

fn wrong<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    refused(StatusCode::BAD_REQUEST, reason)
}

/// Refuses a value that does not fit a schema.
fn check(schema: &Value, value: &Value) -> Result<(), Refusal> {
    let validator = jsonschema::validator_for(schema);
    let validator = validator.or_else(|error| {
        let reason = format!("the manifest has an invalid schema: {error}");
        refused(StatusCode::INTERNAL_SERVER_ERROR, reason)
    })?;
    let checked = validator.validate(value);
    checked.or_else(|error| wrong(error.to_string()))
}

/// A call, with its body as JSON.
#[derive(Debug)]
struct Call<'a> {
    request: &'a Request<Bytes>,
    body: Value,
}

impl Call<'_> {
    fn header(&self, name: &str) -> Option<&str> {
        self.request.headers().get(name)?.to_str().ok()
    }

    fn query(&self) -> Vec<(String, String)> {
        let query = self.request.uri().query().unwrap_or_default();
        let pairs = url::form_urlencoded::parse(query.as_bytes());
        pairs.into_owned().collect()
    }
}

/// Something at an address of a host.
#[derive(Debug)]
struct Endpoint {
    host: String,
    /// Path with its variables in braces.
    path: String,
    method: Method,
    guard: Guard,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Rest(rest::Operation),
    SessionCreation,
    SessionDeletion,
    A2a(a2a::Operation),
    Mcp(mcp::Server),
}

/// Texts and data with which the agents of a host answer, by the ids of tools and skills.
type Answers = BTreeMap<String, Value>;

impl Endpoint {
    /// Creates an endpoint at a URL; `None` if that is none of https.
    fn at(url: &str, method: &str, guard: Guard, kind: Kind) -> Option<Self> {
        let (host, path) = url.strip_prefix("https://")?.split_once('/').or_else(|| {
            let host = url.strip_prefix("https://")?;
            Some((host, ""))
        })?;
        Some(Self {
            host: host.split(':').next()?.to_owned(),
            path: format!("/{path}"),
            method: method.parse().ok()?,
            guard,
            kind,
        })
    }
}

/// Every endpoint, and the sessions that are open.
#[derive(Debug)]
pub(crate) struct Endpoints {
    all: Vec<Endpoint>,
    sessions: Mutex<Sessions>,
}

/// Sessions that are open.
#[derive(Debug, Default)]
struct Sessions {
    created: u64,
    tokens: BTreeSet<String>,
}

impl Endpoints {
    /// Reads the endpoints that the files of sites announce.
    pub(crate) fn of(sites: &[(String, Arc<Site>)]) -> Self {
        Self {
            all: manifests::endpoints(sites),
            sessions: Mutex::default(),
        }
    }

    /// Lists the hosts of the endpoints.
    pub(crate) fn hosts(&self) -> BTreeSet<&str> {
        self.all.iter().map(|it| it.host.as_str()).collect()
    }

    /// Answers a request to an endpoint; `None` if there is none at its address.
    pub(crate) async fn answer(
        &self,
        host: &str,
        request: &Request<Bytes>,
    ) -> Option<Response<Body>> {
        let path = request.uri().path();
        let here = || {
            let here = self.all.iter().filter(|it| it.host == host);
            here.filter_map(|it| Some((it, rest::variables(&it.path, path)?)))
        };
        here().next()?;
        let fitting: Vec<_> = here()
            .filter(|it| it.0.method == request.method())
            .collect();
        if fitting.is_empty() && matches!(*request.method(), Method::GET | Method::HEAD) {
            // A page for people may be at the same address.
            return None;
        }
        let body = serde_json::from_slice(request.body()).unwrap_or_default();
        let call = Call { request, body };
        let mut refusal = (StatusCode::METHOD_NOT_ALLOWED, "no such method".to_owned());
        let mut last = None;
        for (endpoint, variables) in fitting {
            last = Some(endpoint);
            match self.answer_at(endpoint, &call, &variables).await {
                Ok(answer) => return Some(answer),
                Err(reason) => refusal = reason,
            }
        }
        Some(refused_by(last, &call, refusal))
    }

    async fn answer_at(
        &self,
        endpoint: &Endpoint,
        call: &Call<'_>,
        variables: &[(String, String)],
    ) -> Result<Response<Body>, Refusal> {
        endpoint.guard.check(call)?;
        let answer = match &endpoint.kind {
            Kind::Rest(operation) => {
                if operation.needs_session {
                    self.session(call)?;
                }
                operation.answer(call, variables)?
            }
            Kind::SessionCreation => {
                if !call.body["agent_name"].is_string() {
                    return wrong("agent_name is not a string");
                }
                let token = self.open().create();
                Answer {
                    status: StatusCode::CREATED,
                    ..Answer::ok(&serde_json::json!({"ok": true, "data": {"session_token": token}}))
                }
            }
            Kind::SessionDeletion => {
                let token = self.session(call)?;
                self.open().tokens.remove(&token);
                Answer::ok(&serde_json::json!({"ended": true}))
            }
            Kind::A2a(operation) => operation.answer(call, variables)?,
            Kind::Mcp(server) => return Ok(server.answer(call.request).await),
        };
        Ok(answer.into_response())
    }

    /// Returns the token of the session that a call names, which must be open.
    fn session(&self, call: &Call<'_>) -> Result<String, Refusal> {
        let token = call
            .header("authorization")
            .and_then(|it| it.strip_prefix("Bearer "));
        let token = token.or_else(|| call.header("x-agent-session"));
        let sessions = self.open();
        match token.filter(|it| sessions.tokens.contains(*it)) {
            Some(token) => Ok(token.to_owned()),
            None => refused(StatusCode::UNAUTHORIZED, "no open session"),
        }
    }

    /// Locks the sessions that are open.
    fn open(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says why a call is refused, in the form of the endpoint that refused it.
fn refused_by(endpoint: Option<&Endpoint>, call: &Call<'_>, refusal: Refusal) -> Response<Body> {
    let (status, reason) = refusal;
    if status == StatusCode::UNAUTHORIZED {
        let answer = Answer {
            status,
            ..Answer::ok(&Value::String(reason))
        };
        let mut response = answer.into_response();
        if let Some(scheme) = endpoint.and_then(|it| it.guard.challenge()) {
            let scheme = HeaderValue::from_static(scheme);
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        }
        return response;
    }
    let answer = match endpoint.map(|it| &it.kind) {
        Some(Kind::A2a(operation)) => operation.refusal(call, status, &reason),
        _ => Answer {
            status,
            ..Answer::ok(&Value::String(reason))
        },
    };
    answer.into_response()
}

impl Sessions {
    /// Creates a session; returns its token. Tokens are in the order of their creation.
    fn create(&mut self) -> String {
        self.created += 1;
        let token = format!("session-of-the-demo-number-{:020}", self.created);
        self.tokens.insert(token.clone());
        if self.tokens.len() > MAX_SESSIONS {
            self.tokens.pop_first();
        }
        token
    }
}
