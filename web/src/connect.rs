//! The data that a caller needs for its first call to an agent, by protocol.
//!
//! Everything here comes from the manifest or the protocol's specification; what neither states
//! is left out. Values for the caller to fill in are in braces.

mod mcp;

use crate::view;
use manifest::Domain;
use manifest::agent::{Agent, Auth, Capability, Interface, Param};
use manifest::listing::Listing;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use url::{Host, Url, form_urlencoded};

/// Protocols whose calls are plain HTTP requests.
const HTTP: [&str; 3] = ["rest", "interaction-api", "openapi"];

/// Maximum number of headers of an interface that are shown.
const MAX_HEADERS: usize = 20;

/// Data for a first call.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub(crate) struct Connect {
    /// Protocol and version, such as `a2a/0.3`; absent if the manifest names no protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<String>,
    /// Binding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) transport: Option<String>,
    /// Address to call.
    pub(crate) endpoint: String,
    /// Owner of the endpoint, if that is not the site: the manifest is then only a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) foreign: Option<ForeignOwner>,
    /// Tenant to name in calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
    /// Authentication of callers.
    pub(crate) auth: Access,
    /// Session to create first, if the call needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<Session>,
    /// True if a person has to finish the call at a URL.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) human_handoff: bool,
    /// Capability that the example calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) capability: Option<String>,
    /// Example of a first call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) example: Option<Call>,
    /// Configuration of an MCP client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client_config: Option<Value>,
}

/// Owner other than the site: a registrable domain, or the host itself. Serialized as `true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignOwner(pub(crate) String);

impl JsonSchema for ForeignOwner {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ForeignOwner".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean", "const": true, "description": "True if the interface is on a host of another owner." })
    }
}

impl Serialize for ForeignOwner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

/// Authentication of callers.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Access {
    /// Scheme, `none`, or `unknown` if the manifest states nothing.
    pub(crate) kind: String,
    /// Source of tokens, or position of the key.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
}

/// Addresses that create and delete sessions.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub(crate) struct Session {
    /// Address for `POST`.
    pub(crate) create: String,
    /// Address for `DELETE`.
    pub(crate) delete: String,
    /// Lifetime in seconds.
    pub(crate) ttl_s: u64,
}

/// HTTP request.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) url: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<Value>,
}

impl Call {
    /// Adds the headers that the interface requires.
    fn add_headers(&mut self, interface: Option<&Interface>) {
        let headers = interface.into_iter().flat_map(headers);
        for (param, value) in headers.filter(|(param, _)| param.required) {
            let name = &param.name;
            let is_known = self.headers.keys().any(|it| it.eq_ignore_ascii_case(name));
            if !is_known {
                self.headers.insert(name.clone(), value);
            }
        }
    }

    /// Formats the request for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} {}", self.method, self.url);
        for (name, value) in &self.headers {
            text = format!("{text}\n{name}: {value}");
        }
        if let Some(body) = &self.body {
            let body = serde_json::to_string_pretty(body).unwrap_or_default();
            text = format!("{text}\n\n{body}");
        }
        text
    }
}

/// Returns the data for a first call of the capability `wanted`, or else of the first that is not
/// deprecated.
///
/// `None` if the manifest states no address of the agent.
pub(crate) fn connect(listing: &Listing, wanted: Option<&str>) -> Option<Connect> {
    let agent = &listing.agent;
    let capability = agent
        .capabilities
        .iter()
        .find(|capability| wanted.is_some_and(|it| capability.name == it || capability.id == it))
        .or_else(|| agent.capabilities.iter().find(|it| !it.deprecated))
        .or_else(|| agent.capabilities.first());
    let interface = interface(agent, capability);
    let endpoint = interface
        .map(|interface| interface.url.clone())
        .or_else(|| capability.and_then(|it| it.url.clone()))
        .or_else(|| agent.url.clone())?;
    let protocol = interface
        .map(|interface| interface.protocol.clone())
        .or_else(|| capability.and_then(|it| it.protocol.clone()));
    let version = interface.and_then(|interface| version(interface, listing));
    let needs_session = capability.is_some_and(|it| it.requires_session == Some(true));
    let session_header = needs_session.then(|| session_header(agent));
    let example = example(interface, version.as_deref(), capability, session_header);
    let called = example.as_ref().map(|call| call.url.as_str());
    let (site, slug) = listing.id.parts();
    let mut servers = agent.interfaces.iter();
    Some(Connect {
        client_config: servers.find_map(|it| mcp::client_config(slug, it)),
        foreign: stranger(site, &endpoint)
            .or_else(|| called.and_then(|address| stranger(site, address))),
        example,
        protocol: protocol.map(|protocol| match &version {
            Some(version) => format!("{protocol}/{version}"),
            None => protocol,
        }),
        transport: interface.and_then(|interface| interface.transport.clone()),
        tenant: interface.and_then(|interface| interface.tenant.clone()),
        endpoint,
        auth: access(&agent.auth, capability),
        session: agent
            .sessions
            .as_ref()
            .filter(|_| needs_session)
            .map(|sessions| Session {
                create: sessions.create.clone(),
                delete: sessions.delete.clone(),
                ttl_s: sessions.ttl_s,
            }),
        human_handoff: capability.is_some_and(|it| it.human_handoff == Some(true)),
        capability: capability.map(|it| it.name.clone()),
    })
}

