//! The endpoints in the manifests of sites, by format.

use super::guard::Guard;
use super::rest::{Operation, Parameter, Place};
use super::{Answers, Endpoint, Kind, a2a, mcp};
use crate::site::Site;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Host whose files are read.
struct Host<'a> {
    name: &'a str,
    answers: Arc<Answers>,
}

/// Reads every manifest among the files of sites.
pub(super) fn endpoints(sites: &[(String, Arc<Site>)]) -> Vec<Endpoint> {
    let mut all = Vec::new();
    for (name, site) in sites {
        let answers = Arc::new(site.behaviour.answers.clone());
        let host = Host { name, answers };
        for text in site
            .contents()
            .filter_map(|it| std::str::from_utf8(it).ok())
        {
            read(&host, text.trim_start_matches('\u{feff}'), &mut all);
        }
    }
    all
}

fn read(host: &Host<'_>, text: &str, all: &mut Vec<Endpoint>) {
    if text.starts_with('{') || text.starts_with('[') || text.starts_with("openapi:") {
        // YAML is a superset of JSON that allows trailing commas.
        let is_comment = |line: &&str| line.trim_start().starts_with("//");
        let lines: Vec<_> = text.lines().filter(|it| !is_comment(it)).collect();
        let value = serde_json::from_str(text).ok();
        let value = value.or_else(|| serde_saphyr::from_str(&lines.join("\n")).ok());
        if let Some(value) = value {
            object(host, &value, all);
        }
    } else if text.contains("\nCapability:") {
        blocks(host, text, all);
    } else if let Some(url) = text.lines().find_map(|it| it.strip_prefix("MCP: ")) {
        let mut lines = text.lines();
        let auth = lines.find_map(|it| it.strip_prefix("Authorization: "));
        let guard = Guard::of_type(&json!({"type": auth}));
        mcp_server(
            host,
            &json!({"name": host.name}),
            url.trim(),
            &[],
            &guard,
            all,
        );
    }
}

/// Reads an object by the members that mark its format.
fn object(host: &Host<'_>, value: &Value, all: &mut Vec<Endpoint>) {
    let has = |name: &str| value.get(name).is_some();
    if has("skills") {
        a2a::endpoints(value, &host.answers, all);
    }
    if has("schema_version") && has("site") {
        agents_json(host.name, value, all);
    } else if has("url") && value["capabilities"].is_array() {
        zervice(host, value, all);
    } else if value["capabilities"].is_object() && (has("base_url") || has("intents")) {
        intentql(host.name, value, all);
    } else if has("openapi") && has("paths") {
        openapi(value, all);
    }
    let remotes = value["remotes"].as_array();
    for remote in remotes.into_iter().flatten().chain(value.get("mcp")) {
        remote_server(host, value, remote, all);
    }
    for tool in list(value, "tools").iter().filter(|it| it["type"] == "mcp") {
        let named = json!({
            "name": tool["id"], "title": tool["name"], "description": tool["description"],
        });
        if let Some(url) = tool["endpoint"].as_str() {
            let server = &value["agent"];
            mcp_server(host, server, url, &[named], &Guard::default(), all);
        }
    }
    for resource in list(value, "resources") {
        let price = Some(resource["accepts"][0].clone());
        let schema = &resource["parameters"];
        let parameters = properties(schema, Place::Query);
        let operation = Operation {
            parameters,
            price,
            ..Operation::default()
        };
        operation_at(resource, "url", Guard::default(), operation, all);
    }
    for action in list(value, "actions") {
        let parameters = action["parameters"].as_object();
        let parameters = parameters
            .into_iter()
            .flatten()
            .map(|(name, kind)| Parameter {
                name: name.clone(),
                place: Place::Body,
                is_required: false,
                schema: typed(&json!({"type": kind})),
            });
        let operation = Operation {
            parameters: parameters.collect(),
            ..Operation::default()
        };
        operation_at(action, "url", Guard::default(), operation, all);
    }
    for nested in list(value, "agents").iter().chain(list(value, "entries")) {
        object(host, nested.get("data").unwrap_or(nested), all);
    }
}

pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn operation_at(
    at: &Value,
    url: &str,
    guard: Guard,
    operation: Operation,
    all: &mut Vec<Endpoint>,
) {
    if let (Some(url), Some(method)) = (at[url].as_str(), at["method"].as_str()) {
        all.extend(Endpoint::at(url, method, guard, Kind::Rest(operation)));
    }
}

