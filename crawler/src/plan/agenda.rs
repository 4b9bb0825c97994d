//! The documents that a visit is going to request, in order (P9).

use super::mode::{self, Mode, is_skill};
use super::named::{DOCUMENTS_CAP, hinted, is_askable, target_on};
use crate::probes::{self, Kind, Probe, Turn};
use crate::robots::Policy;
use std::collections::VecDeque;
use store::{DocumentKind, KnownDocument, Lease, NamedDocument};
use url::Url;

/// Maximum number of named documents per visit (P9).
const POINTED_CAP: usize = 5;

/// Maximum number of these that other domains name, so that they do not displace the site's own
/// paths.
const OTHERS_CAP: usize = 2;

/// Maximum number of known documents per visit while nothing is named, so that there is a request
/// left for a path in rotation.
const KNOWN_CAP: usize = 10;

/// Number of paths in rotation of a scheduled visit to a site without manifests (P9).
pub(super) const ROTATING: usize = 3;

/// Position in the table after which the `extra` paths are requested.
const EXTRA_POSITION: usize = 7;

/// Reason for requesting a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// It was found before.
    Known,
    /// Something names it.
    Pointed,
    /// Its path is in the table.
    Table,
    /// It detects a server that returns a manifest for every path.
    Canary,
}

/// Document to be requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// Path and query on the origin of the visit, or the URL on another host of its registrable
    /// domain.
    pub(super) target: String,
    /// Reason.
    pub(super) source: Source,
    /// Validators of the stored copy.
    pub(super) known: Option<KnownDocument>,
    /// Its reference, if something names it.
    pub(super) named: Option<NamedDocument>,
    /// Position in the rotation after it, on a requested visit that takes turns (P47).
    pub(super) next_turn: Option<u32>,
}

impl Item {
    /// Returns an item for a path of the table, or for one with another reason.
    pub(super) fn new(target: &str, source: Source) -> Self {
        Self {
            target: target.to_owned(),
            source,
            known: None,
            named: None,
            next_turn: None,
        }
    }

    /// Returns the kind of its file, if its path is in the table.
    pub(super) fn kind(&self) -> Option<Kind> {
        kind_of(&self.target)
    }

    /// Returns its kind, as it was read before or as it is named.
    pub(super) fn document_kind(&self) -> DocumentKind {
        let format = self.known.as_ref().and_then(|it| it.format.as_deref());
        let read = format.map(mode::kind_of_format);
        let named = || self.named.as_ref().map(|named| named.kind);
        read.or_else(named).unwrap_or_default()
    }

    /// Reports whether it is on another host than the visit.
    pub(super) fn is_sibling(&self) -> bool {
        !self.target.starts_with('/')
    }
}

/// Reports whether a visit requests only known documents and paths that failed, because a visitor of
/// the registry asked for it (P47). While nothing is known, it looks at usual paths.
pub(super) fn is_recheck(mode: Mode, lease: &Lease) -> bool {
    lease.requests_left.is_some() && mode == Mode::Known
}

/// Documents that a visit is going to request, in order.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    items: VecDeque<Item>,
    pointed: usize,
    others: usize,
    /// Named documents that are left to later visits.
    postponed: Vec<NamedDocument>,
}

/// Returns the kind of file at a path, if the path is in the table.
fn kind_of(path: &str) -> Option<Kind> {
    let extra = probes::EXTRA.iter().flat_map(|(_, probes)| *probes);
    probes::ALL
        .iter()
        .chain(extra)
        .find(|probe| probe.path == path)
        .map(|probe| probe.kind)
}

