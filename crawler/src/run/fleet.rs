//! The tasks of a member of a fleet: it renews its membership, and exchanges turns with the others.

mod options;

use super::error::{RunError, while_doing};
use super::{release_leases, uptime};
use crate::clock::Clock;
use crate::config::Config;
use crate::fleet::{Hosting, RENEWAL, Served, TERM, after_end};
use crate::membership::{Member, Membership};
use crate::rate_limit::{GRANT, SHORTEST_GAP};
use crate::visit::SharedGate;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use store::{FleetView, Renewal, Store, StoreError, TurnExchange};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// Interval between two exchanges of turns.
const EXCHANGE: Duration = Duration::from_millis(200);
/// Interval between two looks for leases of crawlers that ended: the one that ended a membership may end
/// before it has released them.
const RELEASE: Duration = Duration::from_secs(10);
/// Interval between two renewals while the last one failed: few can fail within a term.
const AGAIN: Duration = Duration::from_millis(500);
/// Longest time for a planned end of the membership.
const LEAVING: Duration = Duration::from_secs(3);

/// Membership with its tasks, which end when it is dropped.
pub(super) struct Fleet {
    membership: Membership,
    renewals: Option<Arc<Renewals>>,
    tasks: JoinSet<()>,
}

/// Member with all that its renewals depend on.
struct Renewals {
    member: Arc<Member>,
    gate: SharedGate,
    /// Time between two requests to an address.
    gap: Duration,
    /// Time between two requests to a host.
    delay: Duration,
    clock: Clock,
    round: AtomicU64,
}

impl Fleet {
    /// Makes this process a member of the fleet of crawlers, if its database has one.
    pub(super) async fn join(
        config: &Config,
        store: &Arc<dyn Store>,
        gate: &SharedGate,
        clock: Clock,
    ) -> Result<Self, RunError> {
        let joining = while_doing("join the crawlers of this database");
        let mut fleet = Self {
            membership: Membership::none(),
            renewals: None,
            tasks: JoinSet::new(),
        };
        let options = options::shared(&config.network);
        let joined = store.join_fleet(TERM, &options).await;
        let Some(name) = joined.map_err(&joining)? else {
            return Ok(fleet);
        };
        if let Some(view) = store.fleet().await.map_err(&joining)?
            && let Some(differences) = options::differences(&options, &name, &view)
        {
            tracing::warn!("{differences}: give all crawlers of a fleet the same ones");
        }
        let member = Arc::new(Member::new(name, Arc::clone(store), uptime));
        let renewals = Arc::new(Renewals {
            member: Arc::clone(&member),
            gate: gate.clone(),
            gap: config.network.pace.gap.max(SHORTEST_GAP),
            delay: config.network.delay,
            clock,
            round: AtomicU64::new(0),
        });
        // The first one shows what is free, the second one takes it.
        for _ in 0..2 {
            renewals.renew().await.map_err(&joining)?;
        }
        fleet.tasks.spawn(Arc::clone(&renewals).go_on());
        fleet
            .tasks
            .spawn(exchange_turns(Arc::clone(&member), gate.clone()));
        fleet.membership = Membership::of(member);
        fleet.renewals = Some(renewals);
        Ok(fleet)
    }

    /// Returns the membership.
    pub(super) fn membership(&self) -> Membership {
        self.membership.clone()
    }

    /// Reports whether an error is due to the end of the membership by another process.
    pub(super) async fn has_ended(&self, error: &RunError) -> bool {
        let Some(renewals) = &self.renewals else {
            return false;
        };
        if matches!(error, RunError::Expelled) {
            return true;
        }
        let name = &renewals.member.name;
        let fleet = renewals.member.store.fleet().await;
        let is_member = |view: &FleetView| view.members.contains_key(name);
        matches!(fleet, Ok(Some(view)) if !is_member(&view))
    }

    /// Ends the membership, so that others have the networks of this crawler at once.
    pub(super) async fn leave(mut self) {
        self.tasks.shutdown().await;
        let Some(renewals) = &self.renewals else {
            return;
        };
        match timeout(LEAVING, renewals.leave()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(%error, "the networks of this crawler rest for some seconds: {error}");
            }
            Err(_) => tracing::warn!("the networks of this crawler rest for some seconds"),
        }
    }
}

