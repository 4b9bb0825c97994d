//! Place at which a document is published, and the answer that a server sends there.

use crate::view;
use manifest::convert::Target;
use manifest::{Domain, FormatId, formats, openapi};

/// Paths for which first visits ask, as the table of places in docs/formats.md says.
const FIRST: [&str; 11] = [
    "/.well-known/agent-card.json",
    "/.well-known/agent.json",
    "/agents.txt",
    "/.well-known/agents.json",
    "/.well-known/ai-catalog.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/agent-skills/index.json",
    "/agents.json",
    "/agent.json",
    "/.well-known/ard.json",
    "/.well-known/mcp.json",
];

/// Paths for which only later visits ask, in turn.
const LATER: [&str; 10] = [
    "/api/agent.json",
    "/.well-known/agents.txt",
    "/auth.md",
    "/.well-known/api-catalog",
    "/.well-known/ai-plugin.json",
    "/agent-card.json",
    "/.well-known/x402",
    "/.well-known/ucp",
    "/.well-known/mcp/catalog.json",
    "/.well-known/oauth-protected-resource",
];

/// Places of formats that share an entry with others.
const OWN: [(&str, &str); 9] = [
    ("x402", "/.well-known/x402"),
    ("ucp", "/.well-known/ucp"),
    ("acp", "/.well-known/acp.json"),
    ("webmcp", "/.well-known/webmcp.json"),
    ("agent-skills-index", "/.well-known/agent-skills/index.json"),
    (
        "oauth-protected-resource",
        "/.well-known/oauth-protected-resource",
    ),
    (
        "oauth-authorization-server",
        "/.well-known/oauth-authorization-server",
    ),
    ("zervice-single", "/.well-known/agent-card.json"),
    ("agent-identity-kit", "/.well-known/agent.json"),
];

/// Publication of a document.
#[derive(Debug)]
pub(crate) struct Publication {
    /// Address at which it is published.
    pub(crate) address: String,
    /// Name of the file.
    pub(crate) file: String,
    pub(crate) media_type: &'static str,
    /// Visits on which our crawler asks for it, as a sentence.
    pub(crate) asked: &'static str,
    /// True if something else must name it.
    pub(crate) needs_a_name: bool,
    /// Domain, if it is known.
    pub(crate) domain: String,
}

impl Publication {
    /// Returns the publication of a document of `format` at `path`, or at its usual place if that is
    /// empty.
    pub(crate) fn of(format: FormatId, is_json: bool, path: &str, domain: Option<&Domain>) -> Self {
        let place = if path.is_empty() { place(format) } else { path };
        let targets = Target::ALL.into_iter();
        let own = targets
            .filter(|it| it.format() == format)
            .map(Target::media_type)
            .next();
        let media_type = if is_json {
            own.unwrap_or("application/json")
        } else {
            "text/plain; charset=utf-8"
        };
        Self::at(place, media_type, domain)
    }

    /// Returns the publication of what a conversion wrote.
    pub(crate) fn of_target(target: Target, domain: Option<&Domain>) -> Self {
        let place = match place(target.format()) {
            usual if FIRST.contains(&usual) => usual,
            _ => target.place(),
        };
        Self::at(place, target.media_type(), domain)
    }

    fn at(place: &str, media_type: &'static str, domain: Option<&Domain>) -> Self {
        let host = domain.map_or("your-domain.example", Domain::as_str);
        let asked = if FIRST.contains(&place) {
            "Our crawler asks for it on the first visit."
        } else if LATER.contains(&place) {
            "Our crawler asks for it on later visits, in turn with other paths; robots.txt, a Link header or another manifest can name it, so that it is read sooner."
        } else {
            "Our crawler does not ask for this path by itself: name it in robots.txt, a Link header or another manifest."
        };
        let place = view::foreign(place);
        let file = place.rsplit('/').next().unwrap_or_default();
        Self {
            address: format!("https://{host}{place}"),
            file: file.to_owned(),
            media_type,
            needs_a_name: !FIRST.contains(&place.as_str()),
            asked,
            domain: domain.map(Domain::to_unicode).unwrap_or_default(),
        }
    }
}

/// Returns the usual place of a format: one for which first visits ask, if there is one.
fn place(format: FormatId) -> &'static str {
    let id = format.as_str();
    if let Some((_, place)) = OWN.iter().find(|it| it.0 == id) {
        return place;
    }
    if format == openapi::ID {
        return Target::OpenApi.place();
    }
    let entry = formats::ALL.iter().find(|it| it.takes(format));
    let places = entry.map(|it| it.places).unwrap_or_default();
    let asked = places.iter().find(|it| FIRST.contains(it));
    asked.or(places.first()).copied().unwrap_or("/agent.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_paths_are_those_of_the_table_of_places() {
        let text = include_str!("../../../../docs/formats.md");
        let (_, table) = text.split_once("<!-- places -->").unwrap();
        let (table, _) = table.split_once("<!-- end -->").unwrap();
        let [mut first, mut later] = [BTreeSet::new(), BTreeSet::new()];
        for row in table.lines().filter(|it| it.starts_with("| `")) {
            let [path, asked] = row.trim_matches('|').split('|').collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            let path = path.trim().trim_matches('`');
            match asked.trim() {
                asked if asked.starts_with("always") || asked.starts_with("on the first") => {
                    first.insert(path);
                }
                asked if asked.starts_with("on later") => {
                    later.insert(path);
                }
                _ => {}
            }
        }
        assert_eq!(first, BTreeSet::from(FIRST));
        assert_eq!(later, BTreeSet::from(LATER));
    }

    #[test]
    fn each_format_has_the_place_at_which_clients_look() {
        let domain = Domain::parse("ferry.example").unwrap();
        for (format, is_json, address, media_type) in [
            (
                "a2a-agent-card",
                true,
                "https://ferry.example/.well-known/agent-card.json",
                "application/json",
            ),
            (
                "agents-txt/agents-protocol",
                false,
                "https://ferry.example/agents.txt",
                "text/plain; charset=utf-8",
            ),
            (
                "ai-catalog",
                true,
                "https://ferry.example/.well-known/ai-catalog.json",
                "application/ai-catalog+json",
            ),
            (
                "x402",
                true,
                "https://ferry.example/.well-known/x402",
                "application/json",
            ),
        ] {
            let format = formats::find(format).unwrap();
            let publication = Publication::of(format, is_json, "", Some(&domain));
            assert_eq!(publication.address, address);
            assert_eq!(publication.media_type, media_type);
        }
        for format in formats::ids() {
            assert!(place(format).starts_with('/'), "{format}");
        }
    }
}
