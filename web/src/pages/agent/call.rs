//! The first call to an agent, in words and as source code.

use super::shown;
use crate::view;
use crate::view::access::InterfaceView;
use crate::view::place::PlaceLink;
use connect::{Connect, stranger};
use manifest::Agent;

/// Lists the example as source code, with the names of the languages.
pub(super) fn snippets(connect: &Connect) -> Vec<(&'static str, String)> {
    let snippets = connect.snippets.iter();
    let all = snippets.flat_map(|it| {
        [
            ("curl", &it.curl),
            ("Python", &it.python),
            ("TypeScript", &it.typescript),
        ]
    });
    all.filter_map(|(language, source)| Some((language, source.clone()?)))
        .collect()
}

/// Lists the configurations of MCP clients as text, with the links that install the server there.
pub(super) fn configurations(connect: &Connect) -> Vec<(&'static str, String, Option<String>)> {
    let configurations = connect.client_configs.iter();
    configurations
        .map(|it| (it.client, view::pretty(&it.config), it.install.clone()))
        .collect()
}

/// Reports whether the documents of an agent say where it, or one of its capabilities, is called.
pub(super) fn is_callable(agent: &Agent) -> bool {
    !agent.interfaces.is_empty() || agent.capabilities.iter().any(|it| it.url.is_some())
}

/// Returns the address to call. Of an agent that cannot be called, it is an address of which no
/// document says more, unless that is its home page.
pub(super) fn endpoint<'a>(agent: &'a Agent, connect: &'a Connect) -> Option<&'a str> {
    let own = || agent.url.as_deref().filter(|_| agent.url != agent.homepage);
    connect.endpoint.as_deref().or_else(own)
}

/// Lists the facts that the owner of an agent can add so that it can be called; none if it can.
pub(super) fn lacks(agent: &Agent) -> Vec<&'static str> {
    if is_callable(agent) {
        return Vec::new();
    }
    let lacks = [
        (
            agent.programs.is_empty(),
            "An endpoint with its protocol, such as A2A, MCP or REST",
        ),
        (
            agent.capabilities.is_empty(),
            "Capabilities, each with a name and a description",
        ),
        (
            agent.auth.is_empty(),
            "How callers authenticate, or that they need not",
        ),
    ];
    let lacking = lacks.into_iter().filter(|(is_lacking, _)| *is_lacking);
    lacking.map(|(_, words)| words).collect()
}

/// Names the facts that a caller needs and no document states, beside the authentication, which has
/// a line of its own.
pub(super) fn missing(connect: &Connect) -> Option<String> {
    let missing = connect.missing.iter().filter(|it| **it != "auth");
    let words: Vec<_> = missing.map(|it| fact(it)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn fact(fact: &str) -> &str {
    match fact {
        "protocol" => "the protocol",
        "version" => "the version of the protocol",
        "transport" => "the binding",
        "http_binding" => "an address for calls over HTTP",
        "public_address" => "an address that can be called from outside",
        "url" => "the address of the capability",
        "method" => "the HTTP method",
        "params" => "the parameters",
        "session.create" => "the address that creates sessions",
        "auth.name" => "the header or parameter of the key",
        "auth.where" => "the source of tokens",
        "auth.how" => "the form of the authentication",
        other => other,
    }
}

/// Lists the interfaces, with the owner of each that is not on the agent's site, and the place that
/// states it.
pub(super) fn interfaces(
    agent: &Agent,
    site: &str,
    sources: Vec<Option<PlaceLink>>,
) -> Vec<InterfaceView> {
    let interfaces = agent.interfaces.iter().zip(sources);
    let mut strangers: Vec<String> = Vec::new();
    interfaces
        .map(|(interface, source)| {
            let owner = stranger(site, &interface.url).map(|it| shown(&it.0));
            let repeats_stranger = owner.as_ref().is_some_and(|it| strangers.contains(it));
            strangers.extend(owner.clone());
            InterfaceView {
                repeats_stranger,
                source,
                ..InterfaceView::of(interface, owner)
            }
        })
        .collect()
}
