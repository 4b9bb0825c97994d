//! Protocol and transport of an entry of a card (A2-07).

use crate::text;

/// The bindings that the specification defines; others should be URIs (A2-07).
pub(super) const DEFINED: [&str; 3] = ["JSONRPC", "GRPC", "HTTP+JSON"];

/// Protocol and transport that the words of a card name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// A2A, over a transport if one is named.
    A2a(Option<String>),
    /// Another protocol, with its transport if one is named.
    Other(String, Option<String>),
    /// A program on the machine of the caller.
    Local,
}

impl Binding {
    /// Returns the binding of the agent's main URL, whose transport `word` names. There, HTTP and REST
    /// mean the binding of A2A over HTTP.
    pub(super) fn of_card(word: &str) -> Self {
        match letters(word).as_str() {
            "http" | "https" | "rest" | "httprest" | "resthttp" => {
                Self::A2a(Some("HTTP+JSON".to_owned()))
            }
            _ => Self::of_entry(word),
        }
    }

    /// Returns the binding that an entry of a list of interfaces names: one of A2A only if the word
    /// is of A2A.
    pub(super) fn of_entry(word: &str) -> Self {
        let other = |protocol: &str, transport: Option<&str>| {
            Self::Other(protocol.to_owned(), transport.map(str::to_owned))
        };
        if let Some(defined) = spelled(word) {
            return Self::A2a(Some(defined.to_owned()));
        }
        if word.starts_with("https://modelcontextprotocol.io/") {
            return other("mcp", None);
        }
        match letters(word).as_str() {
            "" | "a2a" => Self::A2a(None),
            "stdio" | "local" => Self::Local,
            "mcp" => other("mcp", None),
            "streamablehttp" | "mcpstreamablehttp" | "mcphttp" => {
                other("mcp", Some("streamable-http"))
            }
            "mcpsse" => other("mcp", Some("sse")),
            "rest" | "http" | "https" | "httprest" | "resthttp" | "httpapi" | "restapi" => {
                other("rest", None)
            }
            "ws" | "wss" | "websocket" | "websockets" => other("websocket", None),
            // Both A2A and MCP stream by server-sent events; the word names neither.
            "sse" | "httpsse" => Self::A2a(text::some(word)),
            _ => text::some(word).map_or(Self::A2a(None), |word| {
                let is_uri = word.contains(':');
                let word = if is_uri { word } else { word.to_lowercase() };
                Self::Other(word, None)
            }),
        }
    }

    /// Returns the same binding with a transport that another member of the entry names.
    pub(super) fn over(self, word: &str) -> Self {
        match (self, Self::of_entry(word)) {
            (Self::A2a(None), Self::A2a(transport)) => Self::A2a(transport),
            // An entry that says it is of A2A, over HTTP.
            (Self::A2a(None), Self::Other(protocol, None)) if protocol == "rest" => {
                Self::A2a(Some("HTTP+JSON".to_owned()))
            }
            (Self::Other(own, None), Self::Other(protocol, transport)) if own == protocol => {
                Self::Other(own, transport)
            }
            (Self::Other(own, None), Self::A2a(_)) if own == "mcp" && letters(word) == "sse" => {
                Self::Other(own, Some("sse".to_owned()))
            }
            (_, Self::Local) => Self::Local,
            (own, _) => own,
        }
    }
}

/// Returns the binding of A2A that a word spells.
pub(super) fn spelled(word: &str) -> Option<&'static str> {
    match letters(word).as_str() {
        "jsonrpc" | "jsonrpc20" | "jsonrpc2" | "jsonrpchttp" | "jsonrpcoverhttp" => Some("JSONRPC"),
        "grpc" => Some("GRPC"),
        "httpjson" | "jsonhttp" => Some("HTTP+JSON"),
        _ => None,
    }
}

/// Returns the letters and digits of a word in lower case: its spellings differ in nothing else.
fn letters(word: &str) -> String {
    let letters = word.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|it| it.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a2a(transport: &str) -> Binding {
        Binding::A2a(Some(transport.to_owned()))
    }

    fn other(protocol: &str, transport: Option<&str>) -> Binding {
        Binding::Other(protocol.to_owned(), transport.map(str::to_owned))
    }

    #[test]
    fn a2_07_an_entry_has_the_protocol_that_it_names() {
        for (word, expected) in [
            ("", Binding::A2a(None)),
            ("jsonrpc", a2a("JSONRPC")),
            ("JSON-RPC 2.0", a2a("JSONRPC")),
            ("http+json", a2a("HTTP+JSON")),
            ("grpc", a2a("GRPC")),
            ("mcp", other("mcp", None)),
            ("MCP", other("mcp", None)),
            ("Streamable-HTTP", other("mcp", Some("streamable-http"))),
            ("streamable_http", other("mcp", Some("streamable-http"))),
            (
                "https://modelcontextprotocol.io/specification/2025-06-18",
                other("mcp", None),
            ),
            ("rest", other("rest", None)),
            ("http-rest", other("rest", None)),
            ("slim", other("slim", None)),
            ("NATS", other("nats", None)),
            ("urn:example:queue", other("urn:example:queue", None)),
            ("stdio", Binding::Local),
        ] {
            assert_eq!(Binding::of_entry(word), expected, "{word}");
        }
        assert_eq!(Binding::of_card("REST"), a2a("HTTP+JSON"));
        assert_eq!(Binding::of_card("mcp"), other("mcp", None));
    }

    #[test]
    fn a2_07_a_second_word_names_the_transport() {
        let entry = |protocol, transport| Binding::of_entry(protocol).over(transport);
        assert_eq!(entry("a2a", "grpc"), a2a("GRPC"));
        assert_eq!(entry("a2a", "http"), a2a("HTTP+JSON"));
        assert_eq!(entry("mcp", "sse"), other("mcp", Some("sse")));
        assert_eq!(
            entry("mcp", "HTTP"),
            other("mcp", None),
            "plain HTTP is no transport of MCP"
        );
        assert_eq!(entry("rest", "https"), other("rest", None));
        assert_eq!(entry("mcp", "stdio"), Binding::Local);
    }
}