/// Reads a Zervice profile whose capabilities have an endpoint.
fn zervice(host: &Host<'_>, value: &Value, all: &mut Vec<Endpoint>) {
    for capability in list(value, "capabilities") {
        let name = capability["name"].as_str().unwrap_or_default();
        let path = capability["endpoint"].as_str().unwrap_or_default();
        let operation = Operation {
            parameters: properties(&capability["input_schema"], Place::Body),
            answer: host.answers.get(name).cloned(),
            ..Operation::default()
        };
        let at =
            json!({"url": format!("https://{}{path}", host.name), "method": capability["method"]});
        operation_at(&at, "url", Guard::default(), operation, all);
    }
}

/// Reads agents.json of the agents.txt protocol.
fn agents_json(host: &str, value: &Value, all: &mut Vec<Endpoint>) {
    let origin = format!("https://{host}");
    let absolute = |path: &str| format!("{origin}/{}", path.trim_start_matches('/'));
    for capability in list(value, "capabilities") {
        let (Some(path), Some(method)) = (
            capability["endpoint"].as_str(),
            capability["method"].as_str(),
        ) else {
            continue;
        };
        let method = method.to_uppercase();
        let segments = path.split('/').map(|it| match it.strip_prefix(':') {
            Some(name) => format!("{{{name}}}"),
            None => it.to_owned(),
        });
        let path = segments.collect::<Vec<_>>().join("/");
        let parameters = declared(&capability["params"], &path, &method);
        let needs_session = capability["requires_session"] == true;
        let kind = Kind::Rest(Operation {
            parameters,
            needs_session,
            ..Operation::default()
        });
        all.extend(Endpoint::at(
            &absolute(&path),
            &method,
            Guard::default(),
            kind,
        ));
    }
    let session = &value["session"];
    if let (Some(create), Some(delete)) = (session["create"].as_str(), session["delete"].as_str()) {
        all.extend(Endpoint::at(
            &absolute(create),
            "POST",
            Guard::default(),
            Kind::SessionCreation,
        ));
        all.extend(Endpoint::at(
            &absolute(delete),
            "DELETE",
            Guard::default(),
            Kind::SessionDeletion,
        ));
    }
}

fn intentql(host: &str, value: &Value, all: &mut Vec<Endpoint>) {
    let base = value["base_url"]
        .as_str()
        .map_or_else(|| format!("https://{host}"), str::to_owned);
    let named = value["capabilities"]
        .as_object()
        .into_iter()
        .flat_map(Map::values);
    for capability in named.chain(list(value, "intents")) {
        let (Some(path), Some(method)) = (
            capability["endpoint"].as_str(),
            capability["method"].as_str(),
        ) else {
            continue;
        };
        let is_guarded = capability["auth_required"] == true;
        let guard = if is_guarded {
            Guard::of_type(&value["auth"])
        } else {
            Guard::default()
        };
        let parameters = declared(&capability["parameters"], path, method);
        let kind = Kind::Rest(Operation {
            parameters,
            ..Operation::default()
        });
        let url = format!("{}{path}", base.trim_end_matches('/'));
        all.extend(Endpoint::at(&url, method, guard, kind));
    }
}

/// Reads a map of parameters by name, or a list of them.
fn declared(parameters: &Value, path: &str, method: &str) -> Vec<Parameter> {
    let named = parameters.as_object().into_iter().flatten();
    let named = named.map(|(name, it)| (name.as_str(), it));
    let listed = parameters.as_array().into_iter().flatten();
    let listed = listed.filter_map(|it| Some((it["name"].as_str()?, it)));
    let all = named.chain(listed).map(|(name, it)| Parameter {
        name: name.to_owned(),
        place: match method {
            _ if path.contains(&format!("{{{name}}}")) => Place::Path,
            "GET" => Place::Query,
            _ => Place::Body,
        },
        is_required: it["required"] == true,
        schema: typed(it),
    });
    all.collect()
}

/// Makes a schema of a parameter: only what JSON Schema knows, in its words.
fn typed(parameter: &Value) -> Value {
    let mut schema = Map::new();
    let kind = parameter["type"].as_str().unwrap_or_default();
    let is_number = matches!(kind, "number" | "integer");
    let copied = [
        ("enum", "enum"),
        ("pattern", "pattern"),
        ("items", "items"),
        ("format", "format"),
        ("min_items", "minItems"),
        ("max_items", "maxItems"),
        ("properties", "properties"),
        ("min", if is_number { "minimum" } else { "minLength" }),
        ("max", if is_number { "maximum" } else { "maxLength" }),
    ];
    for (from, to) in copied {
        if let Some(value) = parameter.get(from) {
            schema.insert(to.to_owned(), value.clone());
        }
    }
    match kind {
        "date" => {
            schema.insert("type".to_owned(), json!("string"));
            schema.insert("pattern".to_owned(), json!("^\\d{4}-\\d{2}-\\d{2}$"));
        }
        "string" | "number" | "integer" | "boolean" | "array" | "object" => {
            schema.insert("type".to_owned(), json!(kind));
        }
        _ => {}
    }
    Value::Object(schema)
}

