//! Conversion of server cards to the normalized model.

use super::card::{Authentication, Card, Generation, Remote, ServerInfo, Tool};
use super::package;
use crate::agent::{Auth, Interface, Param};
use crate::field::Field;
use crate::format::Input;
use crate::formats::generic;
use crate::{Agent, Capability, auth, extension, link, schema, text};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Maximum number of tools that are read of one card.
const MAX_TOOLS: usize = 500;

/// Maximum number of headers and variables of one remote.
const MAX_PARAMS: usize = 50;

pub(super) fn normalize(card: &Card, input: &Input<'_>) -> Agent {
    let document = input.document;
    let of_info =
        |text: fn(&ServerInfo) -> Option<String>| card.info().and_then(|(_, it)| text(it));
    let absolute = |field: &Field<String>| link::absolute(&document.url, field.raw()?);
    let detail = card.version_detail.get();
    let interfaces = interfaces(card, input);
    let icon = card.icons.items().find_map(|(_, icon)| absolute(&icon.src));
    let mut extensions = card.unknown.clone();
    if let Some(repository) = input.value.get("repository").filter(|it| !it.is_null()) {
        extensions.insert("repository".to_owned(), repository.clone());
    }
    // The oldest generation versions the card itself with the outer member.
    let of_server = || of_info(|info| info.version.text());
    let outer = || card.version.text();
    let of_detail = || detail.and_then(|detail| detail.version.text());
    let version = if card.generation() == Generation::Nested {
        of_server().or_else(outer)
    } else {
        outer().or_else(of_detail).or_else(of_server)
    };
    let packages = input.value.get("packages").filter(|it| !it.is_null());
    let packages = packages.map(|packages| ("packages".to_owned(), packages.clone()));
    // The registry marks servers that it no longer offers.
    let status = extensions.shift_remove("status");
    let withdrawn = ["deprecated", "deleted"].into_iter();
    let mut withdrawn = withdrawn.filter(|word| status.as_ref().is_some_and(|it| it == word));
    let tags = withdrawn.next().map(str::to_owned).into_iter().collect();
    let status = status.map(|status| ("status".to_owned(), status));
    Agent {
        key: card.name.text().unwrap_or_default(),
        name: (card.title.text())
            .or_else(|| of_info(|info| info.title.text()))
            .or_else(|| of_info(|info| info.display_name.text()))
            .or_else(|| card.name.text())
            .or_else(|| of_info(|info| info.name.text()))
            .unwrap_or_default(),
        description: (card.description.text()).or_else(|| of_info(|info| info.description.text())),
        version,
        url: interfaces.first().map(|interface| interface.url.clone()),
        homepage: absolute(&card.website_url).or_else(|| absolute(&card.homepage)),
        docs: absolute(&card.documentation_url).or_else(|| absolute(&card.documentation)),
        logo: icon.or_else(|| absolute(&card.icon)),
        capabilities: tools(card),
        auth: auths(card, input),
        interfaces,
        programs: package::programs(card),
        tags,
        specified: extension::kept(packages.into_iter().chain(status)),
        extensions,
        ..Agent::default()
    }
}

/// Returns the remotes; older generations have one endpoint in one of several members.
fn interfaces(card: &Card, input: &Input<'_>) -> Vec<Interface> {
    let remote = |remote: &Remote| {
        let kind = remote.kind.text().or_else(|| remote.transport_type.text());
        // `{host}/mcp` is a template, not an endpoint.
        let url = remote
            .url
            .raw()
            .filter(|url| !url.starts_with(['{', '$', '<']))?;
        Some(Interface {
            protocol: "mcp".to_owned(),
            version: remote.protocol_versions.texts().into_iter().max(),
            url: link::absolute_template(&input.document.url, url)?,
            transport: kind,
            params: params(remote),
            ..Interface::default()
        })
    };
    let remotes = card.remotes.items();
    let mut remotes: Vec<_> = remotes.filter_map(|(_, it)| remote(it)).collect();
    let mut seen = HashSet::new();
    remotes.retain(|it: &Interface| {
        let address = it.url.trim_end_matches('/').to_owned();
        seen.insert((address, it.transport.clone()))
    });
    if !remotes.is_empty() || card.generation() == Generation::Registry {
        return remotes;
    }
    let endpoint = card
        .transport_text("endpoint")
        .or_else(|| card.transport_text("url"))
        .or_else(|| card.server_url.raw())
        .or_else(|| card.endpoint.raw())
        .or_else(|| card.endpoints.get()?.mcp.raw())
        .or_else(|| card.url.raw())
        .or_else(|| card.info()?.1.url.raw());
    let listed = input.value.get("transports").and_then(Value::as_array);
    let mut listed = listed.into_iter().flatten().filter_map(Value::as_str);
    let transport = card
        .transport_text("type")
        .or_else(|| listed.find(|word| is_remote(word)));
    let is_served = transport.is_none_or(is_remote);
    let endpoint = endpoint.filter(|_| is_served);
    let url = endpoint.and_then(|url| generic::endpoint(input, url));
    let version = ["protocolVersion", "protocol_version"]
        .iter()
        .find_map(|name| text::some(input.value.get(*name)?.as_str()?));
    url.map(|url| Interface {
        protocol: "mcp".to_owned(),
        version,
        url,
        transport: transport.and_then(text::some),
        params: outer_headers(card, input),
        ..Interface::default()
    })
    .into_iter()
    .collect()
}

