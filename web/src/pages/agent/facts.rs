//! Facts of a manifest, in words for people.

use crate::query::SearchParams;
use crate::view::{self, WebLink};
use manifest::{Agent, AgentId};
use search::Facet;
use std::collections::BTreeMap;

/// Maximum number of payments on the page, and of those that are shown at once.
const PAYMENTS: usize = 20;
const AT_ONCE: usize = 2;

/// Maximum number of programs on the page.
const PROGRAMS: usize = 20;

/// Characters that fit into the lines of a description that are shown at once.
const SHOWN_AT_ONCE: usize = 480;
/// First of the characters that are mostly as wide as two letters.
const FIRST_WIDE: char = '\u{1100}';

/// Characters of a signature's value on the page.
const SIGNATURE: usize = 24;

/// Member of a composed agent.
#[derive(Debug)]
pub(super) struct NodeView {
    pub(super) id: String,
    pub(super) role: Option<String>,
    /// Id of the listed agent, with the path of its page.
    pub(super) agent: Option<(String, String)>,
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

/// Returns the programs of an agent in words, each with its command.
pub(super) fn programs(agent: &Agent) -> Vec<(String, Option<String>)> {
    let words = |protocol: &Option<String>| match protocol.as_deref() {
        Some("mcp") => "MCP server over stdio".to_owned(),
        Some(protocol) => format!("{} over stdio", view::foreign(protocol)),
        None => "Local program over stdio".to_owned(),
    };
    let programs = agent.programs.iter().take(PROGRAMS);
    programs
        .map(|it| (words(&it.protocol), it.command.clone()))
        .collect()
}

/// Returns the labelled links of an agent, each address once.
pub(super) fn links(agent: &Agent) -> Vec<(&'static str, WebLink)> {
    let mut seen: Vec<&str> = agent.interfaces.iter().map(|it| it.url.as_str()).collect();
    seen.extend(agent.provider.iter().filter_map(|it| it.url.as_deref()));
    [
        ("Documentation", &agent.docs),
        ("Home page", &agent.homepage),
        ("Contact", &agent.contact),
        ("Logo", &agent.logo),
    ]
    .into_iter()
    .filter_map(|(label, url)| {
        let url = url.as_deref().filter(|it| !seen.contains(it))?;
        seen.push(url);
        Some((label, WebLink::of(url)))
    })
    .collect()
}

/// Reports whether a text fills more lines than its page shows at once; wide characters count twice.
pub(super) fn is_long(text: &str) -> bool {
    let widths = text.chars().map(|it| if it < FIRST_WIDE { 1 } else { 2 });
    widths.sum::<usize>() > SHOWN_AT_ONCE
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

/// Returns the members of a composed agent; `listed` has those that are listed, by reference.
pub(super) fn nodes(agent: &Agent, listed: &BTreeMap<String, AgentId>) -> Vec<NodeView> {
    let nodes = agent.graph.iter().flat_map(|graph| &graph.nodes);
    nodes
        .map(|node| NodeView {
            id: node.id.clone(),
            role: node.role.clone(),
            agent: node.reference.as_ref().and_then(|it| {
                let id = listed.get(it)?;
                let (domain, slug) = id.parts();
                Some((id.to_string(), view::path(&["agent", domain, slug])))
            }),
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

/// Method of payment.
#[derive(Debug)]
pub(super) struct PaymentView {
    /// Protocol with its scheme, network, asset, price and details.
    pub(super) words: String,
    /// Address that is paid for.
    pub(super) resource: Option<WebLink>,
}

/// Methods of payment, at most [`PAYMENTS`].
#[derive(Debug)]
pub(super) struct Payments {
    pub(super) first: Vec<PaymentView>,
    /// Those that are shown on request.
    pub(super) further: Vec<PaymentView>,
    /// Number of those that are not shown, in words.
    pub(super) more: Option<String>,
}

/// Returns the methods of payment; many of them would push the call out of sight.
pub(super) fn payments(agent: &Agent) -> Payments {
    let payments = agent.payments.iter().take(PAYMENTS).map(|payment| {
        let mut words = payment.protocol.clone();
        for (label, value) in [
            ("scheme", &payment.scheme),
            ("network", &payment.network),
            ("price", &payment.price),
            ("asset", &payment.asset),
        ] {
            if let Some(value) = value {
                words = format!("{words}, {label} {value}");
            }
        }
        // Members without a meaning stand in the table of what is kept.
        if let Some(detail) = payment
            .detail
            .as_ref()
            .filter(|it| !it.starts_with(['{', '[']))
        {
            words = format!("{words}: {detail}");
        }
        PaymentView {
            words: view::foreign(&words),
            resource: WebLink::maybe(payment.resource.as_ref()),
        }
    });
    let more = agent.payments.len().saturating_sub(PAYMENTS);
    let more = (more > 0).then(|| format!("and {} more", view::grouped(more as u64)));
    let mut first: Vec<_> = payments.collect();
    Payments {
        further: first.split_off(AT_ONCE.min(first.len())),
        first,
        more,
    }
}

/// Returns the signatures: algorithm, key and state.
pub(super) fn signatures(agent: &Agent) -> Vec<String> {
    let signatures = agent.signatures.iter();
    signatures
        .map(|signature| {
            let algorithm = signature.alg.as_deref().unwrap_or("unnamed algorithm");
            let key = signature.kid.as_deref().unwrap_or("unnamed key");
            let text = format!("{algorithm}, {key}: {}", signature.state);
            match &signature.value {
                Some(value) => format!("{text}; {}", view::shortened(value, SIGNATURE)),
                None => text,
            }
        })
        .collect()
}
