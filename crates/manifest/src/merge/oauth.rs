//! Completion of the ways to authenticate with the metadata of OAuth that they name, and with `auth.md`.
//!
//! Only metadata that the site itself serves is used, on the other hosts of its registrable domain included.

use super::Content;
use super::fill::Record;
use crate::agent::Auth;
use crate::format::Format as _;
use crate::formats::auth_md::AuthMd;
use crate::formats::oauth::{RESOURCE, SERVER};
use crate::link;
use crate::listing::{Evidence, Source};
use crate::{Document, Fact, Reading};

/// Steps from a way to the metadata of its resource, and from there to that of its server.
const STEPS: usize = 2;

/// Documents of a site about its credentials.
pub(super) struct Metadata<'r> {
    found: Vec<Found<'r>>,
}

struct Found<'r> {
    auth: &'r Auth,
    /// True for `auth.md`, which is about every credential of the site.
    is_general: bool,
    sources: &'r [Source],
    /// Places of the document.
    places: Vec<String>,
}

impl<'r> Metadata<'r> {
    /// Selects the metadata that the site itself serves.
    pub(super) fn new(
        readings: &'r [(&'r Document, Reading)],
        contents: &'r [Content<'r>],
    ) -> Self {
        let is_metadata =
            |it: &&Content<'_>| [RESOURCE, SERVER, AuthMd::ID].contains(&it.reading.format);
        let found = contents.iter().filter(is_metadata).filter_map(|content| {
            let mut documents = content.places.iter().map(|place| readings[*place].0);
            let is_own = documents.any(|it| link::is_own(it, it.url.as_str()));
            let auth = content.reading.agents.first()?.auth.first()?;
            is_own.then(|| Found {
                auth,
                is_general: content.reading.format == AuthMd::ID,
                sources: &content.sources,
                places: content.urls.iter().map(|it| link::place(it)).collect(),
            })
        });
        Self {
            found: found.collect(),
        }
    }

    /// Adds what the metadata states that the ways of a listing name.
    pub(super) fn complete(&self, sources: &mut Vec<Source>, record: &mut Record) {
        for _ in 0..STEPS {
            for metadata in &self.found {
                for index in 0..record.agent.auth.len() {
                    let way = &mut record.agent.auth[index];
                    let added = if metadata.is_of(way) {
                        add(way, metadata.auth)
                    } else {
                        Vec::new()
                    };
                    if added.is_empty() {
                        continue;
                    }
                    let source = metadata.source(sources);
                    for member in added {
                        let path = format!("{}/{member}", Fact::Auth.item(index));
                        let pointer = String::new();
                        record.provenance.insert(path, Evidence { source, pointer });
                    }
                }
            }
        }
    }
}

impl Found<'_> {
    /// Reports whether a way names the metadata, by its address or by a server that both have, or states no
    /// place itself.
    fn is_of(&self, way: &Auth) -> bool {
        let named = way.metadata_url.as_deref().map(link::place);
        let issuers = &self.auth.authorization_servers;
        let is_common = |it: &String| issuers.contains(it);
        if self.is_general && way.scheme != "none" && has_no_place(way) {
            return true;
        }
        named.is_some_and(|it| self.places.contains(&it))
            || way.authorization_servers.iter().any(is_common)
    }

    /// Returns the index of the document among the sources of a listing, which has it from now on.
    fn source(&self, sources: &mut Vec<Source>) -> usize {
        let first = &self.sources[0];
        let known = sources.iter().position(|it| it.url == first.url);
        known.unwrap_or_else(|| {
            sources.extend(self.sources.iter().cloned());
            sources.len() - self.sources.len()
        })
    }
}

/// Reports whether a way says nothing about where the credential is got.
fn has_no_place(way: &Auth) -> bool {
    let places = [
        &way.registration_url,
        &way.authorization_url,
        &way.token_url,
        &way.metadata_url,
        &way.docs,
    ];
    places.into_iter().all(Option::is_none) && way.authorization_servers.is_empty()
}

/// Adds to a way what it does not state, and returns the names of these members.
fn add(way: &mut Auth, metadata: &Auth) -> Vec<&'static str> {
    let mut added = Vec::new();
    let texts = [
        (
            "authorization_url",
            &mut way.authorization_url,
            &metadata.authorization_url,
        ),
        ("token_url", &mut way.token_url, &metadata.token_url),
        (
            "registration_url",
            &mut way.registration_url,
            &metadata.registration_url,
        ),
        ("docs", &mut way.docs, &metadata.docs),
    ];
    for (name, own, other) in texts {
        if own.is_none() && other.is_some() {
            own.clone_from(other);
            added.push(name);
        }
    }
    let lists = [
        ("flows", &mut way.flows, &metadata.flows),
        ("scopes", &mut way.scopes, &metadata.scopes),
        (
            "authorization_servers",
            &mut way.authorization_servers,
            &metadata.authorization_servers,
        ),
    ];
    for (name, own, other) in lists {
        if own.is_empty() && !other.is_empty() {
            own.clone_from(other);
            added.push(name);
        }
    }
    added
}

#[cfg(test)]
mod tests {
    use crate::merge::tests::{documents, merged};

    #[test]
    fn a_way_is_completed_by_the_metadata_that_it_names() {
        let card = r#"{"name": "Kiln", "description": "Fires mugs", "url": "https://mugs.example/api",
            "auth": {"type": "oauth2", "metadata_url": "https://mugs.example/.well-known/oauth-protected-resource"},
            "capabilities": [{"name": "fire", "description": "Fires a mug", "method": "POST", "path": "/fire"}]}"#;
        let resource = r#"{"resource": "https://mugs.example/api", "scopes_supported": ["fire"],
            "authorization_servers": ["https://mugs.example"]}"#;
        let server = r#"{"issuer": "https://mugs.example", "token_endpoint": "https://mugs.example/token",
            "registration_endpoint": "https://mugs.example/register"}"#;
        let listings = merged(&documents(&[
            ("/agents.json", card),
            ("/.well-known/oauth-protected-resource", resource),
            ("/.well-known/oauth-authorization-server", server),
        ]));
        let [listing] = &listings[..] else {
            panic!("{listings:?}")
        };
        let [way] = &listing.agent.auth[..] else {
            panic!("{:?}", listing.agent.auth)
        };
        assert_eq!(way.scopes, ["fire"]);
        assert_eq!(way.authorization_servers, ["https://mugs.example"]);
        assert_eq!(way.token_url.as_deref(), Some("https://mugs.example/token"));
        let register = Some("https://mugs.example/register");
        assert_eq!(way.registration_url.as_deref(), register);
        let source = listing.provenance["auth/0/registration_url"].source;
        let url = &listing.sources[source].url;
        assert!(url.ends_with("oauth-authorization-server"), "{url}");
    }

    #[test]
    fn a_way_that_names_other_metadata_stays_as_it_is() {
        let card = r#"{"name": "Kiln", "description": "Fires mugs", "url": "https://mugs.example/api",
            "auth": {"type": "oauth2", "metadata_url": "https://other.example/.well-known/oauth-authorization-server"},
            "capabilities": [{"name": "fire", "description": "Fires a mug", "method": "POST", "path": "/fire"}]}"#;
        let server =
            r#"{"issuer": "https://mugs.example", "token_endpoint": "https://mugs.example/token"}"#;
        let listings = merged(&documents(&[
            ("/agents.json", card),
            ("/.well-known/oauth-authorization-server", server),
        ]));
        assert_eq!(listings[0].agent.auth[0].token_url, None);
    }
}
