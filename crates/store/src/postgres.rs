//! The store on a PostgreSQL server.
//!
//! Everything that is read or written is part of a transaction, and no statement outlives its own, so
//! that a pooler may give each transaction another connection.
//!
//! Transactions that write take turns by an advisory lock, as those of SQLite do: checks before writes
//! hold until the commit, and the change log is in the order of commits without gaps. A lease takes no
//! turn, because it skips the rows that others have locked.
//!
//! A part that serves or exports may read from a replica, which has everything some moments later than
//! the primary. Each subject decides: what visitors browse comes from the replica
//! ([`PostgresStore::reading_replica`]); sessions, submissions, claims and reports, whose visitors look
//! at what they just sent, and everything on which a write depends, come from the primary
//! ([`PostgresStore::reading`]).

mod clock;
mod errors;
mod fleet;
mod health;
pub(crate) mod incoming;
mod members;
pub(crate) mod migrations;
mod open;
mod outage;
mod persistence;
mod process;
mod replica;
mod roles;
mod server;
#[path = "subjects/subjects.rs"]
mod subjects;

use crate::contract::Store;
use crate::error::StoreError;
use errors::{explain, is_away};
use manifest::{AgentId, Timestamp};
use persistence::PERSISTENT;
use replica::Replica;
use roles::Claims;
use server::{BEGIN_READING, Server};
use sqlx::{Postgres, Transaction};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tracing::Instrument as _;

type Backend = PostgresStore;
type Driver = Postgres;
type Location = PathBuf;

/// Locks selected rows, without waiting for those that others have locked.
macro_rules! skip_locked {
    () => {
        "FOR UPDATE SKIP LOCKED"
    };
}
use skip_locked;

/// Condition that the owner of a lease has ended, or is unknown.
///
/// A crawler whose term has ended has its leases until it is no member any more: it may go on.
macro_rules! is_ownerless {
    () => {
        "NOT EXISTS (SELECT 1 FROM crawlers WHERE name = lease_owner)"
    };
}
use is_ownerless;

/// Condition that a domain may be leased by the process `$3`: it was not handed on, or to that one.
macro_rules! is_own {
    () => {
        "(slot IS NULL OR slot IN (SELECT slot FROM network_slots WHERE holder = $3))"
    };
}
use is_own;

/// Additional changes at the end of a lease.
macro_rules! at_end {
    () => {
        ", handed_on = 0"
    };
}
use at_end;

/// Waits for the turn to write, which ends with the transaction.
const TAKE_TURN: &str = "SELECT pg_advisory_xact_lock(4701234)";

/// Reports whether the holder `$1` still has all of its `$2` roles. While it has the turn to write,
/// another one that takes a role cannot write.
const HAS_ROLES: &str =
    "SELECT COUNT(*) = $2 FROM roles WHERE holder = $1 AND until > clock_timestamp()";

/// Begins a transaction whose commit waits for the disk. The server ends it if this process was stopped
/// in the middle, so that others write.
const BEGIN_DURABLE: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '5s'";

/// Begins a transaction whose commit does not wait for the disk.
const BEGIN_BULK: &str = "
    BEGIN;
    SET LOCAL idle_in_transaction_session_timeout = '5s';
    SET LOCAL synchronous_commit = off";

/// Open database of a server.
pub(crate) struct PostgresStore {
    /// URL without user and password.
    location: Location,
    primary: Server,
    replica: Option<Replica>,
    claims: Claims,
    /// Name of this process as a member of the fleet of crawlers.
    member: Mutex<Option<String>>,
    /// True since a write failed because the database takes none.
    refuses_writes: AtomicBool,
    /// Agent up to which agents were checked.
    checked: Mutex<Option<AgentId>>,
    /// Damage that any call met.
    damage: OnceLock<String>,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PostgresStore")
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

impl Store for PostgresStore {}

impl PostgresStore {
    /// Completes a unit of work in a span of its own, and converts an error of the driver to one
    /// for the operator. Work of a process that lost its role is an error: another one has it now.
    async fn run<T>(
        &self,
        work: impl Future<Output = sqlx::Result<T>> + Send,
    ) -> Result<T, StoreError> {
        self.claims.check(&self.location)?;
        let work = work.instrument(tracing::debug_span!("store"));
        let done = work.await.map_err(|error| explain(&self.location, error));
        if let Err(StoreError::Damaged { reason, .. }) = &done {
            // The first one is kept.
            let _ = self.damage.set(reason.clone());
        }
        if let Err(error) = &done
            && error.is_refused_write()
            && !self.refuses_writes.swap(true, Ordering::Relaxed)
        {
            tracing::error!(%error, "the database takes no writes: {error}");
        }
        done
    }

