//! Kinds of addresses (GP-12).

use super::form;
use super::words::words;
use crate::formats::generic::names::{GENERIC, LISTS, SERVERS};
use crate::{auth, payment, text};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::Range;

/// Result of typing an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The endpoint of this protocol, or with `openapi` the description of one.
    Interface(&'static str),
    /// The endpoint of the protocol that stands beside the address, which is none of those known here.
    Stated,
    /// A document that describes an agent, with the relation under which it is named.
    Card(&'static str),
    /// A page for developers.
    Documentation,
}

impl Kind {
    /// Returns the protocol or relation; `None` for documentation.
    pub(super) fn word(self) -> Option<&'static str> {
        match self {
            Self::Interface(word) | Self::Card(word) => Some(word),
            Self::Stated | Self::Documentation => None,
        }
    }
}

/// Maximum length of the name of a protocol.
const MAX_PROTOCOL: usize = 40;

/// Hosts of code, packages, directories and checkouts, where no agent is called.
const CATALOGUES: [&str; 15] = [
    "stripe.com",
    "paypal.com",
    "gumroad.com",
    "github.com",
    "gitlab.com",
    "npmjs.com",
    "npmjs.org",
    "pypi.org",
    "crates.io",
    "smithery.ai",
    "glama.ai",
    "rapidapi.com",
    "modelcontextprotocol.io",
    "huggingface.co",
    "hub.docker.com",
];
/// Endings of files for people, and of data.
const PAGES: [&str; 18] = [
    ".yaml", ".yml", ".html", ".htm", ".md", ".mdx", ".txt", ".pdf", ".png", ".svg", ".jpg",
    ".webp", ".xml", ".csv", ".ico", ".zip", ".js", ".css",
];
/// Words of a member that holds an address of a protocol, and of nothing else.
const PLAIN: [&str; 38] = [
    "mcp",
    "a2a",
    "agentcard",
    "agent",
    "card",
    "openapi",
    "open",
    "swagger",
    "api",
    "server",
    "servers",
    "endpoint",
    "endpoints",
    "url",
    "uri",
    "base",
    "baseurl",
    "rpc",
    "jsonrpc",
    "http",
    "https",
    "sse",
    "stream",
    "streamable",
    "transport",
    "remote",
    "link",
    "address",
    "service",
    "protocol",
    "manifest",
    "discovery",
    "spec",
    "schema",
    "json",
    "yaml",
    "v1",
    "v2",
];
/// Words of members with pages for developers.
const DOCUMENTATION: [&str; 6] = [
    "docs",
    "doc",
    "documentation",
    "guide",
    "reference",
    "readme",
];
/// Words of members whose addresses are not called.
const NO_CALLS: [&str; 24] = [
    "schema",
    "license",
    "licence",
    "terms",
    "privacy",
    "policy",
    "logo",
    "icon",
    "avatar",
    "image",
    "homepage",
    "website",
    "repo",
    "repository",
    "github",
    "sitemap",
    "robots",
    "blog",
    "changelog",
    "support",
    "spec",
    "specification",
    "pricing",
    "registry",
];

/// Words of members that hold an address to call.
const ADDRESSES: [&str; 34] = [
    "url",
    "urls",
    "uri",
    "uris",
    "href",
    "endpoint",
    "endpoints",
    "server",
    "servers",
    "base",
    "baseurl",
    "path",
    "paths",
    "address",
    "link",
    "links",
    "remote",
    "remotes",
    "rpc",
    "jsonrpc",
    "sse",
    "http",
    "https",
    "stream",
    "transport",
    "transports",
    "api",
    "apis",
    "interface",
    "interfaces",
    "service",
    "services",
    "discovery",
    "gateway",
];
/// Words of members that name something: what looks like a path in them is part of the name.
const IDENTIFIERS: [&str; 20] = [
    "name",
    "title",
    "id",
    "identifier",
    "urn",
    "namespace",
    "image",
    "package",
    "packages",
    "npm",
    "pypi",
    "module",
    "modules",
    "tag",
    "tags",
    "category",
    "categories",
    "topics",
    "keywords",
    "class",
];

/// Returns the kind of an address by the names of the members on the way to it, its path, and the
/// words beside it; `None` if nothing shows it.
pub(super) fn of(
    keys: &[&str],
    address: &str,
    beside: Option<&Map<String, Value>>,
) -> Option<Kind> {
    typed(keys, names_address(keys), address, beside)
}

