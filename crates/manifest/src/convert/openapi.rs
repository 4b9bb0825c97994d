//! Writer of OpenAPI 3.1: capabilities that are called over HTTP become operations.

use super::input::{self, Input};
use super::losses::Report;
use super::names::UniqueNames;
use super::security::{self, Security};
use super::service;
use crate::format::Format as _;
use crate::formats::intentql::IntentQl;
use crate::{Agent, Capability, CapabilityFact, Fact, link};
use serde_json::{Map, Value, json};

const METHODS: [&str; 8] = [
    "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE",
];

/// The types of JSON Schema.
const TYPES: [&str; 7] = [
    "null", "boolean", "object", "array", "number", "string", "integer",
];

/// Writes the description of `agent`'s API; returns `None` if it has no version, or no capability
/// is called over HTTP.
pub(super) fn write(agent: &Agent, report: &mut Report<'_>) -> Option<Value> {
    let version = report.require(agent, Fact::Version, agent.version.as_ref());
    let security = Security::of(agent, report);
    let mut writer = Writer {
        agent,
        report,
        security: &security,
        base: String::new(),
        operation_ids: UniqueNames::default(),
        paths: Map::new(),
        written: Vec::new(),
    };
    writer.base = writer.base(agent)?;
    for capability in &agent.capabilities {
        if let Err(why) = writer.operation(capability) {
            writer.report.left_out(capability, why);
        }
    }
    let Writer {
        base,
        paths,
        written,
        report,
        ..
    } = writer;
    if paths.is_empty() {
        let what = "a capability with an HTTP method and a URL";
        report.missing_field(agent, Fact::Capabilities, what);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": info(agent, version?),
        "servers": [{"url": base}],
    });
    if paths.is_empty() {
        return None;
    }
    document["paths"] = Value::Object(paths);
    let schemes = security.schemes.iter();
    let schemes: Map<_, _> = schemes.map(|it| (it.name.clone(), it.openapi())).collect();
    if !schemes.is_empty() {
        document["components"] = json!({"securitySchemes": schemes});
    }
    if let Some(alternatives) = security.for_all() {
        document["security"] = security::openapi(alternatives);
    }
    if let Some(docs) = &agent.docs {
        document["externalDocs"] = json!({"url": docs});
    }
    if !agent.tags.is_empty() {
        document["tags"] = agent.tags.iter().map(|tag| json!({"name": tag})).collect();
    }
    account(
        agent,
        &document["servers"][0]["url"],
        &written,
        &security,
        report,
    );
    Some(document)
}

struct Writer<'w, 'r> {
    agent: &'w Agent,
    report: &'w mut Report<'r>,
    security: &'w Security,
    /// The server's URL, without a trailing slash.
    base: String,
    operation_ids: UniqueNames,
    paths: Map<String, Value>,
    written: Vec<&'w Capability>,
}