impl Agenda {
    /// Returns the agenda of a visit, and the position in the rotation of paths after it.
    pub(super) fn new(
        mode: Mode,
        origin: &Url,
        lease: &Lease,
        policy: &Policy,
        extra: &[Probe],
    ) -> (Self, u32) {
        let mut agenda = Self::default();
        if mode == Mode::Rest {
            agenda.push_unanswered(origin, lease);
            return (agenda, lease.rotation);
        }
        if is_recheck(mode, lease) {
            agenda.push_unanswered(origin, lease);
            agenda.push_known(origin, lease, KNOWN_CAP, POINTED_CAP);
            for named in lease.named.iter().filter(|named| !named.is_absent) {
                agenda.leave(named.clone());
            }
            for (_, document) in hinted(origin, &lease.domain, policy) {
                if is_askable(lease, &document.url) {
                    agenda.leave(document);
                }
            }
            return (agenda, lease.rotation);
        }
        let waiting = lease.named.iter().filter(|named| !named.is_absent).count();
        let waiting = waiting.min(POINTED_CAP);
        agenda.pointed =
            agenda.push_known(origin, lease, KNOWN_CAP - waiting, POINTED_CAP - waiting);
        agenda.point_at_stored(origin, lease);
        agenda.point_at_hints(origin, lease, policy);
        let mut rotating = 0;
        match mode {
            Mode::First => {
                let first = || probes::ALL.iter().filter(|it| it.turn != Turn::Rotation);
                let (before, after) = (first().take(EXTRA_POSITION), first().skip(EXTRA_POSITION));
                agenda.push_table(before.chain(extra).chain(after));
            }
            Mode::Again => {
                agenda.push_table(probes::ALL.iter().filter(|it| it.turn == Turn::Always));
                let before = agenda.items.len();
                agenda.push_unanswered(origin, lease);
                rotating = ROTATING.saturating_sub(agenda.items.len() - before);
            }
            Mode::Requested => {
                agenda.push_unanswered(origin, lease);
                let seed = probes::ALL.iter().find(|it| it.path == probes::SEED_PLACE);
                agenda.push_table(seed.into_iter());
                let turns = agenda.turns(mode, lease.rotation, extra);
                for (next, probe) in turns {
                    agenda.push(Item {
                        next_turn: Some(next),
                        ..Item::new(probe.path, Source::Table)
                    });
                }
                return (agenda, lease.rotation);
            }
            Mode::Known => {
                agenda.push_unanswered(origin, lease);
                rotating = 1;
            }
            Mode::Rest => {}
        }
        let mut turns = agenda.turns(mode, lease.rotation, extra);
        turns.truncate(rotating);
        let next = turns.last().map_or(lease.rotation, |(next, _)| *next);
        agenda.push_table(turns.into_iter().map(|(_, probe)| probe));
        (agenda, next)
    }

