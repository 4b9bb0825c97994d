//! One visit at a time per registrable domain (P18): the others wait for their turn.

use manifest::Domain;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;
use store::Lease;
use tokio::time::Instant;

/// A lease that waited longer than this is given back rather than used: it might run out meanwhile.
const PATIENCE: Duration = Duration::from_mins(15);

/// Who is being visited, and who waits.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// Registrable domains under visit, with the leases of their other hosts.
    active: HashMap<String, VecDeque<(Instant, Lease)>>,
    waiting: usize,
}

impl Sites {
    /// Gives the lease back when its site is free, and keeps it for later otherwise.
    pub(super) fn enter(&mut self, lease: Lease) -> Option<Lease> {
        let site = lease.domain.registrable().to_owned();
        if let Some(queue) = self.active.get_mut(&site) {
            queue.push_back((Instant::now(), lease));
            self.waiting += 1;
            return None;
        }
        self.active.insert(site, VecDeque::new());
        Some(lease)
    }

    /// Ends a visit; gives the next lease of the same site, and those that waited too long.
    pub(super) fn leave(&mut self, domain: &Domain) -> (Option<Lease>, Vec<Lease>) {
        let mut expired = Vec::new();
        let site = domain.registrable();
        while let Some((since, lease)) = self.active.get_mut(site).and_then(VecDeque::pop_front) {
            self.waiting -= 1;
            if since.elapsed() < PATIENCE {
                return (Some(lease), expired);
            }
            expired.push(lease);
        }
        self.active.remove(site);
        (None, expired)
    }

    /// Leases that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Takes every waiting lease out.
    pub(super) fn drain(&mut self) -> Vec<Lease> {
        self.waiting = 0;
        let queues = self.active.values_mut();
        queues
            .flat_map(|queue| queue.drain(..))
            .map(|(_, lease)| lease)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(name: &str) -> Lease {
        Lease {
            domain: Domain::parse(name).unwrap(),
            port: None,
            token: 1,
            fails: 0,
            interval_ms: None,
            rotation: 0,
            last_outcome: None,
            known: Vec::new(),
            robots: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_of_one_site_take_turns() {
        let mut sites = Sites::default();
        assert!(sites.enter(lease("a.example.com")).is_some());
        assert!(sites.enter(lease("b.example.com")).is_none());
        assert!(sites.enter(lease("a.example.org")).is_some());
        assert_eq!(sites.waiting(), 1);
        let (next, expired) = sites.leave(&lease("a.example.com").domain);
        assert_eq!(next.unwrap().domain.as_str(), "b.example.com");
        assert!(expired.is_empty());
        assert!(sites.enter(lease("c.example.com")).is_none());
        tokio::time::advance(PATIENCE).await;
        let (next, expired) = sites.leave(&lease("b.example.com").domain);
        assert!(next.is_none());
        assert_eq!(expired.len(), 1);
        assert!(sites.enter(lease("a.example.com")).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn draining_leaves_nobody_waiting() {
        let mut sites = Sites::default();
        sites.enter(lease("a.example.com"));
        sites.enter(lease("b.example.com"));
        assert_eq!(sites.drain().len(), 1);
        assert_eq!(sites.waiting(), 0);
    }
}
