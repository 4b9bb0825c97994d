//! The activity of a connection, and its deadline.
//!
//! Either the client or the server has to act next. [`State`] determines which, from the reports of
//! the socket, the requests and the responses; it is pure. [`Activity`] shares it among them.

mod pace;

use crate::server::limits::Limits;
use pace::Pace;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::time::Instant;

/// Most requests that a client may cancel beyond those that it lets us answer; each costs us work.
const ABANDONED: u32 = 100;

/// Request that a connection close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// Closes when no request is in flight, since the server stops.
    WhenDone,
    /// Closes as soon as the client has to act, since another connection needs the permit.
    ToMakeRoom,
}

/// Part of an exchange in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Request body, sent by the client.
    Body(u64),
    /// Response, read by the client.
    Answer(u64),
}

/// State of a connection.
#[derive(Debug)]
struct State {
    /// Time since which no request is in flight; meaningless while one is.
    resting: Instant,
    /// Time of the first byte since then.
    heard: Option<Instant>,
    /// Number of requests in flight.
    in_flight: usize,
    /// True after the first request.
    has_asked: bool,
    /// True for HTTP/2, where some bytes belong to no request.
    is_multiplexed: bool,
    /// Deadline of the body of a request that was dropped before its end.
    rest: Option<Instant>,
    /// Speed of the client in each part.
    parts: BTreeMap<Part, Pace>,
    /// Speed at which the socket accepts bytes.
    socket: Pace,
    /// Time for the client to act ([`Limits::stall`]).
    stall: Duration,
    /// Number of canceled requests less that of answered ones, at least 0.
    abandoned: u32,
    /// Number of the next request.
    next: u64,
    /// Request to close, if any.
    close: Option<Close>,
}