impl<'w> Writer<'w, '_> {
    /// Returns the agent's URL if a call begins with it, else the origin of the first call.
    fn base(&self, agent: &Agent) -> Option<String> {
        let mut calls = agent
            .capabilities
            .iter()
            .filter_map(|it| service::call(agent, it).ok());
        let begins = |base: &&String| {
            let mut calls = agent.capabilities.iter().filter_map(|it| it.url.as_deref());
            calls.any(|url| service::below(base, url).is_some())
        };
        let own = service::api_url(agent).filter(begins).cloned();
        let first = || calls.find_map(|(_, url)| service::origin(url));
        let root = || self.report.origin.at("/").map(String::from);
        let base = own.or_else(first).or_else(root)?;
        Some(base.trim_end_matches('/').to_owned())
    }

    fn operation(&mut self, capability: &'w Capability) -> Result<(), &'static str> {
        let (method, url) = service::call(self.agent, capability)?;
        if !METHODS.contains(&method) {
            return Err("the format does not support its HTTP method");
        }
        if url.contains(['?', '#']) {
            return Err("its URL has a query, which a path cannot have");
        }
        let (server, path) = if let Some(path) = service::below(&self.base, url) {
            (None, path)
        } else {
            let origin = service::origin(url).ok_or("its URL has no host")?;
            (Some(origin), &url[url.find("://").map_or(0, |at| at + 3)..])
        };
        let path = match server {
            None => path,
            Some(_) => path.find('/').map_or("/", |at| &path[at..]),
        };
        let method = method.to_ascii_lowercase();
        let known = self.paths.get(path);
        if known.is_some_and(|item| item.get(&method).is_some()) {
            return Err("another capability has the same method and path");
        }
        let known_server = known.map(|item| item["servers"][0]["url"].as_str().map(str::to_owned));
        if known_server.is_some_and(|known| known != server) {
            return Err("a capability on another server has the same path");
        }
        let operation = self.describe(capability, &method, path);
        let item = self.paths.entry(path).or_insert_with(|| match &server {
            Some(server) => json!({"servers": [{"url": server}]}),
            None => json!({}),
        });
        item[method] = operation;
        self.written.push(capability);
        Ok(())
    }

    fn describe(&mut self, capability: &Capability, method: &str, path: &str) -> Value {
        let id = self.operation_ids.take(&capability.id);
        let mut operation = json!({"operationId": id});
        if capability.name != id {
            operation["summary"] = json!(capability.name);
        }
        if let Some(description) = &capability.description {
            operation["description"] = json!(description);
        }
        if !capability.tags.is_empty() {
            operation["tags"] = json!(capability.tags);
        }
        if capability.deprecated {
            operation["deprecated"] = json!(true);
        }
        let (parameters, body) = self.inputs(capability, method, path);
        if !parameters.is_empty() {
            operation["parameters"] = Value::Array(parameters);
        }
        if let Some(body) = body {
            operation["requestBody"] = body;
        }
        // OpenAPI requires a description of every response; the source gives only its schema.
        let mut answer = json!({"description": "The answer."});
        if let Some(schema) = &capability.output_schema {
            answer["content"] = json!({"application/json": {"schema": schema}});
        }
        operation["responses"] = json!({"default": answer});
        if let Some(alternatives) = self.security.of_one(capability) {
            operation["security"] = security::openapi(&alternatives);
        }
        operation
    }

    /// Reports whether the format of the source sends the parameters of DELETE in a JSON body: the
    /// agents.txt protocol and IntentQL do.
    fn has_json_bodies(&self) -> bool {
        let format = self.report.origin.format.as_str();
        format.starts_with("agents-json/agents-protocol") || format == IntentQl::ID.as_str()
    }

    /// Returns the parameters of path, query and header, and a body made of the others.
    ///
    /// A parameter without a location is in the query of GET and HEAD, whose requests have no body, and
    /// in the JSON body of POST, PUT and PATCH. That of DELETE is not guessed: it is in the body where
    /// the source's format says so.
    fn inputs(
        &mut self,
        capability: &Capability,
        method: &str,
        path: &str,
    ) -> (Vec<Value>, Option<Value>) {
        let mut in_path = link::path_params(path);
        let mut parameters = Vec::new();
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for Input {
            param, mut schema, ..
        } in input::inputs(capability)
        {
            if schema["type"]
                .as_str()
                .is_some_and(|kind| !TYPES.contains(&kind))
                && let Some(members) = schema.as_object_mut()
            {
                members.shift_remove("type");
                let what = format!("the type of the parameter {:?}", param.name);
                self.report.lost_of(&[capability], what);
            }
            let by_method = match method {
                "get" | "head" => Some("query"),
                "post" | "put" | "patch" => Some("body"),
                // The protocol of the source sends them in a JSON body.
                "delete" if self.has_json_bodies() => Some("body"),
                _ => None,
            };
            let is_in_path = in_path.contains(&param.name);
            let place = if is_in_path {
                Some("path")
            } else {
                param.location.as_deref().or(by_method)
            };
            match place {
                Some("body") => {
                    if param.required {
                        required.push(param.name.clone());
                    }
                    properties.insert(param.name, schema);
                }
                Some(place @ ("path" | "query" | "header")) if is_in_path || place != "path" => {
                    in_path.retain(|name| *name != param.name);
                    parameters.push(parameter(&param.name, place, param.required, schema));
                }
                _ => {
                    let what = format!(
                        "the parameter {:?}, whose location is not given,",
                        param.name
                    );
                    self.report.lost_of(&[capability], what);
                }
            }
        }
        // Every name in a path has to be described; only the name of these is known.
        for name in in_path {
            parameters.push(parameter(&name, "path", true, json!({})));
        }
        let body = (!properties.is_empty()).then(|| {
            let mut schema = json!({"type": "object", "properties": properties});
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
            json!({"required": !required.is_empty(), "content": {"application/json": {"schema": schema}}})
        });
        (parameters, body)
    }
}

