//! Reads `ajson://` URIs and says where the manifest they name would be (AU-01 to AU-12).

use crate::Domain;

/// An `ajson://authority/path` that is well formed; it need not be resolvable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AgentUri {
    host: String,
    port: Option<u16>,
    path: String,
}

/// Why a text is not an `ajson://` URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AgentUriError {
    /// Another scheme, or no authority.
    #[error("an agent URI is `ajson://` followed by a host and a path")]
    NoAuthority,
    /// A user name before the host.
    #[error("an agent URI must not name a user")]
    UserInfo,
    /// Characters that no host may have, or a port out of range.
    #[error("host or port is malformed")]
    Authority,
    /// Space, control character, `..` or an encoded slash.
    #[error("the path has spaces, control characters, `..` or encoded slashes")]
    Path,
}

impl AgentUriError {
    /// The AU rule that is broken.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::NoAuthority => "AU-01",
            Self::UserInfo => "AU-02",
            Self::Authority => "AU-03",
            Self::Path => "AU-05",
        }
    }
}

impl AgentUri {
    /// Reads a URI; query and fragment are checked and dropped (AU-07, AU-08).
    pub(super) fn parse(text: &str) -> Result<Self, AgentUriError> {
        let rest = match text.split_at_checked(8) {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("ajson://") => rest,
            _ => return Err(AgentUriError::NoAuthority),
        };
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(authority_end);
        if authority.is_empty() {
            return Err(AgentUriError::NoAuthority);
        }
        if authority.contains('@') {
            return Err(AgentUriError::UserInfo);
        }
        let (host, port) = match authority.split_once(':') {
            Some((host, port)) => {
                let port: u16 = port.parse().map_err(|_| AgentUriError::Authority)?;
                (host, Some(port))
            }
            None => (authority, None),
        };
        if host.is_empty() || port == Some(0) || !host.chars().all(is_host_character) {
            return Err(AgentUriError::Authority);
        }
        if rest
            .chars()
            .any(|character| character.is_whitespace() || character.is_control())
        {
            return Err(AgentUriError::Path);
        }
        let path = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
        if path.split('/').any(|segment| segment == "..")
            || path.to_ascii_lowercase().contains("%2f")
        {
            return Err(AgentUriError::Path);
        }
        Ok(Self {
            host: host.to_ascii_lowercase(),
            port,
            path: path.to_owned(),
        })
    }

    /// Where the manifest may be, most likely first; empty for mere identifiers (AU-04, AU-06, AU-09, AU-12).
    pub(super) fn locations(&self) -> Vec<String> {
        let is_public = Domain::parse(&self.host).is_ok_and(|domain| !domain.is_special_use());
        let path = self.path.strip_suffix(".agents.json").unwrap_or(&self.path);
        if !is_public
            || self.port.is_some_and(|port| port != 443)
            || path.len() < 2
            || path.ends_with('/')
        {
            return Vec::new();
        }
        let prefixes: &[&str] = if path.starts_with("/agents/") {
            &["/.well-known"]
        } else {
            &["/.well-known/agents", "/.well-known"]
        };
        prefixes
            .iter()
            .map(|prefix| format!("{prefix}{path}.agents.json"))
            .filter(|place| !place.starts_with("/.well-known/agents/api/"))
            .map(|place| format!("https://{}{place}", self.host))
            .collect()
    }
}

fn is_host_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '.' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_under_agents_has_one_place() {
        let uri = AgentUri::parse("AJSON://Bakery.example/agents/oven#runtime").unwrap();
        let place = "https://bakery.example/.well-known/agents/oven.agents.json";
        assert_eq!(uri.locations(), [place]);
        let uri = AgentUri::parse("ajson://bakery.example/agents/oven.agents.json").unwrap();
        assert_eq!(uri.locations(), [place]);
    }

    #[test]
    fn another_path_has_two_places() {
        let uri = AgentUri::parse("ajson://bakery.example/bots/oven?v=1").unwrap();
        assert_eq!(
            uri.locations(),
            [
                "https://bakery.example/.well-known/agents/bots/oven.agents.json",
                "https://bakery.example/.well-known/bots/oven.agents.json",
            ]
        );
    }

    #[test]
    fn identifiers_and_private_names_have_no_place() {
        for text in [
            "ajson://router",
            "ajson://example/router",
            "ajson://bakery.example",
            "ajson://bakery.example/",
            "ajson://localhost/agents/x",
            "ajson://registry.internal/agents/x",
            "ajson://127.0.0.1/agents/x",
            "ajson://bakery.example:8080/agents/x",
            "ajson://bakery.example/agents/api/cart",
        ] {
            let uri = AgentUri::parse(text).unwrap();
            assert_eq!(uri.locations(), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn malformed_uris_name_their_rule() {
        for (text, rule) in [
            ("https://bakery.example/agents/x", "AU-01"),
            ("ajson:oven", "AU-01"),
            ("ajson:///agents/x", "AU-01"),
            ("", "AU-01"),
            ("ajson://me@bakery.example/agents/x", "AU-02"),
            ("ajson://bake ry.example/agents/x", "AU-03"),
            ("ajson://[oven", "AU-03"),
            ("ajson://bakery.example:99999/x", "AU-03"),
            ("ajson://bakery.example:oven/x", "AU-03"),
            ("ajson://bakery.example/../secret", "AU-05"),
            ("ajson://bakery.example/a%2Fb", "AU-05"),
            ("ajson://bakery.example/a#b c", "AU-05"),
        ] {
            assert_eq!(AgentUri::parse(text).unwrap_err().rule(), rule, "{text}");
        }
    }
}
