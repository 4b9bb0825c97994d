//! Conversion of `agents.json` to the normalized model.

use super::manifest::{self, Audit, Manifest, Session};
use crate::agent::{self, Flow, Interface, Param, RateLimit, Sessions};
use crate::fact::part;
use crate::format::Input;
use crate::{Agent, Capability, Fact, extension, link, schema, text};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use url::Url;

/// Path prefix of the protocol's own endpoints.
const BASE: &str = "/.well-known/agents/api/";
const DEFAULT_SESSION: &str = "/.well-known/agents/api/session";
pub(super) const DEFAULT_AUDIT: &str = "/.well-known/agents/api/audit/:session_id";
const DEFAULT_TTL: u64 = 3_600;

/// Returns the one agent that a site's manifest describes.
pub(super) fn normalize(manifest: &Manifest, input: &Input<'_>) -> Agent {
    let document = input.document;
    let site = manifest.site.get().cloned().unwrap_or_default();
    let url = site.url.raw().filter(|url| link::is_absolute(url));
    let url = url.and_then(|url| link::absolute(&document.url, url));
    let origin = origin(url.as_deref(), input);
    let mut defaulted = Vec::new();
    Agent {
        name: site.name.text().unwrap_or_default(),
        description: site.description.text(),
        url: url.clone(),
        homepage: url,
        contact: site
            .contact
            .text()
            .map(|it| it.trim_start_matches("mailto:").to_owned()),
        docs: manifest
            .docs_url
            .raw()
            .and_then(|docs| link::absolute(&origin, docs)),
        capabilities: capabilities(manifest, &origin),
        interfaces: interfaces(manifest, &origin),
        rate_limits: rate_limits(manifest),
        sessions: sessions(manifest, &origin, &mut defaulted),
        flows: flows(manifest),
        audit: manifest
            .audit
            .get()
            .and_then(|audit| self::audit(audit, &origin, &mut defaulted)),
        extensions: extensions(manifest),
        pointers: base_pointer(manifest)
            .map(|pointer| (Fact::Interfaces.into(), pointer))
            .into_iter()
            .collect(),
        defaulted,
        ..Agent::default()
    }
}

/// Returns the base URL of relative endpoints (IA-01): the origin of `site` if it belongs to this
/// domain, else the origin of the document.
fn origin(site: Option<&str>, input: &Input<'_>) -> Url {
    let document = input.document;
    site.filter(|url| link::is_own(document, url))
        .and_then(|url| Url::parse(url).ok())
        .and_then(|url| url.join("/").ok())
        .or_else(|| document.url.join("/").ok())
        .unwrap_or_else(|| document.url.clone())
}

fn capabilities(manifest: &Manifest, origin: &Url) -> Vec<Capability> {
    manifest
        .capabilities
        .items()
        .filter_map(|(index, item)| capability(item, index, origin))
        .collect()
}

/// Methods of HTTP; another word is kept as published.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

fn capability(item: &manifest::Capability, index: usize, origin: &Url) -> Option<Capability> {
    let name = item.name.text()?;
    let method = item.method.text().map(|method| method.to_ascii_uppercase());
    // `internal` is no method of HTTP, and a sentence no address.
    let method = method.filter(|method| METHODS.contains(&method.as_str()));
    let endpoint = item
        .endpoint
        .text()
        .filter(|it| !it.contains(char::is_whitespace));
    let params = params(
        item,
        method.as_deref(),
        endpoint.as_deref().unwrap_or_default(),
    );
    let tag = name.split_once('.').map(|(prefix, _)| prefix.to_owned());
    Some(Capability {
        id: name.clone(),
        description: item.description.text(),
        url: endpoint
            .as_deref()
            .and_then(|endpoint| link::absolute_template(origin, endpoint)),
        endpoint: endpoint.as_deref().map(link::template),
        input_schema: input_schema(item, &params),
        params,
        requires_session: item.requires_session.get().copied(),
        human_handoff: item.human_handoff.get().copied(),
        tags: tag.filter(|tag| !tag.is_empty()).into_iter().collect(),
        extensions: extension::kept(item.unknown.clone()),
        pointer: format!("/capabilities/{index}"),
        method,
        name,
        ..Capability::default()
    })
}

/// Returns the parameters with their locations: path, else query for GET, else body.
///
/// A path parameter is required, declared or not (AJ-11).
fn params(item: &manifest::Capability, method: Option<&str>, endpoint: &str) -> Vec<Param> {
    let mut in_path: BTreeSet<String> = link::path_params(endpoint).into_iter().collect();
    let elsewhere = method.map(|method| if method == "GET" { "query" } else { "body" });
    let declared = item.params.members().filter_map(|(name, param)| {
        let is_in_path = in_path.remove(name);
        let location = if is_in_path { Some("path") } else { elsewhere };
        let default = param.default.get().filter(|value| !value.is_null());
        Some(Param {
            name: text::some(name)?,
            location: location.map(str::to_owned),
            kind: param.kind.text(),
            description: param.description.text(),
            required: is_in_path || param.required.get() == Some(&true),
            default: default.cloned(),
            choices: param.choices.get().cloned().unwrap_or_default(),
        })
    });
    let declared: Vec<_> = declared.collect();
    let undeclared = in_path.iter().filter_map(|name| {
        Some(Param {
            name: text::some(name)?,
            location: Some("path".to_owned()),
            required: true,
            ..Param::default()
        })
    });
    declared.into_iter().chain(undeclared).collect()
}

