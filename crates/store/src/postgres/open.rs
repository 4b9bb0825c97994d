//! Opens a database of a PostgreSQL server.

use super::PostgresStore;
use super::errors::explain;
use super::migrations::{MIGRATIONS, STATE, VERSION};
use super::outage::PATIENCE;
use super::persistence::PERSISTENT;
use super::replica::Replica;
use super::roles::Claims;
use super::server::Server;
use crate::error::StoreError;
use crate::migrations::newest;
use crate::model::Role;
use crate::sql::transfer;
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection, PgPool, Postgres, Transaction};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use url::Url;

/// Name of the programs of a registry for the server, which a transfer looks for.
const NAME: &str = "agentdex";

/// Name of a transfer for the server.
const TRANSFER_NAME: &str = "agentdex-migrate";

/// Parameters that the URL of a database may have.
const PARAMETERS: [&str; 13] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

/// Encoding of a database.
const ENCODING: &str = "SELECT current_setting('server_encoding')";

/// Takes the turn to migrate the schema until the end of the transaction, unless another process has it.
const TAKE_TURN_TO_MIGRATE: &str = "SELECT pg_try_advisory_xact_lock(4701236)";

/// Lets a transaction wait for statements of another one, however long they take.
const STAY_IDLE: &str = "SET LOCAL idle_in_transaction_session_timeout = 0";

/// Time after which a process tries again to migrate the schema.
const NEXT_TRY: Duration = Duration::from_millis(200);

/// Reports whether a server follows another one.
const IS_REPLICA: &str = "SELECT pg_is_in_recovery()";

/// Use of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The registry of a program, which is refused while a transfer fills it.
    Registry,
    /// Target of a transfer.
    Transfer,
}

impl PostgresStore {
    /// Checks the form of a URL.
    pub(crate) fn check_url(url: &str) -> Result<(), StoreError> {
        parse(url).map(|_| ())
    }

    /// Reports whether the database at `url`, which exists, has any tables.
    pub(crate) async fn has_tables(url: &str) -> Result<bool, StoreError> {
        let (location, options) = parse(url)?;
        let mut first = connect(&location, &options.application_name(NAME)).await?;
        let (is_empty, _) = state(&location, &mut first).await?;
        Ok(!is_empty)
    }

    /// Connects to the database at `url`, which exists, and migrates its schema.
    pub(crate) async fn open(url: &str, roles: &[Role]) -> Result<Self, StoreError> {
        Self::open_for(url, roles, Purpose::Registry).await
    }

    /// Opens the database for a purpose.
    pub(super) async fn open_for(
        url: &str,
        roles: &[Role],
        purpose: Purpose,
    ) -> Result<Self, StoreError> {
        let (location, options) = parse(url)?;
        let options = options.application_name(match purpose {
            Purpose::Registry => NAME,
            Purpose::Transfer => TRANSFER_NAME,
        });
        connect(&location, &options).await?;
        let primary = Server::new(location.clone(), options);
        if purpose == Purpose::Registry {
            refuse_half_filled(&location, primary.pool()).await?;
        }
        migrate(&location, primary.pool()).await?;
        let claims = Claims::take(&location, primary.pool(), roles).await?;
        warn_of_replica(&location, primary.pool()).await?;
        Ok(Self::of(location, primary, None, claims))
    }

    /// Connects to the database at `url` like [`Self::open`], for a part without a role, and to a replica
    /// of it at `replica`. One of the two may be away.
    pub(crate) async fn open_with_replica(url: &str, replica: &str) -> Result<Self, StoreError> {
        let (location, options) = parse(url)?;
        let options = options.application_name(NAME);
        let primary = Server::new(location.clone(), options.clone());
        let migrated = async {
            connect(&location, &options).await?;
            refuse_half_filled(&location, primary.pool()).await?;
            migrate(&location, primary.pool()).await?;
            warn_of_replica(&location, primary.pool()).await
        };
        let migrated = migrated.await;
        let (place, options) = parse(replica)?;
        let replica = Replica::open(place, options.application_name(NAME)).await?;
        match migrated {
            Err(error @ StoreError::Away { .. }) if replica.is_usable() => {
                tracing::warn!(%error, "everything is read from the replica: {error}");
            }
            migrated => {
                migrated?;
                replica.compare_with(&primary).await;
            }
        }
        Ok(Self::of(location, primary, Some(replica), Claims::none()))
    }

