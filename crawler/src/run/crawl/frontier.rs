//! Leases of the crawl: domains that are due are taken from the frontier, and those whose visit cannot begin
//! go back.

use super::Crawl;
use crate::fetch::Fetch;
use crate::run::error::{RunError, while_doing};
use crate::summary::AwaitedTally;
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;

/// Duration of a lease: longer than any visit with its waits.
const LEASE: Duration = Duration::from_mins(30);
/// Interval between two queries of an empty frontier.
const POLL: Duration = Duration::from_secs(1);
/// The same in a fleet, where others hand domains on: the visit that a submitter waits for (P47) is one.
const FLEET_POLL: Duration = Duration::from_millis(250);
/// The same if a domain will be due in a moment.
const SHORTEST_POLL: Duration = Duration::from_millis(200);
/// Action named in errors of the frontier.
const NEXT: &str = "ask the database what is due next";
/// A run waits for domains that fall due within this time, such as those leased by a killed run.
const HORIZON: Duration = Duration::from_secs(40);

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Returns the time when more visits may begin, if any.
    pub(super) fn lease_at(&self) -> Option<Instant> {
        let at = self.leasing.lease_at(self.in_flight.len());
        let may_send = !self.outage.is_on() && self.settings.membership.is_current();
        at.filter(|_| may_send)
    }

    /// Leases due domains, and begins their visits.
    pub(super) async fn lease(&mut self) -> Result<(), RunError> {
        let most = self.leasing.query(self.in_flight.len());
        let now = self.clocks.now();
        let leases = self
            .store
            .lease_domains(now, now.after(LEASE), most)
            .await
            .map_err(while_doing("take due domains from the database"))?;
        if leases.len() < most as usize {
            // Domains of a killed run fall due in a moment, which is pause enough.
            let soon = self.store.next_due().await.map_err(while_doing(NEXT))?;
            let longest = self.longest_poll();
            let wait = soon
                .map_or(longest, |due| due.since(now))
                .clamp(SHORTEST_POLL, longest);
            self.leasing.poll_at(Instant::now() + wait);
        }
        if !leases.is_empty() {
            self.control
                .progress
                .update(|summary| summary.awaited = None);
        }
        let leases = self.exclusions.admit(leases, &*self.store, now).await?;
        self.enter(leases).await?;
        self.return_postponed().await
    }

    /// Returns the interval between two queries of an empty frontier.
    fn longest_poll(&self) -> Duration {
        match self.settings.membership.share() {
            (1, _) => POLL,
            _ => FLEET_POLL,
        }
    }

    /// Begins visits as soon as their sites are free.
    pub(super) async fn enter(&mut self, leases: Vec<Lease>) -> Result<(), RunError> {
        let mut free = Vec::new();
        for lease in leases {
            self.leasing.begin();
            free.extend(self.queues.enter(lease, self.clocks.now()));
        }
        for (start, lease) in self.reserve(free).await? {
            self.look_up(start, lease);
        }
        Ok(())
    }

    /// Returns leases that are to be taken later, or by another process, to the frontier.
    pub(super) async fn return_postponed(&mut self) -> Result<(), RunError> {
        let leases = self.queues.returned();
        if !leases.is_empty() {
            self.store
                .return_leases(leases)
                .await
                .map_err(while_doing("return domains to the frontier"))?;
            let leases = self.queues.take_returned();
            self.claims.drop_all(leases.iter());
            self.leasing.give_back(leases.len());
        }
        let leases = self.queues.postponed();
        if !leases.is_empty() {
            self.store
                .postpone_leases(leases)
                .await
                .map_err(while_doing("postpone domains whose site is busy"))?;
            let leases = self.queues.take_postponed();
            self.claims.drop_all(leases.iter().map(|(lease, _)| lease));
            self.leasing.give_back(leases.len());
            self.control
                .progress
                .update(|summary| summary.postponements += leases.len() as u64);
        }
        Ok(())
    }

    /// Returns the time of the next query of the frontier; `None` if this run is over.
    pub(super) async fn next_due(&self) -> Result<Option<Instant>, RunError> {
        if self.leasing.is_limit_reached() {
            return Ok(None);
        }
        let due = self.store.next_due().await.map_err(while_doing(NEXT))?;
        let wait = due.map(|due| due.since(self.clocks.now()));
        Ok(match wait {
            _ if self.config.watch => {
                let longest = self.longest_poll();
                let wait = wait.unwrap_or(longest).clamp(SHORTEST_POLL, longest);
                Some(Instant::now() + wait)
            }
            Some(wait)
                if wait <= HORIZON || Instant::now() + wait <= self.queues.awaited_until() =>
            {
                self.report_awaited().await?;
                Some(Instant::now() + wait.max(Duration::from_millis(50)))
            }
            Some(_) | None => None,
        })
    }

    /// Updates the progress with the number of domains that this run waits for, and until when.
    async fn report_awaited(&self) -> Result<(), RunError> {
        let (wall, monotonic) = (self.clocks.now(), Instant::now());
        let awaited = self.queues.awaited_until();
        let longest = HORIZON.max(awaited.saturating_duration_since(monotonic));
        let waiting = self
            .store
            .waiting(wall, wall.after(longest), self.clocks.start())
            .await
            .map_err(while_doing("count the domains that this run waits for"))?;
        self.control.progress.update(|summary| {
            summary.awaited = waiting.last.map(|last| AwaitedTally {
                domains: waiting.domains,
                until: monotonic + last.since(wall),
            });
        });
        Ok(())
    }
}