/// Returns the kind of an address in a list of addresses, under the name of its entry.
pub(super) fn of_listed(
    name: &str,
    address: &str,
    beside: Option<&Map<String, Value>>,
) -> Option<Kind> {
    typed(&[name], true, address, beside)
}

fn typed(
    keys: &[&str],
    is_named: bool,
    address: &str,
    beside: Option<&Map<String, Value>>,
) -> Option<Kind> {
    let address = address.split_once(' ').map_or(address, |(method, rest)| {
        let is_method = method.bytes().all(|byte| byte.is_ascii_uppercase());
        if is_method { rest } else { address }
    });
    let key = key_of(keys);
    if !form::is_address(address, is_named) {
        return None;
    }
    let path = Path::of(address);
    if path.is_in_catalogue() || beside.is_some_and(is_local_program) {
        return None;
    }
    if let Some(kind) = path.document() {
        return Some(kind);
    }
    let named = words(key);
    if path.is_page() || named.has(&DOCUMENTATION) {
        return named.has(&DOCUMENTATION).then_some(Kind::Documentation);
    }
    if path.is_socket() {
        return Some(Kind::Interface("websocket"));
    }
    let is_card = named.has(&["card", "agentcard", "manifest", "discovery"]);
    if named.has(&["mcp"]) && named.all(&PLAIN) {
        return Some(if is_card || path.is_json() {
            Kind::Card("mcp-card")
        } else {
            Kind::Interface("mcp")
        });
    }
    if named.has(&["a2a", "agentcard"]) && named.all(&PLAIN) {
        return Some(if is_card || path.is_json() {
            Kind::Card("agent-card")
        } else {
            Kind::Interface("a2a")
        });
    }
    if named.has(&["openapi", "swagger"]) && named.all(&PLAIN) {
        return Some(Kind::Interface("openapi"));
    }
    // A transport beside other members of the document says nothing about each of them.
    let is_beside = keys.len() > 1 && keys.last().is_some_and(|own| GENERIC.contains(own));
    let stated = || beside.filter(|_| is_beside).and_then(stated);
    // The only address of a document speaks the protocol that stands beside it.
    let is_only = matches!(keys, ["endpoint" | "url" | "rpc" | "base_url" | "baseUrl"]);
    // A server that runs on the caller's machine has no address; what stands there is the home page.
    let runs_locally = |beside: &&Map<String, Value>| {
        let mcp = beside.get("mcp").and_then(Value::as_object);
        mcp.is_some_and(is_stdio)
    };
    let of_document = || {
        let beside = beside.filter(|_| is_only).filter(|it| !runs_locally(it));
        beside.and_then(of_protocol)
    };
    if let Some(kind) = of_document() {
        return Some(kind);
    }
    let has_path = path.segments().next().is_some();
    if is_only && has_path && beside.is_some_and(states_rest) {
        return Some(Kind::Interface("rest"));
    }
    if is_only && beside.and_then(other_protocol).is_some() {
        return Some(Kind::Stated);
    }
    let is_called = is_named && !named.has(&NO_CALLS) && !named.has(&IDENTIFIERS);
    let shown = || path.endpoint().filter(|_| is_called);
    if let Some(kind) = shown().or_else(stated) {
        return Some(kind);
    }
    let is_entry = keys
        .iter()
        .rev()
        .skip(1)
        .take(2)
        .any(|it| LISTS.contains(it));
    let other = beside.filter(|_| is_beside && is_entry);
    if other.and_then(other_protocol).is_some() {
        return Some(Kind::Stated);
    }
    if named.has(&["graphql"]) {
        return Some(Kind::Interface("graphql"));
    }
    let is_api = named.has(&["api", "rest", "apibase", "apiurl", "baseurl"])
        || matches!(keys, ["endpoint" | "rpc"]);
    let is_called = is_api && !named.has(&NO_CALLS) && !path.is_json();
    is_called.then_some(Kind::Interface("rest"))
}

/// Reports whether an address is a page or a file for people, which is not called.
pub(in crate::formats::generic) fn is_page(address: &str) -> bool {
    Path::of(address).is_page()
}

/// Reports whether an address is a file of data.
pub(in crate::formats::generic) fn is_data(address: &str) -> bool {
    Path::of(address).is_json()
}

/// Returns true for a word that names a transport and not something else of the object.
pub(super) fn is_transport(word: &str) -> bool {
    const TRANSPORTS: [&str; 9] = [
        "streamablehttp",
        "http",
        "https",
        "sse",
        "httpsse",
        "jsonrpc",
        "httpjson",
        "grpc",
        "websocket",
    ];
    TRANSPORTS.contains(&letters(word).as_str())
}

