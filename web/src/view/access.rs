//! Interfaces, authentication and rate limits, in words.

use super::place::PlaceLink;
use super::{WebLink, foreign, grouped, inline};
use manifest::agent::{Auth, Interface, Param, RateLimit};

/// Maximum number of headers and variables of an interface that are shown.
const MAX_PARAMS: usize = 20;
/// Maximum number of scopes whose meaning is shown.
const MAX_SCOPES: usize = 50;
/// Authentication of an agent that requires none.
pub(crate) const NO_KEY: &str = "no key needed";

/// Interface of an agent.
#[derive(Clone, Debug)]
pub(crate) struct InterfaceView {
    /// Protocol and version: `A2A 0.3`.
    pub(crate) protocol: String,
    /// Binding.
    pub(crate) transport: Option<String>,
    /// Address.
    pub(crate) link: WebLink,
    /// Tenant to name in calls.
    pub(crate) tenant: Option<String>,
    /// True if the publisher prefers it.
    pub(crate) is_preferred: bool,
    /// Owner of the address, if it is not the site.
    pub(crate) stranger: Option<String>,
    /// True if an interface before it has the same owner.
    pub(crate) repeats_stranger: bool,
    /// True if the interface before it has the same address.
    pub(crate) repeats_address: bool,
    /// Headers and variables of the address, in words.
    pub(crate) params: Vec<String>,
    /// Document and place that state it.
    pub(crate) source: Option<PlaceLink>,
}

impl InterfaceView {
    /// Converts an interface, whose address belongs to `stranger` if that is not the site.
    pub(crate) fn of(interface: &Interface, stranger: Option<String>) -> Self {
        Self {
            protocol: versioned(interface),
            transport: interface.transport.as_deref().map(transport_title),
            link: WebLink::of(&interface.url),
            tenant: interface.tenant.clone(),
            is_preferred: interface.preferred,
            stranger,
            repeats_stranger: false,
            repeats_address: false,
            source: None,
            params: interface
                .params
                .iter()
                .take(MAX_PARAMS)
                .map(param_words)
                .collect(),
        }
    }
}

/// Describes a header or a variable: `Header X-Key (required): the key of your account`.
fn param_words(param: &Param) -> String {
    let kind = match param.location.as_deref() {
        Some("header") => "Header",
        _ => "Variable",
    };
    let mut text = format!("{kind} {}", param.name);
    if param.required {
        text.push_str(" (required)");
    }
    if let Some(description) = &param.description {
        text = format!("{text}: {description}");
    }
    if !param.choices.is_empty() {
        let choices: Vec<_> = param.choices.iter().take(MAX_PARAMS).map(inline).collect();
        text = format!("{text}; one of {}", choices.join(", "));
    }
    if let Some(default) = &param.default {
        text = format!("{text}; default {}", inline(default));
    }
    foreign(&text)
}

/// Authentication scheme.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// Description.
    pub(crate) words: String,
    /// Callers for whom it is an alternative to none, in words.
    pub(crate) instead: Option<&'static str>,
    /// Explanation by the publisher.
    pub(crate) description: Option<String>,
    /// Scopes with their meaning.
    pub(crate) scopes: Vec<(String, String)>,
    /// Related links with their labels.
    pub(crate) links: Vec<(&'static str, WebLink)>,
}

impl Key {
    /// Converts schemes, of which callers choose one.
    pub(crate) fn all(schemes: &[Auth]) -> Vec<Self> {
        let is_none = |it: &Auth| it.scheme == "none";
        let is_open = schemes.iter().any(is_none);
        // The way that is open to everybody comes first; the others are alternatives to it.
        let (open, others): (Vec<_>, Vec<_>) = schemes.iter().partition(|it| is_none(it));
        let others = others.into_iter().map(|it| Self {
            instead: is_open.then(|| holder(&it.scheme)),
            ..Self::of(it)
        });
        open.into_iter().map(Self::of).chain(others).collect()
    }

    /// Converts a scheme.
    pub(crate) fn of(auth: &Auth) -> Self {
        let links = [
            ("Authorize at", &auth.authorization_url),
            ("Tokens from", &auth.token_url),
            ("Metadata for programs", &auth.metadata_url),
            ("Agents register at", &auth.registration_url),
            ("How to get access", &auth.docs),
        ];
        Self {
            words: words(auth),
            instead: None,
            description: auth.description.clone(),
            scopes: auth
                .scope_descriptions
                .iter()
                .filter(|(_, meaning)| !meaning.is_empty())
                .take(MAX_SCOPES)
                .map(|(scope, meaning)| (foreign(scope), foreign(meaning)))
                .collect(),
            links: links
                .into_iter()
                .filter_map(|(label, url)| Some((label, url.as_ref()?)))
                .chain(
                    auth.authorization_servers
                        .iter()
                        .map(|url| ("Tokens are issued by", url)),
                )
                .map(|(label, url)| (label, WebLink::of(url)))
                .collect(),
        }
    }
}

