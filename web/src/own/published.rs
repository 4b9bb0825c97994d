//! The manifests of the registry, in the formats that it reads.

mod agents_json;
mod agents_txt;
mod agents_txt_com;
mod ai_catalog;
mod intentql;
mod json_agents;
mod linkset;
mod server_card;
mod skills;
mod texts;

use super::{self as own, place};
use crate::rate::Limiter;
use manifest::Timestamp;

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

/// Document that the registry publishes.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// Its path.
    pub(crate) path: String,
    /// Its media type.
    pub(crate) media_type: &'static str,
    /// Its text.
    pub(crate) text: String,
}

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json; charset=utf-8";

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
    fn ajson(&self) -> String {
        format!("ajson://{}/agents/{}", self.authority(), own::SLUG)
    }

    /// Returns the identifier of the registry in ARD, as something of a kind.
    fn urn(&self, kind: &str) -> String {
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

    /// Returns every document that depends on nothing else.
    pub(crate) fn documents(&self) -> Vec<Published> {
        let mut documents = skills::files(self);
        let mut add = |path: &str, media_type, text: &str| {
            documents.push(Published {
                path: path.to_owned(),
                media_type,
                text: text.to_owned(),
            });
        };
        for (paths, media_type, manifest) in [
            (&[place::AGENTS_JSON][..], JSON, agents_json::manifest(self)),
            (
                &[place::JSON_AGENTS],
                "application/agents+json",
                json_agents::manifest(self),
            ),
            (&place::AGENT_JSON, JSON, intentql::manifest(self)),
            (
                &place::CATALOGS,
                "application/ai-catalog+json",
                ai_catalog::manifest(self),
            ),
            (
                &place::SERVER_CARD,
                "application/mcp-server-card+json",
                server_card::manifest(self),
            ),
            (&[place::SKILLS_INDEX], JSON, skills::index(self)),
            (
                &[place::API_CATALOG],
                "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
                linkset::manifest(self),
            ),
            (
                &[place::AGENTS_TXT_COM],
                JSON,
                agents_txt_com::manifest(self),
            ),
        ] {
            // Formatted for people.
            let text = format!("{manifest:#}\n");
            for path in paths {
                add(path, media_type, &text);
            }
        }
        let agents_txt = agents_txt::manifest(self);
        for path in place::AGENTS_TXT {
            add(path, TEXT, &agents_txt);
        }
        add(place::ROBOTS, TEXT, &texts::robots(self));
        add(place::LLMS, TEXT, &texts::llms(self));
        documents
    }

    /// Returns security.txt as of `now`; `None` without a contact.
    pub(crate) fn security(&self, now: Timestamp) -> Option<Published> {
        Some(Published {
            path: place::SECURITY.to_owned(),
            media_type: TEXT,
            text: texts::security(self, now)?,
        })
    }
}

/// Returns a host with its labels reversed.
pub(crate) fn reversed(host: &str) -> String {
    host.rsplit('.').collect::<Vec<_>>().join(".")
}

/// Writes a path with variables as `:name`, as the agents.txt protocol does.
fn with_colons(path: &str) -> String {
    path.replace('{', ":").replace('}', "")
}
