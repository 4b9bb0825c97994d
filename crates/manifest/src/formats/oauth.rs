//! Metadata of OAuth: of a protected resource (RFC 9728), and of an authorization server (RFC 8414, `OpenID`
//! Connect Discovery).
//!
//! They are for programs, and say where a credential is got: facts of the site's authentication. No agent is
//! listed of them.

use crate::agent::Auth;
use crate::field::{Field, List};
use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::marker::{self, Marker};
use crate::rule::document::DI_20;
use crate::{Agent, Fact, FormatId, Reference, link, reference, text};
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

/// Metadata of a protected resource.
pub(crate) const RESOURCE: FormatId = FormatId::specified("oauth-protected-resource");
/// Metadata of an authorization server.
pub(crate) const SERVER: FormatId = FormatId::specified("oauth-authorization-server");

/// Maximum number of authorization servers, and of scopes, that are read.
const MAX_ITEMS: usize = 50;
/// Maximum number of authorization servers whose metadata is named.
const MAX_SERVERS: usize = 3;

/// Grants with a flow of OAuth, in the words of the model.
const FLOWS: [(&str, &str); 5] = [
    ("authorization_code", "authorizationCode"),
    ("client_credentials", "clientCredentials"),
    ("implicit", "implicit"),
    ("password", "password"),
    ("urn:ietf:params:oauth:grant-type:device_code", "deviceCode"),
];

/// Members that state where a credential is got.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Metadata {
    authorization_servers: List<String>,
    resource_documentation: Field<String>,
    issuer: Field<String>,
    authorization_endpoint: Field<String>,
    token_endpoint: Field<String>,
    registration_endpoint: Field<String>,
    service_documentation: Field<String>,
    scopes_supported: List<String>,
    grant_types_supported: List<String>,
}

/// Reader of such metadata.
pub(super) struct OAuth;

impl Format for OAuth {
    type Manifest = Metadata;

    const ID: FormatId = RESOURCE;
    const ALSO: &'static [FormatId] = &[SERVER];
    const TITLE: &'static str = "OAuth metadata";
    const MARKERS: &'static [Marker] = &[
        Marker::named(RESOURCE, |o| {
            marker::text(o, "resource").is_some()
                && marker::array(o, "authorization_servers").is_some()
        }),
        Marker::named(SERVER, is_server),
    ];
    const OWN_MEANINGS: &'static [&'static str] = &[
        "resource_documentation",
        "service_documentation",
        "resource_name",
    ];
    const PLACES: &'static [&'static str] = &[
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
    ];

    fn parse(input: &Input<'_>) -> Metadata {
        input.manifest()
    }

    fn validate(_: &Metadata, input: &Input<'_>, findings: &mut Findings) {
        let message = format!("{} is read for its facts, not validated", input.format);
        findings.add(&DI_20, "", message);
    }

    fn normalize(metadata: &Metadata, input: &Input<'_>) -> Vec<Agent> {
        vec![Agent {
            auth: vec![metadata.authentication(&input.document.url)],
            pointers: [(Fact::Auth.into(), String::new())].into(),
            ..Agent::default()
        }]
    }

    fn references(metadata: &Metadata, input: &Input<'_>) -> Vec<Reference> {
        if input.format != RESOURCE {
            return Vec::new();
        }
        let servers = metadata.authorization_servers.items().take(MAX_SERVERS);
        let named = servers.filter_map(|(index, issuer)| {
            let url = metadata_of(issuer)?;
            let pointer = format!("/authorization_servers/{index}");
            reference::to(input.document, reference::OAUTH, &url, &pointer)
        });
        named.collect()
    }
}

impl Metadata {
    /// Returns the authentication that the metadata at a URL describes.
    fn authentication(&self, url: &Url) -> Auth {
        let address = |field: &Field<String>| link::absolute(url, field.raw()?);
        let mut issuers: Vec<String> = self.authorization_servers.texts();
        issuers.extend(self.issuer.text());
        issuers.truncate(MAX_ITEMS);
        let grants = self.grant_types_supported.texts();
        let stated = |(grant, _): &(&str, &str)| grants.iter().any(|it| it == grant);
        let mut scopes = self.scopes_supported.texts();
        scopes.truncate(MAX_ITEMS);
        Auth {
            flows: FLOWS
                .iter()
                .copied()
                .filter(stated)
                .map(|(_, flow)| flow.to_owned())
                .collect(),
            scopes,
            authorization_url: address(&self.authorization_endpoint),
            token_url: address(&self.token_endpoint),
            registration_url: address(&self.registration_endpoint),
            metadata_url: text::some(url.as_str()),
            authorization_servers: issuers,
            docs: address(&self.resource_documentation)
                .or_else(|| address(&self.service_documentation)),
            ..Auth::of("oauth2")
        }
    }
}

/// Reports whether an object is the metadata of an authorization server.
fn is_server(object: &Map<String, Value>) -> bool {
    let endpoints = ["token_endpoint", "authorization_endpoint"];
    let has_endpoint = endpoints
        .iter()
        .any(|it| marker::text(object, it).is_some());
    marker::text(object, "issuer").is_some_and(link::is_absolute) && has_endpoint
}

/// Returns the address of the metadata of an issuer: the well-known path stands before its own (RFC 8414,
/// section 3.1).
fn metadata_of(issuer: &str) -> Option<String> {
    let mut url = Url::parse(issuer).ok().filter(Url::has_host)?;
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("/.well-known/oauth-authorization-server{path}"));
    url.set_query(None);
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::sample;
    use crate::formats::read;
    use crate::reference::Follow;

    #[test]
    fn a_protected_resource_names_the_metadata_of_its_servers() {
        let resource = r#"{"resource": "https://kiln.example/mcp", "scopes_supported": ["fire"],
            "authorization_servers": ["https://auth.kiln.example/tenant", "https://login.other.example"]}"#;
        let place = "/.well-known/oauth-protected-resource";
        let reading = read(&sample("kiln.example", place, resource));
        assert_eq!(reading.format, RESOURCE);
        let auth = &reading.agents[0].auth[0];
        assert_eq!(auth.scopes, ["fire"]);
        assert_eq!(auth.authorization_servers.len(), 2);
        let references = reading.references.iter();
        let named: Vec<_> = references.map(|it| (&*it.url, it.follow)).collect();
        let own = "https://auth.kiln.example/.well-known/oauth-authorization-server/tenant";
        let other = "https://login.other.example/.well-known/oauth-authorization-server";
        assert_eq!(named, [(own, Follow::Fetch), (other, Follow::Link)]);
    }

    #[test]
    fn an_authorization_server_says_where_programs_register() {
        let server = r#"{"issuer": "https://kiln.example", "token_endpoint": "https://kiln.example/token",
            "authorization_endpoint": "https://kiln.example/authorize",
            "registration_endpoint": "https://kiln.example/register",
            "grant_types_supported": ["authorization_code", "client_credentials", "unheard-of"]}"#;
        let place = "/.well-known/oauth-authorization-server";
        let reading = read(&sample("kiln.example", place, server));
        assert_eq!(reading.format, SERVER);
        let auth = &reading.agents[0].auth[0];
        assert_eq!(auth.scheme, "oauth2");
        assert_eq!(auth.flows, ["authorizationCode", "clientCredentials"]);
        let urls = [
            &auth.registration_url,
            &auth.token_url,
            &auth.authorization_url,
        ];
        assert_eq!(
            urls.map(|it| it.as_deref().unwrap()),
            [
                "https://kiln.example/register",
                "https://kiln.example/token",
                "https://kiln.example/authorize",
            ]
        );
    }
}