    fn of(location: PathBuf, primary: Server, replica: Option<Replica>, claims: Claims) -> Self {
        Self {
            claims,
            member: Mutex::default(),
            location,
            primary,
            replica,
            refuses_writes: AtomicBool::new(false),
            checked: Mutex::default(),
            damage: OnceLock::new(),
        }
    }
}

/// Logs that a database takes no writes, for a part that can go on without.
async fn warn_of_replica(location: &Path, pool: &PgPool) -> Result<(), StoreError> {
    let is_replica = async {
        let mut transaction = pool.begin().await?;
        let query = sqlx::query_scalar(IS_REPLICA).persistent(PERSISTENT);
        query.fetch_one(&mut *transaction).await
    };
    match is_replica.await {
        Ok(false) => Ok(()),
        Ok(true) => {
            let place = location.display();
            tracing::warn!(
                "database {place} is a replica, which takes no writes: give the primary as --database, and this one as --read-database"
            );
            Ok(())
        }
        Err(error) => Err(explain(location, error)),
    }
}

/// Connects to a server once, so that a failure has its reason: that of a pool would only be that there
/// was no connection within the time.
async fn connect(location: &Path, options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    match timeout(PATIENCE, options.connect()).await {
        Ok(first) => first.map_err(|error| explain(location, error)),
        Err(_) => Err(StoreError::Away {
            path: location.to_owned(),
            reason: format!("no answer within {} s", PATIENCE.as_secs()),
        }),
    }
}

/// Returns the place in a URL for messages, which is without user and password, and its options.
fn parse(url: &str) -> Result<(PathBuf, PgConnectOptions), StoreError> {
    let wrong = |reason: String| StoreError::WrongUrl { reason };
    let parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
    let names_host = parsed.query_pairs().any(|(name, _)| name == "host");
    if parsed.host_str().is_none_or(str::is_empty) && !names_host {
        return Err(wrong("no host after two slashes".to_owned()));
    }
    if parsed.path().len() < 2 {
        return Err(wrong("no name of a database".to_owned()));
    }
    if let Some((name, _)) = parsed
        .query_pairs()
        .find(|(name, _)| !PARAMETERS.contains(&&**name))
    {
        return Err(wrong(format!(
            "there is no parameter '{}'",
            name.escape_debug()
        )));
    }
    let options = PgConnectOptions::from_str(url);
    let options = options.map_err(|_| wrong("an unknown or wrong option".to_owned()))?;
    let host = parsed.host_str().unwrap_or_default();
    let port = parsed.port().map(|it| format!(":{it}")).unwrap_or_default();
    let location = format!("postgres://{host}{port}{}", parsed.path());
    let options = options
        .statement_cache_capacity(0)
        // Poolers refuse parameters that they do not know, and no number here is a fraction.
        .extra_float_digits(None)
        .disable_statement_logging();
    Ok((location.into(), options))
}

/// Refuses a database that a transfer has not filled yet.
async fn refuse_half_filled(location: &Path, pool: &PgPool) -> Result<(), StoreError> {
    let is_half_filled = async {
        let mut transaction = pool.begin().await?;
        let has_record: bool = sqlx::query_scalar(transfer::HAS_RECORD)
            .persistent(PERSISTENT)
            .fetch_one(&mut *transaction)
            .await?;
        if !has_record {
            return Ok(false);
        }
        let query = sqlx::query_scalar(transfer::IS_UNDER_WAY).persistent(PERSISTENT);
        query.fetch_one(&mut *transaction).await
    };
    match is_half_filled.await {
        Ok(false) => Ok(()),
        Ok(true) => Err(StoreError::HalfFilled {
            path: location.to_owned(),
        }),
        Err(error) => Err(explain(location, error)),
    }
}

