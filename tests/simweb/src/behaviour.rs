//! Behaviours of sites that differ from a plain file server, faults among them.
//!
//! [`Behaviour`] documents the configuration file.

use std::collections::BTreeMap;
use std::net::IpAddr;

use http::{HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;

use crate::edge::Edge;
use crate::handshake::Tls;
use crate::http2::Http2;
use crate::script::Act;

/// Differences of one site from a plain file server.
///
/// It is configured by the file `.simweb.toml` in the site's directory, which is never served.
/// Every key is optional; unknown keys are rejected:
///
/// ```toml
/// # Or "servfail", "refused", "silent" (no answer), "slow", "no-edns", "alias-loop", "rotating".
/// dns = "nxdomain"
/// addresses = ["10.0.0.1"]       # given by DNS instead of an address of this web
/// later_addresses = ["10.0.0.2"] # given from the second query on
/// aliases = 20                   # CNAME records before the addresses
/// ttl = 0                        # seconds for which a DNS answer may be cached
/// certificate = "expired"        # or "not-yet", "other-name", "self-signed", "long-chain"
/// tls = "silent"                 # or another of `Tls`, such as { alert = 40 }
/// http2 = "go-away"              # or another of `Http2`
/// edge = "cloudflare"            # or "vercel", "fastly": its header in every answer
/// plain_http = true              # serve over plain HTTP too, instead of redirecting
/// catch_all = "/sorry.html"      # this file, with 200, for every path without a file
///
/// [all]                          # how every path is answered
/// headers = { "x-powered-by" = "hope" }
/// delay_ms = 200                 # wait before answering
///
/// [paths."/robots.txt"]          # how one path is answered; this wins over [all]
/// status = 503
/// headers = { "retry-after" = "120" }
///
/// [paths."/api/agent.json"]
/// redirect = "/.well-known/agent.json"
///
/// [paths."/old/*"]               # every path with this prefix; the longest pattern wins
/// redirect = "https://www.twin.example{path}"
/// status = 308                   # 301 by default
///
/// [paths."/agents.json"]
/// body = "{}"                    # instead of a file
/// fault = "truncate"             # or "close", "endless", "gzip-bomb"
///
/// [paths."/agent.json"]          # sent verbatim, over HTTP/1.1
/// script = [{ send = "HTTP/1.1 200 OK\r\n" }, { wait_ms = 50 }, "hold"]
///
/// [answers]                      # of the agents of the site, by the ids of their tools and skills
/// book_table = "A table for four is yours."
/// predict_tides = { low = "04:12", high = "10:25" }
/// ```
///
/// In a redirect, `{path}` stands for the path and query of the request. An absolute target without
/// a port gets this web's port if its host is on this web, because a site cannot know the port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Behaviour {
    /// Answers of the name server for this host.
    pub dns: Dns,
    /// Addresses that DNS gives; if empty, the address that this web chooses for the host.
    pub addresses: Vec<IpAddr>,
    /// Addresses that DNS gives from the second query on; if empty, the same as the first time.
    pub later_addresses: Vec<IpAddr>,
    /// Number of CNAME records before the addresses.
    pub aliases: u8,
    /// TTL of its DNS records in seconds; 60 if not set.
    pub ttl: Option<u32>,
    /// Course of the TLS handshake.
    pub tls: Tls,
    /// Fault in HTTP/2.
    pub http2: Http2,
    /// Edge whose header each answer has.
    pub edge: Option<Edge>,
    /// Certificate that the TLS handshake presents.
    pub certificate: Certificate,
    /// Path of the file served with status 200 for every path without a file.
    pub catch_all: Option<String>,
    /// True if the plain port serves the site too, instead of redirecting to https.
    pub plain_http: bool,
    /// Answer to every path.
    pub all: Answer,
    /// Answers to single paths, or to prefixes such as `/old/*`.
    pub paths: BTreeMap<String, Answer>,
    /// Answers of the agents of the site, by the ids of their tools and skills.
    pub answers: BTreeMap<String, serde_json::Value>,
}

/// Answers of the name server for a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dns {
    /// The host's addresses.
    #[default]
    Normal,
    /// The name does not exist.
    Nxdomain,
    /// The server failed.
    Servfail,
    /// The server refuses to answer.
    Refused,
    /// No answer at all, so that the client times out.
    Silent,
    /// The host's addresses, two seconds after each query.
    Slow,
    /// FORMERR to a query with EDNS, as from servers older than it; the host's addresses otherwise.
    NoEdns,
    /// The name is an alias of an alias of itself.
    AliasLoop,
    /// One of the host's addresses, in rotation.
    Rotating,
}

/// Certificate of a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificate {
    /// Valid, signed by this web's authority.
    #[default]
    Good,
    /// Expired in 2001.
    Expired,
    /// Not valid before 2100.
    NotYet,
    /// Valid, but for another host.
    OtherName,
    /// Self-signed.
    SelfSigned,
    /// Valid, followed by megabytes of unnecessary certificates.
    LongChain,
}

