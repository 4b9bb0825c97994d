//! The first call to an agent, in words and as source code.

use super::shown;
use crate::view;
use crate::view::access::InterfaceView;
use crate::view::place::PlaceLink;
use connect::{Connect, stranger};
use manifest::Agent;

/// Maximum number of values to fill in that are explained beside a call.
const BLANKS: usize = 8;

/// Example of a call, or the configuration of a client, under one tab.
#[derive(Debug)]
pub(super) struct Sample {
    /// Fragment of its tab.
    pub(super) id: String,
    /// Words of its tab: a language, or the name of a client.
    pub(super) label: &'static str,
    pub(super) text: String,
    /// True for the configuration of a client.
    pub(super) is_configuration: bool,
    /// Address that installs the server in the client.
    pub(super) install: Option<String>,
}

impl Sample {
    fn new(label: &'static str, text: String) -> Self {
        Self {
            id: format!("call-{}", label.to_lowercase().replace(' ', "-")),
            label,
            text,
            is_configuration: false,
            install: None,
        }
    }
}

/// Lists the example as source code and the configurations of clients; the request itself only where
/// no language has it.
pub(super) fn samples(connect: &Connect) -> Vec<Sample> {
    let snippets = connect.snippets.iter();
    let snippets = snippets.flat_map(|it| {
        [
            ("curl", &it.curl),
            ("Python", &it.python),
            ("TypeScript", &it.typescript),
        ]
    });
    let mut samples: Vec<Sample> = snippets
        .filter_map(|(label, source)| Some(Sample::new(label, source.clone()?)))
        .collect();
    if samples.is_empty() {
        let request = connect.example.iter();
        samples.extend(request.map(|call| Sample::new("HTTP", call.text())));
    }
    let configurations = connect.client_configs.iter();
    samples.extend(configurations.map(|it| Sample {
        is_configuration: true,
        install: it.install.clone(),
        ..Sample::new(it.client, view::pretty(&it.config))
    }));
    samples
}

/// Lists the values in `samples` that callers fill in, each with its meaning.
pub(super) fn blanks(connect: &Connect, samples: &[Sample]) -> Vec<(String, Option<String>)> {
    let blanks = connect.placeholders.iter();
    // Source code makes some of them by itself.
    let blanks = blanks.filter(|it| samples.iter().any(|sample| sample.text.contains(&it.text)));
    blanks
        .take(BLANKS)
        .map(|it| {
            (
                it.text.clone(),
                it.description.as_deref().map(view::foreign),
            )
        })
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
    let (last, others) = words.split_last()?;
    Some(match others {
        [] => (*last).to_owned(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

fn fact(fact: &str) -> &str {
    match fact {
        "protocol" => "protocol",
        "version" => "version of the protocol",
        "transport" => "binding",
        "http_binding" => "address for calls over HTTP",
        "public_address" => "address that can be called from outside",
        "url" => "path",
        "method" => "method",
        "params" => "parameters",
        "session.create" => "address that creates sessions",
        "auth.name" => "header or parameter of the key",
        "auth.where" => "source of tokens",
        "auth.how" => "form of the authentication",
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
    let mut before = None;
    interfaces
        .map(|(interface, source)| {
            let repeats_address = before.replace(&interface.url) == Some(&interface.url);
            let owner = stranger(site, &interface.url).map(|it| shown(&it.0));
            let repeats_stranger = owner.as_ref().is_some_and(|it| strangers.contains(it));
            strangers.extend(owner.clone());
            InterfaceView {
                repeats_stranger,
                repeats_address,
                source,
                ..InterfaceView::of(interface, owner)
            }
        })
        .collect()
}
