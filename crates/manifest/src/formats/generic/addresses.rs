//! Addresses of a profile: interfaces, descriptions of APIs, cards and documentation, wherever they
//! stand.
//!
//! An address is typed by its key, then by its path, then by the transport stated beside it
//! (GP-12). One that nothing types is left alone.

use super::lookup::find;
use super::names::GENERIC;
use super::{Base, ProfileReader, subject};
use crate::agent::{Agent, Program};
use crate::rule::profile::{GP_03, GP_04};
use crate::{Fact, auth, json, link, reference};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use words::words;

mod form;
mod interface;
pub(super) mod kind;
mod program;
mod transport;
mod words;

pub(in crate::formats) use interface::headers;
use interface::is_not_there;
use kind::Kind;

/// Maximum number of values that are searched for addresses.
const MAX_VALUES: usize = 20_000;
/// Maximum depth of an address in a document.
const MAX_DEPTH: usize = 6;
/// Maximum number of references of one profile.
const MAX_REFERENCES: usize = 100;

/// Members whose absence of a value is reported, because clients look there (GP-04).
pub(super) const EXPECTED: &[&str] = &[
    "mcp",
    "mcp_endpoint",
    "mcpEndpoint",
    "mcp_server",
    "a2a",
    "a2aEndpoint",
    "a2a_endpoint",
    "agent_card",
    "openapi",
    "openapi_url",
    "api",
    "api_base",
    "base_url",
    "baseUrl",
    "endpoint",
];

/// Words of members that name other services: what is below them is not called as this service.
const OTHERS: &[&str] = &[
    "ecosystem",
    "registry",
    "registries",
    "directory",
    "directories",
    "distribution",
    "partner",
    "partners",
    "related",
    "example",
    "examples",
    "facilitator",
    "facilitators",
    "mirror",
    "mirrors",
    "social",
    "known",
    "compatible",
    "benchmarks",
    "reports",
    "sources",
    "sdk",
    "sdks",
    "agents",
];

/// Words of members whose content is announced, not served.
const PLANNED: &[&str] = &["planned", "upcoming", "coming", "roadmap"];

/// Reports whether a member names other services, or what is only announced.
pub(super) fn names_others(name: &str) -> bool {
    words(name).has(OTHERS) || words(name).has(PLANNED)
}

/// Returns true if the object has a member that holds an interface.
pub(super) fn has_any(object: &Map<String, Value>) -> bool {
    const OF_SERVERS: [&str; 5] = [
        "endpoints",
        "mcpServers",
        "mcp_servers",
        "interfaces",
        "transports",
    ];
    let has_address = |name: &&str| {
        object
            .get(*name)
            .is_some_and(|value| address(value).is_some())
    };
    let has_list = |name: &&str| {
        let list = object.get(*name);
        list.is_some_and(|list| list.is_object() || list.is_array())
    };
    EXPECTED.iter().any(has_address) || OF_SERVERS.iter().any(has_list)
}

/// Returns the address in a member: a string, or the usual member of an object.
pub(super) fn address(value: &Value) -> Option<&str> {
    let text = match value {
        Value::String(text) => Some(text.as_str()),
        Value::Object(members) => find(members, GENERIC).find_map(|found| found.value.as_str()),
        _ => None,
    };
    text.filter(|text| !text.trim().is_empty())
}

/// Returns the protocol of an entry that its name or its address types as an interface or as a
/// description of one; such an entry is no capability.
pub(super) fn protocol(name: &str, value: &Value) -> Option<&'static str> {
    let address = address(value)?;
    kind::of_listed(name, address, value.as_object()).and_then(Kind::word)
}

/// Reports whether other addresses can be below one: it is neither a document nor the endpoint of a server.
pub(super) fn is_base(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let is_document =
        kind::of_listed("", path, None).is_some_and(|kind| kind != Kind::Interface("rest"));
    !is_document && !kind::is_page(path) && !kind::is_data(path)
}

/// Returns the program that a line starts; `key` names what the line is about.
pub(in crate::formats) fn command(line: &str, key: &str) -> Option<Program> {
    program::of_line(line, &[key])
}

/// Returns the program that an entry of a list starts, if its name and its text say so.
pub(super) fn program(name: &str, value: &Value) -> Option<Program> {
    program::of_text(value.as_str()?, &[name])
}