/// Answer to a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Answer {
    /// Status code; 200 by default, or 301 for a redirect.
    pub status: Option<u16>,
    /// Headers to send; they replace the default ones.
    pub headers: BTreeMap<String, String>,
    /// Delay before the answer, in milliseconds.
    pub delay_ms: Option<u64>,
    /// Target of a redirect; `{path}` stands for the requested path.
    pub redirect: Option<String>,
    /// Body to send instead of a file.
    pub body: Option<String>,
    /// Fault while answering.
    pub fault: Option<Fault>,
    /// Script that is written instead of a response; the whole host then speaks HTTP/1.1.
    pub script: Vec<Act>,
}

/// Fault while answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The connection is closed without an answer.
    Close,
    /// The body ends in the middle of the length announced by `Content-Length`.
    Truncate,
    /// The body never ends.
    Endless,
    /// The body is a mebibyte of gzip that decompresses to a gibibyte.
    GzipBomb,
}

/// Error in a behaviour.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BehaviourError {
    /// It is not TOML, or has an unknown key or value.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// A pattern does not begin with a slash.
    #[error("the path {0:?} must begin with a slash")]
    Path(String),
    /// The status code is not from 200 to 599.
    #[error("the status {0} must be from 200 to 599")]
    Status(u16),
    /// The name or value of a header is invalid in HTTP.
    #[error("{0:?} is not a header that HTTP allows")]
    Header(String),
}

impl Behaviour {
    /// Parses a `.simweb.toml`.
    pub fn parse(text: &str) -> Result<Self, BehaviourError> {
        let behaviour: Self = toml::from_str(text)?;
        behaviour.check()?;
        Ok(behaviour)
    }

    /// Sets the answer to `path`, or to all paths with this prefix if it ends in `*`.
    #[must_use]
    pub fn path(mut self, path: &str, answer: Answer) -> Self {
        self.paths.insert(path.to_owned(), answer);
        self
    }

    /// Reports whether some of its answers are scripts.
    pub(crate) fn has_scripts(&self) -> bool {
        let mut answers = std::iter::once(&self.all).chain(self.paths.values());
        answers.any(|answer| !answer.script.is_empty())
    }

    pub(crate) fn check(&self) -> Result<(), BehaviourError> {
        let patterns = self.paths.keys().chain(&self.catch_all);
        if let Some(path) = patterns.into_iter().find(|path| !path.starts_with('/')) {
            return Err(BehaviourError::Path(path.clone()));
        }
        std::iter::once(&self.all)
            .chain(self.paths.values())
            .try_for_each(Answer::check)
    }

    /// Returns the answer to `path`: the one of its longest pattern, completed from `all`.
    pub(crate) fn answer_to(&self, path: &str) -> Answer {
        let matches = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == pattern,
        };
        let special = self
            .paths
            .iter()
            .filter(|(pattern, _)| matches(pattern))
            .max_by_key(|(pattern, _)| pattern.len())
            .map(|(_, answer)| answer.clone())
            .unwrap_or_default();
        let mut answer = special.completed_from(&self.all);
        if let Some((name, value)) = self.edge.map(Edge::header) {
            let headers = &mut answer.headers;
            headers.insert(name.to_owned(), value.to_owned());
        }
        answer
    }
}

impl Answer {
    /// Returns an answer with this status.
    pub fn status(status: u16) -> Self {
        Self {
            status: Some(status),
            ..Self::default()
        }
    }

    /// Returns a redirect to `target`.
    pub fn redirect(target: &str) -> Self {
        Self {
            redirect: Some(target.to_owned()),
            ..Self::default()
        }
    }

    /// Returns an answer with a fault.
    pub fn fault(fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }

    /// Returns an answer that performs a script.
    pub fn script(script: impl Into<Vec<Act>>) -> Self {
        Self {
            script: script.into(),
            ..Self::default()
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Adds a delay.
    #[must_use]
    pub fn delayed(mut self, milliseconds: u64) -> Self {
        self.delay_ms = Some(milliseconds);
        self
    }

    fn check(&self) -> Result<(), BehaviourError> {
        if let Some(status) = self.status
            && (!(200..=599).contains(&status) || StatusCode::from_u16(status).is_err())
        {
            return Err(BehaviourError::Status(status));
        }
        let allowed = |name: &str, value: &str| {
            HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok()
        };
        match self
            .headers
            .iter()
            .find(|(name, value)| !allowed(name, value))
        {
            Some((name, value)) => Err(BehaviourError::Header(format!("{name}: {value}"))),
            None => Ok(()),
        }
    }

    fn completed_from(mut self, all: &Self) -> Self {
        for (name, value) in &all.headers {
            self.headers
                .entry(name.clone())
                .or_insert_with(|| value.clone());
        }
        Self {
            status: self.status.or(all.status),
            headers: self.headers,
            delay_ms: self.delay_ms.or(all.delay_ms),
            redirect: self.redirect.or_else(|| all.redirect.clone()),
            body: self.body.or_else(|| all.body.clone()),
            fault: self.fault.or(all.fault),
            script: if self.script.is_empty() {
                all.script.clone()
            } else {
                self.script
            },
        }
    }
}

#[cfg(test)]
mod tests;
