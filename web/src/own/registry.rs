//! Facts about this registry, from which its manifests are made.

use crate::own;
use crate::rate::Limiter;

/// Facts about this registry that its operator configures.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    /// URL that visitors use, without a trailing slash.
    pub(crate) url: String,
    /// Mail address or URL of the operator.
    pub(crate) contact: Option<String>,
    /// Requests that a client may send in a minute; `None` without a limit.
    pub(crate) requests_per_minute: Option<u32>,
}

impl Registry {
    /// Creates the facts of a registry at `url`.
    pub(crate) fn new(url: &str, contact: Option<&str>, limiter: &Limiter) -> Self {
        Self {
            url: url.to_owned(),
            contact: contact.map(str::to_owned),
            requests_per_minute: limiter.per_minute(),
        }
    }

    /// Returns the address of a path.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Returns the identifier of the registry in JSON Agents.
    pub(super) fn ajson(&self) -> String {
        format!("ajson://{}/agents/{}", self.authority(), own::SLUG)
    }

    /// Returns the identifier of the registry in ARD, as something of a kind.
    pub(super) fn urn(&self, kind: &str) -> String {
        format!("urn:air:{}:{kind}:{}", self.host(), own::SLUG)
    }

    /// Returns the namespace of the registry in MCP: its host with the labels reversed.
    pub(crate) fn namespace(&self) -> String {
        reversed(self.host())
    }

    fn authority(&self) -> &str {
        self.url.split_once("://").map_or("", |(_, rest)| rest)
    }

    fn host(&self) -> &str {
        let authority = self.authority();
        let host = authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host);
        host.trim_matches(['[', ']'])
    }
}

/// Returns a host with its labels reversed.
pub(crate) fn reversed(host: &str) -> String {
    host.rsplit('.').collect::<Vec<_>>().join(".")
}