/// Reports whether an entry of a list names a page for developers, a repository or a package: a link, and
/// nothing to call.
pub(super) fn is_link(name: &str, value: &Value) -> bool {
    let Some(text) = value.as_str() else {
        return false;
    };
    let is_page = kind::of_listed(name, text, None) == Some(Kind::Documentation);
    is_page || link::is_repository(text)
}

/// Reports whether an address begins with a variable.
pub(super) fn is_template(address: &str) -> bool {
    form::is_template(address)
}

/// Returns the protocol of an endpoint whose path shows that it is the address of a server.
pub(in crate::formats) fn endpoint_protocol(address: &str) -> Option<&'static str> {
    kind::of_listed("", address, None)
        .and_then(Kind::word)
        .filter(|word| ["mcp", "a2a"].contains(word))
}

/// Reports whether an address is that of a manifest, and not of what the manifest describes.
pub(in crate::formats) fn is_manifest(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let is_file = [".json", ".txt", ".md"]
        .iter()
        .any(|ending| path.ends_with(ending));
    let describes_api = kind::of(&[], path, None) == Some(Kind::Interface("openapi"));
    let is_of_agents = || {
        let name = path.rsplit('/').next().unwrap_or_default();
        ["agent.json", "agents.json", "agents.txt", "llms.txt"].contains(&name)
    };
    is_file
        && !describes_api
        && (path.contains("/.well-known/")
            || is_of_agents()
            || matches!(kind::of(&[], path, None), Some(Kind::Card(_))))
}

/// One address with its surroundings.
struct Place<'v> {
    pointer: String,
    /// Names of the members on the way, the innermost last.
    keys: Vec<&'v str>,
    /// Object around the address.
    beside: Option<&'v Map<String, Value>>,
    /// True below a member that names other services.
    is_of_others: bool,
    /// True in a list of addresses; the only key is the name of the entry.
    is_listed: bool,
}

impl Place<'_> {
    /// Returns the kind of an address at this place.
    fn kind(&self, address: &str) -> Option<Kind> {
        if self.is_listed {
            kind::of_listed(self.keys[0], address, self.beside)
        } else {
            kind::of(&self.keys, address, self.beside)
        }
    }
}

/// Search of a document for addresses.
struct Search<'r, 'v, 'a> {
    reader: &'r mut ProfileReader<'a>,
    agent: &'r mut Agent,
    values: usize,
    keys: Vec<&'v str>,
    /// JSON pointer of the value that is searched.
    at: String,
    /// Addresses met so far, each with the two innermost names: met again, it says nothing new.
    seen: HashSet<(&'v str, [Option<&'v str>; 2])>,
    /// Meanings of the names met so far; lists repeat theirs.
    meanings: HashMap<&'v str, Meaning>,
}

/// Meaning of a member's name for what is below it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Own,
    /// Other services.
    Others,
    /// Something announced, not served.
    Planned,
}

