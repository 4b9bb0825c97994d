//! Crawlers of one database, and the networks that each of them visits.

use std::collections::BTreeMap;
use std::time::Duration;

/// Row of the table of crawlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// End of its term, in milliseconds of the database's time.
    pub until: i64,
    /// True if it is about to end, and takes no slots.
    pub is_leaving: bool,
}

/// Row of the table of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// Member that has the slot.
    pub holder: Option<String>,
    /// Time of the database, in milliseconds, before which nothing is sent there: requests of an
    /// earlier holder may not have been answered yet.
    pub usable_from: i64,
}

/// Crawlers and slots at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetView {
    /// Time of the database, in milliseconds.
    pub now: i64,
    /// Members by name.
    pub members: BTreeMap<String, Member>,
    /// Slots by number; those that are missing were never taken.
    pub slots: Vec<Holding>,
}

/// Changes that a member asks for. Each is made only if it still applies by then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetPlan {
    /// Members whose term has ended: they lose their slots.
    pub expired: Vec<String>,
    /// Slots without a holder.
    pub take: Vec<u8>,
    /// Slots of this member in which nothing is under way.
    pub give_up: Vec<u8>,
}

/// Renewal of a membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// Name of the member.
    pub name: String,
    /// Number of the renewal, which grows. An earlier one that reaches the database later changes
    /// nothing: what it gives up may be in use again.
    pub round: u64,
    /// True if the member is about to end.
    pub is_leaving: bool,
    /// Time for which it is a member from now on.
    pub term: Duration,
    /// Changes that it asks for.
    pub plan: FleetPlan,
    /// Time from the end of a member's term until its slots are usable.
    pub after_end: Duration,
    /// Time from now until slots that are given up are usable.
    pub after_giving_up: Duration,
}
