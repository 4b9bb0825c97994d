//! Claims of owners that a watching crawl checks: to leave the registry, or to return to it.
//!
//! A check looks for a token in the DNS first. If it is not there, the check takes its turn like a
//! visit, under a lease that no store issued, and looks for a file.

use crate::visit::{ClaimToken, TokenFinding};
use manifest::Domain;
use std::collections::HashMap;
use std::time::Duration;
use store::{Claim, Lease};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Interval between two looks for claims.
const POLL: Duration = Duration::from_secs(1);
/// Most claims that are checked at once.
const MOST: usize = 16;

/// Claims under check.
#[derive(Debug)]
pub(super) struct Claims {
    /// Time of the next look; `None` for a crawl that does not watch.
    poll_at: Option<Instant>,
    /// Lookups of TXT records.
    pub(super) lookups: JoinSet<(Claim, TokenFinding)>,
    /// Claims whose file is looked for, by the token of their lease, with what is in the DNS.
    files: HashMap<i64, (Claim, TokenFinding)>,
    last: i64,
}

impl Claims {
    pub(super) fn new(is_watching: bool) -> Self {
        Self {
            poll_at: is_watching.then(Instant::now),
            lookups: JoinSet::new(),
            files: HashMap::new(),
            last: 0,
        }
    }

    /// Returns the time of the next look for claims.
    pub(super) fn poll_at(&self) -> Option<Instant> {
        self.poll_at
    }

    /// Returns how many claims may be taken now, if it is time to look for some.
    pub(super) fn room(&mut self) -> Option<u32> {
        if self.poll_at.is_none_or(|at| Instant::now() < at) {
            return None;
        }
        self.poll_at = Some(Instant::now() + POLL);
        let room = MOST.saturating_sub(self.lookups.len() + self.files.len());
        u32::try_from(room).ok().filter(|room| *room > 0)
    }

    /// Returns a lease under which the file of a claim is looked for.
    pub(super) fn lease(&mut self, claim: Claim, seen: TokenFinding) -> Lease {
        self.last += 1;
        let lease = lease(claim.domain.clone(), claim.port, self.last);
        self.files.insert(self.last, (claim, seen));
        lease
    }

    /// Returns the token that is looked for under a lease; `None` for the lease of a visit.
    pub(super) fn token(&self, lease: &Lease) -> Option<ClaimToken> {
        let is_check = lease.row == 0;
        let of_lease = || self.files.get(&lease.token);
        let (claim, _) = is_check.then(of_lease).flatten()?;
        Some(ClaimToken::of(claim))
    }

    /// Takes a claim out, with what is in the DNS.
    pub(super) fn end(&mut self, number: i64) -> Option<(Claim, TokenFinding)> {
        self.files.remove(&number)
    }

    /// Takes the claims of these leases out, which end without a result; the store repeats their
    /// checks.
    pub(super) fn drop_all<'a>(&mut self, leases: impl Iterator<Item = &'a Lease>) {
        for lease in leases.filter(|lease| lease.row == 0) {
            self.files.remove(&lease.token);
        }
    }
}

fn lease(domain: Domain, port: Option<u16>, token: i64) -> Lease {
    Lease {
        port,
        ..Lease::first(0, domain, token)
    }
}
