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

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use guard::Guard;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use serde_json::Value;

pub use guard::{KEY, PASSWORD, TOKEN};

/// Most sessions that are open at the same time; the oldest one ends for a new one.
const MAX_SESSIONS: usize = 1_000;

/// Refusal of a call: the status and the reason.
type Refusal = (StatusCode, String);

/// Answer to a call.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    headers: Vec<(&'static str, String)>,
    body: Value,
}

impl Answer {
    fn ok(body: Value) -> Self {
        Self {
            status: StatusCode::OK,
            headers: Vec::new(),
            body,
        }
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
    A2a(a2a::Agent),
    Mcp(mcp::Server),
}

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
pub struct Endpoints {
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
    /// Reads the endpoints that files announce; each file has its host and its bytes.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        Self {
            all: manifests::endpoints(files),
            sessions: Mutex::default(),
        }
    }

    /// Lists the hosts of the endpoints.
    pub fn hosts(&self) -> BTreeSet<&str> {
        self.all.iter().map(|it| it.host.as_str()).collect()
    }

    /// Answers a request to an endpoint; `None` if there is none at its address.
    pub fn answer(&self, host: &str, request: &Request<Bytes>) -> Option<Response<Bytes>> {
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
        let mut answer = refused(StatusCode::METHOD_NOT_ALLOWED, "no such method");
        for (endpoint, variables) in fitting {
            answer = self.answer_at(endpoint, &call, &variables);
            if answer.is_ok() {
                break;
            }
        }
        let answer = answer.unwrap_or_else(|(status, reason)| Answer {
            status,
            headers: Vec::new(),
            body: Value::String(reason),
        });
        let mut response = Response::new(Bytes::from(answer.body.to_string()));
        *response.status_mut() = answer.status;
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        for (name, value) in answer.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(name, value);
            }
        }
        Some(response)
    }

    fn answer_at(
        &self,
        endpoint: &Endpoint,
        call: &Call<'_>,
        variables: &[(String, String)],
    ) -> Result<Answer, Refusal> {
        endpoint.guard.check(call)?;
        match &endpoint.kind {
            Kind::Rest(operation) => {
                if operation.needs_session {
                    self.session(call)?;
                }
                operation.answer(call, variables)
            }
            Kind::SessionCreation => {
                if !call.body["agent_name"].is_string() {
                    return wrong("agent_name is not a string");
                }
                let token = self.open().create();
                Ok(Answer {
                    status: StatusCode::CREATED,
                    ..Answer::ok(serde_json::json!({"ok": true, "data": {"session_token": token}}))
                })
            }
            Kind::SessionDeletion => {
                let token = self.session(call)?;
                self.open().tokens.remove(&token);
                Ok(Answer::ok(serde_json::json!({"ended": true})))
            }
            Kind::A2a(agent) => agent.answer(call),
            Kind::Mcp(server) => server.answer(call),
        }
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