    /// Returns the paths whose turn it is from a position in the rotation on, each with the position
    /// after it.
    fn turns<'a>(&self, mode: Mode, position: u32, extra: &'a [Probe]) -> Vec<(u32, &'a Probe)> {
        let known: Vec<Kind> = self.items.iter().filter_map(Item::kind).collect();
        let is_wanted = |probe: &Probe| match mode {
            Mode::Known => !known.contains(&probe.kind),
            Mode::Again => probe.turn != Turn::Always,
            Mode::First | Mode::Rest | Mode::Requested => true,
        };
        let cycle = probes::cycle(extra);
        let count = cycle.len();
        let start = usize::try_from(position).unwrap_or(0) % count;
        (start..start + count)
            .map(|turn| {
                let next = u32::try_from((turn + 1) % count).unwrap_or(0);
                (next, cycle[turn % count])
            })
            .filter(|(_, probe)| is_wanted(probe))
            .collect()
    }

    /// Returns an agenda of this item alone.
    pub(super) fn only(item: Item) -> Self {
        Self {
            items: VecDeque::from([item]),
            ..Self::default()
        }
    }

    /// Takes the next item.
    pub(super) fn pop(&mut self) -> Option<Item> {
        self.items.pop_front()
    }

    /// Puts back the item that was taken last.
    pub(super) fn put_back(&mut self, item: Item) {
        self.items.push_front(item);
    }

    /// Drops the paths of a catch-all for which there is no particular reason.
    pub(super) fn keep_named(&mut self) {
        self.items.retain(|item| item.source != Source::Table);
    }

    /// Drops the items on another host.
    pub(super) fn drop_host(&mut self, host: &str) {
        self.items.retain(|item| {
            let url = Url::parse(&item.target);
            !item.is_sibling() || url.is_ok_and(|url| url.host_str() != Some(host))
        });
    }

    /// Reports whether no item is left.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the remaining paths of the table, except those that the position in the rotation
    /// leaves to a later visit.
    pub(super) fn paths_left(&self) -> impl Iterator<Item = &str> {
        let is_left = |it: &&Item| it.source == Source::Table && it.next_turn.is_none();
        let table = self.items.iter().filter(is_left);
        table.map(|item| item.target.as_str())
    }

    /// Returns the named documents that are left to later visits, first those for which there was
    /// no room.
    pub(super) fn named_left(&self) -> impl Iterator<Item = &NamedDocument> {
        let pointed = self.items.iter().filter_map(|item| item.named.as_ref());
        self.postponed.iter().chain(pointed)
    }

    /// Moves a named document ahead of everything that is not named, or leaves it to a later visit
    /// if there are enough (P9).
    pub(super) fn point(&mut self, target: &str, document: NamedDocument) {
        let index = self.items.iter().position(|item| item.target == target);
        if let Some(index) = index
            && self.items[index].source != Source::Table
        {
            return;
        }
        let is_full =
            self.pointed >= POINTED_CAP || (!document.is_own && self.others >= OTHERS_CAP);
        if is_full {
            // A path of the table is on the agenda anyway.
            if index.is_none() {
                self.leave(document);
            }
            return;
        }
        self.pointed += 1;
        self.others += usize::from(!document.is_own);
        let item = index.and_then(|index| self.items.remove(index));
        let item = Item {
            known: item.and_then(|item| item.known),
            named: Some(document),
            ..Item::new(target, Source::Pointed)
        };
        let place = self
            .items
            .iter()
            .take_while(|it| it.source != Source::Table);
        let place = place.count();
        self.items.insert(place, item);
    }

    /// Leaves a named document to a later visit.
    pub(super) fn leave(&mut self, document: NamedDocument) {
        if self.postponed.len() < DOCUMENTS_CAP
            && self.postponed.iter().all(|it| it.url != document.url)
        {
            self.postponed.push(document);
        }
    }

    /// Adds stored named documents that were not requested yet.
    fn point_at_stored(&mut self, origin: &Url, lease: &Lease) {
        if lease.known.len() >= DOCUMENTS_CAP {
            return;
        }
        for named in lease.named.iter().filter(|named| !named.is_absent) {
            if let Some(target) = target_on(origin, &lease.domain, &named.url) {
                self.point(&target, named.clone());
            }
        }
    }

    /// Adds the documents that robots.txt names.
    fn point_at_hints(&mut self, origin: &Url, lease: &Lease, policy: &Policy) {
        for (target, document) in hinted(origin, &lease.domain, policy) {
            if is_askable(lease, &document.url) {
                self.point(&target, document);
            }
        }
    }

    /// Adds known documents, up to `most`, of which the last are up to `most_skills` files of skills;
    /// returns the number of these, which count as named documents.
    fn push_known(
        &mut self,
        origin: &Url,
        lease: &Lease,
        most: usize,
        most_skills: usize,
    ) -> usize {
        let (skills, others): (Vec<_>, Vec<_>) = lease.known.iter().partition(|it| is_skill(it));
        let others = others.into_iter().take(most);
        let room = most_skills.min(most - others.len());
        for document in others.chain(skills.into_iter().take(room)) {
            if let Some(target) = target_on(origin, &lease.domain, &document.requested) {
                self.push(Item {
                    known: Some(document.clone()),
                    ..Item::new(&target, Source::Known)
                });
            }
        }
        let known = self.items.iter().filter_map(|item| item.known.as_ref());
        known.filter(|it| is_skill(it)).count()
    }

    fn push_unanswered(&mut self, origin: &Url, lease: &Lease) {
        for target in &lease.unanswered {
            let mut known = lease.known.iter();
            let known = known.find(|known| {
                let known = target_on(origin, &lease.domain, &known.requested);
                known.as_ref() == Some(target)
            });
            self.push(Item {
                known: known.cloned(),
                ..Item::new(target, Source::Table)
            });
        }
    }

    fn push_table<'a>(&mut self, probes: impl Iterator<Item = &'a Probe>) {
        for probe in probes {
            self.push(Item::new(probe.path, Source::Table));
        }
    }

    fn push(&mut self, item: Item) {
        if self.items.iter().all(|other| other.target != item.target) {
            self.items.push_back(item);
        }
    }
}