/// Reports whether a transport reaches a server over the network; some cards only document one.
fn is_remote(transport: &str) -> bool {
    let word = transport.to_ascii_lowercase();
    ["http", "sse", "socket", "stream", "rpc", "mcp"]
        .iter()
        .any(|part| word.contains(part))
}

/// Returns the headers that hand-written cards state for the server.
fn outer_headers(card: &Card, input: &Input<'_>) -> Vec<Param> {
    let connection = card.connection.get().or(card.transport.get());
    let inner = connection.and_then(Value::as_object);
    let places = [inner, input.value.as_object()];
    let mut headers = places.into_iter().flatten().map(generic::headers);
    headers
        .find(|headers| !headers.is_empty())
        .unwrap_or_default()
}

/// Returns the headers that a remote asks for, and the variables of its URL.
fn params(remote: &Remote) -> Vec<Param> {
    let headers = remote.headers.items().filter_map(|(_, header)| {
        let value = header.value.text();
        Some(Param {
            name: header.name.text()?,
            location: Some("header".to_owned()),
            kind: Some("string".to_owned()),
            description: header.description.text().or_else(|| value.clone()),
            // A secret is needed unless the header says that it is not.
            required: *(header.is_required.get())
                .or(header.is_secret.get())
                .unwrap_or(&false),
            default: value.filter(|value| !value.contains('{')).map(Value::from),
            ..Param::default()
        })
    });
    // A variable of the host is not in the path.
    let path = remote.url.raw().and_then(|url| url.splitn(4, '/').nth(3));
    let is_in_path = |name: &str| path.is_some_and(|path| path.contains(&format!("{{{name}}}")));
    let variables = remote.variables.members().filter_map(|(name, variable)| {
        let description = variable["description"].as_str();
        let name = text::some(name)?;
        Some(Param {
            name: name.clone(),
            location: is_in_path(&name).then(|| "path".to_owned()),
            kind: Some("string".to_owned()),
            description: description.and_then(text::some),
            required: variable["isRequired"] == true,
            default: variable.get("default").cloned(),
            choices: variable["choices"].as_array().cloned().unwrap_or_default(),
        })
    });
    headers.chain(variables).take(MAX_PARAMS).collect()
}

/// Returns the authentication of older generations, otherwise the secret headers of the remotes.
fn auths(card: &Card, input: &Input<'_>) -> Vec<Auth> {
    let mut auths: Vec<Auth> = Vec::new();
    let mut add = |auth: Auth| {
        if !auths.contains(&auth) {
            auths.push(auth);
        }
    };
    let stated = ["authentication", "auth"]
        .iter()
        .filter_map(|name| input.value.get(*name));
    for value in stated {
        for way in generic::auths(value, &input.document.url) {
            add(way);
        }
    }
    let remotes = card.remotes.items();
    let (mut of_headers, mut is_optional) = (Vec::new(), true);
    for (_, header) in remotes.flat_map(|(_, remote)| remote.headers.items()) {
        let is_secret = header.is_secret.get() == Some(&true);
        let Some(name) = header.name.text().filter(|_| is_secret) else {
            continue;
        };
        let value = header.value.raw().unwrap_or_default();
        let scheme = match value.split_once(' ') {
            Some((scheme, _)) if auth::scheme(scheme) != "other" => auth::scheme(scheme),
            // Some say it in words only: "Bearer token of your account".
            Some(_) | None => header
                .description
                .raw()
                .filter(|_| name.eq_ignore_ascii_case("authorization"))
                .and_then(|words| words.split_whitespace().next())
                .map(auth::scheme)
                .filter(|scheme| ["bearer", "basic"].contains(scheme))
                .unwrap_or("api_key"),
        };
        of_headers.push(Auth {
            scheme: scheme.to_owned(),
            location: Some("header".to_owned()),
            name: Some(name),
            ..Auth::default()
        });
        is_optional &= header.is_required.get() == Some(&false);
    }
    if is_optional && !of_headers.is_empty() {
        add(Auth::of("none"));
    }
    of_headers.into_iter().for_each(add);
    auths
}

