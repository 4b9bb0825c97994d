//! Roles of processes, held by a row that its holder renews.
//!
//! A lock of the session would be given back when the connection is cut, or given to another client by
//! a pooler. A row that is not renewed for [`TERM`] may be taken by another process. The holder does
//! nothing from then on, because its own clock tells it how long its last renewal holds; if no other
//! process has the row once the server can be reached again, it goes on.
//!
//! Crawlers are members of a fleet instead, unless one is to be alone.

use super::errors::explain;
use super::members;
use super::persistence::PERSISTENT;
use super::process::process;
use crate::error::StoreError;
use crate::model::Role;
use sqlx::{PgConnection, PgPool};
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// Time for which a role is held after it was taken or renewed.
const TERM: Duration = Duration::from_secs(8);

/// Time between two renewals.
const RENEWAL: Duration = Duration::from_secs(2);

/// A name for this process, which no other one has.
const NAME: &str = "SELECT CAST(gen_random_uuid() AS TEXT)";

/// Takes the role `$1` for the holder `$2`, a process described as `$3`, unless another one has it. The
/// clock is that of the server.
const TAKE: &str = "
    INSERT INTO roles (role, holder, description, since, until)
    VALUES ($1, $2, 'process ' || $3 || COALESCE(' (' || host(inet_client_addr()) || ')', ''),
            now(), now() + make_interval(secs => $4))
    ON CONFLICT (role) DO UPDATE
    SET holder = excluded.holder, description = excluded.description, since = excluded.since,
        until = excluded.until
    WHERE roles.until < now() OR roles.holder = excluded.holder";

/// Extends all roles of the holder `$1` that no other one has taken.
const RENEW: &str = "
    UPDATE roles SET until = now() + make_interval(secs => $2) WHERE holder = $1";

/// Describes the holder of the role `$1`, and when it renewed that for `$2` seconds.
const HOLDER: &str = "
    SELECT description || ', since ' || to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')
           || ', which answered ' || CAST(CAST($2 AS BIGINT) - EXTRACT(EPOCH FROM until - now()) AS BIGINT)
           || ' s ago (its role is free ' || CAST($2 AS BIGINT) || ' s after its last answer),'
    FROM roles WHERE role = $1 AND until >= now()";

/// Gives back all roles of a holder.
const GIVE_BACK: &str = "DELETE FROM roles WHERE holder = $1";

/// State of the roles of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// They are held until this time.
    Current(Instant),
    /// Another process has one.
    Lost,
}

/// Roles that this process holds until it ends.
#[derive(Debug)]
pub(super) struct Claims {
    holder: String,
    /// Number of roles.
    roles: u32,
    /// `None` if this process has no roles.
    state: Option<watch::Receiver<State>>,
    renewal: Option<AbortHandle>,
}

impl Claims {
    /// Returns the state of a process without roles.
    pub(super) fn none() -> Self {
        Self {
            holder: String::new(),
            roles: 0,
            state: None,
            renewal: None,
        }
    }

    /// Takes roles, of which each but those of web servers and crawlers has one holder.
    pub(super) async fn take(
        location: &Path,
        pool: &PgPool,
        roles: &[Role],
    ) -> Result<Self, StoreError> {
        let explained = |error| explain(location, error);
        let shared = [Role::Web, Role::Crawler];
        let exclusive: Vec<Role> = roles
            .iter()
            .copied()
            .filter(|it| !shared.contains(it))
            .collect();
        let in_use = |role, holder| StoreError::InUse {
            path: location.to_owned(),
            role,
            holder,
        };
        if roles.contains(&Role::Crawler)
            && let Some(other) = holder_of(pool, Role::Crawler).await.map_err(explained)?
        {
            return Err(in_use(Role::Crawler, other));
        }
        if exclusive.is_empty() {
            return Ok(Self::none());
        }
        let roles = u32::try_from(exclusive.len()).unwrap_or(u32::MAX);
        let holder = name(pool).await.map_err(explained)?;
        let before = Instant::now();
        for role in &exclusive {
            let taken = take(pool, *role, &holder).await;
            if let Some(other) = taken.map_err(explained)? {
                let _ = give_back(pool, &holder).await;
                return Err(in_use(*role, other));
            }
        }
        let (sender, state) = watch::channel(State::Current(before + TERM));
        let task = tokio::spawn(renew(
            pool.clone(),
            holder.clone(),
            u64::from(roles),
            sender,
        ));
        Ok(Self {
            holder,
            roles,
            state: Some(state),
            renewal: Some(task.abort_handle()),
        })
    }

