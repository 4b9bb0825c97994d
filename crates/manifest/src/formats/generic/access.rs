//! Authentication and rate limits of a profile.

use super::lookup::find;
use crate::agent::{Auth, RateLimit};
use crate::{auth, link, rate, text};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use url::Url;

/// Maximum number of ways to authenticate.
const MAX_WAYS: usize = 20;
/// Maximum number of authorization servers of one way.
const MAX_SERVERS: usize = 10;
/// Maximum number of scopes of one way.
const MAX_SCOPES: usize = 100;

/// Minimum number of words of a sentence.
const MIN_SENTENCE: usize = 4;

/// Members of an object on authentication that name schemes.
const SCHEMES: &[&str] = &[
    "type",
    "scheme",
    "schemes",
    "method",
    "methods",
    "authSchemes",
    "authentication_methods",
    "authentication",
    "authorization_type",
    "primary",
    "supported",
    "mode",
    "alternative_methods",
    "alternatives",
];
/// Members that are named after a scheme and hold its details.
const NAMED: [&str; 7] = [
    "api_key", "apiKey", "oauth", "oauth2", "bearer", "basic", "mtls",
];
const HEADERS: &[&str] = &["header", "header_name", "headerName", "api_key_header"];
const NOTES: &[&str] = &[
    "description",
    "instructions",
    "notes",
    "note",
    "how_to_get",
    "registration",
];

/// Returns the ways to authenticate that a member states, each once.
pub(in crate::formats) fn auths(value: &Value, base: &Url) -> Vec<Auth> {
    let mut ways = Vec::new();
    collect(value, base, 0, &mut ways);
    let mut distinct: Vec<Auth> = Vec::new();
    for way in ways {
        add(&mut distinct, way);
    }
    distinct
}

/// Adds a way to authenticate, unless it is known; reports whether it was added.
pub(super) fn add(ways: &mut Vec<Auth>, way: Auth) -> bool {
    let is_same =
        |other: &Auth| other.scheme == way.scheme && (way.name.is_none() || other.name == way.name);
    let is_new = ways.len() < MAX_WAYS && !ways.iter().any(is_same);
    if is_new {
        ways.push(way);
    }
    is_new
}

/// Returns whether a capability needs authentication, as its own members say.
pub(super) fn requires_auth(members: &Map<String, Value>) -> Option<bool> {
    let names: &[&'static str] = &[
        "requires_auth",
        "requiresAuth",
        "auth_required",
        "authRequired",
    ];
    let stated = find(members, names).find_map(|found| found.value.as_bool());
    stated.or_else(|| {
        find(members, &["auth", "authentication"]).find_map(|found| match found.value {
            Value::Bool(is_needed) => Some(*is_needed),
            Value::String(text) => {
                let ways = auth::of_text(text);
                let mut known = ways.iter().filter(|way| way.scheme != "other");
                let first = known.next()?;
                Some(first.scheme != "none" || known.next().is_some())
            }
            Value::Object(members) => {
                let kind = ["type", "scheme"]
                    .iter()
                    .find_map(|name| members.get(*name)?.as_str());
                let needed = kind.map(auth::scheme).filter(|scheme| *scheme != "other");
                let stated = members.get("required").and_then(Value::as_bool);
                stated.or_else(|| needed.map(|scheme| scheme != "none"))
            }
            _ => None,
        })
    })
}

/// Returns the first limit that can be read, or all limits of a map from scopes to limits.
pub(super) fn rate_limits(value: &Value) -> Vec<RateLimit> {
    const MAX_LIMITS: usize = 20;
    let is_one = |members: &Map<String, Value>| {
        let counts = ["requests", "max", "limit"];
        counts.iter().any(|name| members.contains_key(*name))
    };
    match value {
        Value::Object(scopes) if !is_one(scopes) || rate::read("default", value).is_none() => {
            let window = find(scopes, &["window", "per", "period", "interval"]);
            let window = { window }.find_map(|found| found.value.as_str());
            let limits = scopes.iter().filter_map(|(name, limit)| {
                rate::named(name, limit).or_else(|| rate::within(name, limit, window?))
            });
            limits.take(MAX_LIMITS).collect()
        }
        limit => Vec::from_iter(rate::stated("default", limit)),
    }
}

