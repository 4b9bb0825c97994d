//! How a site misbehaves, or merely differs from a plain file server.
//!
//! [`Behaviour`] describes the file that says so.

use std::collections::BTreeMap;
use std::net::IpAddr;

use http::{HeaderName, HeaderValue, StatusCode};
use serde::Deserialize;

use crate::handshake::Tls;
use crate::http2::Http2;
use crate::script::Act;

/// How one site differs from a plain file server.
///
/// A site's behaviour is the file `.simweb.toml` in its folder, which is never served.
/// Every key is optional and unknown keys are refused:
///
/// ```toml
/// dns = "nxdomain"               # or "servfail", "refused", "silent" (never answers), "alias-loop", "rotating"
/// addresses = ["10.0.0.1"]       # what DNS says instead of where this web listens
/// later_addresses = ["10.0.0.2"] # what it says when it is asked again
/// aliases = 20                   # CNAME records before the addresses
/// ttl = 0                        # seconds that an answer of DNS may be kept
/// certificate = "expired"        # or "not-yet", "other-name", "self-signed", "long-chain"
/// tls = "silent"                 # or another of `Tls`, such as { alert = 40 }
/// http2 = "go-away"              # or another of `Http2`
/// plain_http = true              # served over plain HTTP too, which redirects otherwise
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
/// [paths."/old/*"]               # every path that starts so; the longest pattern wins
/// redirect = "https://www.twin.example{path}"
/// status = 308                   # 301 unless said otherwise
///
/// [paths."/agents.json"]
/// body = "{}"                    # instead of a file
/// fault = "truncate"             # or "close", "endless", "gzip-bomb"
///
/// [paths."/agent.json"]          # written as it stands, over HTTP/1.1
/// script = [{ send = "HTTP/1.1 200 OK\r\n" }, { wait_ms = 50 }, "hold"]
/// ```
///
/// In a redirect `{path}` stands for the path and query that were asked for.
/// An absolute target without a port on a host of this web gets this web's port,
/// because a site cannot know it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Behaviour {
    /// How the name server answers for this host.
    pub dns: Dns,
    /// The addresses DNS gives; empty means where this web listens.
    pub addresses: Vec<IpAddr>,
    /// The addresses DNS gives from the second time on that they are asked for; empty means the same.
    pub later_addresses: Vec<IpAddr>,
    /// How many CNAME records lead to the addresses.
    pub aliases: u8,
    /// How long DNS says that its answer may be kept, in seconds; a minute unless said.
    pub ttl: Option<u32>,
    /// How the TLS handshake goes.
    pub tls: Tls,
    /// What goes wrong in HTTP/2.
    pub http2: Http2,
    /// Which certificate the TLS handshake presents.
    pub certificate: Certificate,
    /// The path of the file that answers, with 200, every path without a file.
    pub catch_all: Option<String>,
    /// The plain port serves the site too, instead of redirecting to https.
    pub plain_http: bool,
    /// How every path is answered.
    pub all: Answer,
    /// How single paths, or paths that start like `/old/*`, are answered.
    pub paths: BTreeMap<String, Answer>,
}

/// How the name server answers for a host.
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
    /// The server will not say.
    Refused,
    /// No answer at all, so that the client's time runs out.
    Silent,
    /// The name is an alias of an alias of itself.
    AliasLoop,
    /// One of the host's addresses, the next one each time.
    Rotating,
}

/// Which certificate a host presents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificate {
    /// A good one from this web's authority.
    #[default]
    Good,
    /// One that ran out in 2001.
    Expired,
    /// One that holds from 2100 on.
    NotYet,
    /// A good one, for another host.
    OtherName,
    /// One that no authority signed.
    SelfSigned,
    /// A good one, followed by megabytes of needless others.
    LongChain,
}

/// How a path is answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Answer {
    /// The status code, instead of 200, or 301 for a redirect.
    pub status: Option<u16>,
    /// Headers to send; they replace the usual ones.
    pub headers: BTreeMap<String, String>,
    /// Milliseconds to wait before answering.
    pub delay_ms: Option<u64>,
    /// Where to send the client; `{path}` stands for what it asked for.
    pub redirect: Option<String>,
    /// The body, instead of a file.
    pub body: Option<String>,
    /// What goes wrong while answering.
    pub fault: Option<Fault>,
    /// What is written instead of a response; the whole host then speaks HTTP/1.1.
    pub script: Vec<Act>,
}

/// What goes wrong while answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The connection is closed without an answer.
    Close,
    /// The body stops in the middle of what `Content-Length` promises.
    Truncate,
    /// The body never ends.
    Endless,
    /// The body is a megabyte that unpacks into a gigabyte.
    GzipBomb,
}

