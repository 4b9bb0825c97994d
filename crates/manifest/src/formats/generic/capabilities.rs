//! Capabilities of a profile, in any of the usual shapes.

use super::addresses;
use super::lookup::find;
use super::names::{ENDPOINTS, EXAMPLES, INPUTS, OUTPUTS};
use super::{Base, ProfileReader, access, localized};
use crate::agent::{Agent, Auth};
use crate::{Capability, Fact, json, rate, schema, text};
pub(in crate::formats) use call::add_variables;
use call::{input, method};
use lists::{
    is_feature, is_list_of_descriptions, is_list_of_named, is_list_of_texts, lists_of_calls,
    lists_of_servers,
};
use operation::{is_call, is_endpoint, is_operation, is_path};
use others::{
    is_about_itself, is_about_the_site, is_container, is_documentation, stem_of_endpoint,
};
use serde_json::{Map, Value};
use std::collections::HashMap;

mod call;
mod lists;
mod operation;
mod others;

/// Members that list capabilities, the best first.
pub(super) const NAMES: &[&str] = &[
    "capabilities",
    "skills",
    "actions",
    "tools",
    "services",
    "intents",
    "flows",
    "endpoints",
    "apiEndpoints",
    "api_endpoints",
    "available_tools",
    "advertised_tools",
    "free_tools",
    "paid_tools",
];

/// Lists inside of other members.
const NESTED: &[&str] = &[
    "capabilities.tools",
    "capabilities.skills",
    "capabilities.actions",
    "capabilities.endpoints",
    "api.endpoints",
    "mcp.tools",
    "mcp.capabilities.tools",
    "a2a.skills",
];

/// Maximum number of objects around a member that names an endpoint.
const MAX_DEPTH: usize = 2;

/// Words for what an agent takes and gives, which some list as what it can do.
const MODES: [&str; 7] = [
    "text", "json", "image", "audio", "video", "voice", "markdown",
];

