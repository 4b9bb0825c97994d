//! The plan of a host with a long crawl delay: one path per lease (P24).

use super::Plan;
use super::agenda::{Agenda, Item, Source};
use super::named::{DOCUMENTS_CAP, target_on};
use crate::probes::{self, Probe, Turn};
use crate::robots::Policy;
use std::time::Duration;
use store::{Lease, NamedDocument};
use url::Url;

impl Plan {
    /// Plans one path per lease, and none in the lease that requested robots.txt, because the crawl
    /// delay applies after that request too.
    pub(super) fn plan_slowly(
        &mut self,
        origin: &Url,
        policy: &Policy,
        delay: Duration,
        extra: &[Probe],
    ) {
        let Some((position, item)) = next_slow(origin, &self.lease, policy, extra) else {
            self.rotation = 0;
            return;
        };
        if self.requests > 0 {
            self.resume_after = Some(delay);
            return;
        }
        let is_named = |named: &NamedDocument| Some(named) == item.named.as_ref();
        let following = Lease {
            rotation: u32::try_from(position).unwrap_or(0),
            named: self
                .lease
                .named
                .iter()
                .filter(|named| !is_named(named))
                .cloned()
                .collect(),
            ..self.lease.clone()
        };
        self.rotation = following.rotation;
        if next_slow(origin, &following, policy, extra).is_none() {
            self.rotation = 0;
        } else {
            self.resume_after = Some(delay);
        }
        self.agenda = Agenda::only(item);
    }
}

/// Returns the next document for a host with one request per lease: a named document, then the
/// paths of the table and the `extra` paths after them, from the position at which the last lease
/// stopped.
///
/// The number is the position for the next lease.
fn next_slow(
    origin: &Url,
    lease: &Lease,
    policy: &Policy,
    extra: &[Probe],
) -> Option<(usize, Item)> {
    let count = probes::ALL.len() + extra.len();
    let start = usize::try_from(lease.rotation).unwrap_or(0) % (count + 1);
    let mut waiting = lease.named.iter().filter(|named| !named.is_absent);
    let named = waiting.find_map(|named| {
        let target = target_on(origin, &lease.domain, &named.url)?;
        let item = Item {
            named: Some(named.clone()),
            ..Item::new(&target, Source::Pointed)
        };
        (!item.is_sibling() && policy.allows(&target)).then_some(item)
    });
    if let Some(item) = named.filter(|_| lease.known.len() < DOCUMENTS_CAP) {
        return Some((start, item));
    }
    let known = |path: &str| {
        lease
            .known
            .iter()
            .find(|document| Url::parse(&document.requested).is_ok_and(|url| url.path() == path))
    };
    let is_answered = |probe: &Probe| {
        known(probe.path).is_none()
            && probes::ALL
                .iter()
                .chain(extra)
                .any(|other| other.kind == probe.kind && known(other.path).is_some())
    };
    probes::ALL
        .iter()
        .chain(extra)
        .enumerate()
        .skip(start)
        .find(|(_, probe)| {
            probe.turn != Turn::Rotation && policy.allows(probe.path) && !is_answered(probe)
        })
        .map(|(position, probe)| {
            let item = Item {
                known: known(probe.path).cloned(),
                ..Item::new(probe.path, Source::Table)
            };
            (position + 1, item)
        })
}
