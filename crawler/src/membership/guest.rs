//! Visits of this crawler to the networks of other members, which grant each of their turns.

use super::{Member, Membership};
use crate::rate_limit::Slot;
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

impl Requests {
    /// Returns the permits of which the database may not have the last change.
    pub(crate) fn changes(&self) -> Vec<GuestPermit> {
        let new = self.permits.values().filter(|it| it.is_new);
        new.map(|it| it.permit.clone()).collect()
    }

    /// Records that the database has these.
    pub(crate) fn sent(&mut self, changes: &[GuestPermit]) {
        for permit in changes {
            if permit.is_ended {
                self.permits.remove(&permit.number);
            } else if let Some(request) = self.permits.get_mut(&permit.number) {
                request.is_new &= request.permit != *permit;
            }
        }
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
        self.permits.is_empty()
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
            slot: Slot::at(address).stored(),
            address,
            is_counted,
            site: String::new(),
            host: String::new(),
            asked: 0,
            answered: 0,
            rest: Duration::ZERO,
            is_ended: false,
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
        match requests.permits.get_mut(&self.number) {
            Some(request) if request.permit.asked > 0 => {
                request.is_new = true;
                request.permit.is_ended = true;
            }
            // The database does not know it.
            _ => {
                requests.permits.remove(&self.number);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::membership::State;
    use store::FleetView;

    const ADDRESS: &str = "192.0.2.1";
    const MINUTE: Duration = Duration::from_mins(1);

    /// Returns a member of a fleet with the store of a file.
    pub(in crate::membership) async fn member() -> (tempfile::TempDir, Membership) {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("registry.db").display());
        let store = store::open(&url, &[]).await.unwrap();
        let member = Member::new("me".to_owned(), store, || MINUTE);
        (folder, Membership::of(Arc::new(member)))
    }

    fn sent(membership: &Membership) -> Vec<GuestPermit> {
        let mut requests = membership.member().unwrap().requests();
        let changes = requests.changes();
        requests.sent(&changes);
        changes
    }

    fn grant(membership: &Membership, number: i64, turn: i64) {
        let member = membership.member().unwrap();
        let until = MINUTE + Duration::from_secs(5);
        let turns = std::iter::once((number, turn, until));
        member.requests().granted(turns);
        member.turned.notify_waiters();
    }

    #[tokio::test]
    async fn a_guest_asks_for_each_turn_and_takes_no_earlier_one_for_it() {
        let (_folder, membership) = member().await;
        let guest = membership.guest(ADDRESS.parse().unwrap(), true).unwrap();
        assert!(sent(&membership).is_empty(), "no request yet");
        let soon = || Instant::now() + Duration::from_secs(20);
        let asked = guest.turn("a.example", "www.a.example", soon());
        let granted = async {
            tokio::task::yield_now().await;
            let changes = sent(&membership);
            assert_eq!((changes[0].asked, changes[0].answered), (1, 0));
            assert!(sent(&membership).is_empty(), "sent once");
            grant(&membership, guest.number, 1);
        };
        let (turn, ()) = tokio::join!(asked, granted);
        assert!(guest.is_valid(turn.unwrap()));
        assert!(!guest.is_valid(MINUTE));
        guest.ended(MINUTE);
        let changes = sent(&membership);
        assert_eq!((changes[0].asked, changes[0].answered), (1, 1));
        assert_eq!(changes[0].rest, MINUTE);

        let late = guest.turn("a.example", "a.example", Instant::now()).await;
        assert_eq!(late, None, "the first turn is over");
        drop(guest);
        assert!(sent(&membership)[0].is_ended);
        drop(membership.guest(ADDRESS.parse().unwrap(), true));
        assert!(membership.member().unwrap().requests().is_empty());
    }

    #[tokio::test]
    async fn p51_work_ends_where_it_would_go_on_after_the_term() {
        let (_folder, membership) = member().await;
        let work = || async { 1 };
        assert_eq!(membership.while_current(work()).await, None);
        let member = membership.member().unwrap();
        member.renewed(&FleetView::default(), MINUTE);
        assert_eq!(membership.while_current(work()).await, Some(1));
        let stopped = async {
            *member.state() = State::default();
            tokio::task::yield_now().await;
            unreachable!("the term is over");
        };
        assert_eq!(membership.while_current::<()>(stopped).await, None);
        assert_eq!(Membership::none().while_current(work()).await, Some(1));
    }
}
