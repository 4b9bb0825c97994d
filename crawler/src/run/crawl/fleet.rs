//! The work of one crawler of a fleet: sites that no other one visits, and domains whose network another
//! one has.

use super::Crawl;
use crate::fetch::Fetch;
use crate::fleet::Access;
use crate::rate_limit::{IpKey, Slot};
use crate::run::error::{RunError, while_doing};
use crate::visit::Admission;
use manifest::{Domain, Timestamp};
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;
use store::{Blocked, Lease, NotedBlock, SiteAnswer, SiteExchange};
use tokio::time::Instant;

/// Time after which a site that another crawler visits is tried again.
const SITE_BUSY: Duration = Duration::from_secs(2);
/// Interval between two looks at the blocks that others noted, at most which sites are released.
const EXCHANGE: Duration = Duration::from_millis(250);
/// Time after which a visit is tried again that this crawler could not begin because its membership had
/// not been renewed, or because it is giving the network up.
const LAPSED: Duration = Duration::from_secs(1);

/// State that this crawler exchanges with the others.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Number of the last block that is known.
    known_blocks: i64,
    exchange_at: Option<Instant>,
    has_lapsed: bool,
}

impl Shared {
    /// Returns the time of the next exchange, if this crawler is a member of a fleet.
    pub(super) fn exchange_at(&self) -> Option<Instant> {
        self.exchange_at
    }
}

impl<F: Fetch + Clone + Send + 'static> Crawl<'_, F> {
    /// Counts the times that nothing may be sent; an error if this process is no member any more.
    pub(super) fn check_membership(&mut self) -> Result<(), RunError> {
        let membership = &self.settings.membership;
        self.clocks.follow(membership);
        let is_expelled = membership.is_expelled();
        let has_lapsed = is_expelled || !membership.is_current();
        if has_lapsed && !self.shared.has_lapsed {
            self.control.progress.update(|summary| summary.lapses += 1);
            tracing::warn!(
                "the membership in the fleet of crawlers was not renewed in time: nothing is sent until it is"
            );
        }
        self.shared.has_lapsed = has_lapsed;
        if is_expelled {
            return Err(RunError::Expelled);
        }
        Ok(())
    }

    /// Reserves the sites of visits among the crawlers of the fleet. Visits are postponed whose site another
    /// one visits, or a single request of this one has.
    pub(super) async fn reserve(
        &mut self,
        visits: Vec<(Instant, Lease)>,
    ) -> Result<Vec<(Instant, Lease)>, RunError> {
        if self.settings.membership.member().is_none() || visits.is_empty() {
            return Ok(visits);
        }
        let sites = visits.iter().map(|(_, lease)| lease.domain.registrable());
        let membership = &self.settings.membership;
        let sites = sites.filter(|site| membership.begin_visit(site));
        let answer = self.exchange(sites.map(str::to_owned).collect()).await;
        let (now, until) = (Instant::now(), self.clocks.now().after(SITE_BUSY));
        let reserved = answer.as_ref().map(|answer| &answer.reserved).ok();
        let mut begun = Vec::new();
        for (start, lease) in visits {
            let rest = reserved.and_then(|it| it.get(lease.domain.registrable()));
            if let Some(rest) = rest {
                begun.push((start.max(now + *rest), lease));
            } else {
                self.queues.wait_for(SITE_BUSY);
                self.queues.leave_busy(lease, until);
            }
        }
        answer.map(|_| begun)
    }

    /// Releases sites and learns the blocks that others noted, if it is time.
    pub(super) async fn exchange_released(&mut self) -> Result<(), RunError> {
        let membership = &self.settings.membership;
        if membership.member().is_none() || !membership.is_current() {
            return Ok(());
        }
        if self
            .shared
            .exchange_at
            .is_none_or(|at| Instant::now() >= at)
        {
            self.exchange(Vec::new()).await?;
        }
        Ok(())
    }

    /// Releases all sites at the end of a run.
    pub(super) async fn release_all(&mut self) -> Result<(), RunError> {
        self.exchange(Vec::new()).await.map(drop)
    }

