//! The first call to an agent, in words and as source code.

use super::shown;
use crate::connect::{Connect, stranger};
use crate::view::access::InterfaceView;
use crate::view::place::PlaceLink;
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
pub(super) fn doors(
    agent: &Agent,
    site: &str,
    sources: Vec<Option<PlaceLink>>,
) -> Vec<InterfaceView> {
    let doors = agent.interfaces.iter().zip(sources);
    doors
        .map(|(interface, source)| {
            let owner = stranger(site, &interface.url);
            InterfaceView {
                source,
                ..InterfaceView::of(interface, owner.map(|it| shown(&it.0)))
            }
        })
        .collect()
}