/// Reports whether the names of the innermost members say that their value is an address that is
/// called: only then its path shows a protocol. Names, images, packages and pages have paths too.
pub(super) fn names_address(keys: &[&str]) -> bool {
    let named = words(key_of(keys));
    let mut innermost = keys.iter().rev().take(2);
    // A name in another script says nothing that is known here; what it holds is an address by its form.
    let is_foreign = |key: &str| !key.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_address =
        |key: &&str| GENERIC.contains(key) || words(key).has(&ADDRESSES) || is_foreign(key);
    !named.has(&NO_CALLS) && !named.has(&IDENTIFIERS) && innermost.any(is_address)
}

/// Returns the name that types an address: its own key, unless that says only that it is one. A server in
/// a list has a name of the publisher's choice, and the list says what it is.
fn key_of<'k>(keys: &[&'k str]) -> &'k str {
    let mut inward = keys.iter().rev().copied();
    let own = inward.next().unwrap_or_default();
    if !GENERIC.contains(&own) {
        return own;
    }
    let outer = inward.next().unwrap_or(own);
    // The name that stands beside the address counts as a key, too.
    let list = inward.take(2).find(|list| SERVERS.contains(list));
    list.unwrap_or(outer)
}

/// Reports whether the object around an address starts a program on the caller's own machine.
fn is_local_program(beside: &Map<String, Value>) -> bool {
    beside.contains_key("command") || is_stdio(beside)
}

fn is_stdio(members: &Map<String, Value>) -> bool {
    let mut names = ["transport", "type"].iter();
    names.any(|name| members.get(*name).is_some_and(|it| it == "stdio"))
}

/// Returns the kind that the transport or protocol beside an address states.
fn stated(beside: &Map<String, Value>) -> Option<Kind> {
    let word = |name: &str| Some(beside.get(name)?.as_str()?.to_ascii_lowercase());
    let protocol = word("protocol").or_else(|| word("type"));
    match protocol.as_deref() {
        Some("mcp") => return Some(Kind::Interface("mcp")),
        Some("a2a") => return Some(Kind::Interface("a2a")),
        Some("rest" | "http-api") => return Some(Kind::Interface("rest")),
        Some("graphql") => return Some(Kind::Interface("graphql")),
        Some("openapi") => return Some(Kind::Interface("openapi")),
        _ => {}
    }
    let transport = word("transport").or(protocol)?;
    match letters(&transport).as_str() {
        "streamablehttp" | "sse" | "httpsse" => Some(Kind::Interface("mcp")),
        "jsonrpc" | "httpjson" => Some(Kind::Interface("a2a")),
        _ => None,
    }
}

/// Returns the protocol that an entry of a list of interfaces states, in lower case, if it is none of those
/// known here: one word, and no transport, way to pay or way to authenticate.
pub(super) fn other_protocol(beside: &Map<String, Value>) -> Option<String> {
    let word = beside.get("protocol")?.as_str().and_then(text::some)?;
    let is_word = word.len() <= MAX_PROTOCOL
        && word.starts_with(|it: char| it.is_ascii_alphabetic())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.+/".contains(&byte));
    let means_other = is_transport(&word)
        || ["stdio", "tcp", "udp", "tls"].contains(&word.to_ascii_lowercase().as_str())
        || (payment::is_protocol(&word) && !is_of_shops(&word))
        || auth::scheme(&word) != "other";
    (is_word && !means_other).then(|| word.to_ascii_lowercase())
}

/// Reports whether a word names a protocol of shops, which are called and not only paid.
fn is_of_shops(word: &str) -> bool {
    ["acp", "ucp"].contains(&word.to_ascii_lowercase().as_str())
}

/// Reports whether an object states that it is called over plain HTTP.
fn states_rest(beside: &Map<String, Value>) -> bool {
    let word = beside.get("protocol").and_then(Value::as_str).map(letters);
    word.is_some_and(|word| {
        ["http", "https", "rest", "restapi", "httprest"].contains(&word.as_str())
    })
}

/// Returns the protocol of agents that an object states in `protocol` or `type`.
fn of_protocol(beside: &Map<String, Value>) -> Option<Kind> {
    let words = ["protocol", "type"].into_iter();
    let mut stated = words.filter_map(|name| beside.get(name)?.as_str());
    stated.find_map(
        |word| match letters(word).trim_end_matches(|it: char| it.is_ascii_digit()) {
            "mcp" | "mcpserver" => Some(Kind::Interface("mcp")),
            "a2a" => Some(Kind::Interface("a2a")),
            _ => None,
        },
    )
}