    /// Exchanges sites and blocks with the other crawlers.
    async fn exchange(&mut self, wanted: Vec<String>) -> Result<SiteAnswer, RunError> {
        let membership = &self.settings.membership;
        let Some(member) = membership.member() else {
            return Ok(SiteAnswer::default());
        };
        self.shared.exchange_at = Some(Instant::now() + EXCHANGE);
        let (count, released) = membership.to_release();
        let exchange = SiteExchange {
            name: member.name.clone(),
            released: released.into_iter().collect(),
            wanted,
            known_blocks: self.shared.known_blocks,
        };
        match self.store.exchange_sites(&exchange).await {
            Ok(answer) => {
                membership.released(count);
                let refused = exchange.wanted.iter();
                for site in refused.filter(|site| !answer.reserved.contains_key(*site)) {
                    membership.refused(site);
                }
                self.learn_blocks(&answer.blocks, self.clocks.now());
                Ok(answer)
            }
            Err(error) => {
                // Sites may have been reserved although there was no answer.
                for site in &exchange.wanted {
                    membership.release(site, Duration::ZERO);
                }
                Err(while_doing("reserve sites among the crawlers")(error))
            }
        }
    }

    /// Applies blocks that any crawler noted (P35).
    fn learn_blocks(&mut self, blocks: &[NotedBlock], wall: Timestamp) {
        let now = Instant::now();
        let mut gate = self.settings.gate.lock();
        for block in blocks {
            let pause = block.until.since(wall);
            match &block.of {
                Blocked::Address(address) => gate.block(*address, pause, now),
                Blocked::Host(host) => gate.pause_host(host.as_str(), pause, now),
            }
            self.shared.known_blocks = self.shared.known_blocks.max(block.number);
        }
    }

    /// Hands domains on whose network another crawler has.
    pub(super) async fn hand_on(&mut self) -> Result<(), RunError> {
        let leases = self.queues.take_elsewhere();
        if leases.is_empty() {
            return Ok(());
        }
        let wall = self.clocks.now();
        let (mut handed, mut checks) = (Vec::new(), Vec::new());
        let mut addresses = HashMap::new();
        for (lease, address) in leases {
            tracing::debug!(domain = %lease.domain, %address, "another crawler has this network");
            addresses.insert(lease.domain.clone(), address);
            let network = IpKey::of(address).network();
            match self.settings.membership.access(network) {
                // The check of a claim has no row that could be handed on.
                Access::Elsewhere if lease.row == 0 => checks.push(lease),
                Access::Elsewhere => handed.push((lease, Slot::of(network).stored())),
                Access::Now => self.queues.postpone(lease, wall),
                Access::Lapsed | Access::Ending => {
                    self.queues.wait_for(LAPSED);
                    self.queues.postpone(lease, wall.after(LAPSED));
                }
                Access::NotBefore(at) => {
                    let wait = self.settings.membership.time_until(at);
                    self.queues.wait_for(wait);
                    self.queues.postpone(lease, wall.after(wait));
                }
            }
        }
        let rows = match self.store.hand_on(&handed).await {
            Ok(rows) => rows,
            Err(error) => {
                for (lease, _) in handed {
                    if let Some(address) = addresses.get(&lease.domain) {
                        self.queues.keep_elsewhere(lease, *address);
                    }
                }
                return Err(while_doing("hand domains on to other crawlers")(error));
            }
        };
        self.leasing.give_back(rows.len());
        self.control
            .progress
            .update(|summary| summary.handed_on += rows.len() as u64);
        let stayed = handed.into_iter().map(|(lease, _)| lease);
        let stayed = stayed.filter(|lease| !rows.contains(&lease.row));
        self.be_guests(stayed.chain(checks).collect(), &addresses)
            .await?;
        self.return_postponed().await
    }

    /// Begins visits at the networks of other crawlers: a name whose address is another one for each that
    /// looks it up would be handed on for ever.
    async fn be_guests(
        &mut self,
        leases: Vec<Lease>,
        addresses: &HashMap<Domain, IpAddr>,
    ) -> Result<(), RunError> {
        let mut free = Vec::new();
        for lease in leases {
            free.extend(self.queues.enter_guest(lease, self.clocks.now()));
        }
        for (start, lease) in self.reserve(free).await? {
            if let Some(address) = addresses.get(&lease.domain) {
                self.begin(start, lease, Admission::Guest(*address));
            }
        }
        Ok(())
    }

    /// Keeps the lease of a visit that sent nothing: until the end of a run that is about to end, else
    /// for a moment.
    pub(super) fn keep_stopped(&mut self, lease: Lease) {
        if self.control.stop.is_cancelled() {
            self.queues.keep_stopped(lease);
        } else {
            self.queues.postpone(lease, self.clocks.now().after(LAPSED));
        }
    }
}
