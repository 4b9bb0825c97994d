//! The database, a part of every process.

use crate::Part;
use crate::disk::{Disk, register_bytes, size_of};
use crate::measurement::measured;
use async_trait::async_trait;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{DatabaseFiles, Store, StoreError};
use tokio::time::timeout;

/// Time in which the database must answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The database, a part of every process.
#[derive(Clone, Debug)]
pub struct Database(pub Arc<dyn Store>);

impl Database {
    /// Reads the newest sequence number of the change log; returns the time that it took, too.
    async fn read(&self) -> Result<(u64, Duration), String> {
        let started = Instant::now();
        let last = within_patience(self.0.last_change()).await?;
        Ok((last, started.elapsed()))
    }
}

/// Sizes of a database and of its disk.
#[derive(Debug)]
struct Space {
    database: u64,
    log: u64,
    disk: Disk,
}

impl Space {
    fn of(files: &DatabaseFiles) -> io::Result<Self> {
        Ok(Self {
            database: size_of(&files.database)?,
            log: size_of(&files.log)?,
            disk: Disk::of(&files.database)?,
        })
    }

    fn register(&self, registry: &mut Registry) {
        for (name, help, bytes) in [
            ("size", "Size of the database", self.database),
            ("wal", "Size of the write-ahead log", self.log),
            ("disk_free", "Free space of its disk", self.disk.free),
            ("disk_size", "Size of its disk", self.disk.size),
        ] {
            register_bytes(registry, name, help, bytes);
        }
    }
}

/// Returns the answer of the database, unless it is late or an error.
async fn within_patience<T>(
    asked: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, String> {
    match timeout(PATIENCE, asked).await {
        Ok(answered) => answered.map_err(|error| error.to_string()),
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

#[async_trait]
impl Part for Database {
    fn name(&self) -> &'static str {
        "database"
    }

    async fn ready(&self) -> Result<(), String> {
        self.read().await?;
        within_patience(self.0.check()).await?;
        // A writer of another process may take longer.
        let writing = timeout(PATIENCE, self.0.check_writes()).await;
        writing.map_or(Ok(()), |taken| taken.map_err(|error| error.to_string()))
    }

    async fn register(&self, registry: &mut Registry) {
        match self.read().await {
            Ok((last, time)) => {
                registry.register(
                    "last_change",
                    "Newest sequence number of the change log",
                    ConstGauge::new(i64::try_from(last).unwrap_or(i64::MAX)),
                );
                registry.register_with_unit(
                    "latency",
                    "Time of one read in this scrape",
                    Unit::Seconds,
                    ConstGauge::new(time.as_secs_f64()),
                );
            }
            Err(reason) => tracing::warn!("cannot measure the database: {reason}"),
        }
        if let Some(lag) = self.0.replica_lag() {
            registry.register_with_unit(
                "replica_lag",
                "Time for which the replica has missed a change",
                Unit::Seconds,
                ConstGauge::new(lag.as_secs_f64()),
            );
        }
        match within_patience(self.0.last_backup()).await {
            Ok(at) => registry.register_with_unit(
                "last_backup_timestamp",
                "Time of the last complete backup in seconds since 1970; zero if there was none",
                Unit::Seconds,
                ConstGauge::new(at.map_or(0, |at| at.0 / 1000)),
            ),
            Err(reason) => tracing::warn!("cannot tell the last backup: {reason}"),
        }
        let Some(files) = self.0.files() else {
            return;
        };
        let space = measured("the files of the database", move || Space::of(&files));
        if let Some(space) = space.await {
            space.register(registry);
        }
    }
}