/// A behaviour that cannot be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BehaviourError {
    /// It is not TOML, or has a key or value that does not exist.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// A pattern does not begin like a path.
    #[error("the path {0:?} must begin with a slash")]
    Path(String),
    /// A status code that no server may send as a final one.
    #[error("the status {0} must be from 200 to 599")]
    Status(u16),
    /// A header that HTTP does not allow.
    #[error("{0:?} is not a header that HTTP allows")]
    Header(String),
}

impl Behaviour {
    /// Reads a `.simweb.toml`.
    pub fn parse(text: &str) -> Result<Self, BehaviourError> {
        let behaviour: Self = toml::from_str(text)?;
        behaviour.check()?;
        Ok(behaviour)
    }

    /// Answers `path` (or paths, when it ends in `*`) as told.
    #[must_use]
    pub fn path(mut self, path: &str, answer: Answer) -> Self {
        self.paths.insert(path.to_owned(), answer);
        self
    }

    /// True when some of its answers are written by hand.
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

    /// How `path` is answered: its longest pattern, completed from `all`.
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
        special.completed_from(&self.all)
    }
}

impl Answer {
    /// An answer with this status.
    pub fn status(status: u16) -> Self {
        Self {
            status: Some(status),
            ..Self::default()
        }
    }

    /// A redirect to `target`.
    pub fn redirect(target: &str) -> Self {
        Self {
            redirect: Some(target.to_owned()),
            ..Self::default()
        }
    }

    /// An answer that goes wrong.
    pub fn fault(fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }

    /// An answer that is written by hand, step by step.
    pub fn script(script: impl Into<Vec<Act>>) -> Self {
        Self {
            script: script.into(),
            ..Self::default()
        }
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The same answer after a wait.
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
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_documentation_is_read() {
        let behaviour = Behaviour::parse(
            r#"
            dns = "servfail"
            addresses = ["10.0.0.1", "::1"]
            later_addresses = ["10.0.0.2"]
            aliases = 20
            ttl = 0
            tls = { alert = 40 }
            http2 = "go-away"
            certificate = "other-name"
            plain_http = true
            catch_all = "/sorry.html"
            [all]
            headers = { "x-powered-by" = "hope" }
            delay_ms = 200
            [paths."/old/*"]
            redirect = "https://www.twin.example{path}"
            status = 308
            [paths."/agents.json"]
            body = "{}"
            fault = "gzip-bomb"
            [paths."/agent.json"]
            script = [{ send = "HTTP/1.1" }, { wait_ms = 50 }, "hold"]
            "#,
        )
        .unwrap();
        assert_eq!(behaviour.dns, Dns::Servfail);
        assert_eq!(behaviour.addresses.len(), 2);
        assert_eq!(
            (behaviour.aliases, behaviour.ttl, behaviour.tls),
            (20, Some(0), Tls::Alert(40))
        );
        assert_eq!(behaviour.http2, Http2::GoAway);
        assert_eq!(
            behaviour.answer_to("/agent.json").script,
            [Act::send("HTTP/1.1"), Act::WaitMs(50), Act::Hold]
        );
        assert_eq!(behaviour.certificate, Certificate::OtherName);
        let old = behaviour.answer_to("/old/menu?x=1");
        assert_eq!((old.status, old.delay_ms), (Some(308), Some(200)));
        assert_eq!(old.headers["x-powered-by"], "hope");
        assert_eq!(
            behaviour.answer_to("/agents.json").fault,
            Some(Fault::GzipBomb)
        );
        assert_eq!(behaviour.answer_to("/").redirect, None);
    }

    #[test]
    fn what_cannot_be_followed_is_refused_by_name() {
        for (text, part) in [
            ("delay = 5", "delay"),
            ("[paths.\"/a\"]\nstat = 5", "stat"),
            ("dns = \"gone\"", "gone"),
            ("[paths.robots]\nstatus = 404", "\"robots\""),
            ("[all]\nstatus = 99", "99"),
            ("[all]\nheaders = { \"a b\" = \"c\" }", "a b"),
        ] {
            let message = Behaviour::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?} gave {message:?}");
        }
    }

    #[test]
    fn the_longest_pattern_wins() {
        let behaviour = Behaviour::default()
            .path("/*", Answer::status(500))
            .path("/a/*", Answer::status(404))
            .path("/a/b", Answer::status(200));
        let status = |path| behaviour.answer_to(path).status;
        assert_eq!(status("/a/b"), Some(200));
        assert_eq!(status("/a/c"), Some(404));
        assert_eq!(status("/c"), Some(500));
    }
}
