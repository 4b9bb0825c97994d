//! Rules of the gate, its permissions, and the results that end them.

use super::{Edge, Fingerprint};
use ipnet::IpNet;
use std::time::Duration;
use tokio::sync::futures::OwnedNotified;
use tokio::time::Instant;

/// Rules that apply to all addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Time between two requests to one address; zero lifts P19 and P20 for [`Rules::own`] (P19a).
    pub gap: Duration,
    /// Addresses of the operator's own test hosts.
    pub own: Vec<IpNet>,
    /// Addresses that thousands of unrelated sites share.
    pub edges: Vec<Edge>,
}

/// Admission of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Now. With the expected fingerprint of parked names at this address, a request for robots.txt may
    /// suffice (P12).
    Now(Option<Fingerprint>),
    /// After the end of another visit to the same address or network.
    Full,
    /// Not before this time.
    NotBefore(Instant),
    /// Not by this crawler: another one of the fleet has the network.
    Elsewhere,
}

/// Permission for a request.
#[derive(Debug)]
pub enum Turn {
    /// Now: its turn is taken until [`Gate::answered`](super::Gate::answered).
    Now,
    /// Ask again at this time.
    At(Instant),
    /// Ask again when an answer has arrived, or at this time.
    After(OwnedNotified, Instant),
}

/// Result of a visit with regard to its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No statement about the address: no request was sent, or the failure is specific to the name.
    /// Anyone can point a name at an address, so a certificate for another name, or a connection
    /// closed because of an unknown name, says nothing about other sites there (P38).
    Unasked,
    /// No connection to the address.
    Failed,
    /// An answer, with the fingerprint of the site if nothing was found.
    Answered(Option<Fingerprint>),
}