/// Returns the owner of `address`, unless its registrable domain is that of `site`.
fn stranger(site: &str, address: &str) -> Option<ForeignOwner> {
    let site = Domain::parse(site).ok()?;
    let url = Url::parse(address).ok().filter(Url::has_host);
    // gRPC addresses have the form `host:port`, without a scheme.
    let url = url.or_else(|| Url::parse(&format!("https://{address}")).ok())?;
    let owner = match url.host()? {
        Host::Domain(host) => Domain::parse(host).map_or_else(
            |_| view::foreign(host),
            |domain| domain.registrable().to_owned(),
        ),
        address => address.to_string(),
    };
    (owner != site.registrable()).then_some(ForeignOwner(owner))
}

/// Returns the interface for `capability`: one of its own protocol if it names one, else the
/// preferred one.
///
/// A capability with a method and an address is a plain HTTP call, whatever the agent's protocols.
fn interface<'a>(agent: &'a Agent, capability: Option<&Capability>) -> Option<&'a Interface> {
    let wanted = capability.and_then(|it| it.protocol.as_deref());
    let is_plain = capability.is_some_and(|it| it.method.is_some() && it.url.is_some());
    let of_protocol = |interface: &&Interface| match wanted {
        Some(wanted) => interface.protocol == wanted,
        None if is_plain => HTTP.contains(&interface.protocol.as_str()),
        None => true,
    };
    agent
        .interfaces
        .iter()
        .filter(of_protocol)
        .find(|interface| interface.preferred)
        .or_else(|| agent.interfaces.iter().find(of_protocol))
}

/// Returns the protocol's version: that of the interface, or for A2A the generation of the card.
fn version(interface: &Interface, listing: &Listing) -> Option<String> {
    interface.version.clone().or_else(|| {
        listing
            .sources
            .first()
            .filter(|source| {
                interface.protocol == "a2a" && source.format.as_str().starts_with("a2a")
            })
            .and_then(|source| source.generation.clone())
            .filter(|generation| generation.starts_with(|it: char| it.is_ascii_digit()))
    })
}

fn access(auths: &[Auth], capability: Option<&Capability>) -> Access {
    if capability.is_some_and(|it| it.requires_auth == Some(false)) {
        return Access {
            kind: "none".to_owned(),
            place: None,
        };
    }
    let Some(auth) = auths.first() else {
        return Access {
            kind: "unknown".to_owned(),
            place: None,
        };
    };
    let carrier = match (&auth.location, &auth.name) {
        (Some(place), Some(name)) => Some(format!("{place} {name}")),
        (Some(place), None) => Some(place.clone()),
        (None, _) => None,
    };
    Access {
        kind: auth.scheme.clone(),
        place: auth
            .token_url
            .clone()
            .or_else(|| auth.authorization_url.clone())
            .or(carrier)
            .or_else(|| auth.docs.clone()),
    }
}

/// Returns the header that carries the token of a session: `Authorization` as agents.json states,
/// unless the site's own texts name the header of the Interaction API (IA-08).
fn session_header(agent: &Agent) -> (&'static str, &'static str) {
    const OWN: &str = "X-Agent-Session";
    let names_own = |text: &String| text.to_ascii_lowercase().contains("x-agent-session");
    let capabilities = agent.capabilities.iter();
    let params = capabilities.clone().flat_map(|it| &it.params);
    let params = params.chain(agent.interfaces.iter().flat_map(|it| &it.params));
    let mut texts = agent
        .description
        .iter()
        .chain(
            agent
                .auth
                .iter()
                .flat_map(|it| it.name.iter().chain(&it.description)),
        )
        .chain(agent.flows.iter().flat_map(|it| &it.description))
        .chain(capabilities.flat_map(|it| &it.description))
        .chain(params.flat_map(|it| std::iter::once(&it.name).chain(&it.description)));
    if texts.any(names_own) {
        (OWN, "{session_token}")
    } else {
        ("Authorization", "Bearer {session_token}")
    }
}

