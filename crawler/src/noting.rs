//! What a visit tells the store while it goes on, and asks it: a store that fails stops no visit.

use crate::pace::IpKey;
use crate::run::now;
use manifest::Domain;
use std::net::IpAddr;
use std::time::Duration;
use store::{RobotsState, Store};

/// Remembers that an address is to be left alone for so long (P35).
pub(crate) async fn block(store: &dyn Store, address: IpAddr, pause: Duration) {
    let until = now().after(pause);
    let noted = store.block_address(IpKey::of(address).address(), until);
    if let Err(error) = noted.await {
        tracing::warn!(%error, "that an address is to be left alone is not noted");
    }
}

/// What is kept of the robots.txt of a domain (P31).
pub(crate) async fn kept_robots(store: &dyn Store, domain: &Domain) -> Option<RobotsState> {
    let standing = store.standing(domain).await;
    let standing = standing.inspect_err(
        |error| tracing::warn!(%error, domain.name = %domain, "what is kept of a robots.txt is not known"),
    );
    standing.ok()??.robots
}