impl State {
    /// Creates the state of a new connection.
    fn new(now: Instant, stall: Duration) -> Self {
        Self {
            resting: now,
            heard: None,
            in_flight: 0,
            has_asked: false,
            is_multiplexed: false,
            rest: None,
            parts: BTreeMap::new(),
            socket: Pace::default(),
            stall,
            abandoned: 0,
            next: 0,
            close: None,
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
        self.parts.remove(&Part::Body(number));
        self.parts.remove(&Part::Answer(number));
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

    /// Notes that the client has to send or read more of `part`.
    fn waits_for(&mut self, part: Part, now: Instant) {
        self.parts.entry(part).or_default().wait(now);
    }

    /// Notes that the client sent or read some of `part`, of which it is offered further bytes; whether
    /// it takes them is seen by the socket, unless that serves several requests.
    fn moved(&mut self, part: Part, bytes: usize, now: Instant) {
        let bytes = if self.is_multiplexed { bytes } else { 0 };
        let pace = self.parts.entry(part).or_default();
        pace.moved(bytes, self.stall, now);
    }

    /// Notes bytes that the socket accepted; `None` if it accepts no more at present.
    fn wrote(&mut self, bytes: Option<usize>, now: Instant) {
        let Some(bytes) = bytes else {
            self.socket.wait(now);
            return;
        };
        if self.socket.since().is_some() && self.in_flight == 0 {
            self.resting = now;
        }
        self.socket.moved(bytes, self.stall, now);
        if self.is_multiplexed {
            return;
        }
        for (part, pace) in &mut self.parts {
            if matches!(part, Part::Answer(_)) && pace.since().is_some() {
                pace.moved(bytes, self.stall, now);
                pace.wait(now);
            }
        }
    }

    /// Returns the time since which the client has to act; `None` while the server has to.
    fn waits_since(&self) -> Option<Instant> {
        if self.in_flight == 0 {
            return Some(self.resting);
        }
        let paces = self.parts.values().chain([&self.socket]);
        paces.filter_map(Pace::since).min()
    }

    /// Returns the client's deadline, if the client has to act.
    fn deadline(&self, limits: &Limits) -> Option<Instant> {
        if self.abandoned > ABANDONED {
            return Some(self.resting);
        }
        let request = match (self.in_flight, self.heard, self.has_asked) {
            // The end of a response is still being sent.
            _ if self.socket.since().is_some() => None,
            (0, Some(since), _) => Some(since + limits.head),
            (0, None, false) => Some(self.resting + limits.first_byte),
            (0, None, true) => Some(self.resting + limits.idle),
            _ => None,
        };
        let paces = self.parts.values().chain([&self.socket]);
        let stalled = paces.filter_map(|it| it.deadline(self.stall)).min();
        request.into_iter().chain(stalled).min()
    }
}

/// Activity of a connection, shared by its parts.
#[derive(Debug)]
pub(super) struct Activity {
    state: Mutex<State>,
    asked_to_close: Notify,
}

impl Activity {
    /// Creates the activity of a new connection.
    pub(super) fn new(now: Instant, limits: &Limits) -> Self {
        Self {
            state: Mutex::new(State::new(now, limits.stall)),
            asked_to_close: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes bytes from the client.
    pub(super) fn heard(&self) {
        self.state().heard(Instant::now());
    }

    /// Notes bytes that the socket accepted; `None` if it accepts no more at present.
    pub(super) fn wrote(&self, bytes: Option<usize>) {
        self.state().wrote(bytes, Instant::now());
    }

    /// Notes a request; returns its number.
    pub(super) fn asked(&self, is_multiplexed: bool) -> u64 {
        self.state().asked(is_multiplexed)
    }

    /// Notes that the body of a request, which may arrive until its deadline, was dropped before its end.
    pub(super) fn leaves_rest(&self, deadline: Instant) {
        self.state().rest = Some(deadline);
    }

    /// Returns the time until which the rest of a body may arrive, if a request was answered without its
    /// whole body: over HTTP/1, its connection cannot serve another request, because the rest stands
    /// before it.
    pub(super) fn rest(&self) -> Option<Instant> {
        let state = self.state();
        state.rest.filter(|_| !state.is_multiplexed)
    }

    /// Notes that the client has to send or read more of `part`, from now unless it already had to.
    pub(super) fn waits_for(&self, part: Part) {
        self.state().waits_for(part, Instant::now());
    }

    /// Notes that the client sent or read some of `part`, and that the server has to act next.
    pub(super) fn moved(&self, part: Part) {
        self.state().moved(part, 0, Instant::now());
    }

    /// Notes that the client read some of a response, and has to read these bytes.
    pub(super) fn handed(&self, part: Part, bytes: usize) {
        let mut state = self.state();
        let now = Instant::now();
        state.moved(part, bytes, now);
        state.waits_for(part, now);
    }

    /// Notes that a request is over, answered or not.
    pub(super) fn over(&self, number: u64, is_answered: bool) {
        self.state().over(number, is_answered, Instant::now());
    }

    /// Returns the time since which the client has to act; `None` while the server has to, or if
    /// the connection was already asked to make room.
    pub(super) fn may_make_room_since(&self) -> Option<Instant> {
        let state = self.state();
        if state.close == Some(Close::ToMakeRoom) {
            None
        } else {
            state.waits_since()
        }
    }

    /// Asks the connection to close.
    pub(super) fn ask_to_close(&self, how: Close) {
        self.state().close = Some(how);
        self.asked_to_close.notify_one();
    }

    /// Resolves when the connection is asked to close.
    pub(super) fn asked_to_close(&self) -> Notified<'_> {
        self.asked_to_close.notified()
    }

    /// Reports whether the connection was asked to close and may close now.
    pub(super) fn may_close(&self) -> bool {
        let state = self.state();
        match state.close {
            None => false,
            Some(Close::ToMakeRoom) => state.waits_since().is_some(),
            // Over HTTP/2, a finished response may still be in the connection's buffers.
            Some(Close::WhenDone) => {
                state.in_flight == 0 && state.socket.since().is_none() && !state.is_multiplexed
            }
        }
    }

    /// Returns the client's deadline, if the client has to act.
    pub(super) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        self.state().deadline(limits)
    }
}

#[cfg(test)]
mod tests;
