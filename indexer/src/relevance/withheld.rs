//! Needs that a registry holds itself: what publishers give as examples, each withheld from the index.

use super::{Collection, Query};
use manifest::AgentId;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use store::StoredAgent;

/// Most needs of one measurement; with more sites than that, a sample that chance settles by the names.
const MAX_NEEDS: usize = 10_000;

/// The member that keeps a catalogue's questions where its capabilities are named apart.
const QUESTIONS: &str = "representativeQueries";

/// What to think of the figures.
pub const BIAS: &str = "These needs are publishers' own examples and representative queries, one of each registrable \
domain, all withheld from a temporary index at once. Authors reuse the words of their descriptions, so real needs are \
harder; only the author's agent counts as right, so others that would do count as wrong.";

/// One example of each registrable domain, to be withheld from the index and asked for.
#[derive(Clone, Debug, Default)]
pub struct Withheld {
    /// By the hash of the domain: the first ones are a sample of all.
    needs: BTreeMap<([u8; 32], String), Need>,
}

/// The example chosen of a domain: the one with the lowest hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    hash: [u8; 32],
    agent: AgentId,
    text: String,
}

impl Withheld {
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

    /// True when no agent gives an example.
    pub fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// The agent without the example that was chosen of its domain, wherever it stands as one.
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

    /// The needs as a collection: each is met by the agent whose example it was.
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

/// What an agent gives as examples, each once.
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
