//! Forms in which an error is written, by the address of the request.

use crate::own::place;
use crate::twin;

/// Form of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// Page for people.
    Page,
    /// Problem document (RFC 9457).
    Problem,
    /// Object with `errorCode` and `message`, of ARD.
    Ard,
    /// Object with `error`, of the MCP Registry API.
    Servers,
    /// Error of JSON-RPC, of MCP and A2A.
    Rpc,
    /// Envelope of the Interaction API.
    Interaction,
}

impl ErrorForm {
    /// Returns the form at a path.
    pub(crate) fn at(path: &str) -> Self {
        let is_below = |base: &str| {
            let rest = path.strip_prefix(base);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_manifest = place::AGENTS_TXT.contains(&path)
            || place::AGENT_JSON.contains(&path)
            || place::SERVER_CARD.contains(&path)
            || [place::AGENTS_TXT_COM, place::LLMS, place::ROBOTS].contains(&path);
        if [place::A2A, place::MCP].contains(&path) {
            Self::Rpc
        } else if is_below(place::INTERACTION) {
            Self::Interaction
        } else if is_below(place::ARD) {
            Self::Ard
        } else if place::SERVERS.iter().any(|base| is_below(base)) {
            Self::Servers
        } else if is_manifest
            || is_below("/api")
            || is_below("/.well-known")
            || path == place::OPENAPI
            || twin::Form::of(path) != twin::Form::Html
        {
            Self::Problem
        } else {
            Self::Page
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_decides_the_form() {
        for (path, form) in [
            ("/", ErrorForm::Page),
            ("/ardent", ErrorForm::Page),
            ("/mcp", ErrorForm::Rpc),
            ("/a2a", ErrorForm::Rpc),
            ("/a2a/v1", ErrorForm::Page),
            ("/site/mesa.example", ErrorForm::Page),
            ("/site/mesa.example/index.json", ErrorForm::Problem),
            ("/api", ErrorForm::Problem),
            ("/api/v1/search", ErrorForm::Problem),
            ("/.well-known/nothing", ErrorForm::Problem),
            ("/.well-known/agents/api", ErrorForm::Interaction),
            ("/.well-known/agents/api/none", ErrorForm::Interaction),
            ("/.well-known/agents/api.json", ErrorForm::Problem),
            ("/agents.txt", ErrorForm::Problem),
            ("/ard", ErrorForm::Ard),
            ("/ard/agents/urn:air:a.example:agent:b", ErrorForm::Ard),
            ("/v0.1/servers", ErrorForm::Servers),
            ("/v0/servers", ErrorForm::Servers),
        ] {
            assert_eq!(ErrorForm::at(path), form, "{path}");
        }
    }
}
