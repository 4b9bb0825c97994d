//! What a manifest says of an agent, in words for people.

use crate::query::Asked;
use crate::view::{self, WebLink};
use indexer::search::Facet;
use manifest::Agent;

/// A suggested sequence.
#[derive(Debug)]
pub(super) struct FlowView {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) steps: Vec<String>,
}

/// A member of a composed agent.
#[derive(Debug)]
pub(super) struct NodeView {
    pub(super) id: String,
    pub(super) role: Option<String>,
    pub(super) link: Option<WebLink>,
}

/// Tags, each with the search for it.
pub(super) fn tags(tags: &[String]) -> Vec<(String, String)> {
    let search = |tag: &String| {
        let asked = Asked::default();
        asked.toggled(Facet::Tag, tag).page()
    };
    tags.iter().map(|tag| (tag.clone(), search(tag))).collect()
}

/// Addresses that it names of itself.
pub(super) fn links(agent: &Agent) -> Vec<(&'static str, WebLink)> {
    [
        ("Documentation", &agent.docs),
        ("Home page", &agent.homepage),
        ("Contact", &agent.contact),
        ("Logo", &agent.logo),
    ]
    .into_iter()
    .filter_map(|(label, url)| Some((label, WebLink::of(url.as_ref()?))))
    .collect()
}

/// How a session begins and ends.
pub(super) fn session(agent: &Agent) -> Option<String> {
    let sessions = agent.sessions.as_ref()?;
    Some(format!(
        "POST {} to begin, DELETE {} to end; it lasts {} seconds.",
        view::foreign(&sessions.create),
        view::foreign(&sessions.delete),
        view::grouped(sessions.ttl_s)
    ))
}

/// Suggested sequences.
pub(super) fn flows(agent: &Agent) -> Vec<FlowView> {
    let flows = agent.flows.iter();
    flows
        .map(|flow| FlowView {
            name: flow.name.clone(),
            description: flow.description.clone(),
            steps: flow.steps.clone(),
        })
        .collect()
}

/// The members of a composed agent.
pub(super) fn nodes(agent: &Agent) -> Vec<NodeView> {
    let nodes = agent.graph.iter().flat_map(|graph| &graph.nodes);
    nodes
        .map(|node| NodeView {
            id: node.id.clone(),
            role: node.role.clone(),
            link: WebLink::maybe(node.reference.as_ref()),
        })
        .collect()
}

/// The rules that it says it enforces.
pub(super) fn policies(agent: &Agent) -> Vec<String> {
    let policies = agent.policies.iter();
    policies
        .map(|policy| {
            let text = format!("{}: {} {}", policy.id, policy.effect, policy.action);
            match &policy.condition {
                Some(condition) => format!("{text} where {condition}"),
                None => text,
            }
        })
        .collect()
}

/// Ways to pay.
pub(super) fn payments(agent: &Agent) -> Vec<String> {
    let payments = agent.payments.iter();
    payments
        .map(|payment| match &payment.detail {
            Some(detail) => format!("{}: {detail}", payment.protocol),
            None => payment.protocol.clone(),
        })
        .collect()
}

/// Who signed it, by what.
pub(super) fn signatures(agent: &Agent) -> Vec<String> {
    let signatures = agent.signatures.iter();
    signatures
        .map(|signature| {
            let algorithm = signature.alg.as_deref().unwrap_or("unnamed algorithm");
            let key = signature.kid.as_deref().unwrap_or("unnamed key");
            format!("{algorithm}, {key}: {}", signature.state)
        })
        .collect()
}
