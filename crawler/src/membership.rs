//! Membership of this process in the fleet of crawlers of its database, as its visits know it.
//!
//! The tasks of [`crate::run`] renew it, and exchange turns with the other members. The only crawler of a
//! file is no member: nothing restricts it.

mod guest;
mod sites;

use crate::fleet::{Access, Permissions};
use crate::rate_limit::{NetworkKey, SLOTS, Share, Slot, Slots};
pub use guest::Guest;
use guest::Requests;
use manifest::Timestamp;
pub(crate) use sites::Reservation;
use sites::Sites;
use std::fmt;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;
use store::{FleetView, Store};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Membership of this crawler, or none; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Membership(Option<Arc<Member>>);

/// Member of a fleet.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) store: Arc<dyn Store>,
    /// Clock that also runs while the process is stopped.
    uptime: fn() -> Duration,
    state: Mutex<State>,
    pub(crate) requests: Mutex<Requests>,
    /// Notified when turns may have been granted.
    pub(crate) turned: Notify,
    /// Notified when the membership is to be renewed at once.
    pub(crate) hurry: Notify,
    /// Cancelled once this process is no member any more.
    pub(crate) expelled: CancellationToken,
    sites: Mutex<Sites>,
    /// Number of turns that other members granted.
    pub(crate) turns: AtomicU64,
}

/// Permissions with the last answer that they come from.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) permissions: Permissions,
    /// Number of members whose term has not ended.
    pub(crate) members: usize,
    pub(crate) is_leaving: bool,
    /// Slots to be kept while this crawler's own connection is down (P51); `None` while it is not.
    pub(crate) kept: Option<Slots>,
    /// Time of the database at a time since boot.
    time: Option<(Timestamp, Duration)>,
}

impl fmt::Debug for Member {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("Member");
        text.field("name", &self.name).finish_non_exhaustive()
    }
}

impl Member {
    /// Returns a member that may do nothing until it is renewed.
    pub(crate) fn new(name: String, store: Arc<dyn Store>, uptime: fn() -> Duration) -> Self {
        Self {
            name,
            store,
            uptime,
            state: Mutex::default(),
            requests: Mutex::default(),
            turned: Notify::new(),
            hurry: Notify::new(),
            expelled: CancellationToken::new(),
            sites: Mutex::default(),
            turns: AtomicU64::new(0),
        }
    }

    /// Returns the time since boot.
    pub(crate) fn uptime(&self) -> Duration {
        (self.uptime)()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in the answer to a renewal that was asked for `before`, in times since boot.
    pub(crate) fn renewed(&self, view: &FleetView, before: Duration) {
        let after = self.uptime();
        let mut state = self.state();
        state.permissions.renewed(&self.name, view, before, after);
        let members = view.members.values();
        state.members = members.filter(|it| it.until >= view.now).count();
        state.time = Some((Timestamp(view.now), after));
    }

    /// Returns the networks that this member may contact now.
    pub(crate) fn share(&self, state: &State) -> Share {
        state.permissions.share(state.members, self.uptime())
    }

    /// Returns the time of the database at a time since boot, once this member was renewed.
    pub(crate) fn time(&self) -> Option<(Timestamp, Duration)> {
        self.state().time
    }

    /// Reports whether the term of this member cannot have ended.
    pub(crate) fn is_current(&self) -> bool {
        self.state().permissions.is_current(self.uptime())
    }
}

impl Membership {
    /// Returns the state of a crawler that is no member of a fleet.
    pub fn none() -> Self {
        Self(None)
    }

    /// Returns the membership of a member.
    pub(crate) fn of(member: Arc<Member>) -> Self {
        Self(Some(member))
    }

    /// Returns the member, if this crawler is one.
    pub(crate) fn member(&self) -> Option<&Arc<Member>> {
        self.0.as_ref()
    }

    /// Reports whether this crawler may send requests: always, or until its term may have ended. A
    /// process that was stopped for longer may not.
    pub fn is_current(&self) -> bool {
        self.0.as_ref().is_none_or(|member| member.is_current())
    }

    /// Returns whether a visit to a network may begin.
    pub fn access(&self, network: NetworkKey) -> Access {
        let Some(member) = &self.0 else {
            return Access::Now;
        };
        let now = member.uptime();
        member.state().permissions.access(Slot::of(network), now)
    }

    /// Returns the time from now until a time since boot.
    pub(crate) fn time_until(&self, at: Duration) -> Duration {
        let now = self.0.as_ref().map(|member| member.uptime());
        at.saturating_sub(now.unwrap_or_default())
    }

    /// Does something as long as this crawler may send requests, which is checked each time that it
    /// continues; `None` if it may not any more.
    pub(crate) async fn while_current<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|context| {
            if !self.is_current() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(context).map(Some)
        })
        .await
    }

    /// Completes once this process is no member any more.
    pub(crate) async fn expelled(&self) {
        match &self.0 {
            Some(member) => member.expelled.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Returns the time of the database at a time since boot, if this crawler is a member.
    pub(crate) fn time(&self) -> Option<(Timestamp, Duration)> {
        self.0.as_ref()?.time()
    }

    /// Reports whether this process is no member any more.
    pub(crate) fn is_expelled(&self) -> bool {
        let member = self.0.as_ref();
        member.is_some_and(|member| member.expelled.is_cancelled())
    }

    /// Gives up all networks as soon as nothing is under way there: this crawler is about to end.
    pub(crate) fn begin_to_leave(&self) {
        if let Some(member) = &self.0 {
            let mut state = member.state();
            state.is_leaving = true;
            state.kept = None;
            member.hurry.notify_one();
        }
    }

    /// Gives up all networks but those of some slots as soon as nothing is under way there, and takes none:
    /// the own connection of this crawler is down (P51).
    pub(crate) fn give_up_all_but(&self, slots: &Slots) {
        if let Some(member) = &self.0 {
            let now = member.uptime();
            let mut state = member.state();
            state.kept = Some(state.permissions.kept(slots, now));
            member.hurry.notify_one();
        }
    }

    /// Takes the share of this crawler again.
    pub(crate) fn take_share(&self) {
        if let Some(member) = &self.0 {
            member.state().kept = None;
            member.hurry.notify_one();
        }
    }

    /// Reports whether this crawler has the network of an address for itself: it may visit it, or keeps it
    /// while its own connection is down.
    pub(crate) fn has(&self, address: IpAddr) -> bool {
        let Some(member) = &self.0 else {
            return true;
        };
        let (slot, now) = (Slot::at(address), member.uptime());
        let state = member.state();
        match state.permissions.access(slot, now) {
            Access::Now => true,
            Access::Ending => state.kept.as_ref().is_some_and(|kept| kept.has(slot)),
            Access::NotBefore(_) | Access::Elsewhere | Access::Lapsed => false,
        }
    }

    /// Returns the number of turns that other members granted.
    pub(crate) fn turns(&self) -> u64 {
        let member = self.0.as_ref();
        member.map_or(0, |member| member.turns.load(Ordering::Relaxed))
    }

    /// Returns the numbers of crawlers, and of slots that this one may use.
    pub(crate) fn share(&self) -> (usize, usize) {
        let Some(member) = &self.0 else {
            return (1, SLOTS);
        };
        let now = member.uptime();
        let state = member.state();
        (state.members, state.permissions.slots(now).len())
    }
}
