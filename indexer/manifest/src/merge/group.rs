//! Identification of the same agent in different documents.
//!
//! Agents of different documents are the same if something ties them together. The strongest tie is
//! tried first: the same content, then the same name with the same key or endpoint, then the name
//! alone, then an endpoint alone. A value that one document gives to several of its agents does not
//! identify any of them and is not a tie. Agents of one document are never merged with each other,
//! because their publisher distinguishes them. Two groups that a later document turns out to tie
//! together become one, unless a document has agents in both.
//!
//! An agent without a name that is the only one in its document joins the site's own agent: that of
//! the leading document, if this document describes no others.

use super::{Content, is_nameless};
use crate::{Agent, link, text};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Descriptions of one agent, each with the index of its content, the leading one first.
pub(super) type Group<'r> = Vec<(usize, &'r Agent)>;

/// A tie between agents of two documents, the strongest kind first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Tie {
    Content(String),
    NameAndKey(String, String),
    NameAndEndpoint(String, String),
    Name(String),
    Endpoint(String),
}

/// An agent of one document with its possible ties, by strength.
struct Candidate<'r> {
    agent: &'r Agent,
    ties: [Vec<Tie>; 5],
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
    for (index, candidates) in candidates.into_iter().enumerate() {
        match candidates.as_slice() {
            [alone] if is_nameless(alone.agent) => groups.nameless.push((index, alone.agent)),
            _ => groups.add(index, candidates),
        }
    }
    groups.finish()
}

/// Returns the agents of a document in an order that depends only on their content, without
/// repetitions.
fn candidates<'r>(content: &Content<'r>) -> Vec<Candidate<'r>> {
    let agents = content.reading.agents.iter();
    let ordered: BTreeMap<String, &Agent> =
        agents.map(|agent| (self::content(agent), agent)).collect();
    ordered
        .into_iter()
        .map(|(content, agent)| Candidate {
            agent,
            ties: ties(agent, content),
        })
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

fn ties(agent: &Agent, content: String) -> [Vec<Tie>; 5] {
    let name = text::fold(&agent.name);
    let endpoints = endpoints(agent);
    let keys = std::iter::once(&agent.key).filter(|key| !key.is_empty());
    [
        vec![Tie::Content(content)],
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
    nameless: Group<'r>,
}

impl<'r> Groups<'r> {
    /// Adds the agents of the document at `index`, those with the strongest ties first.
    fn add(&mut self, index: usize, candidates: Vec<Candidate<'r>>) {
        let mut waiting = candidates;
        for strength in 0..5 {
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
        let is_free = |group: &&usize| self.found[**group].last().is_none_or(|it| it.0 != index);
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

    /// Unites groups that share a tie, and places the nameless agents: with the site's own agent, or
    /// in a group of their own.
    fn finish(mut self) -> Vec<Group<'r>> {
        self.unite();
        if self.nameless.is_empty() {
            return self.found;
        }
        match self.own() {
            Some(own) => {
                let own = &mut self.found[own];
                own.extend(self.nameless);
                own.sort_by_key(|(index, _)| *index);
            }
            None => self.found.push(self.nameless),
        }
        self.found
    }

    /// Unites groups with a common name or endpoint, each with the first of them.
    fn unite(&mut self) {
        let mut first: Vec<usize> = (0..self.found.len()).collect();
        let mut shared: Vec<Vec<usize>> = self
            .by_tie
            .iter()
            .filter(|(tie, groups)| groups.len() > 1 && !self.ambiguous.contains(tie))
            .map(|(_, groups)| groups.clone())
            .collect();
        // The order of a hash map must not decide which groups find room.
        shared.sort_unstable();
        for groups in shared {
            for pair in groups.windows(2) {
                let [one, other] = [pair[0], pair[1]].map(|group| first[group]);
                let (one, other) = (one.min(other), one.max(other));
                let has_both = || {
                    let documents: HashSet<usize> =
                        self.found[one].iter().map(|(index, _)| *index).collect();
                    let mut others = self.found[other].iter();
                    others.any(|(index, _)| documents.contains(index))
                };
                if one != other && !has_both() {
                    let moved = std::mem::take(&mut self.found[other]);
                    self.found[one].extend(moved);
                    self.found[one].sort_by_key(|(index, _)| *index);
                    for group in &mut first {
                        if *group == other {
                            *group = one;
                        }
                    }
                }
            }
        }
        self.found.retain(|group| !group.is_empty());
    }

    /// Returns the group of the leading document, if that document describes one agent.
    fn own(&self) -> Option<usize> {
        let leading = |group: &Group<'r>| group.first().map_or(usize::MAX, |(index, _)| *index);
        let (place, own) = self
            .found
            .iter()
            .enumerate()
            .min_by_key(|(_, it)| leading(it))?;
        let of_leading = self.found.iter().flatten();
        let count = of_leading
            .filter(|(index, _)| *index == leading(own))
            .count();
        (count == 1).then_some(place)
    }
}
