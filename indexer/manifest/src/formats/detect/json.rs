//! The tests on JSON values, in order (`docs/formats.md`, "Detection").

use super::{FormatId, UNRECOGNISED, mcp};
use crate::formats::{generic, wrapped_agents};
use serde_json::{Map, Value};

pub(super) type Object = Map<String, Value>;

/// The MCP server card: its paths decide for an empty array (MC-01) and for ambiguous members.
const MCP_CARD: FormatId = FormatId("mcp-server-card");
/// The format of a list of servers, for which a path of MCP is enough evidence.
const WRAPPED: FormatId = FormatId("wrapped-agents");

/// One test; the first one that holds determines the format.
struct Test {
    format: FormatId,
    holds: fn(&Object) -> bool,
}

const fn test(format: &'static str, holds: fn(&Object) -> bool) -> Test {
    Test {
        format: FormatId(format),
        holds,
    }
}

/// The tests in order. Members that only one format has are tested before common ones (`agents`,
/// `intents`, `skills`, `capabilities`), which would match the same documents.
const TESTS: &[Test] = &[
    test("openapi", |o| {
        is_version(o, "openapi") || is_version(o, "swagger")
    }),
    test("json-agents", |o| {
        o.contains_key("manifest_version")
            || text_in(o, "agent", "id").is_some_and(|id| id.starts_with("ajson:"))
    }),
    test("wildcard-agents-json", |o| text(o, "agentsJson").is_some()),
    test("agent-policy-0.1", |o| o.contains_key("agentPolicyVersion")),
    test("rfc9727-linkset", |o| array(o, "linkset").is_some()),
    test("ai-catalog", is_ai_catalog),
    test("ai-plugin", |o| o.contains_key("name_for_model")),
    test("anp-collection", |o| {
        is_type(o, |name| name.ends_with("CollectionPage")) && o.contains_key("items")
    }),
    test("anp-agent-description", |o| {
        text(o, "protocolType") == Some("ANP")
            || is_type(o, |name| name.ends_with("AgentDescription"))
    }),
    test("oasf", |o| {
        array(o, "authors").is_some()
            && o.contains_key("schema_version")
            && array(o, "skills").is_some()
    }),
    test("agents-json/agents-txt-com", is_agents_txt_com),
    test("agents-json/agents-txt-1.0", |o| {
        object(o, "site").is_some() && o.contains_key("specVersion")
    }),
    test("agents-json/agents-protocol-legacy", |o| {
        object(o, "site").is_some() && o.contains_key("protocol_version")
    }),
    test("agents-json/agents-protocol", |o| {
        let of_site = object(o, "site").is_some()
            && (o.contains_key("schema_version") || o.contains_key("capabilities"));
        let first_has_endpoint = || {
            let first = array(o, "capabilities").and_then(|items| items.first());
            first.is_some_and(|first| first.get("endpoint").is_some())
        };
        of_site || (o.contains_key("schema_version") && first_has_endpoint())
    }),
    test("mcp-registry-server", |o| {
        has_namespaced_name(o) && (o.contains_key("packages") || o.contains_key("version_detail"))
    }),
    test("mcp-server-card", |o| {
        text(o, "$schema").is_some_and(|schema| schema.contains("server-card.schema.json"))
            || (has_namespaced_name(o) && o.contains_key("remotes"))
            || object(o, "serverInfo").is_some()
            || (text(o, "serverUrl").is_some() && o.contains_key("transport"))
    }),
    test("agent-identity-kit", |o| {
        object(o, "agent").is_some() && object(o, "owner").is_some()
    }),
    test("agent-identity-kit-team", |o| {
        array(o, "agents")
            .is_some_and(|agents| agents.iter().any(|agent| agent.get("card").is_some()))
    }),
    test("erc-8004", |o| {
        text(o, "type")
            .is_some_and(|kind| kind.starts_with("https://eips.ethereum.org/EIPS/eip-8004"))
    }),
    test("open-agent-json", |o| {
        o.contains_key("payout_address") && o.contains_key("intents")
    }),
    test("awp", |o| o.contains_key("awp_version")),
    test("ahp", |o| o.contains_key("ahp") && o.contains_key("modes")),
    test("w2a", |o| {
        let has_steps =
            |skills: &Vec<Value>| skills.iter().any(|skill| skill.get("steps").is_some());
        o.contains_key("w2a") || array(o, "skills").is_some_and(has_steps)
    }),
    test("agentnav", |o| {
        o.contains_key("agentnav")
            || (o.contains_key("intent_map") && o.contains_key("pages"))
            || (o.contains_key("agents_txt_version") && o.contains_key("sections"))
    }),
    test("agent-skills-index", |o| {
        let is_named = text(o, "$schema").is_some_and(|schema| {
            schema.contains("agent-skills") || schema.contains("agentskills")
        });
        is_named && array(o, "skills").is_some()
    }),
    test("x402", |o| o.contains_key("x402Version")),
    test("ucp", |o| object(o, "ucp").is_some()),
    test("webmcp", |o| {
        text(o, "spec").is_some_and(|spec| spec.to_ascii_lowercase().contains("webmcp"))
    }),
    test("acp", |o| text_in(o, "protocol", "name") == Some("acp")),
    test("wrapped-agents", |o| {
        array(o, "agents")
            .is_some_and(|agents| !agents.is_empty() && agents.iter().all(Value::is_object))
    }),
    test("intentql-intents", |o| array(o, "intents").is_some()),
    test("jmilinovich", |o| {
        object(o, "intents").is_some() || object(o, "site_info").is_some()
    }),
    test("a2a-agent-card", is_agent_card),
    test("intentql", |o| {
        object(o, "capabilities").is_some_and(|map| map.values().all(Value::is_object))
    }),
    test("zervice-single", |o| {
        array(o, "capabilities").is_some() && text(o, "name").is_some()
    }),
    test("intentql", |o| {
        let has = |name| o.contains_key(name);
        let has_its_members = has("auth") || has("rate_limits") || has("base_url");
        object(o, "capabilities").is_some() || (has("name") && has("version") && has_its_members)
    }),
    test("agents-wrapper", |o| match o.get("agents") {
        Some(Value::Object(_)) => true,
        Some(Value::Array(items)) => items
            .iter()
            .any(|item| item.is_string() || item.is_object()),
        _ => false,
    }),
    test("profile", generic::is_readable),
    test("wrapped-agents", wrapped_agents::holds_agent),
];

