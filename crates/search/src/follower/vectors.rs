//! Sentence vectors: computed while nothing else waits, and kept in the store, so that none is computed
//! twice.

use super::{FollowError, Follower};
use crate::embedding::{Models, SentenceVector};
use crate::{AgentTexts, SentenceVectors, of_agents};
use manifest::{AgentId, Timestamp};
use std::collections::BTreeSet;
use std::time::Duration;
use store::{AgentVector, Store, StoreError, StoredAgent};
use tokio::task::spawn_blocking;

/// Length in bytes of the texts that are encoded in one step, about half a second on one core; one
/// agent may have more.
const BYTES: usize = 64 * 1024;
/// Agents of one step at most.
const AGENTS: usize = 256;
/// Pause between two looks for vectors that another process has computed.
const PAUSE: Duration = Duration::from_secs(5);
/// Agents with new vectors between two commits of the index.
const READY: usize = 1_000;

/// Progress of the sentence vectors.
#[derive(Debug)]
pub(super) struct Encoding {
    /// False once the index is known to have no agent that waits for its vector.
    pub(super) may_wait: bool,
    /// Agents that wait in the index, and whose vectors are in the store by now.
    ready: BTreeSet<AgentId>,
    /// Time of the last look for vectors of another process.
    looked: Timestamp,
}

impl Default for Encoding {
    fn default() -> Self {
        Self {
            may_wait: true,
            ready: BTreeSet::new(),
            looked: Timestamp(0),
        }
    }
}

impl Encoding {
    /// Reports whether it is time to look for vectors that another process has computed. A clock that
    /// was set back makes it time.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.may_wait && (now < self.looked || now.since(self.looked) >= PAUSE)
    }

    /// Takes in that agents were written to the index, perhaps with other texts.
    pub(super) fn changed(&mut self, agents: &[AgentId]) {
        self.may_wait = true;
        for agent in agents {
            self.ready.remove(agent);
        }
    }
}

impl Follower {
    /// Returns the vectors of agents that are stored.
    pub(super) async fn stored_vectors(
        &self,
        agents: &[StoredAgent],
    ) -> Result<SentenceVectors, StoreError> {
        match self.models.and_then(|it| it.encoder) {
            Some(_) => stored(&*self.store, agents).await,
            None => Ok(SentenceVectors::new()),
        }
    }

    /// Computes and stores the vectors of some agents that wait for theirs, and hands them to the
    /// index once there are many, or none is left. Returns the number of agents that got one.
    pub async fn encode(&mut self) -> Result<u64, FollowError> {
        if !self.encoding.may_wait || self.models.is_none() {
            return Ok(0);
        }
        let ready = self.encoding.ready.clone();
        let waiting = self
            .on_writer(move |writer| writer.waiting(AGENTS, |id| ready.contains(id)))
            .await?;
        let mut agents = self.store.agents_by_id(&waiting.agents).await?;
        let known = self.stored_vectors(&agents).await?;
        let is_new = |it: &StoredAgent| !known.contains_key(&it.listing.id);
        let (mut new, _): (Vec<_>, Vec<_>) = agents.drain(..).partition(is_new);
        let mut length = 0;
        new.retain(|it| {
            let is_next = length < BYTES;
            length += AgentTexts::of(&it.listing.agent).length();
            is_next
        });
        let computed = computed(new, self.models).await?;
        self.store.record_vectors(&computed).await?;
        let count = (known.len() + computed.len()) as u64;
        // An agent that is no longer stored leaves the index with the change log.
        let gone = count == 0;
        self.encoding.ready.extend(known.into_keys());
        self.encoding
            .ready
            .extend(computed.into_iter().map(|it| it.agent));
        if gone || self.encoding.ready.len() >= READY {
            self.index_ready(waiting.count).await?;
        }
        self.encoding.may_wait = !gone;
        Ok(count)
    }

    /// Takes the vectors that another process has computed by now for agents that wait for theirs, and
    /// returns the number of those agents.
    pub(super) async fn take_vectors(&mut self, now: Timestamp) -> Result<u64, FollowError> {
        self.encoding.looked = now;
        if self.models.is_none() {
            return Ok(0);
        }
        let waiting = self
            .on_writer(|writer| writer.waiting(AGENTS, |_| false))
            .await?;
        self.encoding.may_wait = waiting.count > 0;
        let agents = self.store.agents_by_id(&waiting.agents).await?;
        let known = self.stored_vectors(&agents).await?;
        let count = known.len() as u64;
        self.encoding.ready.extend(known.into_keys());
        self.index_ready(waiting.count).await?;
        Ok(count)
    }

    /// Writes the agents whose vectors are stored to the index anew.
    async fn index_ready(&mut self, waited: u64) -> Result<(), FollowError> {
        let ready = std::mem::take(&mut self.encoding.ready);
        let Some(position) = self.current().filter(|_| !ready.is_empty()) else {
            return Ok(());
        };
        let ids: Vec<_> = ready.into_iter().collect();
        let agents = self.store.agents_by_id(&ids).await?;
        let vectors = self.stored_vectors(&agents).await?;
        let count = agents.len();
        let remaining = waited.saturating_sub(count as u64);
        self.on_writer(move |writer| writer.apply(&ids, &agents, &vectors, position))
            .await?;
        tracing::info!(
            agents = count,
            waiting = remaining,
            "{count} agents are found by their sentence vectors now, {remaining} wait for theirs"
        );
        Ok(())
    }
}

/// Returns the stored vectors of agents with their present texts.
pub async fn stored(
    store: &dyn Store,
    agents: &[StoredAgent],
) -> Result<SentenceVectors, StoreError> {
    let hashes: Vec<String> = agents.iter().map(hash).collect();
    let stored = store.vectors(&hashes).await?;
    let vectors = agents.iter().zip(&hashes).filter_map(|(agent, hash)| {
        let vector = SentenceVector::from_bytes(stored.get(hash)?)?;
        Some((agent.listing.id.clone(), vector))
    });
    Ok(vectors.collect())
}

/// Computes the vectors of agents on a thread that may block.
async fn computed(
    agents: Vec<StoredAgent>,
    models: Option<Models>,
) -> Result<Vec<AgentVector>, FollowError> {
    let Some(encoder) = models
        .and_then(|it| it.encoder)
        .filter(|_| !agents.is_empty())
    else {
        return Ok(Vec::new());
    };
    spawn_blocking(move || {
        let vectors = of_agents(&agents, encoder);
        let computed = agents.iter().filter_map(|agent| {
            Some(AgentVector {
                agent: agent.listing.id.clone(),
                hash: hash(agent),
                vector: vectors.get(&agent.listing.id)?.to_bytes().to_vec(),
            })
        });
        computed.collect()
    })
    .await
    .map_err(|_| FollowError::WriterGone)
}

fn hash(agent: &StoredAgent) -> String {
    AgentTexts::of(&agent.listing.agent).hash()
}
