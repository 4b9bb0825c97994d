//! Interface through which the caller of a visit follows it.

use manifest::Domain;
use std::net::IpAddr;
use std::time::Duration;
use store::{Receipt, RobotsState};

/// Observer of a visit in progress.
pub trait Observer: Sync {
    /// The host asks for this crawl delay.
    fn crawl_delay(&self, delay: Duration) -> impl Future<Output = ()> + Send {
        let _ = delay;
        std::future::ready(())
    }

    /// The host must get a longer pause than usual because it answers slowly (P17).
    fn owed(&self, pause: Duration) -> impl Future<Output = ()> + Send {
        let _ = pause;
        std::future::ready(())
    }

    /// Returns the stored state of the robots.txt of a redirect's target domain (P31).
    fn stored_robots(&self, domain: &Domain) -> impl Future<Output = Option<RobotsState>> + Send {
        let _ = domain;
        std::future::ready(None)
    }

    /// A host asks for a pause (P35).
    fn throttled(&self, request: PauseRequest) -> impl Future<Output = ()> + Send {
        let _ = request;
        std::future::ready(())
    }

    /// A request has its receipt.
    fn receipt(&self, receipt: &Receipt) {
        let _ = receipt;
    }
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
