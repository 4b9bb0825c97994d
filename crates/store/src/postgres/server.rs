//! Connections to one server.

use super::errors::is_away;
use super::outage::{Outage, PATIENCE};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, Transaction};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Most connections of a process to a server.
const CONNECTIONS: u32 = 12;

/// Time without use after which a connection is tried first: that costs a trip to the server.
const IDLE: Duration = Duration::from_secs(1);

/// Begins a transaction that reads as of one moment.
pub(super) const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Connections to one server. While it is known to be away, a transaction fails at once.
#[derive(Debug)]
pub(super) struct Server {
    location: PathBuf,
    pool: PgPool,
    outage: Mutex<Outage>,
}

impl Server {
    /// Returns the connections to the database at `location`, of which none is open yet.
    pub(super) fn new(location: PathBuf, options: PgConnectOptions) -> Self {
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .before_acquire(|connection, state| Box::pin(is_usable(connection, state.idle_for)))
            .connect_lazy_with(options);
        Self {
            location,
            pool,
            outage: Mutex::default(),
        }
    }

    /// Returns the connections for what has to be tried also while the server is away.
    pub(super) fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Begins a transaction by a statement. Fails at once while the server is away.
    pub(super) async fn begin(
        &self,
        statement: &'static str,
    ) -> sqlx::Result<Transaction<'static, Postgres>> {
        let Some(patience) = self.outage().admit(Instant::now()) else {
            return Err(sqlx::Error::PoolTimedOut);
        };
        let mut begun = self.try_to_begin(statement, patience).await;
        if let Err(sqlx::Error::Io(_)) = &begun {
            // Only this connection may have been cut, and nothing was done on it.
            begun = self.try_to_begin(statement, patience).await;
        }
        self.note(begun.as_ref().err().filter(|error| is_away(error)));
        begun
    }

    /// Notes whether the server is away, by this error, and logs what changes by that.
    fn note(&self, away: Option<&sqlx::Error>) {
        let mut outage = self.outage();
        let was_away = outage.is_under_way();
        let place = self.location.display();
        if let Some(error) = away {
            outage.began(Instant::now());
            if !was_away {
                tracing::warn!(%error, "database {place} is away: {error}");
            }
        } else {
            outage.ended();
            if was_away {
                tracing::info!("database {place} answers again");
            }
        }
    }

    async fn try_to_begin(
        &self,
        statement: &'static str,
        patience: Duration,
    ) -> sqlx::Result<Transaction<'static, Postgres>> {
        // If the driver's future is dropped between the statement and its answer, the connection goes back
        // to the pool within a transaction. This task runs to its end, and what it has begun is rolled back.
        let pool = self.pool.clone();
        let begun = tokio::spawn(async move { pool.begin_with(statement).await });
        // A pooler accepts connections while the server behind it is away, and lets them wait.
        match timeout(patience, begun).await {
            Ok(Ok(begun)) => begun,
            Ok(Err(fault)) => Err(sqlx::Error::Io(std::io::Error::other(fault))),
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// Reports whether the server was away at the last trial.
    pub(super) fn is_away(&self) -> bool {
        self.outage().is_under_way()
    }

    fn outage(&self) -> MutexGuard<'_, Outage> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports whether a connection is alive; one that was just used is taken to be.
async fn is_usable(connection: &mut PgConnection, idle: Duration) -> sqlx::Result<bool> {
    if idle > IDLE {
        connection.ping().await?;
    }
    Ok(true)
}