/// Returns the format of a JSON value found at `path`, which is empty for an item of a list.
pub(super) fn format(value: &Value, path: &str) -> FormatId {
    let object = match value {
        Value::Object(object) => object,
        Value::Array(items) if items.is_empty() && by_path(path) == Some(MCP_CARD) => {
            return MCP_CARD;
        }
        Value::Array(items) => return array_format(items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return UNRECOGNISED,
    };
    let first = TESTS.iter().find(|test| (test.holds)(object));
    let format = first.map_or(UNRECOGNISED, |test| test.format);
    if mcp::is_place(path) {
        if mcp::is_server(object, format.0) {
            return MCP_CARD;
        }
        if format == UNRECOGNISED && wrapped_agents::has_servers(object) {
            return WRAPPED;
        }
    }
    let is_open = matches!(format.0, "profile" | "zervice-single" | "unrecognised");
    let by_path = || by_path(path).filter(|_| is_open && is_ambiguous(object));
    by_path().unwrap_or(format)
}

/// Returns the format of an array: Zervice, whose reader detects each element by itself.
///
/// The exception is an array of documents of the agents.txt protocol.
fn array_format(items: &[Value]) -> FormatId {
    let is_protocol = |item: &Value| {
        item.get("site").is_some_and(Value::is_object) && item.get("schema_version").is_some()
    };
    if !items.is_empty() && items.iter().all(is_protocol) {
        FormatId("agents-json/agents-protocol")
    } else {
        FormatId("zervice")
    }
}

/// Returns true for content that could be in several formats: `{name, description, version}`, also
/// with an empty `capabilities` array, and `{entries: []}`.
fn is_ambiguous(object: &Object) -> bool {
    const BARE: [&str; 5] = ["name", "description", "version", "capabilities", "$schema"];
    let is_empty_array = |name| array(object, name).is_some_and(Vec::is_empty);
    let is_bare = object.keys().all(|key| BARE.contains(&key.as_str()))
        && text(object, "name").is_some_and(|name| !name.trim().is_empty())
        && object.contains_key("version")
        && (!object.contains_key("capabilities") || is_empty_array("capabilities"));
    is_bare || (object.len() == 1 && is_empty_array("entries"))
}

/// Returns the format that the path implies; used for ambiguous content only.
fn by_path(path: &str) -> Option<FormatId> {
    const PATHS: [(&str, &str); 9] = [
        ("agent-card.json", "a2a-agent-card"),
        ("agent.json", "intentql"),
        ("agents.json", "agents-json/agents-protocol"),
        ("ai-catalog.json", "ai-catalog"),
        ("ard.json", "ai-catalog"),
        ("server-card.json", "mcp-server-card"),
        ("server-card", "mcp-server-card"),
        ("mcp-server-card", "mcp-server-card"),
        ("mcp.json", "mcp-server-card"),
    ];
    let name = path.rsplit('/').next()?;
    let found = PATHS.into_iter().find(|(file, _)| *file == name);
    found.map(|(_, format)| FormatId(format))
}

fn is_ai_catalog(o: &Object) -> bool {
    let any_has = |name, member| {
        array(o, name).is_some_and(|items| items.iter().any(|item| item.get(member).is_some()))
    };
    let has_version = o.contains_key("specVersion");
    (array(o, "entries").is_some() && (has_version || any_has("entries", "identifier")))
        || (has_version && (any_has("agents", "cardUrl") || any_has("records", "cardUrl")))
}

fn is_agents_txt_com(o: &Object) -> bool {
    let names_it = |name| text(o, name).is_some_and(|value| value.contains("agents-txt.com"));
    let has_its_objects = ["payments", "authorization"]
        .into_iter()
        .any(|name| object(o, name).is_some());
    let has_its_arrays = ["mcp", "a2a", "ucp", "webmcp"]
        .into_iter()
        .any(|name| array(o, name).is_some());
    names_it("standard")
        || names_it("$schema")
        || (object(o, "site").is_some() && (has_its_objects || has_its_arrays))
}

fn is_agent_card(o: &Object) -> bool {
    const FLAGS: [&str; 4] = [
        "streaming",
        "pushNotifications",
        "stateTransitionHistory",
        "extendedAgentCard",
    ];
    let has = |name| o.contains_key(name);
    let capabilities_are_flags = object(o, "capabilities")
        .is_some_and(|map| FLAGS.iter().any(|flag| map.contains_key(*flag)));
    array(o, "supportedInterfaces").is_some()
        || (array(o, "skills").is_some() && array(o, "capabilities").is_none())
        || capabilities_are_flags
        || has("preferredTransport")
        || has("additionalInterfaces")
        || has("securitySchemes")
        || has("supportsAuthenticatedExtendedCard")
        || (has("defaultInputModes") && has("defaultOutputModes"))
}

/// Returns true if the member is a version; a link to an `OpenAPI` document is not.
fn is_version(object: &Object, name: &str) -> bool {
    text(object, name)
        .is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

fn text<'o>(object: &'o Object, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str)
}

fn text_in<'o>(outer: &'o Object, name: &str, member: &str) -> Option<&'o str> {
    object(outer, name).and_then(|inner| text(inner, member))
}

fn array<'o>(object: &'o Object, name: &str) -> Option<&'o Vec<Value>> {
    object.get(name).and_then(Value::as_array)
}

fn object<'o>(outer: &'o Object, name: &str) -> Option<&'o Object> {
    outer.get(name).and_then(Value::as_object)
}

/// Tests the JSON-LD type, `@type` or `type`, which is a name or an array of names.
fn is_type(object: &Object, holds: impl Fn(&str) -> bool) -> bool {
    match object.get("@type").or_else(|| object.get("type")) {
        Some(Value::String(name)) => holds(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(holds),
        _ => false,
    }
}

/// Returns true for a name of the form `namespace/name`, as MCP requires.
fn has_namespaced_name(object: &Object) -> bool {
    text(object, "name").is_some_and(|name| {
        name.split_once('/').is_some_and(|(namespace, rest)| {
            !namespace.is_empty() && !rest.is_empty() && !name.contains(' ')
        })
    })
}