impl Renewals {
    /// Returns the next renewal.
    fn next(&self) -> Renewal {
        let mut gate = self.gate.lock();
        let mut state = self.member.state();
        let mut busy = gate.busy_slots(Instant::now());
        if let Some(kept) = &state.kept {
            busy.add(kept);
        }
        let is_leaving = state.is_leaving || state.kept.is_some();
        let plan = state.permissions.next_plan(&busy, is_leaving);
        // No redirect leads into a slot from the moment on in which it is not busy.
        gate.restrict(self.member.share(&state));
        Renewal {
            name: self.member.name.clone(),
            round: self.round.fetch_add(1, Ordering::Relaxed) + 1,
            is_leaving,
            term: TERM,
            plan,
            after_end: after_end(self.gap),
            after_giving_up: self.gap,
        }
    }

    /// Renews the membership, and returns true if that of others has ended, so that their leases are to
    /// be released.
    async fn renew(&self) -> Result<bool, StoreError> {
        let before = self.member.uptime();
        let renewal = self.next();
        let Some(view) = self.member.store.renew_member(&renewal).await? else {
            self.member.state().permissions.end();
            self.member.expelled.cancel();
            return Ok(false);
        };
        self.member.renewed(&view, before);
        open(&self.member, &self.gate);
        Ok(!renewal.plan.expired.is_empty())
    }

    /// Renews the membership until it has ended.
    async fn go_on(self: Arc<Self>) {
        let mut is_failing = false;
        let mut released = Instant::now();
        while !self.member.expelled.is_cancelled() {
            let interval = if is_failing { AGAIN } else { RENEWAL };
            let _ = timeout(interval, self.member.hurry.notified()).await;
            let renewed = self.renew().await;
            match &renewed {
                Ok(_) => is_failing = false,
                // The first of many says it all.
                Err(_) if is_failing => {}
                Err(error) => {
                    is_failing = true;
                    tracing::warn!(%error, "cannot renew the membership of this crawler: {error}");
                }
            }
            let is_ended = matches!(renewed, Ok(true));
            if is_ended || released.elapsed() >= RELEASE {
                released = Instant::now();
                self.release().await;
            }
        }
    }

    /// Releases the leases of crawlers that are no members any more.
    async fn release(&self) {
        let store = &*self.member.store;
        let time = self.member.time();
        let clock = time.map_or(self.clock, |(now, uptime)| self.clock.at_time(now, uptime));
        match release_leases(store, self.delay, clock.now()).await {
            Ok(domains) if domains.is_empty() => {}
            Ok(domains) => {
                let number = domains.len();
                tracing::info!("a crawler has ended: {number} domains are visited by others");
            }
            Err(error) => {
                tracing::warn!(%error, "cannot release the domains of crawlers that ended: {error}");
            }
        }
    }

    /// Gives all slots up, and ends the membership.
    async fn leave(&self) -> Result<(), StoreError> {
        self.member.state().is_leaving = true;
        self.renew().await?;
        let renewal = self.next();
        self.member.state().permissions.end();
        self.member.store.leave_fleet(&renewal).await
    }
}

/// Opens the gate for the networks that a member may visit now.
fn open(member: &Member, gate: &SharedGate) {
    let mut gate = gate.lock();
    let share = member.share(&member.state());
    gate.restrict(share);
}

/// Asks other members for turns, and grants theirs.
async fn exchange_turns(member: Arc<Member>, gate: SharedGate) {
    let mut hosting = Hosting::default();
    let mut served = Served::default();
    let mut is_failing = false;
    loop {
        if served.grants.is_empty() || is_failing {
            sleep(EXCHANGE).await;
        }
        open(&member, &gate);
        let is_alone = member.state().members < 2;
        if is_alone && member.requests().is_empty() {
            continue;
        }
        let Served { grants, ended } = std::mem::take(&mut served);
        let exchange = TurnExchange {
            name: member.name.clone(),
            asked: member.requests().changes(),
            ended,
            grants,
            valid: GRANT,
        };
        let before = member.uptime();
        match member.store.exchange_turns(&exchange).await {
            Ok(answer) => {
                is_failing = false;
                let turns = answer.granted.into_iter();
                let turns = turns.map(|(number, turn, valid)| (number, turn, before + valid));
                let mut requests = member.requests();
                requests.sent(&exchange.asked);
                let new = requests.granted(turns);
                drop(requests);
                member.turns.fetch_add(new, Ordering::Relaxed);
                member.turned.notify_waiters();
                if member.is_current() {
                    served = hosting.serve(&answer.guests, &mut gate.lock(), Instant::now());
                }
            }
            Err(error) => {
                if !is_failing {
                    tracing::warn!(%error, "cannot exchange turns with other crawlers: {error}");
                }
                is_failing = true;
                // The database did not change: they are sent again.
                served = Served {
                    grants: exchange.grants,
                    ended: exchange.ended,
                };
            }
        }
    }
}
