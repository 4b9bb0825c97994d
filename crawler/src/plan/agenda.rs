//! The paths that a visit means to ask, in order (P9).

use crate::probes::{self, Kind, Probe};
use crate::robots::Policy;
use std::collections::VecDeque;
use store::{KnownDocument, Lease, Outcome};
use url::Url;

/// How many of the table's paths every later visit asks; one of the rest follows in rotation.
const ALWAYS: usize = 4;

/// How many paths may be pointed at.
const POINTED_CAP: usize = 16;

/// Why a path is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A document was there before.
    Known,
    /// robots.txt or a document of this host points at it.
    Pointed,
    /// The table has it.
    Table,
    /// To unmask a server that gives everybody a manifest.
    Canary,
}

/// One path that is meant to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// Path and query.
    pub(super) path: String,
    /// Why.
    pub(super) source: Source,
    /// The copy that we have.
    pub(super) known: Option<KnownDocument>,
}

impl Item {
    /// A path of the table, or one to be asked for another reason.
    pub(super) fn new(path: &str, source: Source) -> Self {
        Self {
            path: path.to_owned(),
            source,
            known: None,
        }
    }

    /// What its file is called, when the table knows it.
    pub(super) fn kind(&self) -> Option<Kind> {
        kind_of(&self.path)
    }
}

/// What the file at a path is called, when the table knows the path.
pub(super) fn kind_of(path: &str) -> Option<Kind> {
    let extra = probes::EXTRA.iter().flat_map(|(_, probes)| *probes);
    probes::ALL
        .iter()
        .chain(extra)
        .find(|probe| probe.path == path)
        .map(|probe| probe.kind)
}

/// True when an earlier visit asked everything, so that this one asks less (P9).
pub(super) fn is_later(lease: &Lease) -> bool {
    matches!(lease.last_outcome, Some(Outcome::Found | Outcome::Empty)) || was_alike(lease)
}

/// True when the visit before may have got the same answer everywhere: it then takes less to tell that
/// this has not changed (P8).
pub(super) fn was_alike(lease: &Lease) -> bool {
    match lease.last_outcome {
        Some(Outcome::Soft404) => true,
        // Not when it was robots.txt that led astray: then nothing else was asked.
        Some(Outcome::RedirectRefused | Outcome::BlockedAddress) => lease
            .robots
            .as_ref()
            .is_some_and(|robots| robots.status.is_some()),
        _ => false,
    }
}

/// The agenda of a visit: known documents, what robots.txt points at, then the table, into which the `extra`
/// paths go behind those that every visit asks.
pub(super) fn agenda(
    origin: &Url,
    lease: &Lease,
    policy: &Policy,
    extra: &[Probe],
) -> VecDeque<Item> {
    let mut items = VecDeque::new();
    for document in &lease.known {
        if let Some(path) = path_on(origin, &document.requested) {
            push(
                &mut items,
                Item {
                    known: Some(document.clone()),
                    ..Item::new(&path, Source::Known)
                },
            );
        }
    }
    for path in pointed_paths(origin, policy) {
        push(&mut items, Item::new(&path, Source::Pointed));
    }
    let (always, rest) = probes::ALL.split_at(ALWAYS);
    let rest = extra.iter().chain(rest);
    let rest: Vec<_> = if is_later(lease) {
        let count = extra.len() + probes::ALL.len() - ALWAYS;
        let position = usize::try_from(lease.rotation).unwrap_or(0) % count;
        rest.skip(position).take(1).collect()
    } else {
        rest.collect()
    };
    for probe in always.iter().chain(rest) {
        push(&mut items, Item::new(probe.path, Source::Table));
    }
    items
}

/// The paths on this host at which its robots.txt says that manifests are.
pub(super) fn pointed_paths(origin: &Url, policy: &Policy) -> Vec<String> {
    let hints = policy.hints().iter();
    hints
        .filter(|hint| !matches!(hint.field.as_str(), "mcp" | "openapi" | "ai-plugin"))
        .filter_map(|hint| path_on(origin, &hint.target))
        .collect()
}

/// The agenda of a host that is asked one path per lease: the table and the `extra` paths behind it, from where
/// the last lease stopped.
///
/// The first of two numbers is the path's position.
pub(super) fn next_slow(lease: &Lease, policy: &Policy, extra: &[Probe]) -> Option<(usize, Item)> {
    let count = probes::ALL.len() + extra.len();
    let start = usize::try_from(lease.rotation).unwrap_or(0) % (count + 1);
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
            probe.path != probes::SPARE && policy.allows(probe.path) && !is_answered(probe)
        })
        .map(|(position, probe)| {
            let item = Item {
                known: known(probe.path).cloned(),
                ..Item::new(probe.path, Source::Table)
            };
            (position, item)
        })
}

/// Puts a path that a document points at before everything that nothing points at, once.
pub(super) fn point(items: &mut VecDeque<Item>, path: &str) {
    let place = items
        .iter()
        .take_while(|item| item.source == Source::Pointed)
        .count();
    if place >= POINTED_CAP || items.iter().take(place).any(|item| item.path == path) {
        return;
    }
    let item = match items.iter().position(|item| item.path == path) {
        Some(position) => items.remove(position),
        None => None,
    };
    let item = Item {
        known: item.and_then(|item| item.known),
        ..Item::new(path, Source::Pointed)
    };
    items.insert(place, item);
}

/// The path and query of a target on this host; other hosts are not asked.
fn path_on(origin: &Url, target: &str) -> Option<String> {
    let url = origin.join(target).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    (is_web && url.host() == origin.host()).then(|| match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    })
}

fn push(items: &mut VecDeque<Item>, item: Item) {
    if items.iter().all(|other| other.path != item.path) {
        items.push_back(item);
    }
}