impl ProfileReader<'_> {
    /// Adds the interfaces, and references to descriptions and cards.
    pub(super) fn addresses(&mut self, object: &Map<String, Value>, agent: &mut Agent) {
        for found in find(object, EXPECTED).filter(|found| subject::is_placeholder(found.value)) {
            let message = "empty; name the address or leave the member out";
            self.findings.add(&GP_04, &found.pointer, message);
        }
        let mut search = Search {
            reader: self,
            agent,
            values: 0,
            keys: Vec::new(),
            at: String::new(),
            seen: HashSet::new(),
            meanings: HashMap::new(),
        };
        search.object(object, false);
    }

    /// Adds one entry of a list that names an interface.
    pub(super) fn listed_address(
        &mut self,
        name: &str,
        value: &Value,
        pointer: &str,
        agent: &mut Agent,
    ) {
        let Some(found) = address(value) else {
            return;
        };
        let place = Place {
            pointer: pointer.to_owned(),
            keys: vec![name],
            beside: value.as_object(),
            is_of_others: false,
            is_listed: true,
        };
        self.address(found, &place, agent);
    }

    /// Adds what the address is: an interface, a reference or the documentation.
    fn address(&mut self, address: &str, place: &Place<'_>, agent: &mut Agent) {
        if place.beside.is_some_and(is_not_there) {
            return;
        }
        if !place.is_of_others
            && address.contains("/.well-known/o")
            && let Some(url) = self.absolute(address)
            && let Some(metadata) = auth::of_metadata(&url)
        {
            return self.authorization_server(metadata, place, agent);
        }
        let typed = place.kind(address).or_else(|| {
            transport::of_mcp(self.input.value, &place.keys, &place.pointer)?;
            kind::of(&["mcp"], address, place.beside)
        });
        let Some(kind) = typed else {
            self.template(address, place);
            return self.unknown_endpoint(address, place);
        };
        let Some(address) = self.unless_placeholder(&place.pointer, address) else {
            return;
        };
        let address = address
            .split_once(' ')
            .map_or(address, |(_, address)| address);
        let Some(url) = self.called(address, place) else {
            return;
        };
        match kind {
            Kind::Documentation => {
                // `docs/notes.md` is a file of a repository.
                let is_served = link::is_absolute(address) || address.starts_with('/');
                let is_of_the_service = is_served && !place.is_of_others;
                if agent.docs.is_none() && is_of_the_service && is_of_the_whole(&place.keys) {
                    self.use_pointer(Fact::Docs, &place.pointer);
                    agent.docs = Some(url);
                }
            }
            Kind::Card(rel) => self.refer(rel, &url, &place.pointer),
            Kind::Stated => {
                let stated = place.beside.and_then(kind::other_protocol);
                if let Some(protocol) = stated.filter(|_| !place.is_of_others) {
                    self.interface(&protocol, url, place, agent);
                }
            }
            Kind::Interface(protocol) => {
                if protocol == "openapi" {
                    self.refer("openapi", &url, &place.pointer);
                }
                if place.is_of_others {
                    if protocol != "openapi" {
                        self.refer(protocol, &url, &place.pointer);
                    }
                } else {
                    self.interface(protocol, url, place, agent);
                }
            }
        }
    }

    /// Returns the URL of an address: below the base that the document states, if there is one, and
    /// below the address of the document otherwise.
    fn called(&self, address: &str, place: &Place<'_>) -> Option<String> {
        // A path of a call is below the base, as those of the calls beside it are.
        let has_method = place
            .beside
            .is_some_and(|beside| beside.contains_key("method"));
        let is_call = has_method || place.keys.last().is_some_and(|own| *own == "path");
        match &self.base {
            Base::Stated(base) if is_call && address.starts_with('/') => {
                link::concatenated(base, address)
            }
            base => base.endpoint(&self.input.document.url, address),
        }
    }

    /// Reports an address that begins with a variable, at a member that holds an address (GP-03).
    fn template(&mut self, address: &str, place: &Place<'_>) {
        if form::is_template(address) && (place.is_listed || kind::names_address(&place.keys)) {
            let message = "begins with a variable, so it is no address that can be called; \
                           give the whole address, or state the value of the variable";
            self.findings.add(&GP_03, &place.pointer, message);
        }
    }

    /// Keeps the address of something that is called but not typed as a link.
    fn unknown_endpoint(&mut self, address: &str, place: &Place<'_>) {
        const NAMES: [&str; 6] = [
            "endpoint",
            "api",
            "api_url",
            "apiUrl",
            "api_endpoint",
            "base_url",
        ];
        let is_one = place.keys.last().is_some_and(|last| NAMES.contains(last));
        if is_one
            && link::is_absolute(address)
            && let Some(address) = self.unless_placeholder(&place.pointer, address)
        {
            self.refer("endpoint", address, &place.pointer);
        }
    }

    fn refer(&mut self, rel: &str, url: &str, pointer: &str) {
        let is_known = |it: &crate::Reference| it.rel == rel && it.url == url;
        let is_itself = url == self.input.document.url.as_str();
        let has_room = self.references.len() < MAX_REFERENCES;
        if has_room && !is_itself && !self.references.iter().any(is_known) {
            let reference = reference::to(self.input.document, rel, url, pointer);
            self.references.extend(reference);
        }
    }
}

impl<'v> Search<'_, 'v, '_> {
    fn object(&mut self, object: &'v Map<String, Value>, is_of_others: bool) {
        if !is_of_others {
            self.program(program::of_object(object, &self.keys));
        }
        for (name, value) in object {
            if value.is_number() || value.is_boolean() || !self.is_searched(name, value) {
                continue;
            }
            let meaning = self.meaning(name);
            if meaning == Meaning::Planned {
                continue;
            }
            let is_of_others = is_of_others || meaning == Meaning::Others;
            let outer = self.at.len();
            self.at.push('/');
            self.at.push_str(&json::escape(name));
            self.keys.push(name);
            self.value(value, Some(object), is_of_others);
            self.keys.pop();
            self.at.truncate(outer);
        }
    }

