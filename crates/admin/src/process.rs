//! Memory, processor time and open files of the process, under the names that Prometheus gives them in
//! every program.

use crate::disk::register_bytes;
use crate::measurement::measured;
use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, WithCurrentSystemInfo as _, boot_time_secs, ticks_per_second};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

/// Use that a process makes of its machine.
#[derive(Debug)]
struct Usage {
    resident_bytes: u64,
    open_files: u64,
    /// Soft limit of open files; `None` is unlimited.
    max_files: Option<u64>,
    cpu_seconds: f64,
    /// Start in seconds since 1970.
    start: f64,
}

impl Usage {
    /// Reads what the system accounts for this process.
    #[expect(
        clippy::cast_precision_loss,
        reason = "ticks of centuries are exact in a float"
    )]
    fn read() -> ProcResult<Self> {
        let process = Process::myself()?;
        let stat = process.stat()?;
        let seconds = |ticks: u64| ticks as f64 / ticks_per_second() as f64;
        Ok(Self {
            resident_bytes: stat.rss_bytes().get(),
            open_files: process.fd_count()? as u64,
            max_files: match process.limits()?.max_open_files.soft_limit {
                LimitValue::Value(most) => Some(most),
                LimitValue::Unlimited => None,
            },
            cpu_seconds: seconds(stat.utime + stat.stime),
            start: boot_time_secs()? as f64 + seconds(stat.starttime),
        })
    }

    fn register(&self, registry: &mut Registry) {
        let files = |number| ConstGauge::new(i64::try_from(number).unwrap_or(i64::MAX));
        register_bytes(
            registry,
            "resident_memory",
            "Memory that the process occupies",
            self.resident_bytes,
        );
        registry.register_with_unit(
            "cpu",
            "Processor time of all threads of the process",
            Unit::Seconds,
            ConstCounter::new(self.cpu_seconds),
        );
        registry.register("open_fds", "Open files", files(self.open_files));
        if let Some(most) = self.max_files {
            registry.register("max_fds", "Files that may be open", files(most));
        }
        registry.register_with_unit(
            "start_time",
            "Start of the process in seconds since 1970",
            Unit::Seconds,
            ConstGauge::new(self.start),
        );
    }
}

/// Registers the use that this process makes of its machine.
pub(crate) async fn register(registry: &mut Registry) {
    if let Some(usage) = measured("the process", Usage::read).await {
        usage.register(registry);
    }
}