/// Returns the two facts of [`STATE`].
async fn state(location: &Path, connection: &mut PgConnection) -> Result<(bool, bool), StoreError> {
    let query = sqlx::query_as(STATE).persistent(PERSISTENT);
    let state = query.fetch_one(connection).await;
    state.map_err(|error| explain(location, error))
}

/// Migrates the schema, unless it is the newest already: one process at a time, while others wait.
async fn migrate(location: &Path, pool: &PgPool) -> Result<(), StoreError> {
    let mut is_reported = false;
    while !is_newest(location, pool).await? {
        let turn = turn_to_migrate(pool).await;
        if let Some(turn) = turn.map_err(|error| explain(location, error))? {
            run_migrations(location, pool).await?;
            drop(turn);
            return Ok(());
        }
        if !is_reported {
            is_reported = true;
            let place = location.display();
            tracing::info!(
                "another process makes or changes the tables of {place}: waiting for it"
            );
        }
        sleep(NEXT_TRY).await;
    }
    Ok(())
}

/// Reports whether the schema is the newest one; an error if the database is not for this program.
async fn is_newest(location: &Path, pool: &PgPool) -> Result<bool, StoreError> {
    let explained = |error| explain(location, error);
    let path = location.to_owned();
    let mut transaction = pool.begin().await.map_err(explained)?;
    let encoding: String = sqlx::query_scalar(ENCODING)
        .persistent(PERSISTENT)
        .fetch_one(&mut *transaction)
        .await
        .map_err(explained)?;
    if encoding != "UTF8" {
        let reason = format!(
            "its encoding is {encoding}, which lacks most characters: create it with ENCODING 'UTF8' TEMPLATE template0"
        );
        return Err(StoreError::CannotOpen { path, reason });
    }
    let (is_empty, is_ours) = state(location, &mut transaction).await?;
    if !is_empty && !is_ours {
        return Err(StoreError::OfOtherProgram { path });
    }
    if !is_ours {
        return Ok(false);
    }
    let version: i64 = sqlx::query_scalar(VERSION)
        .persistent(PERSISTENT)
        .fetch_one(&mut *transaction)
        .await
        .map_err(explained)?;
    Ok(version == newest(&MIGRATIONS))
}

/// Returns a transaction during which no other process migrates the schema; `None` while one does.
///
/// A process that waits has no transaction: a pooler has few connections, and the one that migrates needs
/// a second one.
async fn turn_to_migrate(pool: &PgPool) -> sqlx::Result<Option<Transaction<'static, Postgres>>> {
    let mut transaction = pool.begin().await?;
    let query = sqlx::query(STAY_IDLE).persistent(PERSISTENT);
    query.execute(&mut *transaction).await?;
    let query = sqlx::query_scalar(TAKE_TURN_TO_MIGRATE).persistent(PERSISTENT);
    let is_taken: bool = query.fetch_one(&mut *transaction).await?;
    Ok(is_taken.then_some(transaction))
}

/// Runs the migrations that the schema lacks.
async fn run_migrations(location: &Path, pool: &PgPool) -> Result<(), StoreError> {
    let path = location.to_owned();
    match MIGRATIONS.run(pool).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(version)) => Err(StoreError::Newer { path, version }),
        Err(MigrateError::VersionMismatch(version) | MigrateError::Dirty(version)) => {
            Err(StoreError::OtherSchema { path, version })
        }
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
            Err(explain(location, error))
        }
        Err(error) => Err(StoreError::Database {
            path,
            source: error.into(),
        }),
    }
}
