//! Calls over HTTP, which several targets describe.

use crate::Capability;
use crate::agent::{Interface, RateLimit};
use crate::{Agent, link};
use url::Url;

/// Returns the part of `url` after `base`, beginning with a slash, if `url` is below `base`.
pub(super) fn below<'u>(base: &str, url: &'u str) -> Option<&'u str> {
    let rest = url.strip_prefix(base.trim_end_matches('/'))?;
    rest.starts_with('/').then_some(rest)
}

/// Returns `https://host` of a URL, without a trailing slash.
pub(super) fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.has_host().then(|| url.origin().ascii_serialization())
}

/// Protocols whose calls are plain HTTP requests, or the descriptions of such.
const HTTP: [&str; 3] = ["rest", "interaction-api", "openapi"];

/// Reports whether `url` is the address of an interface that is not called by plain HTTP requests,
/// such as an MCP server or an A2A agent.
pub(super) fn is_other_protocol(agent: &Agent, url: &str) -> bool {
    let mut same = agent
        .interfaces
        .iter()
        .filter(|it| it.url == url)
        .peekable();
    same.peek().is_some() && same.all(|it| !HTTP.contains(&it.protocol.as_str()))
}

/// Returns the base address of the agent's HTTP API: its URL, unless that is the address of another
/// protocol; else that of a REST interface.
pub(super) fn api_url(agent: &Agent) -> Option<&String> {
    let own = agent.url.as_ref();
    own.filter(|url| !is_other_protocol(agent, url))
        .or_else(|| Some(&interface(agent, "rest")?.url))
}

/// Returns the method and URL of a capability that is called over HTTP, else the reason why it
/// cannot be.
pub(super) fn call<'c>(
    agent: &Agent,
    capability: &'c Capability,
) -> Result<(&'c str, &'c str), &'static str> {
    let protocol = capability.protocol.as_deref();
    let address = capability.url.as_deref().unwrap_or_default();
    if protocol.is_some_and(|it| !HTTP.contains(&it)) || is_other_protocol(agent, address) {
        return Err("it is not called by plain HTTP requests");
    }
    let is_http = |url: &&String| link::is_absolute(url);
    match (&capability.method, capability.url.as_ref().filter(is_http)) {
        (Some(method), Some(url)) => Ok((method, url)),
        (None, Some(_)) => Err("its HTTP method is not given"),
        (_, None) => Err("it has no HTTP URL"),
    }
}

/// Writes `{name}` path segments as `:name` (C-36), if reading converts them back to the same.
pub(super) fn with_colons(path: &str) -> String {
    let (path, rest) = match path.find(['?', '#']) {
        Some(at) => path.split_at(at),
        None => (path, ""),
    };
    let colon = |segment: &str| {
        let name = segment
            .strip_prefix('{')
            .and_then(|it| it.strip_suffix('}'));
        let is_plain = |name: &&str| {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            !name.is_empty() && name.bytes().all(is_name)
        };
        match name.filter(is_plain) {
            Some(name) => format!(":{name}"),
            None => segment.to_owned(),
        }
    };
    let segments: Vec<_> = path.split('/').map(colon).collect();
    segments.join("/") + rest
}

/// Writes a limit as `100/hour`, if its window has a name and it has no note.
pub(super) fn rate(limit: &RateLimit) -> Option<String> {
    let unit = match limit.window_s {
        1 => "second",
        60 => "minute",
        3_600 => "hour",
        86_400 => "day",
        _ => return None,
    };
    (limit.limit > 0 && limit.note.is_none()).then(|| format!("{}/{unit}", limit.limit))
}

/// Returns the first interface with `protocol`.
pub(super) fn interface<'a>(agent: &'a Agent, protocol: &str) -> Option<&'a Interface> {
    agent.interfaces.iter().find(|it| it.protocol == protocol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_path_segments_are_below_a_base() {
        assert_eq!(
            below("https://a.example/", "https://a.example/x"),
            Some("/x")
        );
        assert_eq!(
            below("https://a.example/v1", "https://a.example/v1/x"),
            Some("/x")
        );
        assert_eq!(below("https://a.example/v1", "https://a.example/v11"), None);
        assert_eq!(
            below("https://a.example", "https://a.example.evil.example/"),
            None
        );
    }

    #[test]
    fn only_whole_segments_become_colon_parameters() {
        for (path, expected) in [
            ("/orders/{id}/lines", "/orders/:id/lines"),
            ("/{a}-{b}", "/{a}-{b}"),
            ("/x?q={q}", "/x?q={q}"),
            ("/{*rest}", "/{*rest}"),
        ] {
            assert_eq!(with_colons(path), expected);
            assert_eq!(link::template(&with_colons(path)), path);
        }
    }
}