/// Returns the title of a protocol.
pub(crate) fn protocol_title(protocol: &str) -> String {
    match protocol {
        "a2a" => "A2A".to_owned(),
        "mcp" => "MCP".to_owned(),
        "rest" => "REST".to_owned(),
        "interaction-api" => "Interaction API".to_owned(),
        "openapi" => "OpenAPI".to_owned(),
        "graphql" => "GraphQL".to_owned(),
        "websocket" => "WebSocket".to_owned(),
        "grpc" => "gRPC".to_owned(),
        "webmcp" => "WebMCP".to_owned(),
        "oasf" => "OASF".to_owned(),
        other => foreign(other),
    }
}

/// Returns the title of an interface's protocol with its version.
pub(crate) fn versioned(interface: &Interface) -> String {
    let title = protocol_title(&interface.protocol);
    match &interface.version {
        Some(version) => format!("{title} {version}"),
        None => title,
    }
}

/// Returns the title of a binding.
pub(crate) fn transport_title(transport: &str) -> String {
    match transport {
        "JSONRPC" => "JSON-RPC".to_owned(),
        "HTTP+JSON" => "HTTP and JSON".to_owned(),
        "GRPC" => "gRPC".to_owned(),
        "streamable-http" => "streamable HTTP".to_owned(),
        "sse" => "server-sent events".to_owned(),
        other => foreign(other),
    }
}

/// Returns an authentication scheme in a word or two.
pub(crate) fn scheme_word(scheme: &str) -> &str {
    match scheme {
        "none" => NO_KEY,
        "basic" => "HTTP Basic",
        "mtls" => "client certificate",
        "hmac" => "signed requests",
        "other" => "own scheme",
        other => scheme_title(other),
    }
}

/// Returns the title of an authentication scheme.
pub(crate) fn scheme_title(scheme: &str) -> &str {
    match scheme {
        "none" => "No authentication",
        "api_key" => "API key",
        "oauth2" => "OAuth 2",
        "bearer" => "Bearer token",
        "basic" => "User name and password (HTTP Basic)",
        "openid" => "OpenID Connect",
        "mtls" => "Client certificate (mutual TLS)",
        "hmac" => "Signed requests (HMAC)",
        "other" => "Own scheme",
        "unknown" => "Not stated",
        other => other,
    }
}

/// Returns the callers who use an authentication scheme where none is needed.
fn holder(scheme: &str) -> &'static str {
    match scheme {
        "api_key" => "callers with a key",
        "oauth2" | "bearer" | "openid" => "callers with a token",
        "basic" => "callers with an account",
        "mtls" => "callers with a certificate",
        _ => "callers with credentials",
    }
}

/// Describes a rate limit: `60 calls a minute`.
pub(crate) fn limit_words(limit: &RateLimit) -> String {
    let window = match limit.window_s {
        1 => "second".to_owned(),
        60 => "minute".to_owned(),
        3_600 => "hour".to_owned(),
        86_400 => "day".to_owned(),
        seconds => format!("{} seconds", grouped(seconds)),
    };
    let calls = if limit.limit == 1 { "call" } else { "calls" };
    let article = match limit.window_s {
        1 | 60 | 86_400 => "a",
        3_600 => "an",
        _ => "every",
    };
    let mut text = format!("{} {calls} {article} {window}", grouped(limit.limit));
    if !matches!(limit.scope.as_str(), "" | "default") {
        text = format!("{text} ({})", limit.scope);
    }
    if let Some(note) = &limit.note {
        text = format!("{text}: {note}");
    }
    text
}

fn words(auth: &Auth) -> String {
    let mut text = scheme_title(&auth.scheme).to_owned();
    if auth.scheme == "none" {
        return format!("{text} needed");
    }
    match (&auth.location, &auth.name) {
        (Some(place), Some(name)) => text = format!("{text} in the {place} “{name}”"),
        (Some(place), None) => text = format!("{text} in the {place}"),
        (None, Some(name)) => text = format!("{text} “{name}”"),
        (None, None) => {}
    }
    if let Some(format) = &auth.token_format {
        text = format!("{text}; format: {format}");
    }
    if !auth.flows.is_empty() {
        text = format!("{text}; flows: {}", auth.flows.join(", "));
    }
    if !auth.scopes.is_empty() {
        text = format!("{text}; scopes: {}", auth.scopes.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_told_in_words() {
        let key = Auth {
            scheme: "api_key".to_owned(),
            location: Some("header".to_owned()),
            name: Some("X-Key".to_owned()),
            ..Auth::default()
        };
        assert_eq!(Key::of(&key).words, "API key in the header “X-Key”");
        let none = Auth {
            scheme: "none".to_owned(),
            ..Auth::default()
        };
        assert_eq!(Key::of(&none).words, "No authentication needed");
        let both = Key::all(&[key, none]);
        let ways: Vec<_> = both.iter().map(|it| (it.instead, &*it.words)).collect();
        assert_eq!(
            ways,
            [
                (None, "No authentication needed"),
                (Some("callers with a key"), "API key in the header “X-Key”")
            ]
        );
    }

    #[test]
    fn limits_are_told_in_words() {
        let limit = |limit, window_s, scope: &str| {
            limit_words(&RateLimit {
                scope: scope.to_owned(),
                limit,
                window_s,
                note: None,
            })
        };
        assert_eq!(limit(60, 60, "default"), "60 calls a minute");
        assert_eq!(limit(1, 3_600, "burst"), "1 call an hour (burst)");
        assert_eq!(limit(5, 90, ""), "5 calls every 90 seconds");
    }
}
