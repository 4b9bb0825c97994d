//! Permits for connections, and the choice of the connection to close for a new one.

use crate::client::Client;
use crate::server::activity::{Activity, Close};
use crate::server::limits::Limits;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// Interval between searches for a connection to close while all are busy.
const ROOM_RETRY: Duration = Duration::from_millis(50);

/// All connections and their number.
#[derive(Debug)]
pub(super) struct Permits {
    limits: Limits,
    taken: Mutex<PermitCounts>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct PermitCounts {
    connections: HashMap<u64, (Option<Client>, Arc<Activity>)>,
    of_client: HashMap<Client, usize>,
    /// Number of the next connection.
    next: u64,
}

impl PermitCounts {
    /// Returns the connection whose client has been inactive longest, among those of `client` if
    /// given; `None` if all are busy.
    fn longest_waiting(&self, client: Option<Client>) -> Option<&Activity> {
        let connections = self.connections.values();
        let waiting = connections
            .filter(|(of, _)| client.is_none() || *of == client)
            .filter_map(|(_, activity)| Some((activity.may_make_room_since()?, activity)));
        waiting
            .min_by_key(|(since, _)| *since)
            .map(|(_, activity)| &**activity)
    }

    /// Asks the connection whose client has been inactive longest to close; false if all are busy.
    fn make_room(&self, client: Option<Client>) -> bool {
        match self.longest_waiting(client) {
            Some(activity) => {
                activity.ask_to_close(Close::ToMakeRoom);
                true
            }
            None => false,
        }
    }
}

impl Permits {
    /// Creates the permits, all of them available.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            taken: Mutex::default(),
            freed: Notify::new(),
        }
    }

    fn taken(&self) -> MutexGuard<'_, PermitCounts> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a permit for a connection of `address`, as soon as one is free.
    ///
    /// `None` if the client has reached its limit and all of its connections are busy.
    pub(super) async fn take(self: &Arc<Self>, address: IpAddr) -> Option<Permit> {
        let client = self.limits.client(address);
        if let Some(client) = client {
            let taken = self.taken();
            let count = taken.of_client.get(&client).copied().unwrap_or(0);
            if count >= self.limits.per_client && !taken.make_room(Some(client)) {
                return None;
            }
        }
        let mut asks_for_room = true;
        loop {
            if let Some(permit) = self.try_take(client, asks_for_room) {
                return Some(permit);
            }
            // Asks one connection at a time, and another if it does not close.
            asks_for_room = timeout(ROOM_RETRY, self.freed.notified()).await.is_err();
        }
    }

    /// Takes a permit if one is free; otherwise, with `asks_for_room`, asks a connection to close.
    fn try_take(self: &Arc<Self>, client: Option<Client>, asks_for_room: bool) -> Option<Permit> {
        let mut taken = self.taken();
        if taken.connections.len() >= self.limits.connections {
            if asks_for_room {
                taken.make_room(None);
            }
            return None;
        }
        let number = taken.next;
        taken.next += 1;
        let activity = Arc::new(Activity::new(Instant::now(), &self.limits));
        let entry = (client, Arc::clone(&activity));
        taken.connections.insert(number, entry);
        if let Some(client) = client {
            *taken.of_client.entry(client).or_default() += 1;
        }
        Some(Permit {
            permits: Arc::clone(self),
            number,
            activity,
        })
    }

    /// Asks the connection whose client has been inactive longest to close.
    pub(super) fn make_room(&self) {
        self.taken().make_room(None);
    }

    /// Asks all connections to close once they have no request in flight.
    pub(super) fn close(&self) {
        for (_, activity) in self.taken().connections.values() {
            activity.ask_to_close(Close::WhenDone);
        }
    }

    fn release(&self, number: u64) {
        let mut taken = self.taken();
        if let Some((Some(client), _)) = taken.connections.remove(&number)
            && let Some(count) = taken.of_client.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                taken.of_client.remove(&client);
            }
        }
        drop(taken);
        self.freed.notify_one();
    }
}

/// Permit of a connection; freed when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    permits: Arc<Permits>,
    number: u64,
    activity: Arc<Activity>,
}

impl Permit {
    /// Returns the activity of the connection.
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// Returns the limits for its client.
    pub(super) fn limits(&self) -> &Limits {
        &self.permits.limits
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits.release(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "192.0.2.1";

    fn permits(connections: usize, per_client: usize) -> Arc<Permits> {
        Arc::new(Permits::new(Limits {
            connections,
            per_client,
            ..Limits::within(None).unwrap()
        }))
    }

    async fn take(permits: &Arc<Permits>, address: &str) -> Option<Permit> {
        tokio::time::advance(Duration::from_millis(1)).await;
        permits.take(address.parse().unwrap()).await
    }

    /// Reports whether the connection was asked to close and may.
    fn is_asked_to_close(permit: &Permit) -> bool {
        permit.activity.may_close()
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_inactive_connection_of_a_client_is_closed_for_its_next() {
        let permits = permits(10, 2);
        let first = take(&permits, HOME).await.unwrap();
        let second = take(&permits, HOME).await.unwrap();
        let elsewhere = take(&permits, "192.0.2.2").await.unwrap();
        let number = first.activity.asked(false);
        let _third = take(&permits, HOME).await.unwrap();
        assert!(
            !is_asked_to_close(&first)
                && is_asked_to_close(&second)
                && !is_asked_to_close(&elsewhere)
        );
        drop(second);
        first.activity.over(number, true);
        assert!(!is_asked_to_close(&first));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_connections_are_all_busy_is_refused_another() {
        let permits = permits(10, 2);
        let both = [take(&permits, HOME).await, take(&permits, HOME).await];
        for permit in both.iter().flatten() {
            permit.activity.asked(false);
        }
        assert!(take(&permits, HOME).await.is_none());
        assert!(take(&permits, "192.0.2.2").await.is_some());
        drop(both);
        assert!(take(&permits, HOME).await.is_some());
        assert!(permits.taken().of_client.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_proxy_may_take_all_permits() {
        let permits = permits(10, 2);
        let mut taken = Vec::new();
        for _ in 0..10 {
            taken.push(take(&permits, "127.0.0.1").await.unwrap());
        }
        assert!(!taken.iter().any(is_asked_to_close));
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_waits_until_the_longest_inactive_one_closes() {
        let permits = permits(2, 2);
        let first = take(&permits, HOME).await.unwrap();
        let second = take(&permits, "192.0.2.2").await.unwrap();
        first.activity.asked(false);
        let number = second.activity.asked(false);
        let mut third = Box::pin(take(&permits, "192.0.2.3"));
        assert!(timeout(4 * ROOM_RETRY, &mut third).await.is_err());
        assert!(!is_asked_to_close(&first) && !is_asked_to_close(&second));
        second.activity.over(number, true);
        assert!(timeout(4 * ROOM_RETRY, &mut third).await.is_err());
        assert!(!is_asked_to_close(&first) && is_asked_to_close(&second));
        drop(second);
        assert!(third.await.is_some());
    }
}
