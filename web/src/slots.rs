//! Slots for work that is costly or lasts: visitors of one network have at most half of those of a kind.

use crate::client::{self, Client, Network};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of remembered keys from which those without work are dropped.
const SWEEP: usize = 256;

/// Slots of one kind; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    most: usize,
    all: Arc<Semaphore>,
    networks: PerKey<Network>,
}

/// Slot of one piece of work, free again when dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    _own: Option<OwnedSemaphorePermit>,
    _all: OwnedSemaphorePermit,
}

impl Slots {
    /// Creates `most` slots; half of them, and at least one, is what a network has at most.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            all: Arc::new(Semaphore::new(most)),
            networks: PerKey::new((most / 2).max(1)),
        }
    }

    /// Returns the number of slots in use.
    pub(crate) fn used(&self) -> usize {
        self.most.saturating_sub(self.all.available_permits())
    }

    /// Waits for a slot, in the order of the requests; those of a network that has its half wait in
    /// a line of their own, so that others pass them. `None` only if the slots are closed, which they
    /// never are.
    pub(crate) async fn acquire(&self) -> Option<Slot> {
        let own = match client::current().map(Client::network) {
            Some(network) => Some(self.networks.of(network).acquire_owned().await.ok()?),
            None => None,
        };
        let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Slot {
            _own: own,
            _all: all,
        })
    }

    /// Returns a slot; `None` if there is none for this request.
    pub(crate) fn try_acquire(&self) -> Option<Slot> {
        let own = match client::current().map(Client::network) {
            Some(network) => Some(self.networks.of(network).try_acquire_owned().ok()?),
            None => None,
        };
        let all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(Slot {
            _own: own,
            _all: all,
        })
    }
}

/// As many permits for each of many keys; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct PerKey<K> {
    most: usize,
    keys: Arc<Mutex<HashMap<K, Arc<Semaphore>>>>,
}

impl<K: Eq + Hash> PerKey<K> {
    /// Creates `most` permits for each key.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            keys: Arc::default(),
        }
    }

    /// Returns the permits of a key.
    ///
    /// Only keys with permits in use, or requests that wait for one, are remembered for long.
    pub(crate) fn of(&self, key: K) -> Arc<Semaphore> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= SWEEP {
            keys.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        let permits = keys.entry(key);
        Arc::clone(permits.or_insert_with(|| Arc::new(Semaphore::new(self.most))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn client(text: &str) -> Client {
        Client::of(text.parse().unwrap())
    }

    async fn taken(slots: &Slots, address: &str) -> Option<Slot> {
        client::scope(Some(client(address)), async { slots.try_acquire() }).await
    }

    #[tokio::test]
    async fn a_network_has_half_of_the_slots() {
        let slots = Slots::new(4);
        let first = taken(&slots, "192.0.2.1").await.unwrap();
        let _second = taken(&slots, "192.0.2.2").await.unwrap();
        assert!(taken(&slots, "192.0.2.3").await.is_none());
        let _others = [
            taken(&slots, "198.51.100.1").await.unwrap(),
            taken(&slots, "203.0.113.1").await.unwrap(),
        ];
        assert!(
            taken(&slots, "233.252.0.1").await.is_none(),
            "all are taken"
        );
        drop(first);
        assert!(taken(&slots, "192.0.2.3").await.is_some());
    }

    #[tokio::test]
    async fn others_pass_those_that_wait_for_the_half_of_their_network() {
        let slots = Slots::new(2);
        let acquire = |address: &str| client::scope(Some(client(address)), slots.acquire());
        let first = acquire("192.0.2.1").await.unwrap();
        let mut waiting: Vec<_> = (2..100)
            .map(|number| Box::pin(acquire(&format!("192.0.2.{number}"))))
            .collect();
        for it in &mut waiting {
            assert!(it.now_or_never().is_none());
        }
        assert!(acquire("198.51.100.1").now_or_never().flatten().is_some());
        drop(first);
        assert!((&mut waiting[0]).now_or_never().flatten().is_some());
    }

    #[test]
    fn keys_without_work_are_forgotten() {
        let keys = PerKey::new(1);
        let permit = keys.of(0).try_acquire_owned().unwrap();
        for key in 1..10_000 {
            keys.of(key);
        }
        assert!(keys.keys.lock().unwrap().len() <= SWEEP);
        assert!(keys.of(0).try_acquire_owned().is_err());
        drop(permit);
        assert!(keys.of(0).try_acquire_owned().is_ok());
    }
}
