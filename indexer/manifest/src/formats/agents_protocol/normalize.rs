//! `agents.json` in the shared model (FORMATS.md 12.1, 12.2).

use super::manifest::{self, Audit, Manifest, Session};
use crate::agent::{self, Flow, Interface, Param, RateLimit, Sessions};
use crate::format::Input;
use crate::{Agent, Capability, link, schema, text};
use serde_json::Value;
use url::Url;

/// Where the protocol's own endpoints are.
const BASE: &str = "/.well-known/agents/api/";
const DEFAULT_SESSION: &str = "/.well-known/agents/api/session";
const DEFAULT_AUDIT: &str = "/.well-known/agents/api/audit/:session_id";
const DEFAULT_TTL: u64 = 3_600;

/// The one agent that a site's manifest describes.
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
        contact: site.contact.text(),
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
        extensions: manifest.unknown.clone(),
        defaulted,
        ..Agent::default()
    }
}

/// The site's own address where it is of this domain, else where the document was found.
fn origin(site: Option<&str>, input: &Input<'_>) -> Url {
    let document = input.document;
    site.filter(|url| link::is_own(document, url))
        .and_then(|url| Url::parse(url).ok())
        .and_then(|url| url.join("/").ok())
        .unwrap_or_else(|| document.url.clone())
}

fn capabilities(manifest: &Manifest, origin: &Url) -> Vec<Capability> {
    manifest
        .capabilities
        .items()
        .filter_map(|(index, item)| capability(item, index, origin))
        .collect()
}

fn capability(item: &manifest::Capability, index: usize, origin: &Url) -> Option<Capability> {
    let name = item.name.text()?;
    let method = item.method.text().map(|method| method.to_ascii_uppercase());
    let endpoint = item.endpoint.text();
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
        pointer: format!("/capabilities/{index}"),
        method,
        name,
        ..Capability::default()
    })
}

/// Parameters with the place where the format puts them: path, query for GET, else body.
fn params(item: &manifest::Capability, method: Option<&str>, endpoint: &str) -> Vec<Param> {
    let in_path = link::path_params(endpoint);
    let elsewhere = method.map(|method| if method == "GET" { "query" } else { "body" });
    item.params
        .members()
        .filter_map(|(name, param)| {
            let is_in_path = in_path.iter().any(|declared| declared == name);
            let location = if is_in_path { Some("path") } else { elsewhere };
            Some(Param {
                name: text::some(name)?,
                location: location.map(str::to_owned),
                kind: param.kind.text(),
                description: param.description.text(),
                required: is_in_path || param.required.get() == Some(&true),
                default: param
                    .default
                    .get()
                    .filter(|value| !value.is_null())
                    .cloned(),
                choices: param.choices.get().cloned().unwrap_or_default(),
            })
        })
        .collect()
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

/// The protocol's API, where the site's own endpoints show that it has one.
fn interfaces(manifest: &Manifest, origin: &Url) -> Vec<Interface> {
    let has_base = manifest
        .capabilities
        .items()
        .filter_map(|(_, capability)| capability.endpoint.raw())
        .any(|endpoint| endpoint.starts_with(BASE));
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
    let mut or_default = |published: Option<&str>, name: &str| {
        let url = published.and_then(|path| link::absolute_template(origin, path));
        url.or_else(|| {
            defaulted.push(name.to_owned());
            link::absolute(origin, DEFAULT_SESSION)
        })
    };
    let create = or_default(session.creation(), "sessions.create")?;
    let delete = or_default(session.deletion(), "sessions.delete")?;
    let ttl_s = session.lifetime().unwrap_or_else(|| {
        defaulted.push("sessions.ttl_s".to_owned());
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
        defaulted.push("audit.endpoint".to_owned());
        DEFAULT_AUDIT
    });
    Some(agent::Audit {
        endpoint: link::absolute_template(origin, endpoint)?,
        public_key: audit.public_key.text(),
    })
}
