//! x402: resources that are paid per request.

use super::MAX_ITEMS;
use crate::agent::Payment;
use crate::field::{Field, List};
use crate::format::Input;
use crate::{Agent, Capability, link, text};
use serde::Deserialize;
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    name: Field<String>,
    description: Field<String>,
    /// Addresses, or objects with one.
    resources: List<Value>,
    items: List<Value>,
}

/// Returns the site as an agent, with each paid resource as a capability.
pub(super) fn agent(input: &Input<'_>) -> Agent {
    let document: Document = input.manifest();
    let resources = |list: &List<Value>, name: &str| {
        let items = list.items().take(MAX_ITEMS);
        let of_item =
            |(index, item): (usize, &Value)| capability(item, format!("/{name}/{index}"), input);
        items.filter_map(of_item).collect::<Vec<_>>()
    };
    let mut capabilities = resources(&document.resources, "resources");
    capabilities.extend(resources(&document.items, "items"));
    Agent {
        name: document.name.text().unwrap_or_default(),
        description: document.description.text(),
        capabilities,
        payments: vec![Payment {
            protocol: "x402".to_owned(),
            detail: networks(input.value),
            ..Payment::default()
        }],
        ..Agent::default()
    }
}

fn capability(item: &Value, pointer: String, input: &Input<'_>) -> Option<Capability> {
    let text_of = |name: &str| item.get(name).and_then(Value::as_str).and_then(text::some);
    let address = match item {
        Value::String(address) => Some(address.as_str()),
        item => ["resource", "url", "endpoint"]
            .into_iter()
            .find_map(|name| item.get(name).and_then(Value::as_str)),
    };
    let url = link::absolute(&input.document.url, address?)?;
    let path = url::Url::parse(&url).ok()?.path().to_owned();
    let name = text_of("name").or_else(|| text_of("title")).unwrap_or(path);
    Some(Capability {
        id: name.clone(),
        name,
        description: text_of("description"),
        method: text_of("method").map(|method| method.to_uppercase()),
        endpoint: address.and_then(text::some),
        url: Some(url),
        pointer,
        ..Capability::default()
    })
}

/// Returns the payment networks named in the offers.
fn networks(document: &Value) -> Option<String> {
    let lists = ["accepts", "items", "resources"].into_iter();
    let items = lists.filter_map(|name| document.get(name)?.as_array());
    let offers = items.flatten().take(MAX_ITEMS).flat_map(|item| {
        let inner = item.get("accepts").and_then(Value::as_array);
        inner.into_iter().flatten().take(20).chain([item])
    });
    let networks = offers.filter_map(|offer| text::some(offer.get("network")?.as_str()?));
    let networks = text::distinct(networks);
    (!networks.is_empty()).then(|| networks.join(", "))
}
