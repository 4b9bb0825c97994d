//! Call of one capability: address, method, input, key and price.

use super::addresses;
use crate::agent::{Agent, Interface, Param, Payment};
use crate::formats::generic::lookup::find;
use crate::formats::generic::names::{ENDPOINTS, INPUTS};
use crate::formats::generic::{Base, ProfileReader, access};
use crate::rule::profile::GP_04;
use crate::{Capability, Fact, link, payment, schema, text};
use serde_json::{Map, Value};

const PRICES: &[&str] = &[
    "x402",
    "payment",
    "pricing",
    "price",
    "cost",
    "price_usd",
    "price_usdc",
    "price_rlusd",
    "cost_per_request",
    "price_per_request",
    "cost_per_call",
    "price_per_call",
    "accepts",
];
/// Maximum number of variables of one endpoint.
const MAX_VARIABLES: usize = 20;

impl ProfileReader<'_> {
    /// Reads the endpoint, and reports `null` and the empty string (GP-04).
    pub(super) fn endpoint(
        &mut self,
        members: &Map<String, Value>,
        capability: &mut Capability,
        pointer: &str,
    ) {
        for found in find(members, ENDPOINTS) {
            let pointer = format!("{pointer}{}", found.pointer);
            match found.value {
                Value::String(endpoint) if !endpoint.trim().is_empty() => {
                    if let Some(endpoint) = self.unless_placeholder(&pointer, endpoint) {
                        self.set_endpoint(capability, endpoint);
                        return;
                    }
                }
                Value::Object(inner) => {
                    let mut addresses = find(inner, &["url", "path", "href"]);
                    let address = addresses.find_map(|found| found.value.as_str());
                    if let Some(endpoint) =
                        address.and_then(|address| self.unless_placeholder(&pointer, address))
                    {
                        capability.method = capability.method.take().or_else(|| method(inner));
                        if capability.params.is_empty() && capability.input_schema.is_none() {
                            (capability.params, capability.input_schema) = input(inner);
                        }
                        self.set_endpoint(capability, endpoint);
                        return;
                    }
                }
                Value::Null | Value::String(_) => {
                    let message = "empty; name the endpoint or leave the member out";
                    self.findings.add(&GP_04, &pointer, message);
                }
                _ => {}
            }
        }
    }

    /// Moves the endpoint of a server that several capabilities share, such as `/mcp`, to the
    /// interfaces: a tool is called there, but is not the address itself.
    pub(super) fn shared_endpoint(
        &mut self,
        capability: &mut Capability,
        interfaces: &mut Vec<Interface>,
    ) {
        let url = capability.url.clone();
        let Some((url, protocol)) = url.and_then(|url| {
            let protocol = addresses::endpoint_protocol(&url)?;
            Some((url, protocol))
        }) else {
            return;
        };
        capability.protocol = Some(protocol.to_owned());
        capability.endpoint = None;
        capability.url = None;
        capability.method = None;
        if !interfaces.iter().any(|known| known.url == url) {
            self.use_pointer(Fact::Interfaces, &capability.pointer);
            interfaces.push(Interface {
                protocol: protocol.to_owned(),
                url,
                ..Interface::default()
            });
        }
    }

    /// Adds what the call of one capability costs to the agent's payments.
    pub(super) fn price(
        &self,
        members: &Map<String, Value>,
        capability: &Capability,
        agent: &mut Agent,
    ) {
        let is_free = members.get("free") == Some(&Value::Bool(true));
        for found in find(members, PRICES).filter(|_| !is_free) {
            let base = &self.input.document.url;
            let mut ways = payment::read(&found.pointer, found.value, base);
            if ways.is_empty() && found.value.is_number() {
                ways.push(Payment {
                    protocol: "other".to_owned(),
                    ..Payment::default()
                });
            }
            let currency = find(members, &["currency", "asset", "price_currency"]);
            let currency = currency.map(|found| found.value).find_map(Value::as_str);
            let of_name = found.pointer.strip_prefix("/price_").map(str::to_uppercase);
            let currency = currency.map(str::to_owned).or(of_name);
            let protocol = find(members, &["payment_method", "payment_protocol", "protocol"]);
            let protocol =
                payment::only_protocol(protocol.filter_map(|found| found.value.as_str()));
            let network =
                find(members, &["network", "chain"]).find_map(|found| found.value.as_str());
            for way in &mut ways {
                if let Some(protocol) = protocol.filter(|_| way.protocol == "other") {
                    protocol.clone_into(&mut way.protocol);
                }
                way.network = way.network.take().or_else(|| text::some(network?));
                if matches!(found.value, Value::String(_) | Value::Number(_)) {
                    way.price = way.detail.take().or_else(|| Some(found.value.to_string()));
                }
                way.asset = way.asset.take().or_else(|| currency.clone());
                way.resource = way.resource.take().or_else(|| capability.url.clone());
                if way.resource.is_none() {
                    // A price of several without an address is told by the name of what it buys.
                    way.detail = way.detail.take().or_else(|| Some(capability.name.clone()));
                }
            }
            ways.retain(|way| way.protocol != "none" && !payment::is_nothing(way));
            agent.payments.append(&mut ways);
        }
    }

    /// Adds the authentication that only a part states, such as a capability.
    pub(in crate::formats::generic) fn key(
        &mut self,
        members: &Map<String, Value>,
        pointer: &str,
        agent: &mut Agent,
    ) {
        for found in find(members, &["auth", "authentication"]) {
            let ways = access::auths(found.value, &self.input.document.url).into_iter();
            for way in ways.filter(|way| !["none", "other"].contains(&way.scheme.as_str())) {
                if access::add(&mut agent.auth, way) {
                    self.use_pointer(Fact::Auth, &format!("{pointer}{}", found.pointer));
                }
            }
        }
    }

    /// Sets endpoint and URL, and the method if the endpoint is written as `GET /path`.
    pub(super) fn set_endpoint(&self, capability: &mut Capability, endpoint: &str) {
        let endpoint = match endpoint.trim().split_once(' ') {
            Some((method, rest)) if method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                capability.method = Some(method.to_owned());
                rest.trim()
            }
            _ => endpoint.trim(),
        };
        if endpoint.contains(char::is_whitespace) {
            return;
        }
        // A fragment is a place on a page, which is opened and not called.
        if !endpoint.contains('#') {
            capability.endpoint = text::some(&link::template(endpoint));
        }
        capability.url = self.callable(endpoint);
    }

    /// Returns the URL of an endpoint: below the base URL of the API if the document states one.
    fn callable(&self, endpoint: &str) -> Option<String> {
        let base = match &self.base {
            Base::Stated(base) if link::is_path(endpoint) => base,
            Base::Placeholder if !link::is_absolute(endpoint) => return None,
            Base::Stated(_) | Base::Placeholder | Base::Unstated => {
                let base = link::base(&self.input.document.url, endpoint);
                return link::absolute_template(&base, endpoint);
            }
        };
        link::below(base, endpoint)
    }
}

