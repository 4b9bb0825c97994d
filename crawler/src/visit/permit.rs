//! Permits at the addresses of hosts that a redirect led to (P19).

use super::shared::SharedGate;
use crate::rate_limit::{Entry, IpKey};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time between two attempts at a full address.
const RETRY: Duration = Duration::from_secs(1);

/// A permit, returned when it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    gate: SharedGate,
    address: IpAddr,
    /// True if the visit has another permit in the same network, which counts there.
    is_in_same_network: bool,
}

impl Permit {
    /// Waits up to `patience` for a permit. The error is the time for which none is available.
    pub(super) async fn take(
        gate: &SharedGate,
        address: IpAddr,
        is_in_same_network: bool,
        patience: Duration,
    ) -> Result<Self, Duration> {
        let deadline = Instant::now() + patience;
        loop {
            let now = Instant::now();
            let entry = gate
                .lock()
                .enter_redirected(is_in_same_network, address, now);
            match entry {
                Entry::Now(_) => {
                    return Ok(Self {
                        gate: gate.clone(),
                        address,
                        is_in_same_network,
                    });
                }
                Entry::NotBefore(until) if until > deadline => return Err(until - now),
                Entry::Full | Entry::NotBefore(_) if now >= deadline => return Err(patience),
                Entry::Full | Entry::NotBefore(_) => sleep(RETRY).await,
            }
        }
    }

    /// Returns the address, or network, that the permit is for.
    pub(super) fn key(&self) -> IpKey {
        IpKey::of(self.address)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate
            .lock()
            .leave_redirected(self.is_in_same_network, self.address);
    }
}
