//! Conversion of the file to the normalized model.

use super::manifest::{Capability, Manifest, Parameter};
use crate::agent::{Auth, Interface, Param, RateLimit};
use crate::field::Field;
use crate::format::Input;
use crate::{Agent, Document, agent, link, rate, schema, text};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Maximum number of interfaces, and of rate limits.
const MAX_LISTED: usize = 50;

/// Returns the site as an agent.
pub(super) fn normalize(manifest: &Manifest, input: &Input<'_>) -> Agent {
    let document = input.document;
    let site = manifest.site.get().cloned().unwrap_or_default();
    let url = site
        .url
        .raw()
        .and_then(|url| link::absolute(&document.url, url));
    let offered = if manifest.is_operator() {
        Vec::new()
    } else {
        manifest.capabilities.items().collect()
    };
    let of_offered = || offered.iter().map(|(_, capability)| *capability);
    Agent {
        name: site.name.text().unwrap_or_default(),
        description: site.description.text(),
        homepage: url.clone(),
        url,
        contact: site.contact.text(),
        capabilities: offered
            .iter()
            .filter_map(|(index, capability)| capability.normalize(*index, document))
            .collect(),
        auth: auths(of_offered(), document),
        interfaces: interfaces(of_offered(), document),
        rate_limits: rate_limits(manifest),
        extensions: extensions(manifest, input.value),
        ..Agent::default()
    }
}

impl Capability {
    fn normalize(&self, index: usize, document: &Document) -> Option<agent::Capability> {
        let id = self.id.text()?;
        let protocol = self.protocol();
        let is_http = matches!(protocol.as_str(), "" | "rest");
        let endpoint = self.endpoint.raw();
        let params: Vec<_> = self.parameters().filter_map(param).collect();
        let scheme = self.scheme();
        let scheme = scheme.as_ref().and_then(|it| it.kind.raw());
        Some(agent::Capability {
            name: id.clone(),
            id,
            description: self.description.text(),
            method: self
                .method
                .text()
                .filter(|_| is_http)
                .map(|it| it.to_uppercase()),
            endpoint: endpoint.and_then(|it| text::some(&link::template(it))),
            url: endpoint.and_then(|it| link::absolute_template(&document.url, it)),
            input_schema: schema::of_params(&params),
            params,
            requires_auth: scheme.map(|word| crate::auth::scheme(word) != "none"),
            rate_limit: self
                .rate_limit
                .get()
                .and_then(|it| rate::read("default", it)),
            protocol: (!is_http).then_some(protocol),
            pointer: format!("/capabilities/{index}"),
            ..agent::Capability::default()
        })
    }
}

fn param(parameter: &Parameter) -> Option<Param> {
    Some(Param {
        name: parameter.name.text()?,
        location: parameter.place.text().or_else(|| parameter.location.text()),
        kind: parameter.kind.text(),
        description: parameter.description.text(),
        required: parameter.required.get() == Some(&true),
        default: parameter.default.get().cloned(),
        choices: Vec::new(),
    })
}

fn auths<'m>(capabilities: impl Iterator<Item = &'m Capability>, document: &Document) -> Vec<Auth> {
    let mut seen = HashSet::new();
    let auths = capabilities.filter_map(|capability| {
        let scheme = capability.scheme()?;
        let url = |field: &Field<String>| link::absolute(&document.url, field.raw()?);
        let mut auth = Auth::of(scheme.kind.raw()?);
        auth.token_url = url(&scheme.token_endpoint);
        auth.docs = url(&scheme.docs_url);
        let scopes = scheme.scopes.texts().into_iter();
        auth.scopes = text::distinct(scopes.chain(capability.scopes.texts()));
        Some(auth)
    });
    auths
        .filter(|auth| {
            let identity = (
                auth.scheme.clone(),
                auth.name.clone(),
                auth.token_url.clone(),
            );
            seen.insert(identity)
        })
        .collect()
}

/// Returns the endpoints of protocols other than REST, and the OpenAPI documents.
fn interfaces<'m>(
    capabilities: impl Iterator<Item = &'m Capability>,
    document: &Document,
) -> Vec<Interface> {
    let mut seen = HashSet::new();
    let addresses = capabilities.flat_map(|capability| {
        let protocol = capability.protocol();
        let is_other = !matches!(protocol.as_str(), "" | "rest");
        let endpoint = capability.endpoint.raw().filter(|_| is_other);
        let openapi = capability.openapi.raw();
        let openapi = openapi.map(|url| ("openapi".to_owned(), url));
        endpoint
            .map(|url| (protocol, url))
            .into_iter()
            .chain(openapi)
    });
    addresses
        .filter_map(|(protocol, url)| {
            let url = link::absolute(&document.url, url)?;
            Some(Interface {
                protocol,
                url,
                ..Interface::default()
            })
        })
        .filter(|it| seen.insert((it.protocol.clone(), it.url.clone())))
        .take(MAX_LISTED)
        .collect()
}

fn rate_limits(manifest: &Manifest) -> Vec<RateLimit> {
    let limits = manifest.callers().into_iter().filter_map(|caller| {
        let scope = match caller.name {
            "*" => "default".to_owned(),
            name => text::some(name)?,
        };
        rate::read(&scope, caller.terms.rate_limit.get()?)
    });
    limits.take(MAX_LISTED).collect()
}

/// Returns the members that the normalized model has no field for: unknown members, the paths
/// that agents may call, and the sites that an operator's bot visits.
fn extensions(manifest: &Manifest, value: &Value) -> Map<String, Value> {
    let mut extensions = manifest.unknown.clone();
    for name in ["access", "declarationType", "operatesOn"] {
        if let Some(member) = value.get(name) {
            extensions.insert(name.to_owned(), member.clone());
        }
    }
    crate::extension::unknown(&extensions, &[])
}
