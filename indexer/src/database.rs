//! The database of a command.

use crate::config::Config;
use anyhow::bail;
use std::sync::{Arc, OnceLock};
use store::{Role, Store};

/// Warning about an export from the database itself.
const HELD_SNAPSHOT: &str = "exports read the database that crawler and indexer write, which cannot remove old rows meanwhile and gets slower: give a replica with --read-database";

/// Database of a command, which is closed at its end.
pub(crate) struct Database<'a> {
    pub(crate) config: &'a Config,
    opened: OnceLock<Arc<dyn Store>>,
}

impl<'a> Database<'a> {
    /// Creates the database of a command, which is not open yet.
    pub(crate) fn new(config: &'a Config) -> Self {
        Self {
            config,
            opened: OnceLock::new(),
        }
    }

    /// Opens the database, once per command. Only `indexer --watch` creates a missing one, for a
    /// crawler that starts later.
    pub(crate) async fn open(&self, roles: &[Role]) -> anyhow::Result<Arc<dyn Store>> {
        let config = self.config;
        if !(config.watch && config.command.is_none())
            && let Some(path) = config.missing_database()
        {
            bail!(
                "there is no database at '{}': run `crawler --seeds FILE` first, or give --database",
                path.display()
            );
        }
        let store = store::open(&config.database, roles).await?;
        Ok(Arc::clone(self.opened.get_or_init(|| store)))
    }

    /// Opens what an export reads: a replica if there is one, otherwise the database.
    pub(crate) async fn open_to_export(&self) -> anyhow::Result<Arc<dyn Store>> {
        let config = self.config;
        if let Some(replica) = &config.read_database {
            return Ok(store::open_with_replica(&config.database, replica).await?);
        }
        if store::is_postgres(&config.database) {
            tracing::warn!("{HELD_SNAPSHOT}");
        }
        match self.opened.get() {
            Some(store) => Ok(Arc::clone(store)),
            None => self.open(&[]).await,
        }
    }

    /// Closes the database, if it was opened, so that all of its data is in its one file.
    pub(crate) async fn close(&self) {
        if let Some(store) = self.opened.get() {
            store.close().await;
        }
    }
}
