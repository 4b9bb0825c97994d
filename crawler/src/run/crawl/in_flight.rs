//! Lookups and visits in flight: each is a task of its own.

use crate::fetch::FetchError;
use crate::run::visit_record::TaskResult;
use manifest::Domain;
use std::collections::HashMap;
use std::net::IpAddr;
use store::Lease;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::Instant;

/// Finished lookup of a visit, which may begin then.
pub(super) type Lookup = (Instant, Lease, Result<IpAddr, FetchError>);

/// Lookups and visits in flight.
#[derive(Default)]
pub(super) struct InFlight {
    lookups: JoinSet<Lookup>,
    visits: JoinSet<TaskResult>,
    running: HashMap<Id, (RunningVisit, AbortHandle)>,
}

/// Resources of a visit in flight.
pub(super) struct RunningVisit {
    pub(super) domain: Domain,
    /// Address at which the gate admitted it.
    pub(super) address: Option<IpAddr>,
    /// Number of the claim that it checks, instead of a visit.
    pub(super) claim: Option<i64>,
}

/// End of a task.
pub(super) enum TaskEnd {
    Lookup(Box<Result<Lookup, JoinError>>),
    Visit(Result<TaskResult, JoinError>, Option<RunningVisit>),
}

impl InFlight {
    /// Returns the number of lookups and visits.
    pub(super) fn len(&self) -> usize {
        self.lookups.len() + self.visits.len()
    }

    /// Begins a lookup.
    pub(super) fn look_up(&mut self, task: impl Future<Output = Lookup> + Send + 'static) {
        self.lookups.spawn(task);
    }

    /// Begins a visit.
    pub(super) fn visit(
        &mut self,
        running: RunningVisit,
        task: impl Future<Output = TaskResult> + Send + 'static,
    ) {
        let task = self.visits.spawn(task);
        self.running.insert(task.id(), (running, task));
    }

    /// Waits for the end of a task; `None` if there is none.
    pub(super) async fn next(&mut self) -> Option<TaskEnd> {
        tokio::select! {
            Some(lookup) = self.lookups.join_next() => Some(TaskEnd::Lookup(Box::new(lookup))),
            Some(visit) = self.visits.join_next_with_id() => Some(self.end(visit)),
            else => None,
        }
    }

    /// Returns the end of a task that has ended already.
    pub(super) fn try_next(&mut self) -> Option<TaskEnd> {
        if let Some(lookup) = self.lookups.try_join_next() {
            return Some(TaskEnd::Lookup(Box::new(lookup)));
        }
        let visit = self.visits.try_join_next_with_id()?;
        Some(self.end(visit))
    }

    fn end(&mut self, visit: Result<(Id, TaskResult), JoinError>) -> TaskEnd {
        let (id, result) = match visit {
            Ok((id, result)) => (id, Ok(result)),
            Err(error) => (error.id(), Err(error)),
        };
        let running = self.running.remove(&id);
        TaskEnd::Visit(result, running.map(|(running, _)| running))
    }

    /// Aborts the visits to some domains; checks of claims continue.
    pub(super) fn abort_visits(&self, of: impl Fn(&Domain) -> bool) {
        for (running, task) in self.running.values() {
            if running.claim.is_none() && of(&running.domain) {
                task.abort();
            }
        }
    }

    /// Aborts everything.
    pub(super) fn abort_all(&mut self) {
        self.lookups.abort_all();
        self.visits.abort_all();
    }

    /// Returns the domain of a visit in flight.
    #[cfg(test)]
    pub(super) fn any_domain(&self) -> Option<Domain> {
        let mut running = self.running.values();
        running.next().map(|(it, _)| it.domain.clone())
    }

    /// Returns the sizes of the tables by name.
    #[cfg(test)]
    pub(super) fn sizes(&self) -> [(&'static str, usize); 3] {
        [
            ("running", self.running.len()),
            ("lookups", self.lookups.len()),
            ("visits", self.visits.len()),
        ]
    }
}
