//! Visits of this crawler to the networks of other members, which grant each of their turns.

use super::{Member, Membership};
use crate::rate_limit::{IpKey, Slot};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use store::GuestPermit;
use tokio::time::{Instant, timeout_at};

/// Permits of the visits of this crawler at other members.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    permits: HashMap<i64, Request>,
    /// Permits that have ended.
    ended: Vec<i64>,
    last: i64,
}

/// Permit with the turn that was granted last.
#[derive(Debug)]
struct Request {
    permit: GuestPermit,
    /// True if the database may not have its last change.
    is_new: bool,
    /// Number of the turn, and the end of its validity in time since boot.
    granted: Option<(i64, Duration)>,
}

/// Changes of permits for the database.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) asked: Vec<GuestPermit>,
    pub(crate) ended: Vec<i64>,
}

impl Requests {
    /// Returns the changes that the database may not have.
    pub(crate) fn changes(&self) -> Changes {
        let new = self.permits.values().filter(|it| it.is_new);
        Changes {
            asked: new.map(|it| it.permit.clone()).collect(),
            ended: self.ended.clone(),
        }
    }

    /// Records that the database has these changes.
    pub(crate) fn sent(&mut self, changes: &Changes) {
        for permit in &changes.asked {
            if let Some(request) = self.permits.get_mut(&permit.number) {
                request.is_new &= request.permit != *permit;
            }
        }
        self.ended.retain(|number| !changes.ended.contains(number));
    }

    /// Takes in turns that were granted: the number of the permit, that of the turn, and the end of its
    /// validity in time since boot. Returns the number of new ones.
    pub(crate) fn granted(&mut self, turns: impl Iterator<Item = (i64, i64, Duration)>) -> u64 {
        let mut new = 0;
        for (number, turn, until) in turns {
            if let Some(request) = self.permits.get_mut(&number) {
                let known = request.granted.map(|(turn, _)| turn);
                new += u64::from(known != Some(turn));
                request.granted = Some((turn, until));
            }
        }
        new
    }

    /// Reports whether there is nothing to tell other members.
    pub(crate) fn is_empty(&self) -> bool {
        self.permits.is_empty() && self.ended.is_empty()
    }
}

/// Stay of a visit at an address of another member, which ends when it is dropped.
#[derive(Debug)]
pub struct Guest {
    member: Arc<Member>,
    number: i64,
}

impl Membership {
    /// Returns a stay at an address of another member, for a visit that has a permit in the same network
    /// already if it is not counted there; `None` without a fleet.
    pub(crate) fn guest(&self, address: IpAddr, is_counted: bool) -> Option<Guest> {
        let member = self.member()?;
        let mut requests = member.requests();
        requests.last += 1;
        let number = requests.last;
        let permit = GuestPermit {
            guest: member.name.clone(),
            number,
            slot: Slot::of(IpKey::of(address).network()).stored(),
            address,
            is_counted,
            site: String::new(),
            host: String::new(),
            asked: 0,
            answered: 0,
            rest: Duration::ZERO,
        };
        let request = Request {
            permit,
            is_new: false,
            granted: None,
        };
        requests.permits.insert(number, request);
        Some(Guest {
            member: Arc::clone(member),
            number,
        })
    }
}

impl Guest {
    /// Waits for the turn for a request to a host of `site`, a registrable domain; `None` if it is not
    /// granted by the deadline. The result is the end of its validity, in time since boot.
    pub(crate) async fn turn(&self, site: &str, host: &str, deadline: Instant) -> Option<Duration> {
        let turn = self.change(|permit| {
            site.clone_into(&mut permit.site);
            host.clone_into(&mut permit.host);
            // A turn that was not used in time has ended.
            permit.answered = permit.asked;
            permit.asked += 1;
            permit.asked
        })?;
        loop {
            let turned = self.member.turned.notified();
            let granted = self.granted();
            if let Some((_, until)) = granted.filter(|(granted, _)| *granted == turn) {
                return Some(until);
            }
            if timeout_at(deadline, turned).await.is_err() {
                self.ended(Duration::ZERO);
                return None;
            }
        }
    }

    fn granted(&self) -> Option<(i64, Duration)> {
        let requests = self.member.requests();
        requests.permits.get(&self.number)?.granted
    }

    /// Reports whether a turn is still valid.
    pub(crate) fn is_valid(&self, until: Duration) -> bool {
        self.member.uptime() < until
    }

    /// Records that the request whose turn was granted last has been answered or has failed, or was not
    /// sent, and the wait of its host.
    pub(crate) fn ended(&self, rest: Duration) {
        self.change(|permit| {
            permit.answered = permit.asked;
            permit.rest = rest;
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut GuestPermit) -> T) -> Option<T> {
        let mut requests = self.member.requests();
        let request = requests.permits.get_mut(&self.number)?;
        request.is_new = true;
        Some(change(&mut request.permit))
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut requests = self.member.requests();
        requests.permits.remove(&self.number);
        requests.ended.push(self.number);
    }
}
