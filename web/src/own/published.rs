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

use super::place;
use super::registry::Registry;
use manifest::Timestamp;

/// Document that the registry publishes.
#[derive(Clone, Debug)]
pub(crate) struct OwnDocument {
    /// Its path.
    pub(crate) path: String,
    /// Its media type.
    pub(crate) media_type: &'static str,
    /// Its text.
    pub(crate) text: String,
}

const TEXT: &str = "text/plain; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";
const JSON: &str = "application/json; charset=utf-8";

impl Registry {
    /// Returns every document that depends on nothing else.
    pub(crate) fn documents(&self) -> Vec<OwnDocument> {
        let mut documents = Vec::new();
        let mut add = |path: &str, media_type, text: &str| {
            documents.push(OwnDocument {
                path: path.to_owned(),
                media_type,
                text: text.to_owned(),
            });
        };
        for (path, text) in skills::files(self) {
            add(&path, MARKDOWN, &text);
        }
        for (paths, media_type, manifest) in [
            (&[place::AGENTS_JSON][..], JSON, agents_json::manifest(self)),
            (
                &[place::JSON_AGENTS],
                "application/agents+json",
                json_agents::manifest(self),
            ),
            (&place::AGENT_JSON, JSON, intentql::manifest(self)),
            (
                &[place::CATALOGS[0]],
                "application/ai-catalog+json",
                ai_catalog::ard(self),
            ),
            (
                &[place::CATALOGS[1]],
                "application/ai-catalog+json",
                ai_catalog::catalog(self),
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
    pub(crate) fn security(&self, now: Timestamp) -> Option<OwnDocument> {
        Some(OwnDocument {
            path: place::SECURITY.to_owned(),
            media_type: TEXT,
            text: texts::security(self, now)?,
        })
    }
}