    /// Adds a program at the place that is searched, each command once.
    fn program(&mut self, found: Option<Program>) {
        let Some(found) = found else { return };
        let known = &mut self.agent.programs;
        let is_known = known.iter().any(|it| it.command == found.command);
        if !is_known && known.len() < program::MAX_PROGRAMS {
            known.push(found);
            let at = self.at.clone();
            self.reader.use_pointer(Fact::Programs, &at);
        }
    }

    fn meaning(&mut self, name: &'v str) -> Meaning {
        *self.meanings.entry(name).or_insert_with(|| {
            if words(name).has(PLANNED) {
                Meaning::Planned
            } else if words(name).has(OTHERS) {
                Meaning::Others
            } else {
                Meaning::Own
            }
        })
    }

    fn value(
        &mut self,
        value: &'v Value,
        beside: Option<&'v Map<String, Value>>,
        is_of_others: bool,
    ) {
        self.values += 1;
        if self.values > MAX_VALUES || self.keys.len() > MAX_DEPTH {
            return;
        }
        if let Value::String(text) = value
            && !is_of_others
        {
            self.program(program::of_text(text, &self.keys));
        }
        match value {
            Value::String(address) if may_be_address(address) => {
                let keys = self.named_keys(beside);
                let mut innermost = keys.iter().rev().copied();
                if !self
                    .seen
                    .insert((address, [innermost.next(), innermost.next()]))
                {
                    return;
                }
                let place = Place {
                    pointer: self.at.clone(),
                    keys,
                    beside,
                    is_of_others,
                    is_listed: false,
                };
                self.reader.address(address, &place, self.agent);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let outer = self.at.len();
                    let _ = write!(self.at, "/{index}");
                    match item {
                        Value::Object(members) => self.object(members, is_of_others),
                        item => self.value(item, None, is_of_others),
                    }
                    self.at.truncate(outer);
                }
            }
            Value::Object(members) => self.object(members, is_of_others),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Reports whether a member may hold addresses of the service: lists of capabilities have
    /// their own reader.
    fn is_searched(&self, name: &str, value: &Value) -> bool {
        let has_reader = || {
            self.reader.is_read_elsewhere(name)
                || self.reader.own_meanings.contains(&name)
                || (self.reader.is_defined)(name, value)
        };
        self.values <= MAX_VALUES
            && !name.starts_with(['$', '@'])
            && !(self.at.is_empty() && has_reader())
    }

    /// Returns the keys on the way to an address; the name that stands beside it, as in
    /// `{"name": "MCP", "url": …}`, counts as one.
    fn named_keys(&self, beside: Option<&'v Map<String, Value>>) -> Vec<&'v str> {
        let mut keys = self.keys.clone();
        let is_generic = keys.last().is_some_and(|last| GENERIC.contains(last));
        let name = beside
            .filter(|_| is_generic && self.keys.len() > 1)
            .and_then(|members| {
                let mut found = find(members, &["protocol", "type", "kind", "name", "id"]);
                found.find_map(|found| found.value.as_str())
            });
        if let Some(name) = name.filter(|name| name.len() <= 40) {
            let last = keys.len() - 1;
            keys.insert(last, name);
        }
        keys
    }
}

/// Reports whether documentation at this place is that of the service, and not of a part of it.
fn is_of_the_whole(keys: &[&str]) -> bool {
    const WHOLE: [&str; 18] = [
        "api",
        "apis",
        "rest",
        "links",
        "urls",
        "discovery",
        "endpoints",
        "resources",
        "docs",
        "documentation",
        "developer",
        "developers",
        "support",
        "service",
        "site",
        "mcp",
        "a2a",
        "metadata",
    ];
    let outer = keys.split_last().map_or(keys, |(_, outer)| outer);
    outer.iter().all(|key| words(key).has(&WHOLE))
}

/// Returns true for a text that may be an address, without a closer look.
fn may_be_address(text: &str) -> bool {
    text.contains('/') && text.len() <= 2_000 && text.split_whitespace().nth(2).is_none()
}
