//! Interface through which the caller of a visit follows it, and best-effort access to the store
//! for that: an error of the store is logged and does not stop the visit.

use crate::rate_limit::IpKey;
use manifest::{Domain, Timestamp};
use std::net::IpAddr;
use std::time::Duration;
use store::{Receipt, RobotsState, Store};

/// Observer of a visit in progress.
pub trait Observer: Sync {
    /// Takes the crawl delay that the host asks for.
    fn crawl_delay(&self, _delay: Duration) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Takes the longer pause that the host must get because it answers slowly (P17).
    fn owed(&self, _pause: Duration) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Returns the stored state of the robots.txt of a redirect's target domain (P31).
    fn stored_robots(&self, _domain: &Domain) -> impl Future<Output = Option<RobotsState>> + Send {
        std::future::ready(None)
    }

    /// Takes the pause that a host asks for (P35).
    fn throttled(&self, _request: PauseRequest) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Takes the host of another site that is about to receive a request; the lease of the visit
    /// does not name it (P16).
    fn asked_elsewhere(&self, _host: &Domain) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Takes the receipt of a request.
    fn receipt(&self, _receipt: &Receipt) {}
}

/// Ignores all events.
impl Observer for () {}

/// A host's request for a pause (429 or 503), and its effect on the host's address (P35).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseRequest {
    /// The host that asked for it.
    pub host: Domain,
    /// Its length.
    pub pause: Duration,
    /// Its address and the pause of that address, if the address pauses as well.
    pub address: Option<(IpAddr, Duration)>,
}

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

/// Returns the stored state of the robots.txt of a domain (P31).
pub(crate) async fn stored_robots(store: &dyn Store, domain: &Domain) -> Option<RobotsState> {
    let state = store.domain_state(domain).await;
    let state = state.inspect_err(
        |error| tracing::warn!(%error, domain.name = %domain, "the stored state of a robots.txt could not be read"),
    );
    state.ok()??.robots
}