fn collect(value: &Value, base: &Url, depth: u8, ways: &mut Vec<Auth>) {
    match value {
        Value::String(text) => ways.extend(auth::of_text(text)),
        Value::Bool(false) => ways.push(Auth::of("none")),
        Value::Array(items) if depth < 3 => {
            for item in items.iter().take(MAX_WAYS) {
                collect(item, base, depth + 1, ways);
            }
        }
        Value::Object(members) if depth < 3 => of_object(members, base, depth, ways),
        Value::Null | Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
        }
    }
}

fn of_object(members: &Map<String, Value>, base: &Url, depth: u8, ways: &mut Vec<Auth>) {
    let before = ways.len();
    let text_of = |names: &[&'static str]| {
        let mut found = find(members, names);
        found
            .find_map(|found| found.value.as_str())
            .and_then(text::some)
    };
    for found in find(members, SCHEMES) {
        match (found.value, text_of(&["scheme"])) {
            // `http` says less than the scheme beside it.
            (Value::String(word), Some(scheme))
                if matches!(word.as_str(), "http" | "service_http") && *word != scheme => {}
            (Value::String(word), _) if word.starts_with("service_") => {}
            (value @ (Value::String(_) | Value::Array(_)), _) => {
                collect(value, base, depth + 1, ways);
            }
            _ => {}
        }
    }
    for name in NAMED {
        match members.get(name) {
            Some(Value::Bool(true)) => ways.push(Auth::of(name)),
            Some(Value::Object(details)) => {
                let mut way = Auth::of(name);
                detail(&mut way, details, base);
                ways.push(way);
            }
            Some(Value::String(text)) if depth == 0 => ways.push(Auth {
                description: text::some(text),
                ..Auth::of(name)
            }),
            _ => {}
        }
    }
    if ways.len() == before {
        // Schemes by names of the publisher's choice, as in OpenAPI.
        let schemes = members.values().filter(|value| value["type"].is_string());
        for scheme in schemes.take(MAX_WAYS) {
            collect(scheme, base, depth + 1, ways);
        }
    }
    if ways.len() == before {
        by_use(members, ways);
    }
    if ways.len() == before && members.get("required") == Some(&Value::Bool(false)) {
        ways.push(Auth::of("none"));
    }
    if let Some(way) = ways[before..].iter_mut().find(|way| way.scheme != "none") {
        detail(way, members, base);
    } else if let Some(way) = ways.get_mut(before) {
        way.description = way.description.take().or_else(|| text_of(NOTES));
    }
}

/// Adds the schemes that members name for a use each, as in `{"reads": "none", "writes": "bearer"}`.
fn by_use(members: &Map<String, Value>, ways: &mut Vec<Auth>) {
    let named = members.iter().filter_map(|(name, value)| {
        let word = value
            .as_str()
            .filter(|it| !it.contains(char::is_whitespace))?;
        let way = Auth::of(word);
        (way.scheme != "other").then(|| Auth {
            description: text::some(&name.replace(['_', '-'], " ")),
            ..way
        })
    });
    ways.extend(named.take(MAX_WAYS));
}

