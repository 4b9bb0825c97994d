//! What a visit tells the store while it goes on, and asks it: a store that fails stops no visit.

use crate::pace::IpKey;
use crate::run::now;
use crate::visit::{Plea, SharedGate};
use manifest::Domain;
use std::net::IpAddr;
use std::time::Duration;
use store::{RobotsState, Store, StoreError};

/// Remembers that a host is to be left alone, and perhaps its address (P35).
pub(crate) async fn plea(store: &dyn Store, plea: &Plea) {
    block_host(store, &plea.host, plea.pause).await;
    if let Some((address, pause)) = plea.address {
        block_address(store, address, pause).await;
    }
}

/// Remembers that a host is to be left alone for so long.
pub(crate) async fn block_host(store: &dyn Store, host: &Domain, pause: Duration) {
    let now = now();
    if let Err(error) = store.block_host(host, now.after(pause), now).await {
        tracing::warn!(%error, %host, "that a host is to be left alone is not noted");
    }
}

/// Remembers that an address is to be left alone for so long.
pub(crate) async fn block_address(store: &dyn Store, address: IpAddr, pause: Duration) {
    let until = now().after(pause);
    let noted = store.block_address(IpKey::of(address).address(), until);
    if let Err(error) = noted.await {
        tracing::warn!(%error, "that an address is to be left alone is not noted");
    }
}

/// Has a gate take up what hosts and addresses wish.
pub(crate) async fn take_up(store: &dyn Store, gate: &SharedGate) -> Result<(), StoreError> {
    let now = now();
    let addresses = store.address_blocks(now).await?;
    let hosts = store.host_blocks(now).await?;
    gate.take_up(&addresses, &hosts, now);
    Ok(())
}

/// What is kept of the robots.txt of a domain (P31).
pub(crate) async fn kept_robots(store: &dyn Store, domain: &Domain) -> Option<RobotsState> {
    let standing = store.standing(domain).await;
    let standing = standing.inspect_err(
        |error| tracing::warn!(%error, domain.name = %domain, "what is kept of a robots.txt is not known"),
    );
    standing.ok()??.robots
}
