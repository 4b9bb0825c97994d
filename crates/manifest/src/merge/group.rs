//! Identification of the same agent in different documents.
//!
//! Agents of different documents are the same if something ties them together. The strongest tie is
//! tried first: the same content, then the entry of a list and the document that it names, then the
//! same name with the same key or endpoint, then the name alone, then an endpoint alone. A value
//! that one document gives to several of its agents does not identify any of them and is not a tie.
//! Agents of one document are never merged with each other, because their publisher distinguishes
//! them. Two groups that a later document ties together become one, unless a document has agents in
//! both.
//!
//! An agent without a name that is the only one in its document states facts of the site: it joins
//! the agent with the same endpoint, or the one that represents the site (GP-17).

#[cfg(test)]
mod tests;

use super::{Content, is_nameless};
use crate::{Agent, link, text};
use serde_json::Map;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Descriptions of one agent, each with the index of its content, the leading one first.
pub(super) type Group<'r> = Vec<(usize, &'r Agent)>;

/// A tie between agents of two documents, the strongest kind first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Tie {
    Content(String),
    Document(String),
    NameAndKey(String, String),
    NameAndEndpoint(String, String),
    Name(String),
    Endpoint(String),
}

/// Number of kinds of ties.
const KINDS: usize = 6;

/// Relations of the entries of a list to the documents of their agents.
const CARDS: [&str; 4] = [
    "agent-card",
    "mcp-card",
    "json-agents",
    "anp-agent-description",
];

/// An agent of one document with its possible ties, by strength.
struct Candidate<'r> {
    agent: &'r Agent,
    ties: [Vec<Tie>; KINDS],
}

/// Groups the agents of all documents so that each group describes one agent.
///
/// `contents` are in order of precedence.
pub(super) fn groups<'r>(contents: &[Content<'r>]) -> Vec<Group<'r>> {
    let candidates: Vec<Vec<Candidate<'r>>> = contents.iter().map(candidates).collect();
    let mut groups = Groups {
        ambiguous: ambiguous(&candidates),
        ..Groups::default()
    };
    for (index, mut candidates) in candidates.into_iter().enumerate() {
        let is_nameless = matches!(candidates.as_slice(), [alone] if is_nameless(alone.agent));
        match candidates.pop() {
            Some(alone) if is_nameless => groups.nameless.push((index, alone)),
            last => {
                candidates.extend(last);
                groups.add(index, candidates);
            }
        }
    }
    groups.finish(contents)
}

/// Returns the agents of a document in an order that depends only on their content, without
/// repetitions.
fn candidates<'r>(source: &Content<'r>) -> Vec<Candidate<'r>> {
    let agents = source.reading.agents.iter();
    let ordered: BTreeMap<String, &Agent> = agents.map(|agent| (content(agent), agent)).collect();
    ordered
        .into_values()
        .map(|agent| Candidate {
            agent,
            ties: ties(agent, documents(source, agent)),
        })
        .collect()
}

/// Returns the URLs of the documents of an agent: of its own if it is alone there, and of the one
/// that its entry in a list names.
fn documents(source: &Content<'_>, agent: &Agent) -> Vec<Tie> {
    let is_alone = source.reading.agents.len() == 1;
    let own = source.urls.iter().filter(|_| is_alone).copied();
    let references = source.reading.references.iter().filter(|reference| {
        let rest = reference.pointer.strip_prefix(&agent.pointer);
        CARDS.contains(&reference.rel.as_str())
            && !agent.pointer.is_empty()
            && rest.is_some_and(|rest| rest.starts_with('/'))
    });
    own.chain(references.map(|it| it.url.as_str()))
        .map(|url| Tie::Document(link::place(url)))
        .collect()
}

/// Serializes an agent without positions.
pub(super) fn content(agent: &Agent) -> String {
    let mut agent = agent.clone();
    agent.pointer.clear();
    agent.pointers.clear();
    for capability in &mut agent.capabilities {
        capability.pointer.clear();
    }
    serde_json::to_string(&agent).unwrap_or_default()
}

fn ties(agent: &Agent, documents: Vec<Tie>) -> [Vec<Tie>; KINDS] {
    let facts = Agent {
        // What is kept beside the facts may stand outside of the agent's part of the document.
        extensions: Map::new(),
        ..agent.clone()
    };
    let name = text::fold(&agent.name);
    let endpoints = endpoints(agent);
    let keys = std::iter::once(&agent.key).filter(|key| !key.is_empty());
    [
        vec![Tie::Content(content(&facts))],
        documents,
        keys.map(|key| Tie::NameAndKey(name.clone(), key.clone()))
            .collect(),
        endpoints
            .iter()
            .map(|endpoint| Tie::NameAndEndpoint(name.clone(), endpoint.clone()))
            .collect(),
        vec![Tie::Name(name)],
        endpoints.into_iter().map(Tie::Endpoint).collect(),
    ]
}

/// Returns the URLs that identify an agent across documents, sorted.
pub(super) fn endpoints(agent: &Agent) -> Vec<String> {
    let urls = agent.interfaces.iter().map(|interface| &interface.url);
    let mut endpoints: Vec<String> = agent
        .url
        .iter()
        .chain(urls)
        .filter(|url| link::is_absolute(url))
        .map(|url| url.trim_end_matches('/').to_owned())
        .collect();
    endpoints.sort_unstable();
    endpoints.dedup();
    endpoints
}

/// Reports whether an agent without a name says more than how to authenticate, which is no listing.
fn is_listed(agent: &Agent) -> bool {
    !agent.capabilities.is_empty() || !agent.interfaces.is_empty() || agent.description.is_some()
}

