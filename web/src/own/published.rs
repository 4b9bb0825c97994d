//! The manifests of the registry, in the formats that it reads.

mod agents_json;
mod agents_txt;
mod intentql;
mod json_agents;

use super::{self as own, place};
use crate::rate::Limiter;
use serde_json::Value;

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
    pub(crate) path: &'static str,
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
        let host = self.url.split_once("://").map_or("", |(_, host)| host);
        format!("ajson://{host}/agents/{}", own::SLUG)
    }

    /// Returns every document that depends on nothing else.
    pub(crate) fn documents(&self) -> Vec<Published> {
        let mut documents = Vec::new();
        let mut add = |path, media_type, manifest: &Value| {
            // Formatted for people.
            let text = format!("{manifest:#}\n");
            documents.push(Published {
                path,
                media_type,
                text,
            });
        };
        add(place::AGENTS_JSON, JSON, &agents_json::manifest(self));
        let json_agents = json_agents::manifest(self);
        add(place::JSON_AGENTS, "application/agents+json", &json_agents);
        let intentql = intentql::manifest(self);
        for path in place::AGENT_JSON {
            add(path, JSON, &intentql);
        }
        let text = agents_txt::manifest(self);
        documents.extend(place::AGENTS_TXT.map(|path| Published {
            path,
            media_type: TEXT,
            text: text.clone(),
        }));
        documents
    }
}

/// Writes a path with variables as `:name`, as the agents.txt protocol does.
fn with_colons(path: &str) -> String {
    path.replace('{', ":").replace('}', "")
}
