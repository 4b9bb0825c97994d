//! UCP and ACP: profiles of shops from which agents can buy.

use super::MAX_ITEMS;
use crate::agent::{Interface, Payment};
use crate::field::{Field, List};
use crate::format::Input;
use crate::{Agent, Capability, json, link, text};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Acp {
    name: Field<String>,
    description: Field<String>,
    api_base_url: Field<String>,
    capabilities: Field<Services>,
    documentation: Field<String>,
    contact: Field<String>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Services {
    services: List<String>,
    service_details: List<Service>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Service {
    id: Field<String>,
    name: Field<String>,
    description: Field<String>,
    url: Field<String>,
}

/// Reads the Agentic Commerce Protocol: services as words or objects, and the base URL of an API.
pub(super) fn acp(input: &Input<'_>) -> Agent {
    let document: Acp = input.manifest();
    let absolute = |field: &Field<String>| link::absolute(&input.document.url, field.raw()?);
    let base = absolute(&document.api_base_url);
    let contact = document.contact.text();
    let services = document.capabilities.get().cloned().unwrap_or_default();
    let details = services.service_details.items().take(MAX_ITEMS);
    let mut capabilities: Vec<_> = details
        .filter_map(|(index, service)| {
            let id = service.id.text().or_else(|| service.name.text())?;
            Some(Capability {
                name: service.name.text().unwrap_or_else(|| id.clone()),
                id,
                description: service.description.text(),
                url: absolute(&service.url),
                pointer: format!("/capabilities/service_details/{index}"),
                ..Capability::default()
            })
        })
        .collect();
    if capabilities.is_empty() {
        let names = services.services.texts().into_iter().take(MAX_ITEMS);
        capabilities.extend(names.map(|name| Capability {
            id: name.clone(),
            name,
            pointer: "/capabilities/services".to_owned(),
            ..Capability::default()
        }));
    }
    Agent {
        name: document.name.text().unwrap_or_default(),
        description: document.description.text(),
        url: base.clone(),
        docs: absolute(&document.documentation),
        contact: contact.map(|it| it.trim_start_matches("mailto:").to_owned()),
        capabilities,
        interfaces: base.into_iter().map(|url| interface("acp", url)).collect(),
        payments: vec![payment("acp", None)],
        ..Agent::default()
    }
}

/// Reads the Universal Commerce Protocol: services with one transport each, and capabilities by
/// name.
pub(super) fn ucp(input: &Input<'_>) -> Agent {
    let empty = Map::new();
    let member = |value: &Value, name: &str| value.get(name).cloned().unwrap_or_default();
    let profile = member(input.value, "ucp");
    let services = member(&profile, "services");
    let mut interfaces = Vec::new();
    for service in services.as_object().unwrap_or(&empty).values().take(20) {
        for (transport, address) in endpoints(service) {
            let url = link::absolute(&input.document.url, &address);
            interfaces.extend(url.map(|url| Interface {
                transport: Some(transport),
                ..interface("ucp", url)
            }));
        }
    }
    let handlers = input.value.pointer("/payment/handlers");
    let handlers = handlers.and_then(Value::as_array).into_iter().flatten();
    let handlers = handlers.filter_map(|handler| {
        let name = handler.get("name").or_else(|| handler.get("id"))?;
        text::some(name.as_str()?)
    });
    let handlers = text::distinct(handlers.take(20)).join(", ");
    let inner = member(&profile, "capabilities");
    let (at, listed) = match &inner {
        Value::Null => ("/capabilities", member(input.value, "capabilities")),
        _ => ("/ucp/capabilities", inner),
    };
    Agent {
        capabilities: capabilities(&listed, at),
        url: interfaces.first().map(|it: &Interface| it.url.clone()),
        interfaces,
        payments: vec![payment("ucp", Some(handlers).filter(|it| !it.is_empty()))],
        ..Agent::default()
    }
}

/// Returns transport and address of each binding: `{"rest": {"endpoint": …}}`, or a list with
/// `transport`.
fn endpoints(service: &Value) -> Vec<(String, String)> {
    let endpoint = |value: &Value| Some(value.get("endpoint")?.as_str()?.to_owned());
    match service {
        Value::Array(bindings) => bindings
            .iter()
            .take(20)
            .filter_map(|binding| {
                let transport = text::some(binding.get("transport")?.as_str()?)?;
                Some((transport, endpoint(binding)?))
            })
            .collect(),
        Value::Object(members) => members
            .iter()
            .take(20)
            .filter_map(|(transport, binding)| Some((text::some(transport)?, endpoint(binding)?)))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the items of a list of names or named objects, or of a map from names.
fn capabilities(value: &Value, at: &str) -> Vec<Capability> {
    let named = |name: &str, pointer: String| {
        text::some(name).map(|name| Capability {
            id: name.clone(),
            name,
            pointer: format!("{at}/{pointer}"),
            ..Capability::default()
        })
    };
    match value {
        Value::Array(items) => {
            let items = items.iter().enumerate().take(MAX_ITEMS);
            items
                .filter_map(|(index, item)| {
                    let name = item.as_str().or_else(|| item.get("name")?.as_str())?;
                    named(name, index.to_string())
                })
                .collect()
        }
        Value::Object(members) => {
            let keys = members.keys().take(MAX_ITEMS);
            keys.filter_map(|name| named(name, json::escape(name).into_owned()))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn interface(protocol: &str, url: String) -> Interface {
    Interface {
        protocol: protocol.to_owned(),
        url,
        ..Interface::default()
    }
}

fn payment(protocol: &str, detail: Option<String>) -> Payment {
    Payment {
        protocol: protocol.to_owned(),
        detail,
        ..Payment::default()
    }
}