/// Returns the ties that one document gives to several agents.
fn ambiguous(documents: &[Vec<Candidate<'_>>]) -> HashSet<Tie> {
    let mut ambiguous = HashSet::new();
    for candidates in documents.iter().filter(|candidates| candidates.len() > 1) {
        let mut seen = HashSet::new();
        for tie in candidates
            .iter()
            .flat_map(|candidate| &candidate.ties)
            .flatten()
        {
            if !seen.insert(tie) {
                ambiguous.insert(tie.clone());
            }
        }
    }
    ambiguous
}

#[derive(Default)]
struct Groups<'r> {
    found: Vec<Group<'r>>,
    by_tie: HashMap<Tie, Vec<usize>>,
    ambiguous: HashSet<Tie>,
    /// Agents without a name that are the only ones in their documents.
    nameless: Vec<(usize, Candidate<'r>)>,
}

impl<'r> Groups<'r> {
    /// Adds the agents of the document at `index`, those with the strongest ties first.
    fn add(&mut self, index: usize, candidates: Vec<Candidate<'r>>) {
        let mut waiting = candidates;
        for strength in 0..KINDS {
            waiting.retain(|candidate| {
                let group = self.tied(index, &candidate.ties[strength]);
                if let Some(group) = group {
                    self.join(group, index, candidate);
                }
                group.is_none()
            });
        }
        for candidate in &waiting {
            self.found.push(Vec::new());
            self.join(self.found.len() - 1, index, candidate);
        }
    }

    /// Returns the first group with one of these ties that has no agent of this document yet.
    fn tied(&self, index: usize, ties: &[Tie]) -> Option<usize> {
        let is_free = |group: &&usize| self.found[**group].last().is_some_and(|it| it.0 != index);
        let mut ties = ties.iter().filter(|tie| !self.ambiguous.contains(*tie));
        ties.find_map(|tie| self.by_tie.get(tie)?.iter().find(is_free).copied())
    }

    fn join(&mut self, group: usize, index: usize, candidate: &Candidate<'r>) {
        self.found[group].push((index, candidate.agent));
        for tie in candidate.ties.iter().flatten() {
            let groups = self.by_tie.entry(tie.clone()).or_default();
            if groups.last() != Some(&group) {
                groups.push(group);
            }
        }
    }

    /// Places the nameless agents: with the agent of the same document or endpoint, with the one
    /// that represents the site, or in a group of their own.
    fn finish(mut self, contents: &[Content<'r>]) -> Vec<Group<'r>> {
        self.unite();
        let site = self.site(contents);
        let mut alone = Group::new();
        for (index, candidate) in std::mem::take(&mut self.nameless) {
            let tied = candidate
                .ties
                .iter()
                .find_map(|ties| self.tied(index, ties));
            match tied.or(site) {
                Some(group) => self.found[group].push((index, candidate.agent)),
                None if is_listed(candidate.agent) => alone.push((index, candidate.agent)),
                None => {}
            }
        }
        if !alone.is_empty() {
            self.found.push(alone);
        }
        self.found.retain(|group| !group.is_empty());
        for group in &mut self.found {
            group.sort_by_key(|(index, _)| *index);
        }
        self.found
    }

    /// Moves the agents of groups with a common name or endpoint to the first of these groups.
    fn unite(&mut self) {
        let mut first: Vec<usize> = (0..self.found.len()).collect();
        let is_shared =
            |(tie, groups): &(&Tie, &Vec<usize>)| groups.len() > 1 && !self.ambiguous.contains(tie);
        let shared = self.by_tie.iter().filter(is_shared);
        let mut shared: Vec<Vec<usize>> = shared.map(|(_, groups)| groups.clone()).collect();
        // The order of a hash map must not decide which groups find room.
        shared.sort_unstable();
        for pair in shared.iter().flat_map(|groups| groups.windows(2)) {
            let [one, other] = [pair[0], pair[1]].map(|group| first[group]);
            let (one, other) = (one.min(other), one.max(other));
            if one == other || self.share_a_document(one, other) {
                continue;
            }
            let moved = std::mem::take(&mut self.found[other]);
            self.found[one].extend(moved);
            for group in first.iter_mut().filter(|group| **group == other) {
                *group = one;
            }
        }
        for groups in self.by_tie.values_mut() {
            for group in groups {
                *group = first[*group];
            }
        }
    }

    /// Reports whether a document has agents in both groups.
    fn share_a_document(&self, one: usize, other: usize) -> bool {
        let documents: HashSet<usize> = self.found[one].iter().map(|(index, _)| *index).collect();
        let mut others = self.found[other].iter();
        others.any(|(index, _)| documents.contains(index))
    }

    /// Returns the group that represents the site: the only one, the first with an address that is
    /// the origin, or that of the leading document if this describes one agent.
    fn site(&self, contents: &[Content<'r>]) -> Option<usize> {
        if self.found.iter().filter(|group| !group.is_empty()).count() == 1 {
            return self.found.iter().position(|group| !group.is_empty());
        }
        let is_home = |group: &Group<'r>| {
            group.iter().any(|(content, agent)| {
                let mut addresses = agent.homepage.iter().chain(&agent.url);
                addresses.any(|address| contents[*content].is_origin(address))
            })
        };
        let (leading, _) = self.found.first()?.first()?;
        let is_one = contents[*leading].reading.agents.len() == 1;
        let home = self.found.iter().position(is_home);
        home.or(is_one.then_some(0))
    }
}
