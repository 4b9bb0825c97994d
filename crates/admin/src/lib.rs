//! The operator's view of a process: `/healthz`, `/readyz` and `/metrics`, on an address of their
//! own.
//!
//! Each [`Part`] of a process reports its readiness and its metrics; crawler, indexer and web have
//! their own, and [`Database`] is common to all, as are the memory, processor time and open files of the
//! process.

mod clock;
mod database;
mod disk;
mod listen;
mod measurement;
#[cfg(target_os = "linux")]
mod process;
mod server;
mod signal;

pub use clock::now;
pub use database::Database;
pub use disk::{Disk, register_bytes, size_of};
pub use listen::{Listen, ListenError, bind, bind_or_warn};
pub use measurement::measured;
pub use prometheus_client as prometheus;
pub use server::serve;
pub use signal::{Signal, Signals};

use async_trait::async_trait;
use prometheus_client::registry::Registry;

/// Part of a process.
#[async_trait]
pub trait Part: Send + Sync {
    /// Returns its name, the second word of its metrics.
    fn name(&self) -> &'static str;

    /// Returns the reason why it cannot do its work, for the operator.
    async fn ready(&self) -> Result<(), String>;

    /// Registers the current values of its metrics. Values that cannot be read are left out.
    async fn register(&self, registry: &mut Registry);
}
