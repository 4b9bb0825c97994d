//! A place at the address of a host that a redirect led to (P19).

use super::SharedGate;
use crate::pace::{Entry, IpKey};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often a full address is tried.
const RETRY: Duration = Duration::from_secs(1);

/// Held until the visit ends.
#[derive(Debug)]
pub(super) struct Place {
    gate: SharedGate,
    address: IpAddr,
    /// The visit has another place in the same network, which counts there.
    is_besides: bool,
}

impl Place {
    /// Waits for a place for as long as `patience` lasts; the error is for how long there is none.
    pub(super) async fn take(
        gate: &SharedGate,
        address: IpAddr,
        is_besides: bool,
        patience: Duration,
    ) -> Result<Self, Duration> {
        let deadline = Instant::now() + patience;
        loop {
            let now = Instant::now();
            let entry = gate.lock().enter_led(is_besides, address, now);
            match entry {
                Entry::Now(_) => {
                    return Ok(Self {
                        gate: gate.clone(),
                        address,
                        is_besides,
                    });
                }
                Entry::NotBefore(until) if until > deadline => return Err(until - now),
                Entry::Full | Entry::NotBefore(_) if now >= deadline => return Err(patience),
                Entry::Full | Entry::NotBefore(_) => sleep(RETRY).await,
            }
        }
    }

    /// Whose it is.
    pub(super) fn key(&self) -> IpKey {
        IpKey::of(self.address)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.gate.lock().leave_led(self.is_besides, self.address);
    }
}