/// Returns a transport as its protocol writes it.
pub(super) fn spelled(word: &str) -> Option<&'static str> {
    match letters(word).as_str() {
        "streamablehttp" => Some("streamable-http"),
        "sse" | "httpsse" => Some("sse"),
        "jsonrpc" => Some("JSONRPC"),
        "httpjson" => Some("HTTP+JSON"),
        "grpc" => Some("GRPC"),
        _ => None,
    }
}

/// Reports whether a protocol is spoken over a transport; words that several use fit all.
pub(super) fn fits(protocol: &str, transport: &str) -> bool {
    match spelled(transport) {
        Some("streamable-http") => protocol == "mcp",
        Some("sse") => ["mcp", "a2a"].contains(&protocol),
        Some("JSONRPC" | "HTTP+JSON") => protocol == "a2a",
        Some("GRPC") => ["a2a", "grpc"].contains(&protocol),
        _ => true,
    }
}

/// Returns the letters and digits of a word in lower case: its spellings differ in nothing else.
fn letters(word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|it| it.to_ascii_lowercase()).collect()
}

/// An address in lower case, in parts.
struct Path<'a> {
    lower: Cow<'a, str>,
    /// Range of the host in `lower`; empty if there is none.
    host: Range<usize>,
    /// Range of what follows the host.
    beneath: Range<usize>,
}

