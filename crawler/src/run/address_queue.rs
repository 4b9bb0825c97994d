//! Visits whose address or network is busy (P19, P20): resolved, but not begun.

use crate::rate_limit::{Entry, Fingerprint, Gate, IpKey, NetworkKey};
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;

/// Maximum time that a visit waits here; then its lease returns to the frontier.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Time after which a requested visit is tried again, before those that were not requested.
const REQUESTED_AGAIN: Duration = Duration::from_secs(1);
/// Maximum number of visits that wait for one network.
const MAX_PER_NETWORK: usize = 64;
/// Assumed time between two visits to a network before one has ended.
const FIRST_GUESS: Duration = Duration::from_millis(250);
/// Maximum postponement based on that assumption.
const LONGEST_GUESS: Duration = Duration::from_secs(30);
/// Maximum postponement of a lease.
const LONGEST_DELAY: Duration = Duration::from_hours(24);
/// Number of visits whose mean time gives the rate of a network: it changes when one of its
/// addresses becomes an edge (P50).
const VISITS: u32 = 16;
/// Number of busy networks from which on outdated ones are evicted.
const TIDY_FIRST: usize = 1_024;

/// Visit that can begin as soon as its address admits it.
#[derive(Debug)]
pub(super) struct ReadyVisit {
    /// Time when the pause of its site is over.
    pub(super) start: Instant,
    /// Its lease.
    pub(super) lease: Lease,
    /// Its address.
    pub(super) address: IpAddr,
    since: Instant,
}

impl ReadyVisit {
    /// Reports whether a visitor of the registry asked for it (P47).
    fn is_requested(&self) -> bool {
        self.lease.requests_left.is_some()
    }
}

/// Result of trying waiting visits again.
#[derive(Debug, Default)]
pub(super) struct Transitions {
    /// Admitted visits, each with the expected fingerprint of its site.
    pub(super) admitted: Vec<(ReadyVisit, Option<Fingerprint>)>,
    /// Visits to be tried later, because their address asked for a pause.
    pub(super) blocked: Vec<(ReadyVisit, Instant)>,
    /// Visits to be tried later, because too many wait for their network.
    pub(super) crowded: Vec<(ReadyVisit, Instant)>,
    /// Visits to networks that this crawler of a fleet may not contact.
    pub(super) elsewhere: Vec<ReadyVisit>,
}

/// Visits that wait for an address, by network.
#[derive(Debug)]
pub(super) struct Queue {
    networks: HashMap<NetworkKey, VecDeque<ReadyVisit>>,
    /// Networks that were busy.
    busy: HashMap<NetworkKey, BusyNetwork>,
    tidy_at: usize,
    waiting: usize,
    room: usize,
}

/// Rate of the visits to a network, and its last assigned turn.
#[derive(Debug)]
struct BusyNetwork {
    since: Instant,
    /// Visits that have ended since.
    ended: u32,
    /// Mean time between the ends of the visits before.
    known: Option<Duration>,
    last_turn: Instant,
}

impl BusyNetwork {
    fn new(now: Instant) -> Self {
        Self {
            since: now,
            ended: 0,
            known: None,
            last_turn: now,
        }
    }

    /// Counts the end of a visit.
    fn end(&mut self, now: Instant) {
        self.ended += 1;
        if self.ended == VISITS {
            *self = Self {
                known: self.turn(now),
                last_turn: self.last_turn,
                ..Self::new(now)
            };
        }
    }

    /// Returns the mean time between the ends of two visits.
    fn turn(&self, now: Instant) -> Option<Duration> {
        match self.ended {
            VISITS => Some((now - self.since) / VISITS),
            ended => self.known.or((now - self.since).checked_div(ended)),
        }
    }
}

impl Queue {
    /// Returns an empty queue for at most `room` visits.
    pub(super) fn new(room: usize) -> Self {
        Self {
            networks: HashMap::new(),
            busy: HashMap::new(),
            tidy_at: TIDY_FIRST,
            waiting: 0,
            room,
        }
    }

