//! Contradictions between the documents of one agent.
//!
//! A document that does not state a fact contradicts no other. Neither does one that states less
//! than another: of several endpoints or authentication schemes, one in common is enough. Only
//! capabilities are compared one by one, because a caller needs a particular one. Defaults of a
//! format are not compared.

use super::{evidence_of, is_nameless};
use crate::listing::{Claim, Conflict};
use crate::{Agent, Fact, text};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[cfg(test)]
mod tests;

/// Maximum number of values that are kept of one claim.
const MAX_VALUES: usize = 20;
/// Maximum number of protocols whose endpoints are compared.
const MAX_PROTOCOLS: usize = 20;

/// Returns the conflicts between the documents of an agent; `members` are its descriptions, each
/// with the index of its source.
pub(super) fn conflicts(members: &[(usize, &Agent)]) -> Vec<Conflict> {
    if members.len() < 2 {
        return Vec::new();
    }
    let names = dispute("name", Fact::Name, members, |agent| {
        (!is_nameless(agent))
            .then(|| agent.name.clone())
            .into_iter()
            .collect()
    });
    let versions = dispute("version", Fact::Version, members, |agent| {
        agent.version.clone().into_iter().collect()
    });
    let auth = dispute("auth", Fact::Auth, members, |agent| {
        let schemes: BTreeSet<_> = agent.auth.iter().map(|auth| auth.scheme.clone()).collect();
        schemes.into_iter().collect()
    });
    let endpoints = protocols(members).into_iter().filter_map(|protocol| {
        dispute(
            &format!("endpoint/{protocol}"),
            Fact::Interfaces,
            members,
            |agent| endpoints(agent, protocol),
        )
    });
    let plain = dispute("endpoint", Fact::Url, members, |agent| {
        plain_endpoint(agent).into_iter().collect()
    });
    [names, versions, auth, plain]
        .into_iter()
        .flatten()
        .chain(endpoints)
        .chain(capabilities(members))
        .collect()
}

/// Returns the conflict about `field` if no value is common to all; `position_field` is the field
/// of the model whose position is cited.
fn dispute(
    field: &str,
    position_field: Fact,
    members: &[(usize, &Agent)],
    values: impl Fn(&Agent) -> Vec<String>,
) -> Option<Conflict> {
    let mut common: Option<BTreeSet<String>> = None;
    let mut claims = Vec::new();
    for (source, agent) in members {
        let mut values = values(agent);
        if values.is_empty() {
            continue;
        }
        let meaning = |value: &String| text::fold(value.trim_end_matches('/'));
        let meanings: BTreeSet<String> = values.iter().map(meaning).collect();
        common = Some(match common {
            None => meanings,
            Some(common) => common.intersection(&meanings).cloned().collect(),
        });
        values.truncate(MAX_VALUES);
        claims.push(Claim {
            evidence: evidence_of(agent, position_field, *source),
            values,
        });
    }
    common
        .is_some_and(|common| common.is_empty())
        .then(|| Conflict {
            field: field.to_owned(),
            claims,
        })
}

/// Returns the protocols of the agents' interfaces, in order.
fn protocols<'a>(members: &[(usize, &'a Agent)]) -> Vec<&'a str> {
    let interfaces = members.iter().flat_map(|(_, agent)| &agent.interfaces);
    let protocols: BTreeSet<_> = interfaces.map(|it| it.protocol.as_str()).collect();
    protocols.into_iter().take(MAX_PROTOCOLS).collect()
}

/// Returns the URL of an agent without interfaces, unless it is the site's own page.
fn plain_endpoint(agent: &Agent) -> Option<String> {
    let is_default = agent.is_default(Fact::Url);
    let is_page = agent.url == agent.homepage;
    let has_interfaces = !agent.interfaces.is_empty();
    agent
        .url
        .clone()
        .filter(|_| !is_default && !is_page && !has_interfaces)
}

/// Returns the URLs of an agent's interfaces for a protocol.
fn endpoints(agent: &Agent, protocol: &str) -> Vec<String> {
    if agent.is_default(Fact::Interfaces) {
        return Vec::new();
    }
    let interfaces = agent.interfaces.iter();
    let of_protocol = interfaces.filter(|interface| interface.protocol == protocol);
    let urls: BTreeSet<_> = of_protocol.map(|interface| interface.url.clone()).collect();
    urls.into_iter().collect()
}

/// Returns the conflict about capabilities, if the documents that list any do not list the same
/// ones.
fn capabilities(members: &[(usize, &Agent)]) -> Option<Conflict> {
    let speaking = || {
        members
            .iter()
            .filter(|(_, agent)| !agent.capabilities.is_empty())
    };
    let servers: Vec<_> = speaking().map(|(_, agent)| server(agent)).collect();
    if servers.contains(&Some("a2a")) && servers.contains(&Some("mcp")) {
        return None;
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    for (_, agent) in speaking() {
        let keys = agent.capabilities.iter().flat_map(keys);
        for key in keys.collect::<HashSet<_>>() {
            *times.entry(key).or_default() += 1;
        }
    }
    let documents = speaking().count();
    let claims: Vec<Claim> = speaking()
        .map(|(source, agent)| {
            let is_shared = |key: &String| times.get(key) == Some(&documents);
            let own = agent.capabilities.iter();
            let own = own.filter(|capability| !keys(capability).iter().any(is_shared));
            let names: BTreeMap<_, _> = own.map(|it| (text::fold(&it.name), &it.name)).collect();
            Claim {
                evidence: evidence_of(agent, Fact::Capabilities, *source),
                values: names.into_values().take(MAX_VALUES).cloned().collect(),
            }
        })
        .collect();
    let is_disputed = claims.iter().any(|claim| !claim.values.is_empty());
    is_disputed.then(|| Conflict {
        field: "capabilities".to_owned(),
        claims,
    })
}

/// Returns the protocol of an agent that is called over A2A only, or over MCP only: the skills of
/// the one and the tools of the other complement each other.
fn server(agent: &Agent) -> Option<&str> {
    let mut protocols = agent.interfaces.iter().map(|it| it.protocol.as_str());
    let first = protocols.next()?;
    (["a2a", "mcp"].contains(&first) && protocols.all(|it| it == first)).then_some(first)
}

fn keys(capability: &crate::Capability) -> [String; 2] {
    [text::fold(&capability.id), text::fold(&capability.name)]
}
