//! The answer to the first question of a caller: whether and how an agent can be called.

use super::model::Connect;
use manifest::agent::{Agent, Auth, Capability, Interface};
use manifest::words;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use url::Url;

/// Best way in which a stranger can use an agent, by what its documents state (`docs/connect.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Callable {
    /// A complete first call follows from what is stated: it is the example.
    Call,
    /// The address of an MCP server or of an A2A agent is stated, and a client negotiates the rest.
    Connect,
    /// A command starts it on the caller's own machine.
    Run,
    /// Its address is stated, and callers have to get a credential first, at a place that is stated.
    Ask,
    /// It is described, and nothing that can be called is stated.
    Described,
}

words!(Callable {
    Call = "call",
    Connect = "connect",
    Run = "run",
    Ask = "ask",
    Described = "described",
});

/// Reason of a value, in a sentence without a full stop.
pub(super) struct Reason(pub(super) String);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the value of an agent, or of the capability that is `wanted` of it, and its reason, given whether
/// there is an example of a first call and what the call lacks otherwise.
pub(super) fn of(
    agent: &Agent,
    wanted: Option<&Capability>,
    has_example: bool,
    missing: &[&str],
) -> (Callable, Reason) {
    let (value, reason) = if has_example {
        let reason = "a complete first call follows from the documents";
        (Callable::Call, reason.to_owned())
    } else if let Some(interface) = negotiated(agent, wanted) {
        let title = if interface.protocol == "mcp" {
            "MCP server"
        } else {
            "A2A agent"
        };
        let reason =
            format!("the address of the {title} is stated, and a client negotiates the rest");
        (Callable::Connect, reason)
    } else if !agent.programs.is_empty() && wanted.is_none_or(|it| it.url.is_none()) {
        let reason = "it runs on the caller's own machine, started by a command";
        (Callable::Run, reason.to_owned())
    } else if let Some(place) = has_address(agent)
        .then(|| place_to_ask(&agent.auth))
        .flatten()
    {
        (
            Callable::Ask,
            format!("callers get a credential first, at {place}"),
        )
    } else if missing.is_empty() {
        (Callable::Described, "no call is stated".to_owned())
    } else {
        let missing = missing.join(", ");
        (
            Callable::Described,
            format!("no document states what a first call needs: {missing}"),
        )
    };
    (value, Reason(reason))
}

impl Connect {
    /// Removes the address to call if nothing can be called.
    pub(super) fn without_idle_address(mut self) -> Self {
        if matches!(self.callable, Callable::Run | Callable::Described) {
            self.endpoint = None;
            self.foreign = None;
        }
        self
    }
}

/// Returns the first interface about which a client of its protocol finds out everything but the address: one
/// of the agent, or over which the capability that is `wanted` may be called.
pub(super) fn negotiated<'a>(
    agent: &'a Agent,
    wanted: Option<&Capability>,
) -> Option<&'a Interface> {
    let mut all = super::interfaces(agent, wanted);
    all.find(|it| is_negotiated(it))
}

/// Reports whether a client of the protocol finds out everything but the address by itself.
fn is_negotiated(interface: &Interface) -> bool {
    let is_web = Url::parse(&interface.url).is_ok_and(|it| matches!(it.scheme(), "http" | "https"));
    is_web && matches!(interface.protocol.as_str(), "mcp" | "a2a")
}

fn has_address(agent: &Agent) -> bool {
    !agent.interfaces.is_empty() || agent.capabilities.iter().any(|it| it.url.is_some())
}

/// Returns the page or endpoint at which callers get a credential.
fn place_to_ask(auths: &[Auth]) -> Option<&str> {
    auths.iter().find_map(|auth| {
        let places = [
            &auth.registration_url,
            &auth.docs,
            &auth.authorization_url,
            &auth.token_url,
            &auth.metadata_url,
        ];
        places.into_iter().find_map(Option::as_deref)
    })
}