    /// Begins a transaction that survives a power loss of the server once it is committed.
    async fn begin_durable(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.take_turn(self.primary.begin(BEGIN_DURABLE).await?)
            .await
    }

    /// Begins a transaction that a power loss of the server may undo.
    async fn begin_bulk(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.take_turn(self.primary.begin(BEGIN_BULK).await?).await
    }

    /// Waits for the turn to write, and returns the transaction. It is an error if a role of this process
    /// has lapsed meanwhile: it may have been stopped for long.
    async fn take_turn(
        &self,
        mut transaction: Transaction<'static, Postgres>,
    ) -> sqlx::Result<Transaction<'static, Postgres>> {
        sqlx::query(TAKE_TURN)
            .persistent(PERSISTENT)
            .execute(&mut *transaction)
            .await?;
        if let Some(holder) = self.claims.holder() {
            let has_roles: bool = sqlx::query_scalar(HAS_ROLES)
                .persistent(PERSISTENT)
                .bind(holder)
                .bind(self.claims.roles())
                .fetch_one(&mut *transaction)
                .await?;
            if !has_roles {
                let reason = "the role of this process has lapsed";
                return Err(sqlx::Error::Io(std::io::Error::other(reason)));
            }
        }
        Ok(transaction)
    }

    /// Returns the time within a transaction that has the turn to write: others may have written since
    /// `now`.
    async fn time_of(
        &self,
        transaction: &mut sqlx::PgConnection,
        now: Timestamp,
    ) -> sqlx::Result<Timestamp> {
        let time = clock::now(transaction).await?;
        Ok(now.max(Timestamp(time)))
    }

    /// Begins a transaction that writes rows which no other one can have locked.
    async fn begin_beside_others(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.primary.begin(BEGIN_BULK).await
    }

    /// Returns the name of this process on its leases; `None` if it is no member of the fleet.
    fn lease_owner(&self) -> Option<String> {
        self.member().clone()
    }

    fn member(&self) -> MutexGuard<'_, Option<String>> {
        self.member.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a transaction for one statement that reads what was written last.
    async fn reading(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.begin_reading().await
    }

    /// Begins a transaction for one statement that reads, which the replica answers if there is one.
    async fn reading_replica(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.begin_reading_replica().await
    }

    /// Begins a transaction that reads what was written last, as of one moment. While the primary is
    /// away nothing is written, and the replica answers.
    async fn begin_reading(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        let replica = self.replica.as_ref().filter(|it| it.is_usable());
        self.begin_on(&self.primary, replica.map(Replica::server))
            .await
    }

    /// Begins a transaction that reads as of one moment, on the replica if there is one. If that is away
    /// or behind, the primary answers.
    async fn begin_reading_replica(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        match self.replica.as_ref().filter(|it| it.is_current()) {
            Some(replica) => self.begin_on(replica.server(), Some(&self.primary)).await,
            None => self.begin_reading().await,
        }
    }

    /// Begins a transaction for one statement that only the primary can answer.
    async fn reading_primary(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.primary.begin(BEGIN_READING).await
    }

    /// Begins a transaction that reads for minutes, on the replica if there is one, and never in its
    /// place on the primary, where old rows cannot be removed meanwhile.
    async fn begin_snapshot(
        &self,
    ) -> Result<(Location, Transaction<'static, Postgres>), StoreError> {
        let Some(replica) = &self.replica else {
            let begun = self.run(self.primary.begin(BEGIN_READING)).await?;
            return Ok((self.location(), begun));
        };
        let path = replica.location().to_owned();
        let begun = replica.server().begin(BEGIN_READING).await;
        let begun = begun.map_err(|error| explain(&path, error))?;
        match replica.fault() {
            Some(reason) => Err(StoreError::NoReplica { path, reason }),
            None => Ok((path, begun)),
        }
    }

    /// Begins a transaction that reads on the first of two servers that is not away.
    async fn begin_on(
        &self,
        first: &Server,
        second: Option<&Server>,
    ) -> sqlx::Result<Transaction<'static, Postgres>> {
        match (first.begin(BEGIN_READING).await, second) {
            (Err(error), Some(second)) if is_away(&error) => second.begin(BEGIN_READING).await,
            (begun, _) => begun,
        }
    }

    /// Returns the place of the database, for messages.
    fn location(&self) -> Location {
        self.location.clone()
    }
}

/// Lets others write between two of many transactions: their turns are in the order in which they
/// waited.
async fn let_others_write() {}
