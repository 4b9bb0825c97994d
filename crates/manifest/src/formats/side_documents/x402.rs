//! x402: resources that are paid per request (X4-01).

use super::MAX_ITEMS;
use crate::agent::{Param, Payment};
use crate::field::{Field, List};
use crate::format::Input;
use crate::formats::generic;
use crate::marker;
use crate::{Agent, Capability, link, payment, schema, text};
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Position, Url};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    name: Field<String>,
    description: Field<String>,
    /// Addresses, or objects with one.
    resources: List<Value>,
    items: List<Value>,
    apis: List<Value>,
    endpoints: List<Value>,
    payable_endpoints: List<Value>,
    services: List<Value>,
    /// Offers, some of which name their resource.
    accepts: List<Value>,
}

/// Reports whether an object is the list of paid resources that sites serve for discovery: a
/// version and addresses, or resources with what each accepts.
pub(super) fn is_discovery(o: &marker::Object) -> bool {
    let is_resource = |item: &Value| match item {
        Value::String(address) => link::is_absolute(address),
        item => item["accepts"].is_array(),
    };
    o.get("version").is_some_and(Value::is_number)
        && marker::array(o, "resources")
            .is_some_and(|items| !items.is_empty() && items.iter().all(is_resource))
}

/// Members with the offers of a document or of a resource.
const OFFERS: [&str; 5] = ["accepts", "payment", "payments", "payment_protocol", "x402"];

/// Returns the site as an agent, with each paid resource as a capability and each offer as a way to
/// pay.
pub(super) fn agent(input: &Input<'_>) -> Agent {
    let document: Document = input.manifest();
    let base = &generic::stated_base(input).unwrap_or_else(|| input.document.url.clone());
    let mut capabilities = Vec::new();
    let mut payments = offers(input.value, None, base);
    for (name, list) in [
        ("resources", &document.resources),
        ("items", &document.items),
        ("apis", &document.apis),
        ("endpoints", &document.endpoints),
        ("payable_endpoints", &document.payable_endpoints),
        ("services", &document.services),
    ] {
        for (index, item) in list.items().take(MAX_ITEMS) {
            let Some(capability) = capability(item, format!("/{name}/{index}"), base) else {
                continue;
            };
            payments.extend(offers(item, capability.url.as_deref(), base));
            capabilities.push(capability);
        }
    }
    for (index, offer) in document.accepts.items().take(MAX_ITEMS) {
        let Some(capability) = capability(offer, format!("/accepts/{index}"), base) else {
            continue;
        };
        let is_same = |known: &Capability| {
            known.url == capability.url
                && (capability.method.is_none() || known.method == capability.method)
        };
        if !capabilities.iter().any(is_same) {
            capabilities.push(capability);
        }
    }
    // What the document states for all holds for each that states nothing else.
    let shared = payments
        .iter()
        .find(|way| way.resource.is_none() && way.price.is_none());
    if let Some(shared) = shared.cloned() {
        for way in payments
            .iter_mut()
            .filter(|way| way.protocol == shared.protocol)
        {
            way.network = way.network.take().or_else(|| shared.network.clone());
            way.asset = way.asset.take().or_else(|| shared.asset.clone());
        }
    }
    if payments.is_empty() {
        payments = payment::read("x402", &json!(true), base);
    }
    Agent {
        name: document.name.text().unwrap_or_default(),
        description: document.description.text(),
        capabilities,
        payments: payment::distinct(&payments),
        ..Agent::default()
    }
}

/// Returns the offers of a document or of one resource; a resource may state its price itself.
fn offers(value: &Value, resource: Option<&str>, base: &Url) -> Vec<Payment> {
    let stated = OFFERS.iter().filter_map(|name| value.get(*name));
    let mut offers: Vec<Payment> = stated
        .flat_map(|offers| payment::read("x402", offers, base))
        .collect();
    let states_price = [
        "price",
        "price_usdc",
        "amount",
        "maxAmountRequired",
        "network",
        "asset",
    ]
    .iter()
    .any(|name| value.get(*name).is_some());
    if offers.is_empty() && states_price {
        let own = payment::read("x402", value, base).into_iter();
        offers.extend(own.map(|way| Payment {
            detail: None,
            ..way
        }));
    }
    for offer in &mut offers {
        offer.resource = offer
            .resource
            .take()
            .or_else(|| resource.map(str::to_owned));
    }
    offers
}

fn capability(item: &Value, pointer: String, base: &Url) -> Option<Capability> {
    let offer = &item["accepts"][0];
    let own = |name: &str| item.get(name).or_else(|| offer.get(name));
    // A resource may be an object with its address and description.
    let resource = own("resource").filter(|it| it.is_object());
    let text_of = |name: &str| {
        let stated = own(name).or_else(|| resource?.get(name));
        stated.and_then(Value::as_str).and_then(text::some)
    };
    let address = match item {
        Value::String(address) => Some(address.as_str()),
        _ => ["resource", "url", "endpoint", "path", "route"]
            .into_iter()
            .find_map(|name| own(name)?.as_str())
            .or_else(|| resource?.get("url")?.as_str()),
    }?;
    let (stated, address) = match address.trim().split_once(' ') {
        Some((method, rest)) => (text::some(method), rest.trim()),
        None => (None, address.trim()),
    };
    let url = link::absolute_template(base, address)?;
    let parsed = Url::parse(&url).ok()?;
    let path = parsed[Position::BeforePath..Position::AfterQuery].to_owned();
    let name = text_of("name").or_else(|| text_of("title")).unwrap_or(path);
    let call = &offer["outputSchema"]["input"];
    let method = text_of("method").or(stated);
    let method = method.or_else(|| call["method"].as_str().and_then(text::some));
    let (params, input_schema) = input(item, call);
    Some(Capability {
        id: text_of("id").unwrap_or_else(|| name.clone()),
        name,
        description: text_of("description"),
        method: method.map(|method| method.to_uppercase()),
        endpoint: text::some(&link::template(address)),
        url: Some(url),
        params,
        input_schema,
        pointer,
        ..Capability::default()
    })
}

/// Returns the input of a resource; offers describe it by the places of its parameters.
fn input(item: &Value, call: &Value) -> (Vec<Param>, Option<Value>) {
    let stated = [
        "inputSchema",
        "input_schema",
        "input",
        "parameters",
        "params",
    ];
    if let Some(input) = stated.iter().find_map(|name| item.get(*name)) {
        return schema::published(input);
    }
    for (member, location) in [("queryParams", "query"), ("bodyFields", "body")] {
        let (mut params, schema) = schema::published(&call[member]);
        if !params.is_empty() {
            for param in &mut params {
                param.location = Some(location.to_owned());
            }
            return (params, schema);
        }
    }
    (Vec::new(), None)
}