fn input_schema(item: &manifest::Capability, params: &[Param]) -> Option<Value> {
    let mut schema = schema::of_params(params)?;
    for (name, param) in item.params.members() {
        if let Some(items) = param.items.get()
            && let Some(Value::Object(property)) = schema["properties"].get_mut(name)
        {
            property.insert("items".to_owned(), Value::Object(items.clone()));
        }
    }
    Some(schema)
}

/// Returns the pointer of the first endpoint under [`BASE`], or of the session: evidence that the
/// site has the protocol's API.
fn base_pointer(manifest: &Manifest) -> Option<String> {
    let mut endpoints = manifest
        .capabilities
        .items()
        .filter_map(|(index, capability)| Some((index, capability.endpoint.raw()?)));
    let first = endpoints.find(|(_, endpoint)| endpoint.starts_with(BASE));
    let session = manifest.session.get();
    let creation = session.and_then(Session::creation);
    first
        .map(|(index, _)| format!("/capabilities/{index}/endpoint"))
        .or_else(|| creation?.starts_with(BASE).then(|| "/session".to_owned()))
}

/// Returns the protocol's API, if the site has it.
fn interfaces(manifest: &Manifest, origin: &Url) -> Vec<Interface> {
    let has_base = base_pointer(manifest).is_some();
    let url = has_base.then(|| link::absolute(origin, BASE.trim_end_matches('/')));
    url.flatten()
        .map(|url| Interface {
            protocol: "interaction-api".to_owned(),
            url,
            preferred: true,
            ..Interface::default()
        })
        .into_iter()
        .collect()
}

fn rate_limits(manifest: &Manifest) -> Vec<RateLimit> {
    let Some(published) = manifest.rate_limit.get() else {
        return Vec::new();
    };
    let sessions = published.max_sessions.get();
    published
        .per_minute()
        .map(|limit| RateLimit {
            scope: "default".to_owned(),
            limit,
            window_s: 60,
            note: sessions.map(|sessions| format!("at most {sessions} sessions")),
        })
        .into_iter()
        .collect()
}

fn sessions(manifest: &Manifest, origin: &Url, defaulted: &mut Vec<String>) -> Option<Sessions> {
    let session = match manifest.session.get() {
        Some(session) => session,
        None if manifest.needs_sessions() => &Session::default(),
        None => return None,
    };
    let mut or_default = |published: Option<&str>, part: &str| {
        let url = published.and_then(|path| link::absolute_template(origin, path));
        url.or_else(|| {
            defaulted.push(part.to_owned());
            link::absolute(origin, DEFAULT_SESSION)
        })
    };
    let create = or_default(session.creation(), part::SESSION_CREATE)?;
    let delete = or_default(session.deletion(), part::SESSION_DELETE)?;
    let ttl_s = session.lifetime().unwrap_or_else(|| {
        defaulted.push(part::SESSION_TTL.to_owned());
        DEFAULT_TTL
    });
    Some(Sessions {
        create,
        delete,
        ttl_s,
    })
}

fn flows(manifest: &Manifest) -> Vec<Flow> {
    manifest
        .flows
        .items()
        .filter_map(|(_, flow)| {
            Some(Flow {
                name: flow.name.text()?,
                description: flow.description.text(),
                steps: flow
                    .steps
                    .items()
                    .filter_map(|(_, step)| text::some(step))
                    .collect(),
            })
        })
        .collect()
}

fn audit(audit: &Audit, origin: &Url, defaulted: &mut Vec<String>) -> Option<agent::Audit> {
    if !audit.is_enabled() {
        return None;
    }
    let endpoint = audit.endpoint.raw().unwrap_or_else(|| {
        defaulted.push(part::AUDIT_ENDPOINT.to_owned());
        DEFAULT_AUDIT
    });
    Some(agent::Audit {
        endpoint: link::absolute_template(origin, endpoint)?,
        public_key: audit.public_key.text(),
        description: audit.description.text(),
    })
}

/// Returns the members that the format does not define, as published, by the object that has them.
fn extensions(manifest: &Manifest) -> Map<String, Value> {
    let schema = manifest.schema.text();
    let schema = schema.map(|schema| ("$schema".to_owned(), schema.into()));
    let sections = manifest
        .sections()
        .map(|(name, members)| (name.to_owned(), members.clone()));
    let flows = manifest.flows.items().filter_map(|(_, item)| {
        let members = Some(&item.unknown).filter(|members| !members.is_empty())?;
        Some((item.name.text()?, Value::Object(members.clone())))
    });
    let flows = ("flows".to_owned(), flows.collect());
    let inner = sections
        .chain([flows])
        .filter(|(_, members): &(String, Map<String, Value>)| !members.is_empty())
        .map(|(name, members)| (name, Value::Object(members)));
    let unknown = manifest.unknown.clone().into_iter();
    extension::kept(schema.into_iter().chain(unknown).chain(inner))
}
