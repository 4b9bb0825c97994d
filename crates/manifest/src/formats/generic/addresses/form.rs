//! The written form of addresses (GP-12): what tells them from names.

use crate::link;

/// Reports whether a text is written as an address: with a scheme, or from the root or the folder of
/// the document. Where a member's name says that it holds one, a host with a public suffix, a file
/// and a folder count too.
///
/// `@otter/mcp`, `otter/mcp` and `{base}/mcp` are none: joined to the address of the document, they
/// would be invented ones.
pub(super) fn is_address(text: &str, is_named: bool) -> bool {
    let text = text.trim();
    if is_template(text) || text.starts_with('@') {
        return false;
    }
    let is_absolute = text
        .split_once("://")
        .is_some_and(|(scheme, _)| is_scheme(scheme));
    let is_rooted = text.starts_with(['/', '.']);
    let is_folder = text.ends_with('/') && !text.contains(char::is_whitespace);
    is_absolute || is_rooted || is_file(text) || (is_named && (is_folder || link::has_host(text)))
}

/// Reports whether an address begins with a variable, as `{base}/mcp`, `${BASE}/mcp` and
/// `<host>/mcp` do: nothing says where it is.
pub(super) fn is_template(text: &str) -> bool {
    let text = text.trim();
    let begins = |open: char, close: char| text.starts_with(open) && text.contains(close);
    begins('{', '}') || begins('<', '>') || (text.starts_with("${") && text.contains('}'))
}

fn is_scheme(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    text.starts_with(|it: char| it.is_ascii_alphabetic()) && text.bytes().all(is_part)
}

/// Reports whether a relative path ends in the name of a document.
fn is_file(text: &str) -> bool {
    const ENDINGS: [&str; 5] = [".json", ".yaml", ".yml", ".txt", ".md"];
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let lower = path.to_ascii_lowercase();
    !path.contains(':') && ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gp_12_names_are_no_addresses() {
        for (text, is_named, expected) in [
            ("https://mesa.example/mcp", false, true),
            ("/mcp", false, true),
            ("./mcp", false, true),
            (".well-known/openapi.yaml", false, true),
            ("specs/openapi.json", false, true),
            ("mcp.mesa.com/sse", true, true),
            ("mcp.mesa.com/sse", false, false),
            ("ghcr.io/mesa/mcp", false, false),
            ("mesa/mcp", true, false),
            ("mcp/", true, true),
            ("mcp/", false, false),
            ("@mesa/mcp", true, false),
            ("com.mesa/mcp", false, false),
            ("{base_url}/mcp", true, false),
            ("${BASE}/mcp", true, false),
            ("<host>/mcp", true, false),
            ("urn:air:mesa.example:mcp/a2a", false, false),
        ] {
            assert_eq!(is_address(text, is_named), expected, "{text}");
        }
    }
}
