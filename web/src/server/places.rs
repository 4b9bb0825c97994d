//! The places for connections, and which connection gives way to which.

use crate::server::activity::{Activity, Leave};
use crate::server::client::Client;
use crate::server::limits::Limits;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// While all connections are at work, so often is looked for one that waits for its client.
const GLANCE: Duration = Duration::from_millis(50);

/// All connections.
#[derive(Debug)]
pub(super) struct Places {
    limits: Limits,
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    connections: HashMap<u64, (Option<Client>, Arc<Activity>)>,
    of_client: HashMap<Client, usize>,
    /// The number of the next connection.
    next: u64,
}

impl Taken {
    /// Returns the connection that has waited longest for its client, of `client` where that is said; `None` when all are at
    /// work.
    fn longest_waiting(&self, client: Option<Client>) -> Option<&Activity> {
        let connections = self.connections.values();
        let waiting = connections
            .filter(|(of, _)| client.is_none() || *of == client)
            .filter_map(|(_, activity)| Some((activity.may_make_room_since()?, activity)));
        waiting
            .min_by_key(|(since, _)| *since)
            .map(|(_, activity)| &**activity)
    }

    /// Asks the connection that has waited longest for its client to give way; false when all are at work.
    fn make_room(&self, client: Option<Client>) -> bool {
        match self.longest_waiting(client) {
            Some(activity) => {
                activity.leave(Leave::ToMakeRoom);
                true
            }
            None => false,
        }
    }
}

impl Places {
    /// Begins without a connection.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            taken: Mutex::default(),
            freed: Notify::new(),
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a connection of `address`, as soon as there is one.
    ///
    /// `None` when the client has all the places it may have and all of them are at work.
    pub(super) async fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
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
            if let Some(place) = self.try_take(client, asks_for_room) {
                return Some(place);
            }
            // One connection is asked at a time, and another when that one does not go.
            asks_for_room = timeout(GLANCE, self.freed.notified()).await.is_err();
        }
    }

    /// Takes a place if there is one; if there is none, another may be asked for it.
    fn try_take(self: &Arc<Self>, client: Option<Client>, asks_for_room: bool) -> Option<Place> {
        let mut taken = self.taken();
        if taken.connections.len() >= self.limits.connections {
            if asks_for_room {
                taken.make_room(None);
            }
            return None;
        }
        let number = taken.next;
        taken.next += 1;
        let activity = Arc::new(Activity::new(Instant::now()));
        let entry = (client, Arc::clone(&activity));
        taken.connections.insert(number, entry);
        if let Some(client) = client {
            *taken.of_client.entry(client).or_default() += 1;
        }
        Some(Place {
            places: Arc::clone(self),
            number,
            activity,
        })
    }

    /// Asks the connection that has waited longest for its client to give way.
    pub(super) fn make_room(&self) {
        self.taken().make_room(None);
    }

    /// Asks all connections to close when they have nothing in flight.
    pub(super) fn close(&self) {
        for (_, activity) in self.taken().connections.values() {
            activity.leave(Leave::WhenDone);
        }
    }

    fn give_back(&self, number: u64) {
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

/// A connection's place; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    activity: Arc<Activity>,
}

impl Place {
    /// Returns the activity of the connection.
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    /// Returns what its client may take.
    pub(super) fn limits(&self) -> &Limits {
        &self.places.limits
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.give_back(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "192.0.2.1";

    fn places(connections: usize, per_client: usize) -> Arc<Places> {
        Arc::new(Places::new(Limits {
            connections,
            per_client,
            ..Limits::within(None).unwrap()
        }))
    }

    async fn take(places: &Arc<Places>, address: &str) -> Option<Place> {
        tokio::time::advance(Duration::from_millis(1)).await;
        places.take(address.parse().unwrap()).await
    }

    /// True when the connection was told to go.
    fn gives_way(place: &Place) -> bool {
        place.activity.is_free_to_leave()
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_waiting_connection_of_a_client_makes_room_for_its_next() {
        let places = places(10, 2);
        let first = take(&places, HOME).await.unwrap();
        let second = take(&places, HOME).await.unwrap();
        let elsewhere = take(&places, "192.0.2.2").await.unwrap();
        let number = first.activity.asked(false);
        let _third = take(&places, HOME).await.unwrap();
        assert!(!gives_way(&first) && gives_way(&second) && !gives_way(&elsewhere));
        drop(second);
        first.activity.over(number, true);
        assert!(!gives_way(&first));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_connections_are_all_at_work_is_refused_another() {
        let places = places(10, 2);
        let both = [take(&places, HOME).await, take(&places, HOME).await];
        for place in both.iter().flatten() {
            place.activity.asked(false);
        }
        assert!(take(&places, HOME).await.is_none());
        assert!(take(&places, "192.0.2.2").await.is_some());
        drop(both);
        assert!(take(&places, HOME).await.is_some());
        assert!(places.taken().of_client.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_proxy_may_take_all_places() {
        let places = places(10, 2);
        let mut held = Vec::new();
        for _ in 0..10 {
            held.push(take(&places, "127.0.0.1").await.unwrap());
        }
        assert!(!held.iter().any(gives_way));
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_places_are_taken_the_next_one_waits_for_the_longest_waiting_to_go() {
        let places = places(2, 2);
        let first = take(&places, HOME).await.unwrap();
        let second = take(&places, "192.0.2.2").await.unwrap();
        first.activity.asked(false);
        let number = second.activity.asked(false);
        let mut third = Box::pin(take(&places, "192.0.2.3"));
        assert!(timeout(4 * GLANCE, &mut third).await.is_err());
        assert!(!gives_way(&first) && !gives_way(&second));
        second.activity.over(number, true);
        assert!(timeout(4 * GLANCE, &mut third).await.is_err());
        assert!(!gives_way(&first) && gives_way(&second));
        drop(second);
        assert!(third.await.is_some());
    }
}
