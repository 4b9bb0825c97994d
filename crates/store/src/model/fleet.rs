//! Crawlers of one database, and the networks that each of them visits.

use manifest::{Domain, Timestamp};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

/// Row of the table of crawlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Number of its process and name of its machine.
    pub description: String,
    /// Time at which it joined, in milliseconds of the database's time.
    pub since: i64,
    /// End of its term, in milliseconds of the database's time.
    pub until: i64,
    /// True if it gives its slots up and takes none: it is about to end, or its own connection is down.
    pub is_leaving: bool,
    /// Options that all members should share, with their values.
    pub options: BTreeMap<String, String>,
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
    /// True if the member gives its slots up and takes none.
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

/// Registrable domains whose visits begin and end, at one crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteExchange {
    /// Name of the member.
    pub name: String,
    /// Sites without a visit from now on, each with the time for which it rests (P16).
    pub released: Vec<(String, Duration)>,
    /// Sites that are to be visited.
    pub wanted: Vec<String>,
    /// Number of the last block that the member knows.
    pub known_blocks: i64,
}

/// Answer to a [`SiteExchange`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteAnswer {
    /// Sites that no other member visits from now on, each with the time for which it still rests.
    pub reserved: BTreeMap<String, Duration>,
    /// Blocks that were noted since, in order, at most 10,000.
    pub blocks: Vec<NotedBlock>,
}

/// Block of an address or host (P35).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedBlock {
    /// Number; a later block has a larger one.
    pub number: i64,
    /// Blocked address or host.
    pub of: Blocked,
    /// End of the block.
    pub until: Timestamp,
}

/// Address or host that is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// Address.
    Address(IpAddr),
    /// Host.
    Host(Domain),
}

/// Stay of a visit at an address of another member, which grants each turn for a request there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestPermit {
    /// Member that visits.
    pub guest: String,
    /// Number, unique for that member.
    pub number: i64,
    /// Slot of the network.
    pub slot: u8,
    /// Address.
    pub address: IpAddr,
    /// False if the visit has another permit in the same network, which counts there (P20).
    pub is_counted: bool,
    /// Registrable domain of the last request.
    pub site: String,
    /// Host of the last request.
    pub host: String,
    /// Number of requests for which a turn was asked.
    pub asked: i64,
    /// Number of those that have ended.
    pub answered: i64,
    /// Wait of the host after the end of the last one.
    pub rest: Duration,
    /// True at the end of the stay. The row is deleted by the holder of the slot, which has to know how
    /// the last request ended.
    pub is_ended: bool,
}

/// Turn that the holder of a slot grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Member that visits.
    pub guest: String,
    /// Number of its permit.
    pub number: i64,
    /// Number of the request.
    pub turn: i64,
}

/// Requests for turns of one member, and turns that it grants to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnExchange {
    /// Name of the member.
    pub name: String,
    /// New and changed permits of its own visits.
    pub asked: Vec<GuestPermit>,
    /// Permits of others whose end it has taken in: the guest, and the number.
    pub ended: Vec<(String, i64)>,
    /// Turns that it grants.
    pub grants: Vec<Grant>,
    /// Time for which these are valid from now on.
    pub valid: Duration,
}

/// Answer to a [`TurnExchange`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnAnswer {
    /// Turns that this member was granted: the number of the permit, that of the request, and the time
    /// for which it is still valid.
    pub granted: Vec<(i64, i64, Duration)>,
    /// Permits in slots of this member.
    pub guests: Vec<GuestPermit>,
}