fn example(
    interface: Option<&Interface>,
    version: Option<&str>,
    capability: Option<&Capability>,
    session_header: Option<(&str, &str)>,
) -> Option<Call> {
    if let Some(capability) = capability
        && let (Some(method), Some(url)) = (&capability.method, &capability.url)
    {
        let mut call = http_call(method, url, &capability.params, session_header);
        call.add_headers(interface);
        return Some(call);
    }
    let interface = interface?;
    match (interface.protocol.as_str(), interface.transport.as_deref()) {
        ("a2a", Some("JSONRPC")) => a2a_call(interface, version?, capability),
        ("mcp", Some("streamable-http")) => Some(mcp::first_call(interface)),
        _ => None,
    }
}

/// Builds a plain HTTP call. Parameters without a stated position go to the body of a method that
/// has one (IA-02).
fn http_call(
    method: &str,
    url: &str,
    params: &[Param],
    session_header: Option<(&str, &str)>,
) -> Call {
    let has_body = matches!(method, "POST" | "PUT" | "PATCH" | "DELETE");
    let mut call = Call {
        method: method.to_owned(),
        url: url.to_owned(),
        headers: BTreeMap::new(),
        body: None,
    };
    let mut query = Vec::new();
    let mut body = Map::new();
    for param in params.iter().filter(|param| param.required) {
        let in_path = format!("{{{}}}", param.name);
        let place = match param.location.as_deref() {
            _ if url.contains(&in_path) => continue,
            Some(place) => place,
            None if has_body => "body",
            None => "query",
        };
        match place {
            "query" => query.push(format!("{}={}", encoded(&param.name), query_value(param))),
            "header" => {
                let value = view::inline(&sample(param));
                call.headers.insert(param.name.clone(), value);
            }
            "body" => {
                body.insert(param.name.clone(), sample(param));
            }
            _ => {}
        }
    }
    if !query.is_empty() {
        let separator = if url.contains('?') { '&' } else { '?' };
        call.url = format!("{url}{separator}{}", query.join("&"));
    }
    if let Some((name, value)) = session_header {
        call.headers.insert(name.to_owned(), value.to_owned());
    }
    // A DELETE without parameters needs no body.
    if has_body && !(method == "DELETE" && body.is_empty()) {
        let kind = "application/json".to_owned();
        call.headers.insert("Content-Type".to_owned(), kind);
        call.body = Some(Value::Object(body));
    }
    call
}

/// Builds a message in the form of the card's generation; `None` for unsupported bindings.
fn a2a_call(interface: &Interface, version: &str, capability: Option<&Capability>) -> Option<Call> {
    let words = capability
        .and_then(|it| it.examples.first())
        .map_or("{your request, in words}", String::as_str);
    let mut headers = BTreeMap::from([("Content-Type".to_owned(), "application/json".to_owned())]);
    let (method, mut params) = match version.split('.').collect::<Vec<_>>().as_slice() {
        ["1", ..] => {
            headers.insert("A2A-Version".to_owned(), "1.0".to_owned());
            let parts = json!([{"text": words}]);
            let message = json!({"messageId": "{uuid}", "role": "ROLE_USER", "parts": parts});
            ("SendMessage", json!({"message": message}))
        }
        ["0", "2" | "3", ..] => {
            let parts = json!([{"kind": "text", "text": words}]);
            let message =
                json!({"kind": "message", "messageId": "{uuid}", "role": "user", "parts": parts});
            ("message/send", json!({"message": message}))
        }
        ["0", "1", ..] => {
            let message = json!({"role": "user", "parts": [{"type": "text", "text": words}]});
            ("tasks/send", json!({"id": "{uuid}", "message": message}))
        }
        _ => return None,
    };
    if let (Some(tenant), Some(params)) = (&interface.tenant, params.as_object_mut()) {
        params.insert("tenant".to_owned(), json!(tenant));
    }
    let mut call = Call {
        method: "POST".to_owned(),
        url: interface.url.clone(),
        headers,
        body: Some(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})),
    };
    call.add_headers(Some(interface));
    Some(call)
}

/// Lists the headers of an interface with their values, or names in braces for the values that the
/// caller has to fill in.
fn headers(interface: &Interface) -> impl Iterator<Item = (&Param, String)> {
    let is_header = |param: &&Param| param.location.as_deref() == Some("header");
    let headers = interface.params.iter().filter(is_header).take(MAX_HEADERS);
    headers.map(|param| (param, view::foreign(&view::inline(&sample(param)))))
}

fn sample(param: &Param) -> Value {
    param
        .default
        .clone()
        .or_else(|| param.choices.first().cloned())
        .unwrap_or_else(|| Value::String(format!("{{{}}}", param.name)))
}

fn query_value(param: &Param) -> String {
    match param.default.as_ref().or(param.choices.first()) {
        Some(value) => encoded(&view::inline(value)),
        None => format!("{{{}}}", param.name),
    }
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests;
