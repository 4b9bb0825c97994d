//! One interface, with what stands beside its address.

use super::words::words;
use super::{Place, kind, transport};
use crate::agent::{Agent, Auth, Interface, Param};
use crate::formats::generic::lookup::find;
use crate::formats::generic::{ProfileReader, access};
use crate::{Fact, auth, text};
use serde_json::{Map, Value};

/// Maximum number of interfaces of one profile.
const MAX_INTERFACES: usize = 50;
/// Maximum number of headers of one interface.
const MAX_HEADERS: usize = 20;

impl ProfileReader<'_> {
    pub(super) fn interface(
        &mut self,
        protocol: &str,
        url: String,
        place: &Place<'_>,
        agent: &mut Agent,
    ) {
        if protocol != "openapi" {
            self.interface_auth(place, agent);
        }
        // An A2A agent and an MCP server may share an address.
        let is_other = |known: &Interface| known.protocol == "a2a" && protocol == "mcp";
        let is_same =
            |known: &Interface| known.address() == url.trim_end_matches('/') && !is_other(known);
        let known = agent.interfaces.iter().position(is_same);
        if known.is_none() && agent.interfaces.len() >= MAX_INTERFACES {
            return;
        }
        let beside = |names: &[&'static str]| {
            let members = place.beside?;
            let mut found = find(members, names);
            found
                .find_map(|found| found.value.as_str())
                .and_then(text::some)
        };
        // What stands beside the address of a description is about the interface it describes.
        let is_its_own = protocol != "openapi";
        let transport = place.beside.and_then(stated_transport);
        let transport = transport.filter(|word| kind::fits(protocol, word));
        let transport = transport
            .or_else(|| shown_transport(protocol, place))
            .or_else(|| {
                let named = transport::of_mcp(self.input.value, &place.keys, &place.pointer);
                named.filter(|_| protocol == "mcp").and_then(text::some)
            });
        // The version of an A2A card stands beside the address of its MCP server too.
        let version = beside(&["protocolVersion", "protocol_version"]);
        let version = version.filter(|version| protocol != "mcp" || is_date(version));
        let params = place.beside.filter(|_| is_its_own).map(headers);
        let found = Interface {
            protocol: protocol.to_owned(),
            version: version.filter(|_| is_its_own),
            url,
            transport: transport.filter(|_| is_its_own),
            params: params.unwrap_or_default(),
            ..Interface::default()
        };
        if let Some(known) = known {
            // Another place of the document may say more about the same interface.
            agent.interfaces[known].complete(&found);
        } else {
            self.use_pointer(Fact::Interfaces, &place.pointer);
            if place
                .beside
                .is_some_and(|beside| access::requires_auth(beside) == Some(false))
            {
                self.open_interfaces += 1;
            }
            agent.interfaces.push(found);
        }
    }

    /// Adds the authentication that stands beside the address, or that a header there carries.
    fn interface_auth(&mut self, place: &Place<'_>, agent: &mut Agent) {
        let Some(beside) = place.beside else {
            return;
        };
        let at = place.pointer.as_str();
        let is_around = self.input.value.pointer(at).is_some_and(Value::is_object);
        let around = at.rsplit_once('/').filter(|_| !is_around);
        let around = around.map_or(at, |(around, _)| around);
        // What the document itself states is about the whole service, and read as such.
        if !around.is_empty() {
            self.key(beside, around, agent);
        }
        for way in headers(beside).iter().filter_map(of_header) {
            if access::add(&mut agent.auth, way) {
                self.use_pointer(Fact::Auth, around);
            }
        }
    }

    /// Adds the metadata of an authorization server to the scheme that it belongs to.
    pub(super) fn authorization_server(
        &mut self,
        metadata: Auth,
        place: &Place<'_>,
        agent: &mut Agent,
    ) {
        let known = agent.auth.iter_mut();
        let mut same = known.filter(|way| way.scheme == metadata.scheme);
        if let Some(known) = same.next() {
            if known.metadata_url.is_none() {
                known.metadata_url = metadata.metadata_url;
            }
        } else {
            self.use_pointer(Fact::Auth, &place.pointer);
            agent.auth.push(metadata);
        }
    }
}