    /// Returns the number of waiting visits.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns the numbers of remembered networks and of visits that wait for them.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.networks.len() + self.busy.len() + self.waiting
    }

    /// Admits a visit, keeps it waiting, or returns the time to try it again.
    pub(super) fn enter(
        &mut self,
        gate: &mut Gate,
        (start, lease, address): (Instant, Lease, IpAddr),
        now: Instant,
    ) -> Transitions {
        let ready = ReadyVisit {
            start,
            lease,
            address,
            since: now,
        };
        let mut moved = Transitions::default();
        match gate.enter(ready.lease.domain.registrable(), address, now) {
            Entry::Now(expected) => moved.admitted.push((ready, expected)),
            Entry::NotBefore(until) => moved.blocked.push((ready, until)),
            Entry::Elsewhere => moved.elsewhere.push(ready),
            Entry::Full => {
                let network = IpKey::of(address).network();
                self.tidy(now);
                self.busy
                    .entry(network)
                    .or_insert_with(|| BusyNetwork::new(now));
                if let Some(ready) = self.line_up(network, ready) {
                    let until = self.later(gate, &ready, now);
                    moved.crowded.push((ready, until));
                }
            }
        }
        moved
    }

    /// Tries the visits that wait for a network again, after a visit to it has ended.
    pub(super) fn wake(&mut self, gate: &mut Gate, address: IpAddr, now: Instant) -> Transitions {
        let mut moved = Transitions::default();
        let network = IpKey::of(address).network();
        if let Some(busy) = self.busy.get_mut(&network) {
            busy.end(now);
        }
        self.wake_network(gate, network, now, &mut moved);
        moved
    }

    /// Tries all visits again.
    pub(super) fn wake_all(&mut self, gate: &mut Gate, now: Instant) -> Transitions {
        let mut moved = Transitions::default();
        let networks: Vec<_> = self.networks.keys().copied().collect();
        for network in networks {
            self.wake_network(gate, network, now, &mut moved);
        }
        moved
    }

    /// Takes all visits out.
    pub(super) fn drain(&mut self) -> Vec<Lease> {
        self.waiting = 0;
        let queues = self.networks.drain();
        queues
            .flat_map(|(_, queue)| queue)
            .map(|ready| ready.lease)
            .collect()
    }

    fn wake_network(
        &mut self,
        gate: &mut Gate,
        network: NetworkKey,
        now: Instant,
        moved: &mut Transitions,
    ) {
        let Some(queue) = self.networks.remove(&network) else {
            return;
        };
        let mut remaining = VecDeque::new();
        for ready in queue {
            match gate.enter(ready.lease.domain.registrable(), ready.address, now) {
                Entry::Now(expected) => moved.admitted.push((ready, expected)),
                Entry::NotBefore(until) => moved.blocked.push((ready, until)),
                Entry::Elsewhere => moved.elsewhere.push(ready),
                Entry::Full if now - ready.since < LONGEST_WAIT => {
                    remaining.push_back(ready);
                    continue;
                }
                Entry::Full => {
                    let until = self.later(gate, &ready, now);
                    moved.crowded.push((ready, until));
                }
            }
            self.waiting -= 1;
        }
        if !remaining.is_empty() {
            self.networks.insert(network, remaining);
        }
    }

    /// Lets a visit wait, a requested one before all that were not requested (P47). Returns the last one if
    /// there is no room for it.
    fn line_up(&mut self, network: NetworkKey, ready: ReadyVisit) -> Option<ReadyVisit> {
        let queue = self.networks.entry(network).or_default();
        let place = if ready.is_requested() {
            queue.iter().take_while(|it| it.is_requested()).count()
        } else {
            queue.len()
        };
        queue.insert(place, ready);
        if self.waiting < self.room && queue.len() <= MAX_PER_NETWORK {
            self.waiting += 1;
            return None;
        }
        queue.pop_back()
    }

    /// Returns the time when a visit is to be tried again that does not wait any longer.
    fn later(&mut self, gate: &Gate, ready: &ReadyVisit, now: Instant) -> Instant {
        if ready.is_requested() {
            now + REQUESTED_AGAIN
        } else {
            self.assign_turn(gate, ready.address, now)
        }
    }

    /// Returns the time when another lease of a busy network is to be tried: each gets a turn of
    /// its own, at the rate at which visits have ended so far.
    fn assign_turn(&mut self, gate: &Gate, address: IpAddr, now: Instant) -> Instant {
        self.tidy(now);
        let network = IpKey::of(address).network();
        let busy = self
            .busy
            .entry(network)
            .or_insert_with(|| BusyNetwork::new(now));
        let known = busy
            .turn(now)
            .map(|turn| gate.expected_turn(turn, address, now));
        let guess = (FIRST_GUESS, LONGEST_GUESS);
        let (turn, longest) = known.map_or(guess, |turn| (turn, LONGEST_DELAY));
        // The visits that wait here come first, those that do not wait in vain.
        let waiting = self.networks.get(&network).map_or(0, VecDeque::len);
        let waiting = turn * u32::try_from(waiting).unwrap_or(u32::MAX);
        let waiting = waiting.min(LONGEST_WAIT);
        busy.last_turn = (busy.last_turn.max(now + waiting) + turn).min(now + longest);
        busy.last_turn
    }

    /// Evicts busy networks for which no visit waits, here or in the frontier.
    fn tidy(&mut self, now: Instant) {
        if self.busy.len() >= self.tidy_at {
            let waiting = &self.networks;
            self.busy
                .retain(|network, busy| busy.last_turn > now || waiting.contains_key(network));
            self.tidy_at = (2 * self.busy.len()).max(TIDY_FIRST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::{Ending, Rules};
    use manifest::Domain;

    fn ready(number: u32) -> (Instant, Lease, IpAddr) {
        let lease = Lease::first(1, Domain::parse(&format!("h{number}.example")).unwrap(), 1);
        (Instant::now(), lease, "8.8.8.8".parse().unwrap())
    }

    fn gate() -> Gate {
        Gate::new(Rules {
            gap: Duration::from_secs(1),
            ..Rules::default()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_visit_follows_when_a_visit_ends() {
        let (mut queue, mut gate) = (Queue::new(100), gate());
        let now = Instant::now();
        for number in 0..3 {
            queue.enter(&mut gate, ready(number), now);
        }
        assert_eq!(queue.waiting(), 1);
        gate.leave("h0.example", ready(0).2, Ending::Answered(None), now);
        let moved = queue.wake(&mut gate, ready(0).2, now);
        assert_eq!(moved.admitted[0].0.lease.domain.as_str(), "h2.example");
        assert_eq!(queue.waiting(), 0);
    }

    /// HS-65: a hundred thousand names on one address.
    #[tokio::test(start_paused = true)]
    async fn hs_65_excess_visits_are_postponed_each_to_its_own_turn() {
        let (mut queue, mut gate) = (Queue::new(100), gate());
        let now = Instant::now();
        for number in 0..3 {
            queue.enter(&mut gate, ready(number), now);
        }
        // A visit of one second shows the length of the turns.
        tokio::time::advance(Duration::from_secs(1)).await;
        let now = Instant::now();
        gate.leave("h0.example", ready(0).2, Ending::Answered(None), now);
        queue.wake(&mut gate, ready(0).2, now);
        let mut turns = Vec::new();
        for number in 3..100_000 {
            let moved = queue.enter(&mut gate, ready(number), now);
            turns.extend(moved.crowded.into_iter().map(|(_, until)| until));
        }
        assert_eq!(queue.waiting(), MAX_PER_NETWORK);
        assert_eq!(turns.len(), 100_000 - 3 - MAX_PER_NETWORK);
        assert!(turns.windows(2).take(5_000).all(|pair| pair[0] < pair[1]));
        assert!(turns.iter().all(|turn| *turn <= now + LONGEST_DELAY));
    }

    fn requested(number: u32) -> (Instant, Lease, IpAddr) {
        let (start, lease, address) = ready(number);
        let requests_left = Some(12);
        let lease = Lease {
            requests_left,
            ..lease
        };
        (start, lease, address)
    }

    #[tokio::test(start_paused = true)]
    async fn p47_requested_visits_to_a_busy_address_come_before_all_others() {
        let (mut queue, mut gate) = (Queue::new(100), gate());
        let now = Instant::now();
        let names = |moved: &[(ReadyVisit, Instant)]| {
            let names = moved.iter().map(|(it, _)| it.lease.domain.to_string());
            names.collect::<Vec<_>>()
        };
        let full = 2 + u32::try_from(MAX_PER_NETWORK).unwrap();
        for number in 0..full {
            assert!(
                queue
                    .enter(&mut gate, ready(number), now)
                    .crowded
                    .is_empty()
            );
        }
        // The last one of those that wait makes room.
        let moved = queue.enter(&mut gate, requested(1_000), now);
        assert_eq!(names(&moved.crowded), [format!("h{}.example", full - 1)]);
        let moved = queue.enter(&mut gate, requested(1_001), now);
        assert_eq!(names(&moved.crowded), [format!("h{}.example", full - 2)]);
        assert_eq!(queue.waiting(), MAX_PER_NETWORK);

        for (leaving, next) in [("h0.example", 1_000), ("h1.example", 1_001)] {
            gate.leave(leaving, ready(0).2, Ending::Answered(None), now);
            let moved = queue.wake(&mut gate, ready(0).2, now);
            let name = moved.admitted[0].0.lease.domain.to_string();
            assert_eq!(name, format!("h{next}.example"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn p47_a_requested_visit_without_room_takes_no_turn_after_the_others() {
        let (mut queue, mut gate) = (Queue::new(0), gate());
        let now = Instant::now();
        for number in 0..1_000 {
            queue.enter(&mut gate, ready(number), now);
        }
        let moved = queue.enter(&mut gate, requested(1_000), now);
        assert_eq!(moved.crowded[0].1, now + REQUESTED_AGAIN);
        assert_eq!(queue.waiting(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn no_visit_waits_longer_than_half_a_minute() {
        let (mut queue, mut gate) = (Queue::new(100), gate());
        for number in 0..3 {
            queue.enter(&mut gate, ready(number), Instant::now());
        }
        tokio::time::advance(LONGEST_WAIT).await;
        let moved = queue.wake_all(&mut gate, Instant::now());
        assert_eq!((moved.crowded.len(), queue.waiting()), (1, 0));
    }
}