/// Returns the HTTP method, in upper case: the only one, if there is a list of them.
pub(super) fn method(members: &Map<String, Value>) -> Option<String> {
    const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    let stated = find(
        members,
        &["method", "httpMethod", "http_method", "request.method"],
    );
    let listed = members.get("methods").and_then(Value::as_array);
    let only = listed.filter(|it| it.len() == 1).and_then(|it| it.first());
    let mut words = stated.map(|found| found.value).chain(only);
    let method = words.find_map(Value::as_str)?.trim().to_uppercase();
    METHODS.contains(&method.as_str()).then_some(method)
}

/// Adds the variables of the endpoint to the parameters: a call without them is not possible.
///
/// A variable of the query is named by its parameter: `?q={query}` is `?q={q}`, unless the document describes
/// `query`.
pub(in crate::formats) fn add_variables(capability: &mut Capability) {
    let described: Vec<String> = capability.params.iter().map(|it| it.name.clone()).collect();
    for address in [&mut capability.endpoint, &mut capability.url]
        .into_iter()
        .flatten()
    {
        *address = link::named_by_parameter(address, &described);
    }
    let template = capability.endpoint.as_deref().unwrap_or_default();
    let called = template.split('#').next().unwrap_or_default();
    let (path, query) = called.split_once('?').unwrap_or((called, ""));
    let of_path = path.split('{').skip(1).map(|part| (part, "path"));
    let of_query = query.split('{').skip(1).map(|part| (part, "query"));
    for (part, place) in of_path.chain(of_query).take(MAX_VARIABLES) {
        let Some((name, _)) = part.split_once('}') else {
            continue;
        };
        match capability.params.iter_mut().find(|it| it.name == name) {
            Some(param) => param.location = param.location.take().or_else(|| text::some(place)),
            None => capability.params.extend(text::some(name).map(|name| Param {
                name,
                location: text::some(place),
                required: true,
                ..Param::default()
            })),
        }
    }
}

/// Returns the parameters and the schema of the input, from the first member that has any.
pub(super) fn input(members: &Map<String, Value>) -> (Vec<Param>, Option<Value>) {
    let mut inputs = find(members, INPUTS).map(|found| schema::published(found.value));
    let input = inputs.find(|(params, schema)| !params.is_empty() || schema.is_some());
    input.unwrap_or_default()
}