impl ProfileReader<'_> {
    /// Adds the capabilities of every member that lists some, each name once; booleans become tags.
    /// `has_stated_auth` is true if the document states authentication for all of them.
    pub(super) fn capabilities(
        &mut self,
        object: &Map<String, Value>,
        has_stated_auth: bool,
        agent: &mut Agent,
    ) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for (index, known) in agent.capabilities.iter().enumerate() {
            seen.insert(key(&known.name), index);
        }
        for found in find(object, NAMES) {
            if self.is_owned(&found.pointer, found.value) {
                continue;
            }
            if self.is_person && is_list_of_texts(found.value) {
                add_tags(found.value, agent);
                continue;
            }
            self.list(found.value, &found.pointer, agent, &mut seen);
        }
        for found in find(object, NESTED) {
            let outer = found.pointer.rfind('/').unwrap_or_default();
            if !self.is_owned(&found.pointer[..outer], found.value) {
                self.list(found.value, &found.pointer, agent, &mut seen);
            }
        }
        for (at, list) in lists_of_servers(object) {
            self.list(list, &at, agent, &mut seen);
        }
        self.unnamed_lists(object, agent, &mut seen);
        self.named_endpoints(object, "", agent, &mut seen);
        // An object with a method and an input is a call itself.
        let is_call = method(object).is_some() && !input(object).0.is_empty();
        if agent.capabilities.is_empty()
            && is_call
            && let Some(own) = self.of_object(None, object, "", agent)
        {
            agent.capabilities.extend(own.url.is_some().then_some(own));
        }
        Self::names_with_auth(object, agent);
        let is_open = |it: &Capability| it.requires_auth == Some(false);
        let has_keys = !agent.auth.is_empty() && agent.auth.iter().all(|it| it.scheme != "none");
        if !has_stated_auth && has_keys && agent.capabilities.iter().any(is_open) {
            agent.auth.insert(0, Auth::of("none"));
        }
        agent.tags = text::distinct(std::mem::take(&mut agent.tags));
    }

    /// Marks the capabilities that the object on authentication lists as needing it or not.
    fn names_with_auth(object: &Map<String, Value>, agent: &mut Agent) {
        for (names, needed) in [
            (["auth.public_tools", "authentication.public_tools"], false),
            (
                [
                    "auth.authenticated_tools",
                    "authentication.authenticated_tools",
                ],
                true,
            ),
        ] {
            let listed: Vec<String> = super::texts(object, &names)
                .iter()
                .map(|it| key(it))
                .collect();
            let listed =
                |it: &Capability| listed.contains(&key(&it.name)) || listed.contains(&key(&it.id));
            for capability in agent.capabilities.iter_mut().filter(|it| listed(it)) {
                capability.requires_auth = capability.requires_auth.or(Some(needed));
            }
        }
    }

    /// Reports whether the addresses in a top-level member belong to capabilities, or to an agent
    /// that has been read by itself.
    pub(super) fn is_read_elsewhere(&self, name: &str) -> bool {
        NAMES.contains(&name) || self.owned.iter().any(|owned| owned == name)
    }

    /// Reports whether the reader of the format has read the member.
    fn is_owned(&self, pointer: &str, value: &Value) -> bool {
        let name = pointer.trim_start_matches('/');
        let holds_calls = || {
            let mut values = value.as_object().into_iter().flat_map(Map::values);
            values.any(|value| {
                let address = ENDPOINTS.iter().find_map(|name| value.get(*name)?.as_str());
                address.is_some_and(is_endpoint)
            })
        };
        // `capabilities` is a list of them even where the format has an object of features.
        let is_list = name == "capabilities" && value.is_array();
        let is_described = || is_list_of_descriptions(value);
        let has_own_meaning =
            self.own_meanings.contains(&name) && !is_list && !holds_calls() && !is_described();
        has_own_meaning || self.owned.iter().any(|owned| owned == name)
    }

    /// Adds lists under other names whose items are all operations of an API.
    fn unnamed_lists(
        &mut self,
        object: &Map<String, Value>,
        agent: &mut Agent,
        seen: &mut HashMap<String, usize>,
    ) {
        let others = object
            .iter()
            .filter(|(name, _)| !NAMES.contains(&name.as_str()));
        for (name, value) in others {
            let pointer = format!("/{}", json::escape(name));
            if self.owned.iter().any(|owned| owned == name) {
                continue;
            }
            match value {
                Value::Array(items) if !items.is_empty() && items.iter().all(is_operation) => {
                    self.list(value, &pointer, agent, seen);
                }
                Value::Array(items) if !items.is_empty() && items.iter().all(is_call) => {
                    self.calls(items, &pointer, agent, seen);
                }
                Value::Array(items)
                    if name.contains("ndpoint")
                        && !items.is_empty()
                        && items.iter().all(is_path) =>
                {
                    self.calls(items, &pointer, agent, seen);
                }
                // A map of calls under any name: `quick_start`, `api`.
                Value::Object(members) if members.values().any(is_operation) => {
                    for (name, item) in members.iter().filter(|(_, item)| is_operation(item)) {
                        let one = Map::from_iter([(name.clone(), item.clone())]);
                        self.list(&Value::Object(one), &pointer, agent, seen);
                    }
                }
                Value::Object(members) => {
                    let inner = members.get("endpoints").filter(|it| {
                        let mut values = it.as_object().into_iter().flat_map(Map::values);
                        values.next().is_some_and(is_operation) && values.all(is_operation)
                    });
                    if let Some(inner) = inner.filter(|_| name != "api" && name != "capabilities") {
                        self.list(inner, &format!("{pointer}/endpoints"), agent, seen);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the calls in members such as `passport_endpoint`, down to [`MAX_DEPTH`] objects.
    fn named_endpoints(
        &mut self,
        object: &Map<String, Value>,
        at: &str,
        agent: &mut Agent,
        seen: &mut HashMap<String, usize>,
    ) {
        for (name, value) in object {
            let pointer = format!("{at}/{}", json::escape(name));
            match value {
                Value::Object(inner)
                    if is_about_itself(name) && at.matches('/').count() < MAX_DEPTH =>
                {
                    self.named_endpoints(inner, &pointer, agent, seen);
                }
                Value::String(address) => {
                    let Some(stem) = stem_of_endpoint(name, address) else {
                        continue;
                    };
                    let mut capability = named(stem, &pointer);
                    self.set_endpoint(&mut capability, address);
                    let is_known = agent.capabilities.iter().any(|it| it.url == capability.url);
                    let is_new = capability.url.is_some() && !is_known;
                    let name = key(&capability.name);
                    if is_new && seen.insert(name, agent.capabilities.len()).is_none() {
                        add_variables(&mut capability);
                        agent.capabilities.push(capability);
                        self.use_pointer(Fact::Capabilities, &pointer);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds calls that are given as texts, such as `GET /mugs` or `/mugs`.
    fn calls(
        &mut self,
        items: &[Value],
        at: &str,
        agent: &mut Agent,
        seen: &mut HashMap<String, usize>,
    ) {
        for (index, item) in items.iter().enumerate() {
            let call = item.as_str().unwrap_or_default();
            let mut capability = named(call.to_owned(), &format!("{at}/{index}"));
            self.set_endpoint(&mut capability, call);
            add_variables(&mut capability);
            if seen.insert(key(call), agent.capabilities.len()).is_none() {
                agent.capabilities.push(capability);
            }
        }
        self.use_pointer(Fact::Capabilities, at);
    }

    /// Adds the capabilities of one list; a name that is known completes that capability.
    fn list(
        &mut self,
        value: &Value,
        at: &str,
        agent: &mut Agent,
        seen: &mut HashMap<String, usize>,
    ) {
        if let Value::Object(members) = value
            && members.values().any(is_list_of_named)
        {
            // Lists by kind, as `read` and `write`; a text among them is about the lists.
            for (name, list) in members.iter().filter(|(_, it)| is_list_of_named(it)) {
                self.list(list, &format!("{at}/{}", json::escape(name)), agent, seen);
            }
            return;
        }
        let known = agent.capabilities.len();
        let mut add =
            |capability: Capability, agent: &mut Agent| match seen.get(&key(&capability.name)) {
                Some(&index) if index < known => {
                    complete(&mut agent.capabilities[index], capability);
                }
                _ => {
                    let name = key(&capability.name);
                    seen.insert(name, agent.capabilities.len());
                    agent.capabilities.push(capability);
                }
            };
        let before = agent.capabilities.len();
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let pointer = format!("{at}/{index}");
                    let name = item.get("name").or_else(|| item.get("protocol"));
                    let name = name.and_then(Value::as_str).unwrap_or_default();
                    if self.is_interface(at, name, item) {
                        self.listed_address(name, item, &pointer, agent);
                    } else if let Some(capability) = self.capability(None, item, &pointer, agent) {
                        add(capability, agent);
                    }
                }
            }
            Value::Object(members) => {
                for (name, item) in members {
                    let pointer = format!("{at}/{}", json::escape(name));
                    if let Some(program) = addresses::program(name, item) {
                        if !agent.programs.contains(&program) {
                            agent.programs.push(program);
                            self.use_pointer(Fact::Programs, &pointer);
                        }
                    } else if item == &Value::Bool(true) {
                        agent.tags.extend(text::some(name));
                    } else if self.is_interface(at, name, item) {
                        self.listed_address(name, item, &pointer, agent);
                    } else if agent.docs.is_none() && is_documentation(at, name, item) {
                        let url = item.as_str().and_then(|url| self.absolute(url));
                        agent.docs = url;
                        self.use_pointer(Fact::Docs, &pointer);
                    } else if !addresses::is_link(name, item)
                        && !is_about_the_site(at, name, item)
                        && !is_container(at, name)
                        && let Some(capability) = self.capability(Some(name), item, &pointer, agent)
                    {
                        add(capability, agent);
                    }
                }
            }
            _ => {}
        }
        if agent.capabilities.len() > before {
            self.use_pointer(Fact::Capabilities, at);
        }
        for calls in lists_of_calls(value, at) {
            let own = calls.base.map(Base::Stated);
            let outer = own.map(|own| std::mem::replace(&mut self.base, own));
            self.list(calls.list, &calls.at, agent, seen);
            if let Some(outer) = outer {
                self.base = outer;
            }
        }
        for capability in &mut agent.capabilities[before..] {
            self.shared_endpoint(capability, &mut agent.interfaces);
        }
    }

    /// Reports whether an entry of a list is an interface, a card or a page and no capability.
    fn is_interface(&self, at: &str, name: &str, item: &Value) -> bool {
        let describes_input = INPUTS.iter().any(|input| item.get(*input).is_some());
        let is_list_of_addresses = ["/services", "/endpoints", "/apiEndpoints", "/api_endpoints"]
            .iter()
            .any(|list| at.ends_with(list));
        let is_template = addresses::address(item).is_some_and(addresses::is_template);
        let is_typed =
            addresses::protocol(name, item).is_some() || (is_template && item.is_string());
        is_list_of_addresses && !describes_input && (is_typed || self.lists_addresses)
    }

    /// Reads one capability: a name, an object, or (in a map) an address or a text under its name.
    fn capability(
        &mut self,
        key: Option<&str>,
        item: &Value,
        pointer: &str,
        agent: &mut Agent,
    ) -> Option<Capability> {
        match (key, item) {
            (_, Value::String(_) | Value::Object(_)) if is_feature(key, item, pointer) => None,
            (None, Value::String(name)) if MODES.contains(&name.as_str()) => {
                agent.tags.extend(text::some(name));
                None
            }
            (None, Value::String(name)) => {
                let name = self
                    .unless_placeholder(pointer, name)
                    .and_then(text::some)?;
                Some(named(name, pointer))
            }
            (Some(key), Value::String(value)) => {
                let mut capability = named(text::some(key)?, pointer);
                let value = self.unless_placeholder(pointer, value)?;
                let (call, description) = described(value);
                if is_endpoint(call) {
                    self.set_endpoint(&mut capability, call);
                    add_variables(&mut capability);
                    capability.description = description.and_then(text::some);
                } else if value.split_whitespace().nth(2).is_some() {
                    capability.description = text::some(value);
                } else {
                    return None;
                }
                Some(capability)
            }
            (key, Value::Object(members)) => self.of_object(key, members, pointer, agent),
            _ => None,
        }
    }

    fn of_object(
        &mut self,
        key: Option<&str>,
        members: &Map<String, Value>,
        pointer: &str,
        agent: &mut Agent,
    ) -> Option<Capability> {
        let texts = |names: &[&'static str]| localized::first(members, names, &self.languages);
        let name = texts(&["name", "id", "title", "tool_name", "operation", "action"]);
        let name = name.or_else(|| Some((text::some(key?)?, Vec::new())));
        let (name, of_name) = name.or_else(|| Some((operation::call(members)?, Vec::new())))?;
        let description = texts(&["description", "summary", "purpose", "what"]);
        let text_of = |names: &[&'static str]| {
            let mut found = find(members, names);
            found
                .find_map(|found| found.value.as_str())
                .and_then(text::some)
        };
        let mut capability = named(name, pointer);
        capability.id = text_of(&["id"]).unwrap_or_else(|| capability.name.clone());
        capability.translations = localized::named("name", of_name);
        if let Some((description, others)) = description {
            capability.description = Some(description);
            let others = localized::named("description", others);
            capability.translations.extend(others);
        }
        capability.method = method(members);
        (capability.params, capability.input_schema) = input(members);
        let mut outputs = find(members, OUTPUTS).map(|found| found.value);
        capability.output_schema = outputs.find(|value| schema::is_schema(value)).cloned();
        capability.requires_auth = access::requires_auth(members);
        capability.rate_limit = find(members, &["rate_limit", "rateLimit"])
            .find_map(|found| rate::stated("default", found.value));
        capability.deprecated = members.get("deprecated") == Some(&Value::Bool(true));
        capability.tags = super::words(members, &["tags"]);
        capability.examples = examples(members);
        self.endpoint(members, &mut capability, pointer);
        add_variables(&mut capability);
        self.price(members, &capability, agent);
        self.key(members, pointer, agent);
        Some(capability)
    }

    /// Completes the capabilities that the reader of a format returned with the members that the
    /// format does not define.
    pub(super) fn members_of_known(&mut self, agent: &mut Agent) {
        let value = self.input.value;
        let mut known = std::mem::take(&mut agent.capabilities);
        for capability in &mut known {
            let members = value
                .pointer(&capability.pointer)
                .and_then(Value::as_object);
            let Some(members) = members else {
                continue;
            };
            let is_called = !self.own_meanings.contains(&"url");
            if is_called && capability.endpoint.is_none() && capability.url.is_none() {
                let pointer = capability.pointer.clone();
                self.endpoint(members, capability, &pointer);
            }
            if capability.method.is_none() {
                capability.method = method(members);
            }
            self.languages_of(members, capability);
            if capability.id == capability.name
                && let Some(id) = members
                    .get("id")
                    .and_then(Value::as_str)
                    .and_then(text::some)
            {
                capability.id = id;
            }
            if capability.params.is_empty() && capability.input_schema.is_none() {
                (capability.params, capability.input_schema) = input(members);
            }
            capability.requires_auth = capability
                .requires_auth
                .or_else(|| access::requires_auth(members));
            if capability.tags.is_empty() {
                capability.tags = super::words(members, &["tags"]);
            }
            if capability.examples.is_empty() {
                capability.examples = examples(members);
            }
            self.price(members, capability, agent);
            self.key(members, &capability.pointer, agent);
        }
        agent.capabilities = known;
    }

    /// Reads name and description that are given in several languages (GP-14).
    fn languages_of(&self, members: &Map<String, Value>, capability: &mut Capability) {
        for (field, name) in [("name", &["name"]), ("description", &["description"])] {
            if members.get(field).is_some_and(Value::is_object)
                && let Some((text, others)) = localized::first(members, name, &self.languages)
            {
                if field == "name" {
                    capability.name = text;
                } else {
                    capability.description = Some(text);
                }
                let others = localized::named(field, others);
                capability.translations.extend(others);
            }
        }
        for (member, value) in members {
            for field in ["name", "description"] {
                if let Some(language) = localized::suffix(member, field)
                    && let Some(text) = value.as_str().and_then(text::some)
                {
                    let text = vec![(language.to_owned(), text)];
                    capability
                        .translations
                        .extend(localized::named(field, text));
                }
            }
        }
    }
}

/// Returns the examples of a capability: texts, and the input of an example call as JSON.
fn examples(members: &Map<String, Value>) -> Vec<String> {
    let payloads = find(members, EXAMPLES).filter(|found| found.value.is_object());
    let payloads = payloads.filter_map(|found| text::some(&found.value.to_string()));
    let mut examples = super::texts(members, &["examples"]);
    examples.extend(payloads);
    text::distinct(examples)
}

/// Adds the texts of a list as tags.
fn add_tags(value: &Value, agent: &mut Agent) {
    let items = value.as_array().into_iter().flatten();
    let texts = items.filter_map(|item| text::some(item.as_str()?));
    agent.tags.extend(texts.take(100));
}

/// Completes a capability with what another member says about the same name.
fn complete(known: &mut Capability, other: Capability) {
    let Capability {
        description,
        method,
        endpoint,
        url,
        params,
        input_schema,
        output_schema,
        requires_auth,
        ..
    } = other;
    known.description = known.description.take().or(description);
    if known.url.is_none() && known.endpoint.is_none() {
        known.endpoint = endpoint;
        known.url = url;
        known.method = known.method.take().or(method);
    }
    if known.input_schema.is_none() && known.params.is_empty() {
        known.input_schema = input_schema;
        known.params = params;
    }
    known.output_schema = known.output_schema.take().or(output_schema);
    known.requires_auth = known.requires_auth.or(requires_auth);
}

/// Splits `GET /path - description`.
fn described(text: &str) -> (&str, Option<&str>) {
    let split = [" - ", " — ", " – "]
        .iter()
        .find_map(|dash| text.split_once(dash));
    split.map_or((text, None), |(call, description)| {
        (call, Some(description))
    })
}

/// Returns the key by which capabilities of the same name are found.
fn key(name: &str) -> String {
    text::fold(name).replace(['-', '_'], " ")
}

fn named(name: String, pointer: &str) -> Capability {
    Capability {
        id: name.clone(),
        name,
        pointer: pointer.to_owned(),
        ..Capability::default()
    }
}
