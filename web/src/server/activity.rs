//! The activity of a connection, and until when it may go on.
//!
//! A connection waits for its client, or its client waits for us. [`State`] tells which, from what the socket, the
//! requests and the answers report; it is pure, and [`Activity`] puts it where all of them reach it.

use crate::server::limits::Limits;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

/// Requests that a client may take back unanswered, beyond those that it lets us answer: each cost us work.
const ABANDONED: u32 = 100;

/// A wish that a connection close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// Close when nothing is in flight: the server stops.
    WhenDone,
    /// Close as soon as it is the client's turn: another needs the place.
    ToMakeRoom,
}

/// A part of what is in flight: a request's body, or its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The client sends it.
    Body(u64),
    /// The client takes it.
    Answer(u64),
}

/// The state of a connection.
#[derive(Debug)]
struct State {
    /// Since when no request is in flight, while that is so.
    resting: Instant,
    /// When the first byte since then came.
    heard: Option<Instant>,
    /// Requests whose answer is not over.
    in_flight: usize,
    /// A request has come.
    has_asked: bool,
    /// It came over HTTP/2, where bytes come that belong to no request.
    is_multiplexed: bool,
    /// Parts of which the client has to send or take more, and since when.
    due: BTreeMap<Part, Instant>,
    /// Since when the socket takes nothing.
    stuck: Option<Instant>,
    /// Requests taken back unanswered, less those answered.
    abandoned: u32,
    /// The number of the next request.
    next: u64,
    /// What the connection was asked to do.
    leave: Option<Leave>,
}

impl State {
    /// Begins a connection.
    fn new(now: Instant) -> Self {
        Self {
            resting: now,
            heard: None,
            in_flight: 0,
            has_asked: false,
            is_multiplexed: false,
            due: BTreeMap::new(),
            stuck: None,
            abandoned: 0,
            next: 0,
            leave: None,
        }
    }

    /// Notes bytes from the client.
    fn heard(&mut self, now: Instant) {
        if self.in_flight == 0 && !self.is_multiplexed {
            self.heard.get_or_insert(now);
        }
    }

    /// Notes a request; returns its number.
    fn asked(&mut self, is_multiplexed: bool) -> u64 {
        self.heard = None;
        self.has_asked = true;
        self.is_multiplexed = is_multiplexed;
        self.in_flight += 1;
        self.next += 1;
        self.next
    }

    /// Notes that a request is over, answered or not.
    fn over(&mut self, number: u64, is_answered: bool, now: Instant) {
        self.due.remove(&Part::Body(number));
        self.due.remove(&Part::Answer(number));
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.in_flight == 0 {
            self.resting = now;
        }
        self.abandoned = if is_answered {
            self.abandoned.saturating_sub(1)
        } else {
            self.abandoned.saturating_add(1)
        };
    }

    /// Returns since when the connection waits for its client; `None` while the client waits for us.
    fn waits_since(&self) -> Option<Instant> {
        if self.in_flight == 0 {
            return Some(self.resting);
        }
        self.due.values().copied().chain(self.stuck).min()
    }

    /// Returns when the client's time is over, if it is the client's turn.
    fn deadline(&self, limits: &Limits) -> Option<Instant> {
        if self.abandoned > ABANDONED {
            return Some(self.resting);
        }
        let request = match (self.in_flight, self.heard, self.has_asked) {
            // The last of an answer is still under way.
            _ if self.stuck.is_some() => None,
            (0, Some(since), _) => Some(since + limits.head),
            (0, None, false) => Some(self.resting + limits.first_byte),
            (0, None, true) => Some(self.resting + limits.idle),
            _ => None,
        };
        let stalled = self.due.values().copied().chain(self.stuck).min();
        let stalled = stalled.map(|since| since + limits.stall);
        request.into_iter().chain(stalled).min()
    }
}

/// The activity of a connection, for all that take part in it.
#[derive(Debug)]
pub(super) struct Activity {
    state: Mutex<State>,
    asked_to_leave: Notify,
}

impl Activity {
    /// Begins a connection.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            state: Mutex::new(State::new(now)),
            asked_to_leave: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes bytes from the client.
    pub(super) fn heard(&self) {
        self.state().heard(Instant::now());
    }

    /// Notes whether the socket takes what is written.
    pub(super) fn wrote(&self, is_stuck: bool) {
        let mut state = self.state();
        if is_stuck {
            state.stuck.get_or_insert_with(Instant::now);
        } else if state.stuck.take().is_some() && state.in_flight == 0 {
            state.resting = Instant::now();
        }
    }

    /// Notes a request; returns its number.
    pub(super) fn asked(&self, is_multiplexed: bool) -> u64 {
        self.state().asked(is_multiplexed)
    }

    /// Notes that the client has to send or take more of `part`, from now on if it was not so before.
    pub(super) fn waits_for(&self, part: Part) {
        self.state().due.entry(part).or_insert_with(Instant::now);
    }

    /// Notes that the client sent or took some of `part`, and that it is our turn.
    pub(super) fn moved(&self, part: Part) {
        self.state().due.remove(&part);
    }

    /// Notes that the client took some of an answer, and has to take more.
    pub(super) fn handed(&self, part: Part) {
        self.state().due.insert(part, Instant::now());
    }

    /// Notes that a request is over, answered or not.
    pub(super) fn over(&self, number: u64, is_answered: bool) {
        self.state().over(number, is_answered, Instant::now());
    }

    /// Returns since when the connection waits for its client; `None` while the client waits for us, and when the connection
    /// was asked to make room before.
    pub(super) fn may_make_room_since(&self) -> Option<Instant> {
        let state = self.state();
        if state.leave == Some(Leave::ToMakeRoom) {
            None
        } else {
            state.waits_since()
        }
    }

    /// Asks the connection to close.
    pub(super) fn leave(&self, how: Leave) {
        self.state().leave = Some(how);
        self.asked_to_leave.notify_one();
    }

    /// Resolves when the connection is asked to close.
    pub(super) fn asked_to_leave(&self) -> Notified<'_> {
        self.asked_to_leave.notified()
    }

    /// Returns true when the connection was asked to close and nothing keeps it.
    pub(super) fn is_free_to_leave(&self) -> bool {
        let state = self.state();
        match state.leave {
            None => false,
            Some(Leave::ToMakeRoom) => state.waits_since().is_some(),
            // Over HTTP/2, an answer that is over may still wait in the connection's buffers.
            Some(Leave::WhenDone) => {
                state.in_flight == 0 && state.stuck.is_none() && !state.is_multiplexed
            }
        }
    }

    /// Returns when the client's time is over, if it is the client's turn.
    pub(super) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        self.state().deadline(limits)
    }
}

#[cfg(test)]
mod tests;
