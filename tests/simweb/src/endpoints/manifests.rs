//! The endpoints in the manifests of sites, by format.

use super::guard::Guard;
use super::rest::{Operation, Parameter, Place};
use super::{Endpoint, Kind, a2a, mcp};
use serde_json::{Map, Value, json};

/// Reads every manifest among some files, each with its host.
pub(super) fn endpoints<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<Endpoint> {
    let mut all = Vec::new();
    for (host, bytes) in files {
        if let Ok(text) = std::str::from_utf8(bytes) {
            read(host, text.trim_start_matches('\u{feff}'), &mut all);
        }
    }
    all
}

fn read(host: &str, text: &str, all: &mut Vec<Endpoint>) {
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
        blocks(text, all);
    }
}

/// Reads an object by the members that mark its format.
fn object(host: &str, value: &Value, all: &mut Vec<Endpoint>) {
    let has = |name: &str| value.get(name).is_some();
    if has("skills") {
        card(value, all);
    }
    if has("schema_version") && has("site") {
        agents_json(host, value, all);
    } else if value["capabilities"].is_object() && (has("base_url") || has("intents")) {
        intentql(host, value, all);
    } else if has("openapi") && has("paths") {
        openapi(value, all);
    }
    let remotes = value["remotes"].as_array();
    for remote in remotes.into_iter().flatten().chain(value.get("mcp")) {
        mcp_server(value, remote, all);
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

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
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
            price: None,
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
fn blocks(text: &str, all: &mut Vec<Endpoint>) {
    for block in text.split("\nCapability:").skip(1) {
        // The block ends with the first line that is not indented.
        let lines = block.lines().skip(1).take_while(|it| it.starts_with(' '));
        let pairs: Vec<_> = lines.filter_map(|it| it.trim().split_once(": ")).collect();
        let get = |key: &str| pairs.iter().find(|it| it.0 == key).map(|it| it.1);
        let (Some(url), Some("REST")) = (get("Endpoint"), get("Protocol")) else {
            continue;
        };
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
        let guard = match get("Auth") {
            Some("oauth2") => Guard::of_type(&json!({"type": "oauth2"})),
            _ => Guard::default(),
        };
        let method = get("Method").unwrap_or("GET");
        all.extend(Endpoint::at(url, method, guard, kind));
    }
}

fn mcp_server(card: &Value, remote: &Value, all: &mut Vec<Endpoint>) {
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
        let kind = Kind::Mcp(mcp::Server { tools });
        all.extend(Endpoint::at(url, "POST", guard.unwrap_or_default(), kind));
    }
}

/// Reads an A2A card of any version.
fn card(card: &Value, all: &mut Vec<Endpoint>) {
    let guard = Guard::of_card(card);
    let declared = list(&card["capabilities"], "extensions").iter();
    let required = declared.filter(|it| it["required"] == true);
    let extensions: Vec<_> = required
        .filter_map(|it| it["uri"].as_str().map(str::to_owned))
        .collect();
    let old = match card["protocolVersion"].as_str() {
        Some(version) => version.get(..3).unwrap_or(version),
        None if card.get("authentication").is_some() => "0.1",
        None => "0.2",
    };
    let main = json!({
        "url": card["url"], "protocolVersion": old,
        "transport": card.get("preferredTransport").unwrap_or(&json!("JSONRPC")),
    });
    let others = list(card, "supportedInterfaces")
        .iter()
        .chain(list(card, "additionalInterfaces"));
    for interface in others.chain([&main]) {
        let binding = interface["protocolBinding"]
            .as_str()
            .or_else(|| interface["transport"].as_str());
        let version = interface["protocolVersion"].as_str().unwrap_or(old);
        let Some(url) = interface["url"].as_str() else {
            continue;
        };
        let tenant = interface["tenant"].as_str();
        let url = match binding {
            Some("JSONRPC") => url.to_owned(),
            Some("HTTP+JSON") if version.starts_with('1') => {
                let tenant = tenant.map(|it| format!("/{it}")).unwrap_or_default();
                format!("{url}{tenant}/message:send")
            }
            Some("HTTP+JSON") => format!("{url}/v1/message:send"),
            _ => continue,
        };
        let kind = Kind::A2a(a2a::Agent {
            version: version.to_owned(),
            is_rpc: binding == Some("JSONRPC"),
            tenant: tenant.map(str::to_owned),
            extensions: extensions.clone(),
        });
        all.extend(Endpoint::at(&url, "POST", guard.clone(), kind));
    }
}
