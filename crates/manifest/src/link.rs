//! Resolution of URLs in documents; nothing is fetched here.

use crate::Document;
use std::borrow::Cow;
use url::{Position, Url};

#[cfg(test)]
mod tests;

/// Maximum length of a URL that is kept, in bytes.
pub(crate) const MAX_URL: usize = 2_000;

/// Resolves `text` against `base`; returns `None` unless the result is an http(s) or ws(s) URL.
pub(crate) fn absolute(base: &Url, text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_URL || text.contains(char::is_whitespace) {
        return None;
    }
    let url = joined(base, text)?;
    let known = matches!(url.scheme(), "https" | "http" | "wss" | "ws");
    (known && url.has_host()).then(|| url.to_string())
}

/// Joins an address to `base`: one that begins with a host without a scheme is absolute, and a doubled
/// `.well-known` is the owner's slip.
pub(crate) fn joined(base: &Url, text: &str) -> Option<Url> {
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    if first.contains('@') {
        // A mail address or the name of a package is no path.
        return None;
    }
    let url = if is_host_of(base, text) {
        Url::parse(&format!("https://{text}")).ok()?
    } else {
        base.join(text).ok()?
    };
    let is_of_file = text.starts_with(".well-known/") || text.starts_with("/.well-known/");
    Some(if is_of_file {
        without_repetition(url)
    } else {
        url
    })
}

/// Reports whether a text without a scheme begins with a host: one below a public suffix, or that of the
/// document or of a site beside it.
fn is_host_of(base: &Url, text: &str) -> bool {
    if text.contains("://") || text.starts_with(['/', '.', '#', '?']) {
        return false;
    }
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let is_beside = || {
        let own = base.host_str().unwrap_or_default();
        let site = own.strip_prefix("www.").unwrap_or(own);
        site.contains('.')
            && host
                .strip_suffix(site)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    has_host(text) || is_beside()
}

/// Returns a URL without a second `/.well-known` in a row: authors name a file beside their own by
/// its path from the root, without the slash.
fn without_repetition(mut url: Url) -> Url {
    if let Some(rest) = url.path().strip_prefix("/.well-known/.well-known/") {
        let path = format!("/.well-known/{rest}");
        url.set_path(&path);
    }
    url
}

/// Works like [`absolute`], but also accepts a URL without a scheme, such as `example.com/path`.
///
/// Words without a slash or a dot are not URLs.
pub(crate) fn guessed(base: &Url, text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['`', '<', '>', '"', '\'']);
    if !text.contains(['/', '.']) {
        return None;
    }
    if has_host(text) {
        absolute(base, &format!("https://{text}"))
    } else {
        absolute(base, text)
    }
}

/// Reports whether an address without a scheme begins with a host, as `mesa.com/mcp` does.
pub(crate) fn has_host(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    // `mailto:a@mesa.com` and `a@mesa.com` are no hosts.
    if host.contains([':', '@']) {
        return false;
    }
    text.starts_with("www.")
        || (is_known_name(host) && (host.len() < text.len() || !is_file_name(host)))
}

/// Returns the URL of a path in an API with this base: below it, unless the path repeats the base's own.
pub(crate) fn below(base: &str, path: &str) -> Option<String> {
    let url = Url::parse(base).ok()?;
    let prefix = url.path().trim_end_matches('/');
    let repeats = path.strip_prefix(prefix).is_some_and(|rest| {
        !prefix.is_empty() && (rest.is_empty() || rest.starts_with(['/', '?']))
    });
    if repeats {
        absolute_template(&url, path)
    } else {
        concatenated(base, path)
    }
}

/// Reports whether an address is a path, from the root or from its base, and no host or sibling.
pub(crate) fn is_path(text: &str) -> bool {
    !text.contains("://") && !text.starts_with('.') && !has_host(text)
}

/// Returns the URL to which a relative address in a document is joined that follows no specification.
///
/// `/.well-known/` holds documents and nothing that is called: `ship` in one of them means `/ship` of the
/// site, and only the name of a file means the file beside it.
pub(crate) fn base<'u>(document: &'u Url, text: &str) -> Cow<'u, Url> {
    const FILES: [&str; 5] = [".json", ".txt", ".md", ".yaml", ".yml"];
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let is_file = FILES.iter().any(|ending| path.ends_with(ending));
    let is_of_site = !path.is_empty() && !is_file && is_path(path);
    if is_of_site && document.path().starts_with("/.well-known/") {
        let mut root = document.clone();
        root.set_path("/");
        root.set_query(None);
        Cow::Owned(root)
    } else {
        Cow::Borrowed(document)
    }
}

/// Returns host, path and query of an address, by which documents are told apart.
///
/// The port is left out: a document that names another one cannot know at which port its site is
/// visited.
pub(crate) fn place(url: &str) -> String {
    Url::parse(url).map_or_else(
        |_| url.to_owned(),
        |url| {
            let host = url.host_str().unwrap_or_default();
            format!("{host}{}", &url[Position::BeforePath..Position::AfterQuery])
        },
    )
}

/// Reports whether a path is that of a Markdown file.
pub(crate) fn is_markdown(path: &str) -> bool {
    let ending = std::path::Path::new(path).extension();
    ending.is_some_and(|it| it.eq_ignore_ascii_case("md"))
}

