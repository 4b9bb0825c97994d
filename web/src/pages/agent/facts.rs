//! Facts of a manifest, in words for people.

use crate::query::SearchParams;
use crate::view::{self, WebLink};
use indexer::search::Facet;
use manifest::Agent;

/// Member of a composed agent.
#[derive(Debug)]
pub(super) struct NodeView {
    pub(super) id: String,
    pub(super) role: Option<String>,
    pub(super) link: Option<WebLink>,
}

/// Returns the tags, each with the path of a search for it.
pub(super) fn tags(tags: &[String]) -> Vec<(String, String)> {
    let search = |tag: &String| {
        let asked = SearchParams::default();
        asked.toggled(Facet::Tag, tag).page()
    };
    tags.iter().map(|tag| (tag.clone(), search(tag))).collect()
}

/// Returns the labelled links of an agent.
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

/// Describes the creation and deletion of sessions.
pub(super) fn session(agent: &Agent) -> Option<String> {
    let sessions = agent.sessions.as_ref()?;
    Some(format!(
        "Create with POST {}, delete with DELETE {}; valid for {} seconds.",
        view::foreign(&sessions.create),
        view::foreign(&sessions.delete),
        view::grouped(sessions.ttl_s)
    ))
}

/// Returns the members of a composed agent.
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

/// Returns the policies that the agent declares.
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

/// Returns the methods of payment.
pub(super) fn payments(agent: &Agent) -> Vec<String> {
    let payments = agent.payments.iter();
    payments
        .map(|payment| match &payment.detail {
            Some(detail) => format!("{}: {detail}", payment.protocol),
            None => payment.protocol.clone(),
        })
        .collect()
}

/// Returns the signatures: algorithm, key and state.
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