/// Writes one parameter, with its description beside its schema.
fn parameter(name: &str, place: &str, required: bool, mut schema: Value) -> Value {
    let mut value = json!({"name": name, "in": place});
    let members = schema.as_object_mut();
    if let Some(description) = members.and_then(|members| members.shift_remove("description")) {
        value["description"] = description;
    }
    if required || place == "path" {
        value["required"] = json!(true);
    }
    value["schema"] = if schema.is_null() { json!({}) } else { schema };
    value
}

fn info(agent: &Agent, version: &str) -> Value {
    let mut info = json!({"title": agent.name, "version": version});
    if let Some(description) = &agent.description {
        info["description"] = json!(description);
    }
    let mut contact = Map::new();
    let mut set = |name: &str, value: &str| contact.insert(name.to_owned(), json!(value));
    if let Some(provider) = &agent.provider {
        set("name", &provider.name);
        if let Some(url) = &provider.url {
            set("url", url);
        }
    }
    if let Some(address) = agent.contact.as_deref().filter(|it| is_email(it)) {
        set("email", address);
    }
    if !contact.is_empty() {
        info["contact"] = Value::Object(contact);
    }
    info
}

fn is_email(contact: &str) -> bool {
    let parts = contact.split_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && crate::Domain::parse(host).is_ok())
}

fn account(
    agent: &Agent,
    base: &Value,
    written: &[&Capability],
    security: &Security,
    report: &mut Report<'_>,
) {
    let mut kept = vec![
        Fact::Name,
        Fact::Description,
        Fact::Version,
        Fact::Provider,
        Fact::Docs,
        Fact::Tags,
        Fact::Capabilities,
        Fact::Auth,
    ];
    let is_base = |url: &str| *base == url.trim_end_matches('/');
    for interface in &agent.interfaces {
        if interface.protocol != "rest" || !is_base(&interface.url) {
            let what = format!("the {} interface {}", interface.protocol, interface.url);
            report.lost(agent.place(Fact::Interfaces), what);
        }
    }
    kept.push(Fact::Interfaces);
    if agent.url.as_deref().is_none_or(is_base) {
        kept.push(Fact::Url);
    }
    if agent.contact.as_deref().is_none_or(is_email) {
        kept.push(Fact::Contact);
    }
    report.keep(agent, &kept);
    let mut of_capability = vec![
        CapabilityFact::Id,
        CapabilityFact::Name,
        CapabilityFact::Description,
        CapabilityFact::Method,
        CapabilityFact::Endpoint,
        CapabilityFact::Url,
        CapabilityFact::Params,
        CapabilityFact::OutputSchema,
        CapabilityFact::RequiresAuth,
        CapabilityFact::Tags,
        CapabilityFact::Deprecated,
    ];
    if written.iter().all(|it| input::is_all(it)) {
        of_capability.push(CapabilityFact::InputSchema);
    }
    report.keep_of(written.iter().copied(), &of_capability);
    let unexpressed: Vec<_> = written
        .iter()
        .copied()
        .filter(|it| !security.states(it))
        .collect();
    report.lost_of(&unexpressed, "the required authentication");
}
