//! Formats to choose from, in groups, and an example of each group.

use manifest::FormatId;
use manifest::convert::Target;

/// Formats of one group: ids and labels. A label names the file, and the version or the author where
/// several share one.
pub(crate) type Group = (&'static str, &'static [(&'static str, &'static str)]);

/// All formats.
pub(crate) const GROUPS: &[Group] = &[
    (
        "A2A",
        &[(
            "a2a-agent-card",
            "Agent card: agent-card.json, A2A 0.1 to 1.0",
        )],
    ),
    (
        "Catalogues",
        &[
            ("ai-catalog", "ARD catalogue: ai-catalog.json or ard.json"),
            ("rfc9727-linkset", "API catalogue: api-catalog (RFC 9727)"),
            ("mcp-catalog", "MCP catalogue: mcp/catalog.json"),
            (
                "agent-skills-index",
                "List of skills: agent-skills/index.json",
            ),
            ("agent-skill", "File of a skill: SKILL.md"),
        ],
    ),
    (
        "MCP",
        &[
            (
                "mcp-server-card",
                "Server card: mcp/server-card.json or mcp.json",
            ),
            (
                "mcp-registry-server",
                "Entry of the MCP registry: server.json",
            ),
        ],
    ),
    (
        "agents.txt",
        &[
            (
                "agents-txt/agents-protocol",
                "agents.txt of the agents.txt protocol",
            ),
            (
                "agents-txt/agents-protocol-legacy",
                "agents.txt of the agents.txt protocol, former keys",
            ),
            ("agents-txt/well-known-1.0", "agents.txt 1.0, in blocks"),
            ("agents-txt/agents-txt-com", "agents.txt of agents-txt.com"),
            ("agents-txt/agentstxt-dev", "agents.txt of agentstxt.dev"),
            (
                "agents-txt/agent-policy",
                "agents.txt with an agent policy 0.1",
            ),
            (
                "agents-brief-0.4",
                "agents-brief 0.4: agents.txt or agents-brief.txt",
            ),
            ("agentnav", "agents.txt of AgentNav"),
            ("agents-txt/adp-1.0", "agents.txt of ADP 1.0"),
            ("agents-txt/yaml-list", "agents.txt as a YAML list"),
            ("agents-txt/yaml-blocks", "agents.txt in YAML blocks"),
            (
                "agents-txt/hashed-policy",
                "agents.txt with a hashed policy",
            ),
            (
                "agents-txt/robots-like",
                "agents.txt in the manner of robots.txt",
            ),
            ("agents-txt/free-keys", "agents.txt with keys of its own"),
            ("agents-txt/prose", "agents.txt in sentences, as Markdown"),
            ("agents-txt", "agents.txt of any other kind"),
        ],
    ),
    (
        "agents.json",
        &[
            (
                "agents-json/agents-protocol",
                "agents.json of the agents.txt protocol",
            ),
            (
                "agents-json/agents-protocol-legacy",
                "agents.json of the agents.txt protocol, former names",
            ),
            (
                "agents-json/agents-txt-1.0",
                "agents.json of agents-txt 1.0",
            ),
            (
                "agents-json/agents-txt-com",
                "agents.json of agents-txt.com",
            ),
            (
                "wildcard-agents-json",
                "agents.json of Wildcard, with flows",
            ),
            ("json-agents", "JSON Agents: *.agents.json"),
            ("zervice", "agents.json of Zervice, with a list"),
            ("zervice-single", "agent-card.json of Zervice, one agent"),
            ("agents-wrapper", "agents.json that wraps one agent"),
            (
                "wrapped-agents",
                "agents.json with a list of agents in any shape",
            ),
        ],
    ),
    (
        "agent.json",
        &[
            ("intentql", "agent.json of IntentQL"),
            ("intentql-intents", "agent.json of IntentQL, only intents"),
            ("open-agent-json", "agent.json of the open agent.json draft"),
            ("awp", "agent.json of AWP"),
            ("ahp", "agent.json of AHP"),
            ("w2a", "agents.json of W2A"),
            ("jmilinovich", "agents.json of jmilinovich’s draft"),
            ("agent-identity-kit", "agent.json of the Agent Identity Kit"),
            (
                "agent-identity-kit-team",
                "agents.json of the Agent Identity Kit, a team",
            ),
            ("profile", "JSON in its own format"),
        ],
    ),
    (
        "OpenAPI and plugins",
        &[
            ("openapi", "OpenAPI or Swagger: openapi.json"),
            ("ai-plugin", "AI plugin: ai-plugin.json"),
            ("webmcp", "Tools of a page: webmcp.json"),
        ],
    ),
    (
        "Payment and shops",
        &[
            ("x402", "Prices of resources: x402"),
            ("ucp", "Profile of a shop: ucp"),
            ("acp", "Agentic Commerce Protocol: acp.json"),
        ],
    ),
    (
        "Access and policy",
        &[
            ("auth-md", "How to register: auth.md"),
            (
                "oauth-protected-resource",
                "OAuth protected resource (RFC 9728)",
            ),
            (
                "oauth-authorization-server",
                "OAuth authorization server (RFC 8414)",
            ),
            ("agent-permissions", "Permissions: agent-permissions.json"),
            ("agent-policy-0.1", "Policy: agent-policy.json 0.1"),
        ],
    ),
    (
        "Identity and directories",
        &[
            ("anp-agent-description", "ANP agent description: ad.json"),
            ("anp-collection", "ANP collection: agent-descriptions"),
            ("oasf", "OASF record"),
            ("erc-8004", "ERC-8004 registration: agent-registration.json"),
        ],
    ),
];

