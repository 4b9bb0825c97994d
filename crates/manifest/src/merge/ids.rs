//! Agent ids that stay stable when other agents come and go.
//!
//! An id consists of the domain and a slug of the agent's name. It does not depend on the order of
//! documents and agents, on the format, or on the names of other agents.
//!
//! If several names of one site give the same slug, all but one get a suffix: the start of a hash
//! of the agent's identity, which is the key that its publisher gave it, and its endpoint. The
//! agent that comes first by key and endpoint has no suffix. An agent with neither therefore comes
//! first, because no stable suffix could be made for it. Agents with the same key and the same
//! endpoint are distinguished by their other facts; only their suffix changes with them.
//!
//! One case remains: if the first agent in that order is added or removed, two ids change.

use super::group::{Group, content, endpoints};
use super::is_nameless;
use crate::Agent;
use crate::document::hash;
use std::collections::{BTreeMap, HashMap, HashSet};

#[cfg(test)]
mod tests;

/// Maximum length of the slug of a name, in characters.
pub(super) const MAX_SLUG: usize = 64;

/// Minimum length of a suffix, in hexadecimal digits.
const MIN_SUFFIX: usize = 6;

/// Slug of an agent whose name has no letters.
const WITHOUT_LETTERS: &str = "agent";

/// Returns a unique slug for each group.
pub(super) fn slugs(groups: &[Group<'_>]) -> Vec<String> {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        by_name.entry(of_name(group)).or_default().push(index);
    }
    let mut taken: HashSet<String> = by_name.keys().cloned().collect();
    let mut slugs = vec![String::new(); groups.len()];
    for (slug, rivals) in by_name {
        if let [only] = rivals.as_slice() {
            slugs[*only] = slug;
            continue;
        }
        for (rank, (index, identity)) in identities(groups, &rivals).into_iter().enumerate() {
            slugs[index] = match rank {
                0 => slug.clone(),
                _ => suffixed(&slug, &identity, &mut taken),
            };
        }
    }
    slugs
}

/// Returns the slug of a group's name.
fn of_name(group: &Group<'_>) -> String {
    let named = group.iter().find(|(_, agent)| !is_nameless(agent));
    let (_, agent) = named.unwrap_or(&group[0]);
    if !agent.name.chars().any(char::is_alphabetic) {
        return WITHOUT_LETTERS.to_owned();
    }
    let slug = slug::slugify(&agent.name);
    let cut: String = slug.chars().take(MAX_SLUG).collect();
    match cut.trim_end_matches('-') {
        "" => WITHOUT_LETTERS.to_owned(),
        cut => cut.to_owned(),
    }
}

/// Returns the identity of each rival, in the order of precedence among them.
fn identities(groups: &[Group<'_>], rivals: &[usize]) -> Vec<(usize, String)> {
    let mut rivals: Vec<_> = rivals
        .iter()
        .map(|index| {
            let group = &groups[*index];
            let agents = || group.iter().map(|(_, agent)| *agent);
            let key = agents()
                .map(|agent| agent.key.as_str())
                .find(|key| !key.is_empty());
            let endpoint = agents().find_map(|agent| endpoints(agent).into_iter().next());
            let identity = format!(
                "{}\n{}",
                key.unwrap_or_default(),
                endpoint.unwrap_or_default()
            );
            let agent = group[0].1;
            (identity, facts(agent), content(agent), *index)
        })
        .collect();
    rivals.sort_unstable();
    let mut times: HashMap<String, usize> = HashMap::new();
    for (identity, ..) in &rivals {
        *times.entry(identity.clone()).or_default() += 1;
    }
    let mut same: HashMap<String, usize> = HashMap::new();
    rivals
        .into_iter()
        .map(|(identity, facts, _, index)| match times.get(&identity) {
            Some(2..) => {
                let identity = format!("{identity}\n{facts}");
                let earlier = same.entry(identity.clone()).or_default();
                *earlier += 1;
                match *earlier {
                    1 => (index, identity),
                    place => (index, format!("{identity}\n{place}")),
                }
            }
            Some(_) | None => (index, identity),
        })
        .collect()
}

/// Serializes the facts of an agent, without what is kept of its documents as published: that may change
/// with what stands around it, and with the rules of this registry.
fn facts(agent: &Agent) -> String {
    let mut agent = agent.clone();
    agent.extensions.clear();
    for capability in &mut agent.capabilities {
        capability.extensions.clear();
    }
    content(&agent)
}

/// Appends as much of the identity's hash as makes the slug unique.
fn suffixed(slug: &str, identity: &str, taken: &mut HashSet<String>) -> String {
    let hash = hash(identity.as_bytes());
    let mut suffixed =
        (MIN_SUFFIX..=hash.len()).map(|length| format!("{slug}-{}", &hash[..length]));
    // A whole hash is longer than the slug of any name.
    suffixed
        .find(|slug| taken.insert(slug.clone()))
        .unwrap_or(hash)
}
