//! Target formats of conversions.

/// A target format of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A2A agent card, 1.0.
    A2a,
    /// A2A agent card, 0.3.
    A2a03,
    /// `agents.json` of the agents.txt protocol.
    AgentsJson,
    /// IntentQL `agent.json`.
    AgentJson,
    /// JSON Agents, the Portable Agent Manifest.
    JsonAgents,
    /// Zervice `agents.json`: a list of agents.
    Zervice,
    /// `agents.txt` of the agents.txt protocol.
    AgentsTxt,
    /// Agentic Resource Discovery: a catalogue with one entry per agent.
    Ard,
    /// OpenAPI 3.1.
    OpenApi,
}

impl Target {
    /// Every target, in the order in which documentation lists them.
    pub const ALL: [Self; 9] = [
        Self::A2a,
        Self::A2a03,
        Self::AgentsJson,
        Self::AgentsTxt,
        Self::AgentJson,
        Self::JsonAgents,
        Self::Zervice,
        Self::Ard,
        Self::OpenApi,
    ];

    /// Returns the target called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns its name on command lines and in URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A2a => "a2a",
            Self::A2a03 => "a2a-0.3",
            Self::AgentsJson => "agents-json",
            Self::AgentJson => "agent-json",
            Self::JsonAgents => "json-agents",
            Self::Zervice => "zervice",
            Self::AgentsTxt => "agents-txt",
            Self::Ard => "ard",
            Self::OpenApi => "openapi",
        }
    }

    /// Returns its title for people, with an article.
    pub const fn title(self) -> &'static str {
        match self {
            Self::A2a => "an A2A 1.0 card",
            Self::A2a03 => "an A2A 0.3 card",
            Self::AgentsJson => "an agents.json",
            Self::AgentJson => "an IntentQL agent.json",
            Self::JsonAgents => "a JSON Agents manifest",
            Self::Zervice => "a Zervice agents.json",
            Self::AgentsTxt => "an agents.txt",
            Self::Ard => "an ARD catalogue",
            Self::OpenApi => "an OpenAPI document",
        }
    }

    /// Returns the path at which a site publishes it.
    pub const fn place(self) -> &'static str {
        match self {
            Self::A2a | Self::A2a03 => "/.well-known/agent-card.json",
            Self::AgentsJson | Self::Zervice => "/.well-known/agents.json",
            Self::AgentJson => "/agent.json",
            Self::JsonAgents => "/.well-known/agents/agent.agents.json",
            Self::AgentsTxt => "/.well-known/agents.txt",
            Self::Ard => "/.well-known/ard.json",
            Self::OpenApi => "/openapi.json",
        }
    }

    /// Returns the `Content-Type` with which a site serves it.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::A2a | Self::A2a03 => "application/json",
            Self::AgentsJson | Self::AgentJson | Self::Zervice => "application/json; charset=utf-8",
            Self::JsonAgents => "application/agents+json",
            Self::AgentsTxt => "text/plain; charset=utf-8",
            Self::Ard => "application/ai-catalog+json",
            Self::OpenApi => "application/vnd.oai.openapi+json;version=3.1",
        }
    }
}
