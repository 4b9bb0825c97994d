//! Queries from the registry itself: publishers' examples, held out of the index.

use super::{Collection, Query};
use manifest::AgentId;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use store::StoredAgent;

/// Maximum number of queries per measurement; with more sites, a sample by the hash of their names.
const MAX_NEEDS: usize = 10_000;

/// Member with the example questions of a catalogue whose capabilities are listed separately.
const QUESTIONS: &str = "representativeQueries";

/// Note about the bias of the figures.
pub const BIAS: &str = "These needs are publishers' own examples and representative queries, one of each registrable \
domain, all withheld from a temporary index at once. Authors reuse the words of their descriptions, so real needs are \
harder; only the author's agent counts as right, so others that would do count as wrong.";

/// One example of each registrable domain, held out of the index and used as a query.
#[derive(Clone, Debug, Default)]
pub struct Holdout {
    /// Keyed by the hash of the domain: the first entries are a random sample.
    needs: BTreeMap<([u8; 32], String), Need>,
}

/// Example chosen for a domain: the one with the lowest hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    hash: [u8; 32],
    agent: AgentId,
    text: String,
}

impl Holdout {
    /// Offers the examples of an agent.
    pub fn offer(&mut self, agent: &StoredAgent) {
        let id = &agent.listing.id;
        let needs = examples(agent).into_iter().map(|text| Need {
            hash: hash(text),
            agent: id.clone(),
            text: text.to_owned(),
        });
        let Some(need) = needs.min() else {
            return;
        };
        let key = key(agent);
        match self.needs.get_mut(&key) {
            Some(chosen) if *chosen <= need => {}
            Some(chosen) => *chosen = need,
            None => {
                self.needs.insert(key, need);
                if self.needs.len() > MAX_NEEDS {
                    self.needs.pop_last();
                }
            }
        }
    }

    /// Reports whether no agent has an example.
    pub fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// Returns the agent without the example chosen for its domain, in every member with examples.
    #[must_use]
    pub fn without(&self, mut agent: StoredAgent) -> StoredAgent {
        let Some(need) = self.needs.get(&key(&agent)) else {
            return agent;
        };
        let facts = &mut agent.listing.agent;
        for capability in &mut facts.capabilities {
            capability.examples.retain(|text| *text != need.text);
        }
        if let Some(questions) = facts.extensions.get_mut(QUESTIONS)
            && let Some(questions) = questions.as_array_mut()
        {
            questions.retain(|text| text.as_str() != Some(&need.text));
        }
        agent
    }

    /// Returns the queries as a collection; the relevant document of each is the agent whose
    /// example it was.
    pub fn collection(&self) -> Collection {
        let mut collection = Collection::default();
        for (number, need) in (1..).zip(self.needs.values()) {
            let id = format!("own-{number:05}");
            let grade = (need.agent.to_string(), 1.0);
            collection.grades.insert(id.clone(), [grade].into());
            collection.queries.push(Query {
                id,
                text: need.text.clone(),
                kind: String::new(),
            });
        }
        collection
    }
}

/// Returns the examples of an agent without duplicates.
fn examples(agent: &StoredAgent) -> BTreeSet<&str> {
    let facts = &agent.listing.agent;
    let of_capabilities = facts.capabilities.iter().flat_map(|it| &it.examples);
    let questions = facts.extensions.get(QUESTIONS).and_then(|it| it.as_array());
    let questions = questions.into_iter().flatten().filter_map(|it| it.as_str());
    of_capabilities
        .map(String::as_str)
        .chain(questions)
        .collect()
}

fn key(agent: &StoredAgent) -> ([u8; 32], String) {
    let site = agent.domain.registrable();
    (hash(site), site.to_owned())
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}
