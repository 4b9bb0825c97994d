//! The endpoints that the manifests of the demo announce: servers that refuse every call that breaks
//! its manifest.
//!
//! They read the manifests by themselves, in the words of each format, so that an error of our
//! readers is not repeated here.

mod a2a;
mod guard;
mod manifests;
mod mcp;
mod rest;

use bytes::Bytes;
use guard::Guard;
use http::{Method, Request, Response, StatusCode};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

pub(crate) use guard::{KEY, PASSWORD, TOKEN};

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
pub(crate) struct Endpoints {
    all: Vec<Endpoint>,
    sessions: Mutex<BTreeSet<String>>,
}

impl Endpoints {
    /// Reads the endpoints of every site of a directory.
    pub(crate) fn of(folder: &Path) -> Self {
        Self {
            all: manifests::endpoints(folder),
            sessions: Mutex::default(),
        }
    }

    /// Lists the hosts of the endpoints.
    pub(crate) fn hosts(&self) -> BTreeSet<&str> {
        self.all.iter().map(|it| it.host.as_str()).collect()
    }

    /// Answers a request to an endpoint; `None` if there is none at its address.
    pub(crate) fn answer(&self, host: &str, request: &Request<Bytes>) -> Option<Response<Bytes>> {
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
        let mut response = Response::builder().status(answer.status);
        for (name, value) in answer.headers {
            response = response.header(name, value);
        }
        let response = response.header("content-type", "application/json");
        Some(response.body(answer.body.to_string().into()).unwrap())
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
                let mut sessions = self.sessions.lock().unwrap();
                let token = format!("session-of-the-demo-number-{:06}", sessions.len());
                sessions.insert(token.clone());
                Ok(Answer {
                    status: StatusCode::CREATED,
                    ..Answer::ok(serde_json::json!({"session_token": token}))
                })
            }
            Kind::SessionDeletion => {
                let token = self.session(call)?;
                self.sessions.lock().unwrap().remove(&token);
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
        let sessions = self.sessions.lock().unwrap();
        match token.filter(|it| sessions.contains(*it)) {
            Some(token) => Ok(token.to_owned()),
            None => refused(StatusCode::UNAUTHORIZED, "no open session"),
        }
    }
}
