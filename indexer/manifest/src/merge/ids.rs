//! Ids that stay when others come and go.
//!
//! An id is the domain and a slug of the agent's name.
//! So neither the order of documents and agents, nor the format, nor another agent's name is in it.
//!
//! Where names of one site give the same slug, all but one get a suffix: the start of a hash of what
//! identifies the agent, which is the key that its publisher gave it, and its endpoint.
//! The one without a suffix is the first in order of key and endpoint, so an agent that has neither
//! comes first, as nothing stable could be made of it.
//! Agents with the same key and the same endpoint are told apart by all that is said of them; only
//! their suffix changes when that does.
//!
//! What no function of the present can keep: when an agent with the same slug comes that is first
//! in that order, or the first one goes, two ids change.

use super::group::{Group, content, endpoints};
use super::is_nameless;
use crate::document::hash;
use std::collections::{BTreeMap, HashMap, HashSet};

#[cfg(test)]
mod tests;

/// Longest slug of a name, in characters.
pub(super) const MAX_SLUG: usize = 64;

/// Shortest suffix, in hexadecimal digits.
const MIN_SUFFIX: usize = 6;

/// The slug of an agent whose name has no letters.
const WITHOUT_LETTERS: &str = "agent";

/// One slug for each group, no two the same.
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

/// The slug of the name that a group goes by.
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

/// What tells the rivals apart, in the order of precedence among them.
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
            (identity, content(group[0].1), *index)
        })
        .collect();
    rivals.sort_unstable();
    let mut times: HashMap<String, usize> = HashMap::new();
    for (identity, ..) in &rivals {
        *times.entry(identity.clone()).or_default() += 1;
    }
    rivals
        .into_iter()
        .map(|(identity, content, index)| match times.get(&identity) {
            Some(2..) => (index, format!("{identity}\n{content}")),
            Some(_) | None => (index, identity),
        })
        .collect()
}

/// The slug with as much of the identity's hash as makes it unlike every other.
fn suffixed(slug: &str, identity: &str, taken: &mut HashSet<String>) -> String {
    let hash = hash(identity.as_bytes());
    let mut suffixed =
        (MIN_SUFFIX..=hash.len()).map(|length| format!("{slug}-{}", &hash[..length]));
    // A whole hash makes it longer than any slug of a name.
    suffixed
        .find(|slug| taken.insert(slug.clone()))
        .unwrap_or(hash)
}