/// Returns the transport that a member beside the address states, as a word or as the type of an
/// object: `transport`, `transportType`, `remote_transport`, `type`.
fn stated_transport(beside: &Map<String, Value>) -> Option<String> {
    let is_member = |name: &str| {
        let is_of_card = words(name).has(&["preferred"]);
        matches!(name, "type" | "binding")
            || (!is_of_card && words(name).has(&["transport", "transporttype"]))
    };
    let word = |value: &Value| {
        let word = value.as_str().or_else(|| value.get("type")?.as_str())?;
        let spelled = kind::spelled(word).unwrap_or(word);
        kind::is_transport(word).then(|| text::some(spelled))?
    };
    let mut members = beside.iter().filter(|(name, _)| is_member(name));
    members.find_map(|(_, value)| word(value))
}

/// Reports whether a version is a date, as all of MCP are.
fn is_date(version: &str) -> bool {
    version.len() == "2025-06-18".len()
        && version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Returns the authentication that a header carries, as its name and the first word of its value
/// show.
fn of_header(header: &Param) -> Option<Auth> {
    let scheme = if header.name.eq_ignore_ascii_case("authorization") {
        let word = header.description.as_deref()?.split_whitespace().next()?;
        Some(auth::scheme(word)).filter(|scheme| ["bearer", "basic"].contains(scheme))
    } else {
        Some(auth::scheme(&header.name)).filter(|scheme| *scheme == "api_key")
    };
    Some(Auth {
        name: Some(header.name.clone()),
        location: header.location.clone(),
        ..Auth::of(scheme?)
    })
}

/// Returns the transport of an MCP server that its key or a list beside it names.
fn shown_transport(protocol: &str, place: &Place<'_>) -> Option<String> {
    if protocol != "mcp" {
        return None;
    }
    let is_sse = |key: &&str| words(key).has(&["sse"]);
    if place.keys.iter().any(is_sse) {
        return text::some("sse");
    }
    let listed = place.beside?.get("transports")?.as_array()?.iter();
    let mut remote = listed
        .filter_map(Value::as_str)
        .filter(|word| *word != "stdio");
    let only = remote.next().filter(|word| kind::is_transport(word))?;
    remote.next().is_none().then(|| text::some(only))?
}

/// Reports whether an object says that what it describes is not to be called yet, or no longer.
pub(super) fn is_not_there(beside: &Map<String, Value>) -> bool {
    const STATES: [&str; 9] = [
        "planned",
        "coming_soon",
        "coming-soon",
        "coming soon",
        "upcoming",
        "disabled",
        "inactive",
        "unavailable",
        "not_available",
    ];
    let status = beside.get("status").and_then(Value::as_str);
    let is_said = status.is_some_and(|it| STATES.contains(&it.to_lowercase().as_str()));
    let is_off = ["enabled", "available", "supported", "live", "liveEndpoint"]
        .iter()
        .any(|name| beside.get(*name) == Some(&Value::Bool(false)));
    is_said || is_off
}

/// Returns the headers that clients send, from a map or a list beside the address.
pub(in crate::formats) fn headers(beside: &Map<String, Value>) -> Vec<Param> {
    let param = |name: &str, value: Option<&str>, is_required| {
        Some(Param {
            name: text::some(name)?,
            location: Some("header".to_owned()),
            description: value.and_then(text::some),
            required: is_required,
            ..Param::default()
        })
    };
    let members = ["headers", "requiredHeaders", "required_headers"];
    let Some(headers) = members.iter().find_map(|name| beside.get(*name)) else {
        return Vec::new();
    };
    match headers {
        Value::Object(named) => named
            .iter()
            .filter_map(|(name, value)| param(name, value.as_str(), true))
            .take(MAX_HEADERS)
            .collect(),
        Value::Array(items) => items
            .iter()
            .filter_map(|item| {
                let text = |name: &str| item.get(name).and_then(Value::as_str);
                let is_required = item.get("isRequired").or(item.get("required"));
                param(
                    text("name")?,
                    text("description").or(text("value")),
                    is_required == Some(&Value::Bool(true)),
                )
            })
            .take(MAX_HEADERS)
            .collect(),
        _ => Vec::new(),
    }
}
