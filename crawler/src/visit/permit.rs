//! Permits at the addresses of hosts that a redirect led to (P19).

use super::shared::{Settings, SharedGate};
use crate::fetch::FetchError;
use crate::fleet::Access;
use crate::membership::Guest;
use crate::rate_limit::{Entry, IpKey};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time between two attempts at a full address.
const RETRY: Duration = Duration::from_secs(1);

/// A permit, returned when it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    address: IpAddr,
    host: Host,
}

/// Crawler whose gate admitted the visit.
#[derive(Debug)]
enum Host {
    /// This one. The flag is true if the visit has another permit in the same network, which counts there.
    Own(SharedGate, bool),
    /// Another one, which has the network and grants each turn there.
    Other(Guest),
}

impl Permit {
    /// Waits up to `patience` for a permit. One at another crawler is given at once, since that makes the
    /// visit wait for its turns.
    pub(super) async fn take(
        settings: &Settings,
        address: IpAddr,
        is_in_same_network: bool,
        patience: Duration,
    ) -> Result<Self, FetchError> {
        let deadline = Instant::now() + patience;
        let network = IpKey::of(address).network();
        loop {
            match settings.membership.access(network) {
                Access::Lapsed => return Err(FetchError::Stopped),
                Access::Elsewhere | Access::Ending => {
                    let guest = settings.membership.guest(address, !is_in_same_network);
                    let host = Host::Other(guest.ok_or(FetchError::Stopped)?);
                    return Ok(Self { address, host });
                }
                Access::Now | Access::NotBefore(_) => {}
            }
            let now = Instant::now();
            let entry = settings
                .gate
                .lock()
                .enter_redirected(is_in_same_network, address, now);
            match entry {
                Entry::Now(_) => {
                    let host = Host::Own(settings.gate.clone(), is_in_same_network);
                    return Ok(Self { address, host });
                }
                Entry::NotBefore(until) if until > deadline => {
                    return Err(FetchError::Busy(until - now));
                }
                _ if now >= deadline => return Err(FetchError::Busy(patience)),
                Entry::Full | Entry::NotBefore(_) | Entry::Elsewhere => sleep(RETRY).await,
            }
        }
    }

    /// Returns the address, or network, that the permit is for.
    pub(super) fn key(&self) -> IpKey {
        IpKey::of(self.address)
    }

    /// Returns the stay at another crawler, if it is one.
    pub(super) fn guest(&self) -> Option<&Guest> {
        match &self.host {
            Host::Own(..) => None,
            Host::Other(guest) => Some(guest),
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Host::Own(gate, is_in_same_network) = &self.host {
            gate.lock()
                .leave_redirected(*is_in_same_network, self.address);
        }
    }
}