/// Example to load.
#[derive(Debug)]
pub(crate) struct Example {
    /// Word in the address.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Recorded exchange whose body it is.
    exchange: &'static str,
}

/// Declares the examples, a row each: the word in the address, the title, and the recorded exchange.
macro_rules! examples {
    ($($name:literal, $title:literal, $file:literal;)+) => {
        /// All examples, at least one of each group.
        pub(crate) const EXAMPLES: &[Example] = &[$(Example {
            name: $name,
            title: $title,
            exchange: include_str!(concat!("../../../../tests/fixtures/", $file, ".http")),
        },)+];
    };
}

examples! {
    "broken-card", "A2A agent card, broken JSON", "a2a-agent-card/trailing-comma";
    "a2a", "A2A agent card", "a2a-agent-card/generation-1-0";
    "ard", "ARD catalogue", "ai-catalog/rich";
    "mcp", "MCP server card", "mcp-server-card/rich";
    "agents-txt", "agents.txt", "agents-txt/agents-protocol-rich";
    "agents-json", "agents.json", "agents-protocol/rich";
    "agent-json", "agent.json of IntentQL", "intentql/rich";
    "ai-plugin", "AI plugin", "ai-plugin/tools";
    "x402", "Prices of resources (x402)", "x402/minimal";
    "auth-md", "How to register (auth.md)", "auth-md/minimal";
    "anp", "ANP agent description", "anp-agent-description/rich";
}

impl Example {
    /// Returns the example with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        EXAMPLES.iter().find(|it| it.name == name)
    }

    /// Returns its text.
    pub(crate) fn text(&self) -> &'static str {
        self.exchange.split_once("\n\n").map_or("", |it| it.1)
    }

    /// Returns the path at which its site serves it.
    pub(crate) fn path(&self) -> &'static str {
        let address = self.exchange.lines().next().unwrap_or_default();
        let path = address
            .split_once("://")
            .and_then(|it| it.1.find('/').map(|at| &it.1[at..]));
        path.unwrap_or_default()
    }
}

/// Formats to convert to: words and titles. The own format, which would be written anew, is the last.
pub(crate) fn targets(own: FormatId) -> Vec<(&'static str, String)> {
    let mut targets = Target::ALL;
    targets.sort_by_key(|it| it.format() == own);
    targets
        .into_iter()
        .map(|it| (it.as_str(), capitalized(it.title())))
        .collect()
}

/// Returns a title with an article as the name of a choice: "A2A 1.0 card".
pub(crate) fn capitalized(title: &str) -> String {
    let name = title.split_once(' ').map_or(title, |it| it.1);
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::{Document, formats, openapi};
    use std::collections::BTreeSet;

    #[test]
    fn every_format_is_in_one_group_under_a_label_of_its_own() {
        let all = || GROUPS.iter().flat_map(|it| it.1);
        let known: BTreeSet<&str> = formats::ids()
            .chain([openapi::ID])
            .map(FormatId::as_str)
            .collect();
        let ids: Vec<&str> = all().map(|it| it.0).collect();
        assert_eq!(ids.iter().copied().collect::<BTreeSet<_>>(), known);
        assert_eq!(ids.len(), known.len(), "a format is in two groups");
        let labels: BTreeSet<&str> = all().map(|it| it.1).collect();
        assert_eq!(labels.len(), ids.len(), "two formats have one label");
    }

    #[test]
    fn each_group_has_an_example_that_is_read_as_one_of_its_formats() {
        let mut seen = BTreeSet::new();
        for example in EXAMPLES {
            let document = Document::of_file(example.path(), example.text());
            let format = formats::read(&document).format;
            let group = GROUPS
                .iter()
                .find(|it| it.1.iter().any(|it| it.0 == format.as_str()));
            seen.insert(
                group
                    .unwrap_or_else(|| panic!("{}: {format}", example.name))
                    .0,
            );
        }
        let groups: BTreeSet<&str> = GROUPS.iter().map(|it| it.0).collect();
        let without: Vec<_> = groups.difference(&seen).collect();
        assert_eq!(without, [&"Catalogues"; 0]);
        let broken = Document::of_file("/agent.json", EXAMPLES[0].text());
        assert!(manifest::corrected(&broken).is_some());
    }
}
