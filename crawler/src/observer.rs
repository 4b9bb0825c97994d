//! Best-effort access to the store during a visit: an error of the store is logged and does not
//! stop the visit.

use crate::rate_limit::IpKey;
use crate::visit::{PauseRequest, SharedGate};
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::time::Duration;
use store::{RobotsState, Store, StoreError};

/// Stores the pause that a host asked for, and that of its address if it pauses as well (P35).
pub(crate) async fn store_pause(store: &dyn Store, request: &PauseRequest, now: Timestamp) {
    block_host(store, &request.host, request.pause, now).await;
    if let Some((address, pause)) = request.address {
        block_address(store, address, now.after(pause)).await;
    }
}

/// Stores that a host must not be contacted for this time.
pub(crate) async fn block_host(store: &dyn Store, host: &Domain, pause: Duration, now: Timestamp) {
    if let Err(error) = store.block_host(host, now.after(pause), now).await {
        tracing::warn!(%error, %host, "the pause of a host could not be stored");
    }
}

/// Stores that an address must not be contacted before `until`.
pub(crate) async fn block_address(store: &dyn Store, address: IpAddr, until: Timestamp) {
    let stored = store.block_address(IpKey::of(address).address(), until);
    if let Err(error) = stored.await {
        tracing::warn!(%error, "the pause of an address could not be stored");
    }
}

/// Loads the stored pauses of addresses and hosts into a gate.
pub(crate) async fn load_pauses(
    store: &dyn Store,
    gate: &SharedGate,
    now: Timestamp,
) -> Result<(), StoreError> {
    let addresses = store.address_blocks(now).await?;
    let hosts = store.host_blocks(now).await?;
    gate.load_pauses(&addresses, &hosts, now);
    Ok(())
}

/// Returns the stored state of the robots.txt of a domain (P31).
pub(crate) async fn stored_robots(store: &dyn Store, domain: &Domain) -> Option<RobotsState> {
    let state = store.domain_state(domain).await;
    let state = state.inspect_err(
        |error| tracing::warn!(%error, domain.name = %domain, "the stored state of a robots.txt could not be read"),
    );
    state.ok()??.robots
}