impl<'a> Path<'a> {
    fn of(address: &'a str) -> Self {
        let address = address.trim();
        let lower = if address.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(address.to_ascii_lowercase())
        } else {
            Cow::Borrowed(address)
        };
        let scheme = lower.find("://");
        let begin = scheme.map_or(0, |at| at + 3);
        let end = lower[begin..].find(['?', '#']);
        let end = end.map_or(lower.len(), |at| begin + at);
        let slash = lower[begin..end].find('/').map(|at| begin + at);
        let (host, beneath) = match slash {
            Some(slash) if scheme.is_some() || lower[begin..slash].contains('.') => {
                (begin..slash, slash + 1..end)
            }
            _ => (begin..begin, begin..end),
        };
        Self {
            lower,
            host,
            beneath,
        }
    }

    fn host(&self) -> &str {
        &self.lower[self.host.clone()]
    }

    fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        let segments = self.lower[self.beneath.clone()].split('/');
        segments.filter(|segment| !segment.is_empty())
    }

    fn file(&self) -> &str {
        self.segments().next_back().unwrap_or_default()
    }

    fn is_in_catalogue(&self) -> bool {
        CATALOGUES.iter().any(|host| {
            let below = self.host().strip_suffix(host);
            below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
        })
    }

    /// Reports whether the path has this segment.
    fn has(&self, word: &str) -> bool {
        self.segments().any(|segment| segment == word)
    }

    /// Reports whether the address is the event stream of a host for MCP.
    fn is_event_stream(&self) -> bool {
        self.file() == "sse" && self.host().starts_with("mcp.")
    }

    fn is_socket(&self) -> bool {
        self.lower.starts_with("ws://") || self.lower.starts_with("wss://")
    }

    fn is_json(&self) -> bool {
        self.file()
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending == "json")
    }

    /// Reports whether the address is a page or a file for people.
    fn is_page(&self) -> bool {
        let file = self.file();
        let is_guide = ["docs", "documentation", "guide", "readme", "setup"].contains(&file);
        is_guide || PAGES.iter().any(|ending| file.ends_with(ending))
    }

    /// Returns the kind of a document that its name shows.
    fn document(&self) -> Option<Kind> {
        let file = self.file();
        let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
        let is_data = matches!(ending, "json" | "yaml" | "yml");
        let is_well_known = self.has(".well-known");
        if (is_data && (stem.contains("openapi") || stem.contains("swagger"))) || file == "openapi"
        {
            return Some(Kind::Interface("openapi"));
        }
        let is_mcp_card = matches!(stem, "server-card" | "mcp-server-card")
            || file == "mcp.json"
            || (is_well_known && stem.starts_with("mcp"));
        match file {
            "agent-card.json" => Some(Kind::Card("agent-card")),
            "agent.json" if is_well_known => Some(Kind::Card("agent-card")),
            "agents.json" => Some(Kind::Card("agents.json")),
            "agents.txt" => Some(Kind::Card("agents.txt")),
            "ai-catalog.json" | "ard.json" => Some(Kind::Card("ai-catalog")),
            "catalog.json" if self.has("mcp") => Some(Kind::Card("mcp-catalog")),
            "ai-plugin.json" => Some(Kind::Card("ai-plugin")),
            "webmcp.json" => Some(Kind::Card("webmcp")),
            "x402.json" => Some(Kind::Card("x402")),
            "x402" if is_well_known => Some(Kind::Card("x402")),
            "index.json" if self.has("agent-skills") => Some(Kind::Card("skills-index")),
            _ => is_mcp_card.then_some(Kind::Card("mcp-card")),
        }
    }

    /// Returns the kind of an endpoint that its path shows.
    fn endpoint(&self) -> Option<Kind> {
        const ABOUT: [&str; 7] = [
            "about",
            "info",
            "discovery",
            "health",
            "status",
            "tools",
            "manifest",
        ];
        let is_about = ABOUT.contains(&self.file());
        if self.is_json() {
            None
        } else if (self.has("mcp") || self.is_event_stream()) && !is_about {
            Some(Kind::Interface("mcp"))
        } else if self.has("a2a") && !is_about {
            Some(Kind::Interface("a2a"))
        } else if self.file() == "graphql" {
            Some(Kind::Interface("graphql"))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kind(keys: &[&str], address: &str) -> Option<&'static str> {
        of(keys, address, None).map(|kind| kind.word().unwrap_or("docs"))
    }

    #[test]
    fn gp_12_an_address_is_typed_by_key_then_path() {
        for (keys, address, expected) in [
            (&["mcp_endpoint"][..], "https://mesa.example/x", Some("mcp")),
            (&["mcp", "url"], "https://mesa.example/rpc", Some("mcp")),
            (
                &["links", "tools"],
                "https://mesa.example/mcp/",
                Some("mcp"),
            ),
            (
                &["mcp_sse_endpoint"],
                "https://mesa.example/mcp/sse",
                Some("mcp"),
            ),
            (&["mcp"], "https://github.com/mesa/mcp", None),
            (
                &["mcp", "docs"],
                "https://mesa.example/docs/mcp",
                Some("docs"),
            ),
            (
                &["mcp", "discovery"],
                "https://mesa.example/mcp/about",
                None,
            ),
            (
                &["mcp_manifest"],
                "https://mesa.example/about",
                Some("mcp-card"),
            ),
            (
                &["x"],
                "https://mesa.example/.well-known/mcp.json",
                Some("mcp-card"),
            ),
            (
                &["x"],
                "/.well-known/mcp/server-card.json",
                Some("mcp-card"),
            ),
            (
                &["x"],
                "https://mesa.example/api/openapi.agent.json",
                Some("openapi"),
            ),
            (
                &["specs", "openapi"],
                "https://mesa.example/spec",
                Some("openapi"),
            ),
            (&["openapi"], "https://mesa.example/docs/api.html", None),
            (
                &["api", "docs"],
                "https://mesa.example/reference",
                Some("docs"),
            ),
            (&["api_base"], "https://api.mesa.example/v1", Some("rest")),
            (
                &["api", "base_url"],
                "https://api.mesa.example/v1",
                Some("rest"),
            ),
            (&["endpoint"], "https://mesa.example/v1", Some("rest")),
            (&["feed", "endpoint"], "https://mesa.example/v1", None),
            (&["homepage"], "https://mesa.example/", None),
            (&["a2aEndpoint"], "/agents/rpc", Some("a2a")),
            (&["a2a", "agent_card"], "/card", Some("agent-card")),
            (&["stream"], "wss://mesa.example/feed", Some("websocket")),
            (&["x"], "/agents.json", Some("agents.json")),
        ] {
            assert_eq!(kind(keys, address), expected, "{keys:?} {address}");
        }
    }

    #[test]
    fn gp_12_a_stated_transport_types_what_key_and_path_do_not() {
        let beside = json!({"url": "https://mesa.example/x", "transport": "streamable-http"});
        let kind = of(
            &["server", "url"],
            "https://mesa.example/x",
            beside.as_object(),
        );
        assert_eq!(kind, Some(Kind::Interface("mcp")));
        let local = json!({"url": "https://mesa.example/mcp", "transport": "stdio"});
        let kind = of(
            &["server", "url"],
            "https://mesa.example/mcp",
            local.as_object(),
        );
        assert_eq!(kind, None);
    }
}