/// Reads the properties of a schema as parameters.
fn properties(schema: &Value, place: Place) -> Vec<Parameter> {
    let required = list(schema, "required");
    let properties = schema["properties"].as_object().into_iter().flatten();
    let all = properties.map(|(name, it)| Parameter {
        name: name.clone(),
        place,
        is_required: required.iter().any(|it| it == name.as_str()),
        schema: it.clone(),
    });
    all.collect()
}

fn openapi(value: &Value, all: &mut Vec<Endpoint>) {
    let base = value["servers"][0]["url"].as_str().unwrap_or_default();
    for (path, item) in value["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let parameters = list(operation, "parameters").iter().map(|it| Parameter {
                name: it["name"].as_str().unwrap_or_default().to_owned(),
                place: if it["in"] == "path" {
                    Place::Path
                } else {
                    Place::Query
                },
                is_required: it["required"] == true,
                schema: it["schema"].clone(),
            });
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            let parameters = parameters.chain(properties(body, Place::Body)).collect();
            let kind = Kind::Rest(Operation {
                parameters,
                ..Operation::default()
            });
            let method = method.to_uppercase();
            all.extend(Endpoint::at(
                &format!("{base}{path}"),
                &method,
                Guard::default(),
                kind,
            ));
        }
    }
}

/// Reads the blocks of agents.txt 1.0.
fn blocks(host: &Host<'_>, text: &str, all: &mut Vec<Endpoint>) {
    for block in text.split("\nCapability:").skip(1) {
        // The block ends with the first line that is not indented.
        let lines = block.lines().skip(1).take_while(|it| it.starts_with(' '));
        let pairs: Vec<_> = lines.filter_map(|it| it.trim().split_once(": ")).collect();
        let get = |key: &str| pairs.iter().find(|it| it.0 == key).map(|it| it.1);
        let Some(url) = get("Endpoint") else {
            continue;
        };
        let guard = match get("Auth") {
            Some("oauth2") => Guard::of_type(&json!({"type": "oauth2"})),
            _ => Guard::default(),
        };
        match get("Protocol") {
            Some("REST") => {}
            Some("MCP") => {
                let name = block.lines().next().unwrap_or_default().trim();
                let tool = json!({"name": name, "description": get("Description")});
                mcp_server(host, &json!({"name": host.name}), url, &[tool], &guard, all);
                continue;
            }
            _ => continue,
        }
        let parameters = pairs
            .iter()
            .filter(|it| it.0 == "Param")
            .filter_map(|(_, it)| {
                let (name, rest) = it.split_once(" (")?;
                let (facts, _) = rest.split_once(')')?;
                let facts: Vec<_> = facts.split(", ").collect();
                Some(Parameter {
                    name: name.to_owned(),
                    place: if facts[0] == "body" {
                        Place::Body
                    } else {
                        Place::Query
                    },
                    is_required: facts.contains(&"required"),
                    schema: json!({"type": facts[1]}),
                })
            });
        let kind = Kind::Rest(Operation {
            parameters: parameters.collect(),
            ..Operation::default()
        });
        let method = get("Method").unwrap_or("GET");
        all.extend(Endpoint::at(url, method, guard, kind));
    }
}

/// Reads a remote of a server card, or the server of a profile.
fn remote_server(host: &Host<'_>, card: &Value, remote: &Value, all: &mut Vec<Endpoint>) {
    let url = remote["url"]
        .as_str()
        .or_else(|| remote["endpoint"].as_str());
    let required = list(remote, "headers")
        .iter()
        .find(|it| it["isRequired"] == true);
    let guard = required
        .and_then(|it| it["name"].as_str())
        .map(Guard::header);
    let tools = [list(card, "tools"), list(remote, "tools")].concat();
    if let Some(url) = url {
        mcp_server(host, card, url, &tools, &guard.unwrap_or_default(), all);
    }
}

/// Adds an MCP server, which is reached by three methods of HTTP.
fn mcp_server(
    host: &Host<'_>,
    server: &Value,
    url: &str,
    tools: &[Value],
    guard: &Guard,
    all: &mut Vec<Endpoint>,
) {
    let server = mcp::Server::new(mcp::Tools::of(server, tools, &host.answers));
    for method in ["POST", "GET", "DELETE"] {
        let kind = Kind::Mcp(server.clone());
        all.extend(Endpoint::at(url, method, guard.clone(), kind));
    }
}