/// Adds the facts that stand beside a scheme.
fn detail(way: &mut Auth, members: &Map<String, Value>, base: &Url) {
    let text_of = |names: &[&'static str]| {
        let mut found = find(members, names);
        found
            .find_map(|found| found.value.as_str())
            .and_then(text::some)
    };
    let url_of = |names: &[&'static str]| {
        let mut found = find(members, names);
        found.find_map(|found| link::absolute(base, found.value.as_str()?))
    };
    let place = text_of(&["in", "location"])
        .filter(|it| ["header", "query", "cookie"].contains(&it.as_str()));
    if let Some(header) = text_of(HEADERS) {
        // `Authorization: Bearer TOKEN` is a header with its value.
        let name = header.split([':', ' ']).next().unwrap_or_default();
        way.name = way.name.take().or_else(|| text::some(name));
        way.location = way.location.take().or_else(|| Some("header".to_owned()));
    } else if let Some(place) = place {
        way.name = way
            .name
            .take()
            .or_else(|| text_of(&["name", "parameter", "param"]));
        way.location = way.location.take().or(Some(place));
    }
    let named = |way: &mut Option<String>, found: Option<String>| *way = way.take().or(found);
    named(
        &mut way.token_url,
        url_of(&["token_url", "tokenUrl", "tokenEndpoint", "token_endpoint"]),
    );
    named(
        &mut way.authorization_url,
        url_of(&[
            "authorization_url",
            "authorizationUrl",
            "authorization_endpoint",
        ]),
    );
    // Some give the metadata of the server where the page for people belongs.
    if let Some(url) = way
        .authorization_url
        .take_if(|url| auth::of_metadata(url).is_some())
    {
        way.metadata_url.get_or_insert(url);
    }
    named(
        &mut way.metadata_url,
        url_of(&[
            "openIdConnectUrl",
            "oauth2MetadataUrl",
            "metadata_url",
            "metadataUrl",
            "discovery_url",
            "authorization_server_metadata",
            "protected_resource_metadata",
            "resource_metadata",
        ]),
    );
    named(
        &mut way.registration_url,
        url_of(&[
            "registration",
            "registration_url",
            "registration_endpoint",
            "registrationEndpoint",
            "register_uri",
            "register_url",
        ]),
    );
    named(
        &mut way.docs,
        url_of(&[
            "docs",
            "docs_url",
            "docsUrl",
            "documentation",
            "documentation_url",
        ]),
    );
    named(
        &mut way.description,
        text_of(NOTES).or_else(|| instructions(members)),
    );
    named(&mut way.token_format, text_of(&["bearerFormat", "format"]));
    let servers = [
        "authorization_servers",
        "authorizationServers",
        "authorization_server",
        "issuer",
    ];
    let servers = servers.iter().filter_map(|name| members.get(*name));
    for server in servers.flat_map(|value| {
        value
            .as_array()
            .map_or(std::slice::from_ref(value), Vec::as_slice)
    }) {
        let url = server.as_str().and_then(|it| link::absolute(base, it));
        way.authorization_servers
            .extend(url.filter(|_| way.authorization_servers.len() < MAX_SERVERS));
    }
    if way.scopes.is_empty() {
        (way.scopes, way.scope_descriptions) = scopes(members.get("scopes"));
    }
}

/// Returns the first sentence beside a scheme, whatever its name: it says how to get or send the credential.
fn instructions(members: &Map<String, Value>) -> Option<String> {
    let is_known = |name: &str| SCHEMES.contains(&name) || HEADERS.contains(&name);
    let is_sentence = |it: &&str| it.split_whitespace().nth(MIN_SENTENCE - 1).is_some();
    let others = members.iter().filter(|(name, _)| !is_known(name));
    let mut sentences = others
        .filter_map(|(_, value)| value.as_str())
        .filter(is_sentence);
    sentences.find_map(text::some)
}

/// Returns the scopes of a list, or of a map from scopes to their meanings.
pub(in crate::formats) fn scopes(value: Option<&Value>) -> (Vec<String>, BTreeMap<String, String>) {
    match value {
        Some(Value::Object(members)) => {
            let scopes = members.keys().filter_map(|scope| text::some(scope));
            let described = members.iter().filter_map(|(scope, value)| {
                Some((text::some(scope)?, text::some(value.as_str()?)?))
            });
            (
                text::distinct(scopes.take(MAX_SCOPES)),
                described.take(MAX_SCOPES).collect(),
            )
        }
        Some(Value::Array(items)) => {
            let scopes = items.iter().filter_map(|it| text::some(it.as_str()?));
            (text::distinct(scopes.take(MAX_SCOPES)), BTreeMap::new())
        }
        _ => (Vec::new(), BTreeMap::new()),
    }
}