/// Reports whether a URL is a repository or a package, on a host that serves nothing else.
pub fn is_repository(url: &str) -> bool {
    const HOSTS: [&str; 7] = [
        "github.com",
        "gitlab.com",
        "bitbucket.org",
        "codeberg.org",
        "npmjs.com",
        "pypi.org",
        "crates.io",
    ];
    let url = Url::parse(url).ok();
    url.is_some_and(|url| {
        let host = url.host_str().unwrap_or_default();
        HOSTS.contains(&host.strip_prefix("www.").unwrap_or(host))
    })
}

/// Reports whether a URL has neither a path nor a query.
pub(crate) fn is_origin(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.path() == "/" && url.query().is_none())
}

/// Reports whether a host is below a public suffix that exists.
fn is_known_name(host: &str) -> bool {
    !host.starts_with('.')
        && psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
        && psl::domain_str(host).is_some()
}

/// Reports whether a name is a file name, such as `skill.md`, although `.md` is a top-level domain.
fn is_file_name(name: &str) -> bool {
    [".md", ".sh", ".py", ".rs", ".zip", ".mov"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Reports whether `text` is an absolute http(s) URL with a host.
pub(crate) fn is_absolute(text: &str) -> bool {
    Url::parse(text.trim()).is_ok_and(|url| matches!(url.scheme(), "https" | "http"))
        && text.contains("://")
}

/// Reports whether a text is an address that begins with a variable, as `${HOST}/mcp` and `{base}/mcp` do.
pub(crate) fn is_template(text: &str) -> bool {
    let text = text.trim();
    let close = [("${", "}"), ("{", "}"), ("<", ">"), ("__", "__")]
        .into_iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.split_once(close));
    close.is_some_and(|(_, rest)| rest.trim_start_matches('}').starts_with('/'))
}

/// Returns the name of a parameter in brackets, as in `/books/[id]`.
fn bracketed(segment: &str) -> Option<&str> {
    segment.strip_prefix('[')?.strip_suffix(']')
}

/// Writes `:name` and `[name]` path parameters as `{name}` (C-36).
pub(crate) fn template(endpoint: &str) -> String {
    let endpoint = endpoint.trim();
    let (start, path) = match endpoint.split_once("://") {
        Some((_, rest)) => {
            let path_at = rest
                .find('/')
                .map_or(endpoint.len(), |at| endpoint.len() - rest.len() + at);
            endpoint.split_at(path_at)
        }
        None => ("", endpoint),
    };
    let segments = path.split('/').map(|segment| {
        match segment.strip_prefix(':').or_else(|| bracketed(segment)) {
            Some(name) if !name.is_empty() && name.bytes().all(is_name_byte) => {
                format!("{{{name}}}")
            }
            _ => segment.to_owned(),
        }
    });
    start.to_owned() + &segments.collect::<Vec<_>>().join("/")
}

/// Names the variables of a query by their parameters, but for those in `described`.
pub(crate) fn named_by_parameter(address: &str, described: &[String]) -> String {
    let Some((path, query)) = address.split_once('?') else {
        return address.to_owned();
    };
    let pairs = query.split('&').map(|pair| {
        let variable = pair.split_once('=').and_then(|(name, value)| {
            let variable = value.strip_prefix('{')?.strip_suffix('}')?;
            let is_plain = !name.is_empty() && !variable.contains(['{', '}']);
            (is_plain && !described.iter().any(|it| it == variable)).then_some(name)
        });
        match variable {
            Some(name) => format!("{name}={{{name}}}"),
            None => pair.to_owned(),
        }
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

/// Returns the names of the path parameters in an endpoint, written `:name` or `{name}`.
pub(crate) fn path_params(endpoint: &str) -> Vec<String> {
    template(endpoint)
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Resolves the endpoint (template) by RFC 3986; its braces are kept.
pub(crate) fn absolute_template(base: &Url, endpoint: &str) -> Option<String> {
    absolute(base, &template(endpoint)).map(restore_braces)
}

/// Appends the endpoint to `base` as text (C-35), unless it is absolute.
pub(crate) fn concatenated(base: &str, endpoint: &str) -> Option<String> {
    let endpoint = template(endpoint);
    if is_absolute(&endpoint) {
        return Url::parse(&endpoint)
            .ok()
            .map(|url| restore_braces(url.into()));
    }
    let base = base.trim().trim_end_matches('/');
    let joined = format!("{base}/{}", endpoint.trim_start_matches('/'));
    if joined.len() > MAX_URL || !is_absolute(&joined) {
        return None;
    }
    Url::parse(&joined)
        .ok()
        .map(|url| restore_braces(url.into()))
}

fn restore_braces(url: String) -> String {
    if url.contains('%') {
        url.replace("%7B", "{").replace("%7D", "}")
    } else {
        url
    }
}

/// Returns the root of the host of an absolute address.
pub(crate) fn root(address: &str) -> Option<String> {
    let url = Url::parse(address).ok().filter(Url::has_host)?;
    url.join("/").ok().map(String::from)
}

/// Returns the origin of a document's final URL, with a trailing slash.
pub(crate) fn origin(document: &Document) -> String {
    format!("{}/", document.url.origin().ascii_serialization())
}

/// Reports whether the URL's host shares the registrable domain of the document. True for every URL
/// of a file whose site is not known.
pub(crate) fn is_own(document: &Document, url: &str) -> bool {
    if document.domain.is_unknown() {
        return true;
    }
    Url::parse(url)
        .ok()
        .and_then(|url| crate::Domain::parse(url.host_str()?).ok())
        .is_some_and(|host| host.registrable() == document.domain.registrable())
}
