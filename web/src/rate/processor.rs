//! Processor time that searches of a client and of its network may take. A search is paid for when its
//! cost is known, so an account may go below zero; the next search then waits until it is above again.

use crate::client::{Client, Network};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Part of one processor's time that a client may use for long, as a divisor.
const PART: u32 = 10;

/// Processor time that a client may use at once.
pub(crate) const BURST: Duration = Duration::from_secs(2);

/// Clients whose shares a network has together.
const CLIENTS: u32 = 4;

/// Most accounts of a kind; one takes about fifty bytes.
const MOST: usize = 1 << 16;

/// Accounts of clients and of networks.
#[derive(Debug, Default)]
pub(super) struct Processor {
    clients: Accounts<Client>,
    networks: Accounts<Network>,
}

impl Processor {
    /// Returns the time until a client may search; `None` if it may.
    pub(super) fn wait(&self, client: Client, now: Instant) -> Option<Duration> {
        let own = self.clients.wait(&client, now);
        own.max(self.networks.wait(&client.network(), now))
    }

    /// Charges a client for the processor time of a search.
    pub(super) fn charge(&self, client: Client, spent: Duration, now: Instant) {
        self.clients.charge(client, spent, now);
        self.networks.charge(client.network(), spent / CLIENTS, now);
    }
}

/// Times at which accounts will be full again, if nothing is spent; those not listed are full.
#[derive(Debug)]
struct Accounts<K>(Mutex<HashMap<K, Instant>>);

impl<K> Default for Accounts<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Accounts<K> {
    fn wait(&self, key: &K, now: Instant) -> Option<Duration> {
        let full = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lacking = full.get(key)?.saturating_duration_since(now);
        let wait = lacking.checked_sub(BURST * PART)?;
        (!wait.is_zero()).then_some(wait)
    }

    fn charge(&self, key: K, spent: Duration, now: Instant) {
        let mut full = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if full.len() >= MOST {
            full.retain(|_, at| *at > now);
            if full.len() >= MOST {
                // So many at once are no single one that searches too much.
                full.clear();
            }
        }
        let at = full.entry(key).or_insert(now);
        *at = (*at).max(now) + spent * PART;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(text: &str) -> Client {
        Client::of(text.parse().unwrap())
    }

    #[test]
    fn a_client_has_a_burst_and_then_a_tenth_of_a_processor() {
        let (processor, start) = (Processor::default(), Instant::now());
        let (client, second) = (client("192.0.2.1"), Duration::from_secs(1));
        processor.charge(client, second * 19 / 10, start);
        assert_eq!(processor.wait(client, start), None);
        // A search that costs more than is left is carried out, and paid for later.
        processor.charge(client, second, start);
        assert_eq!(processor.wait(client, start), Some(9 * second));
        let later = start + 9 * second;
        assert_eq!(processor.wait(client, start + 8 * second), Some(second));
        assert_eq!(processor.wait(client, later), None);
        let mut spent = Duration::ZERO;
        for now in (0..600).map(|it| later + it * second) {
            if processor.wait(client, now).is_none() {
                processor.charge(client, second / 2, now);
                spent += second / 2;
            }
        }
        assert!(
            spent <= 60 * second + second / 2,
            "{spent:?} in ten minutes"
        );
    }

    #[test]
    fn a_network_has_the_shares_of_four_clients() {
        let (processor, now) = (Processor::default(), Instant::now());
        for number in 1..=4 {
            let client = client(&format!("192.0.2.{number}"));
            assert_eq!(processor.wait(client, now), None, "{number}");
            processor.charge(client, BURST + BURST / 10, now);
        }
        assert!(processor.wait(client("192.0.2.5"), now).is_some());
        assert_eq!(processor.wait(client("198.51.100.1"), now), None);
    }

    #[test]
    fn the_number_of_accounts_is_bounded() {
        let (accounts, now) = (Accounts::default(), Instant::now());
        for key in 0..MOST * 2 {
            accounts.charge(key, BURST, now);
        }
        assert!(accounts.0.lock().unwrap().len() <= MOST);
    }
}
