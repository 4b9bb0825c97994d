//! Target formats of conversions.

use crate::FormatId;
use crate::format::Format as _;
use crate::formats::a2a::A2aAgentCard;
use crate::formats::agents_protocol_json::AgentsProtocolJson;
use crate::formats::agents_txt::AgentsTxt;
use crate::formats::ai_catalog::AiCatalog;
use crate::formats::intentql::IntentQl;
use crate::formats::json_agents::JsonAgents;
use crate::formats::zervice::Zervice;

/// Declares the targets, a row each: the word on command lines and in URLs, the title for people
/// with an article, the path at which a site publishes it, the `Content-Type` with which a site
/// serves it, and the format that it is read as. Documentation lists them in this order.
macro_rules! targets {
    ($($target:ident: $word:literal, $title:literal, $place:literal, $media_type:literal, $format:expr;)+) => {
        /// A target format of a conversion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Target {
            $(#[doc = concat!("The format of ", $title, ".")] $target,)+
        }

        crate::words!(Target { $($target = $word,)+ });

        impl Target {
            /// Returns its title for people, with an article.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$target => $title,)+ }
            }

            /// Returns the path at which a site publishes it.
            pub const fn place(self) -> &'static str {
                match self { $(Self::$target => $place,)+ }
            }

            /// Returns the `Content-Type` with which a site serves it.
            pub const fn media_type(self) -> &'static str {
                match self { $(Self::$target => $media_type,)+ }
            }

            /// Returns the format that a document of this target is read as.
            pub const fn format(self) -> FormatId {
                match self { $(Self::$target => $format,)+ }
            }
        }
    };
}

targets! {
    A2a: "a2a", "an A2A 1.0 card", "/.well-known/agent-card.json", "application/json", A2aAgentCard::ID;
    A2a03: "a2a-0.3", "an A2A 0.3 card", "/.well-known/agent-card.json", "application/json", A2aAgentCard::ID;
    AgentsJson: "agents-json", "an agents.json", "/.well-known/agents.json", "application/json; charset=utf-8", AgentsProtocolJson::ID;
    AgentsTxt: "agents-txt", "an agents.txt", "/.well-known/agents.txt", "text/plain; charset=utf-8", AgentsTxt::ID;
    AgentJson: "agent-json", "an IntentQL agent.json", "/agent.json", "application/json; charset=utf-8", IntentQl::ID;
    JsonAgents: "json-agents", "a JSON Agents manifest", "/.well-known/agents/agent.agents.json", "application/agents+json", JsonAgents::ID;
    Zervice: "zervice", "a Zervice agents.json", "/.well-known/agents.json", "application/json; charset=utf-8", Zervice::ID;
    Ard: "ard", "an ARD catalogue", "/.well-known/ard.json", "application/ai-catalog+json", AiCatalog::ID;
    OpenApi: "openapi", "an OpenAPI document", "/openapi.json", "application/vnd.oai.openapi+json;version=3.1", crate::openapi::ID;
}