    /// Returns the name of this process as a holder of roles; `None` if it has none of its own.
    pub(super) fn holder(&self) -> Option<&str> {
        self.state.as_ref().map(|_| self.holder.as_str())
    }

    /// Returns the number of roles of this process.
    pub(super) fn roles(&self) -> i64 {
        i64::from(self.roles)
    }

    /// Returns an error while this process does not hold its roles.
    pub(super) fn check(&self, location: &Path) -> Result<(), StoreError> {
        let path = location.to_owned();
        let Some(state) = &self.state else {
            return Ok(());
        };
        match *state.borrow() {
            State::Current(until) if until > Instant::now() => Ok(()),
            State::Current(_) => Err(StoreError::Away {
                path,
                reason: "the role of this process could not be renewed".to_owned(),
            }),
            State::Lost => Err(StoreError::RoleLost { path }),
        }
    }

    /// Completes once another process has a role of this one.
    pub(super) async fn lost(&self, location: &Path) -> StoreError {
        let Some(mut state) = self.state.clone() else {
            return std::future::pending().await;
        };
        let is_lost = state.wait_for(|it| *it == State::Lost).await.is_ok();
        if !is_lost {
            // The roles were given back.
            return std::future::pending().await;
        }
        StoreError::RoleLost {
            path: location.to_owned(),
        }
    }

    /// Gives the roles back.
    pub(super) async fn give_back(&self, pool: &PgPool) {
        if let Some(renewal) = &self.renewal {
            renewal.abort();
            if let Err(error) = give_back(pool, &self.holder).await {
                tracing::warn!(%error, "a role stays taken for some seconds: {error}");
            }
        }
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        if let Some(renewal) = &self.renewal {
            renewal.abort();
        }
    }
}

async fn name(pool: &PgPool) -> sqlx::Result<String> {
    let mut transaction = pool.begin().await?;
    let query = sqlx::query_scalar(NAME).persistent(PERSISTENT);
    query.fetch_one(&mut *transaction).await
}

/// Returns the description of the holder of a role, if it has one.
async fn holder_of(pool: &PgPool, role: Role) -> sqlx::Result<Option<String>> {
    let mut transaction = pool.begin().await?;
    describe(&mut transaction, role).await
}

async fn describe(connection: &mut PgConnection, role: Role) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(HOLDER)
        .persistent(PERSISTENT)
        .bind(role.to_string())
        .bind(i64::try_from(TERM.as_secs()).unwrap_or(i64::MAX))
        .fetch_optional(connection)
        .await
}

/// Takes a role; the description of its holder if another process has it.
async fn take(pool: &PgPool, role: Role, holder: &str) -> sqlx::Result<Option<String>> {
    let mut transaction = pool.begin().await?;
    if role == Role::SoleCrawler
        && let Some(member) = members::any_member(&mut transaction).await?
    {
        return Ok(Some(member));
    }
    let taken = sqlx::query(TAKE)
        .persistent(PERSISTENT)
        .bind(role.to_string())
        .bind(holder)
        .bind(process())
        .bind(TERM.as_secs_f64())
        .execute(&mut *transaction)
        .await?;
    let other = match taken.rows_affected() {
        0 => describe(&mut transaction, role).await?,
        _ => None,
    };
    transaction.commit().await?;
    Ok(other)
}

async fn give_back(pool: &PgPool, holder: &str) -> sqlx::Result<()> {
    let mut transaction = pool.begin().await?;
    let query = sqlx::query(GIVE_BACK).persistent(PERSISTENT).bind(holder);
    query.execute(&mut *transaction).await?;
    transaction.commit().await
}

/// Renews the roles of a holder until it has lost one.
async fn renew(pool: PgPool, holder: String, roles: u64, state: watch::Sender<State>) {
    let mut is_failing = false;
    loop {
        tokio::time::sleep(RENEWAL).await;
        let before = Instant::now();
        let renewed = async {
            let mut transaction = pool.begin().await?;
            let query = sqlx::query(RENEW).persistent(PERSISTENT);
            let query = query.bind(&holder).bind(TERM.as_secs_f64());
            let renewed = query.execute(&mut *transaction).await?.rows_affected();
            transaction.commit().await?;
            Ok::<_, sqlx::Error>(renewed)
        };
        match renewed.await {
            Ok(renewed) if renewed == roles => {
                is_failing = false;
                state.send_replace(State::Current(before + TERM));
            }
            Ok(_) => {
                state.send_replace(State::Lost);
                return;
            }
            // The first of many says it all.
            Err(_) if is_failing => {}
            Err(error) => {
                is_failing = true;
                tracing::warn!(%error, "cannot renew the role of this process: {error}");
            }
        }
    }
}