fn authentication(card: &Card) -> Option<&Authentication> {
    card.authentication.get().or(card.auth.get())
}

fn tools(card: &Card) -> Vec<Capability> {
    let requires_auth = authentication(card).and_then(|authentication| {
        let kind = authentication.kind.raw();
        let names_scheme = kind.is_some_and(|kind| auth::scheme(kind) != "none")
            || authentication.schemes.items().next().is_some();
        // Schemes that are not required are an option for some of the tools.
        let required = authentication.required.get().copied();
        let required = required.filter(|is_required| *is_required || !names_scheme);
        if required.is_none() && authentication.required.get().is_some() {
            return None;
        }
        required.or_else(|| kind.map(|kind| auth::scheme(kind) != "none"))
    });
    let items = card.tools.get().map_or(&[][..], Vec::as_slice);
    let tools = items.iter().enumerate().take(MAX_TOOLS);
    tools
        .filter_map(|(index, item)| {
            let capability = match item {
                Field::Is(tool) => tool_as_capability(tool)?,
                Field::Wrong(Value::String(name)) => Capability {
                    id: text::some(name)?,
                    name: text::some(name)?,
                    ..Capability::default()
                },
                Field::Wrong(_) | Field::Absent => return None,
            };
            Some(Capability {
                requires_auth,
                pointer: format!("/tools/{index}"),
                ..capability
            })
        })
        .collect()
}

fn tool_as_capability(tool: &Tool) -> Option<Capability> {
    let name = tool.name.text().or_else(|| tool.title.text())?;
    let input_schema = input_schema(tool);
    Some(Capability {
        id: name.clone(),
        name,
        description: tool.description.text().or_else(|| tool.title.text()),
        params: input_schema
            .as_ref()
            .map_or_else(Vec::new, schema::params_of),
        input_schema,
        output_schema: object(&tool.output_schema).cloned(),
        ..Capability::default()
    })
}

/// Returns the published schema; a bare map from parameters to their schemas is converted to one.
fn input_schema(tool: &Tool) -> Option<Value> {
    if let Some(schema) = object(&tool.input_schema).or(object(&tool.snake_case_schema)) {
        return Some(schema.clone());
    }
    let parameters = object(&tool.parameters)?;
    let is_schema = parameters["type"].is_string() || parameters["properties"].is_object();
    if is_schema {
        return Some(parameters.clone());
    }
    let mut schemas = parameters.as_object()?.values();
    if schemas.all(Value::is_object) {
        return Some(json!({"type": "object", "properties": parameters}));
    }
    schema::published(parameters).1
}

fn object(field: &Field<Value>) -> Option<&Value> {
    field.get().filter(|schema| schema.is_object())
}

#[cfg(test)]
mod tests {
    use crate::document::sample;
    use crate::formats::read;
    use serde_json::json;

    #[test]
    fn a_header_that_is_not_required_is_an_option_beside_none() {
        let schemes = |is_required: bool| {
            let header = json!({"name": "X-Key", "isSecret": true, "isRequired": is_required});
            let card = json!({
                "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
                "name": "example.mugs/mugs", "description": "Sells mugs.", "version": "1.0.0",
                "remotes": [{
                    "type": "streamable-http", "url": "https://mugs.example/mcp", "headers": [header],
                }],
            });
            let place = "/.well-known/mcp/server-card.json";
            let reading = read(&sample("mugs.example", place, card.to_string()));
            let ways = reading.agents[0].auth.iter();
            ways.map(|it| it.scheme.clone()).collect::<Vec<_>>()
        };
        assert_eq!(schemes(false), ["none", "api_key"]);
        assert_eq!(schemes(true), ["api_key"]);
    }
}
