//! A replica of the database, which has everything some moments later.
//!
//! An agent that was taken down must be gone from every answer within seconds. The replica is therefore compared
//! with its primary once a second, by the number of the newest change, which every take-down of an agent
//! raises; while it is [`MOST_BEHIND`] or more, the primary answers. A replica follows its primary's log
//! in order, so nothing that came before a change that it has is missing.

use super::errors::explain;
use super::migrations::{MIGRATIONS, STATE, VERSION};
use super::persistence::PERSISTENT;
use super::server::{BEGIN_READING, Server};
use crate::error::StoreError;
use crate::migrations::newest;
use crate::model::FeedState;
use crate::sql::changes::FEED_STATE;
use sqlx::postgres::PgConnectOptions;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Age of the oldest change that the replica may miss before the primary answers in its place.
const MOST_BEHIND: Duration = Duration::from_secs(5);

/// Time between two comparisons.
const COMPARISON: Duration = Duration::from_secs(1);

/// Time to wait at the start for a new schema of the primary.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time between two looks at its schema.
const GLANCE: Duration = Duration::from_millis(100);

/// Timeline of a server that takes writes; NULL of one that follows another. It is the start of the name
/// of its current log file.
const TIMELINE: &str = "
    SELECT CASE WHEN NOT pg_is_in_recovery()
                THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END";

/// A replica, with its state as of the last comparison.
#[derive(Debug)]
pub(super) struct Replica {
    location: PathBuf,
    server: Server,
    state: Mutex<State>,
}

/// Comparison of a replica with its primary.
#[derive(Debug, Default)]
struct State {
    fitness: Fitness,
    lag: Lag,
    /// Newest change of the replica at the comparison before.
    last_change: u64,
}

/// Use that can be made of a replica.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Fitness {
    /// It answers.
    #[default]
    Current,
    /// It answers only while the primary is away.
    Behind,
    /// It does not answer, for this reason.
    Unusable(String),
}

/// Position of a database in its history.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    /// Newest migration; zero of a database without our tables.
    version: i64,
    /// Change log, if its schema is that of this program.
    feed: Option<FeedState>,
    /// Timeline of a server that takes writes: each promotion begins another one.
    timeline: Option<String>,
}

/// Delay of a replica.
#[derive(Debug, Default)]
struct Lag {
    /// A change that it did not have when it was compared, and the time of that.
    missing: Option<(u64, Instant)>,
    /// Delay at the last comparison.
    last: Duration,
}

impl Lag {
    /// Returns the time for which the replica has missed a change, given the newest ones of both.
    fn compare(&mut self, primary: u64, replica: u64, now: Instant) -> Duration {
        // A primary that was restored has lower numbers.
        self.missing = self
            .missing
            .filter(|(number, _)| (replica + 1..=primary).contains(number));
        if self.missing.is_none() && primary > replica {
            self.missing = Some((primary, now));
        }
        self.last = self
            .missing
            .map_or(Duration::ZERO, |(_, since)| now.duration_since(since));
        self.last
    }
}

impl State {
    /// Compares a replica with its primary. A position that is not known decides nothing.
    fn compare(&mut self, primary: Option<&Position>, replica: Option<&Position>, now: Instant) {
        let Some(replica) = replica else {
            return;
        };
        let wanted = newest(&MIGRATIONS);
        let Some(feed) = &replica.feed else {
            let version = replica.version;
            self.fitness = Fitness::Unusable(format!(
                "it is at version {version} of the schema, and this program needs {wanted}"
            ));
            return;
        };
        let feed_of_primary = primary.and_then(|it| it.feed.as_ref());
        self.fitness = match feed_of_primary {
            Some(primary) if primary.epoch != feed.epoch => Fitness::Unusable(
                "its change log is not that of --database: it is a replica of another one"
                    .to_owned(),
            ),
            Some(_) if is_another_timeline(primary, replica) => Fitness::Unusable(
                "it follows no other server any more: it was promoted, and --database does not lead to it"
                    .to_owned(),
            ),
            // The primary was read after that.
            Some(primary) if primary.last_change < self.last_change => Fitness::Unusable(
                "it has changes that --database lacks, such as a primary from before another one was promoted: \
                 make it a replica again"
                    .to_owned(),
            ),
            Some(primary) => {
                let lag = self.lag.compare(primary.last_change, feed.last_change, now);
                if lag < MOST_BEHIND {
                    Fitness::Current
                } else {
                    Fitness::Behind
                }
            }
            None if self.fitness == Fitness::Behind => Fitness::Behind,
            None => Fitness::Current,
        };
        self.last_change = feed.last_change;
    }
}

/// Reports whether both servers take writes, and one of them since a promotion.
fn is_another_timeline(primary: Option<&Position>, replica: &Position) -> bool {
    let of_primary = primary.and_then(|it| it.timeline.as_ref());
    let of_replica = replica.timeline.as_ref();
    of_primary
        .zip(of_replica)
        .is_some_and(|(one, other)| one != other)
}

impl Replica {
    /// Connects to a replica, which may be away, and waits for a schema that its primary has just got.
    pub(super) async fn open(
        location: PathBuf,
        options: PgConnectOptions,
    ) -> Result<Self, StoreError> {
        let server = Server::new(location.clone(), options);
        let deadline = Instant::now() + PATIENCE;
        let wanted = newest(&MIGRATIONS);
        let mut state = State::default();
        loop {
            let found = position(&server).await;
            match found.map_err(|error| explain(&location, error)) {
                Ok(found) if found.version == wanted => break,
                Ok(found) if found.version > wanted => {
                    return Err(StoreError::Newer {
                        path: location,
                        version: found.version,
                    });
                }
                Ok(_) if Instant::now() < deadline => sleep(GLANCE).await,
                Ok(found) => {
                    return Err(StoreError::ReplicaOlder {
                        path: location,
                        version: found.version,
                        wanted,
                    });
                }
                Err(error @ StoreError::Away { .. }) => {
                    tracing::warn!(%error, "everything is read from the primary: {error}");
                    state.fitness = Fitness::Unusable("it has not been reached yet".to_owned());
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Self {
            location,
            server,
            state: Mutex::new(state),
        })
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// Reports whether it has everything that it must have to answer in the primary's place.
    pub(super) fn is_current(&self) -> bool {
        self.state().fitness == Fitness::Current
    }

    /// Reports whether it may answer while the primary is away.
    pub(super) fn is_usable(&self) -> bool {
        !matches!(self.state().fitness, Fitness::Unusable(_))
    }

    /// Returns its delay at the last comparison.
    pub(super) fn lag(&self) -> Duration {
        self.state().lag.last
    }

    /// Returns its place, for messages.
    pub(super) fn location(&self) -> &Path {
        &self.location
    }

    /// Returns the reason for which it must not be read at all, if there is one.
    pub(super) fn fault(&self) -> Option<String> {
        match &self.state().fitness {
            Fitness::Unusable(reason) => Some(reason.clone()),
            Fitness::Current | Fitness::Behind => None,
        }
    }

    /// Compares it with its primary once.
    pub(super) async fn compare_with(&self, primary: &Server) {
        // The primary first: what it gets meanwhile is not missing.
        let of_primary = position(primary).await.ok();
        let of_replica = position(&self.server).await.ok();
        self.compare(of_primary.as_ref(), of_replica.as_ref());
    }

    /// Compares it with its primary once a second.
    pub(super) async fn follow(&self, primary: &Server) -> Infallible {
        loop {
            self.compare_with(primary).await;
            sleep(COMPARISON).await;
        }
    }

    /// Compares it with its primary, and logs what changes by that.
    fn compare(&self, primary: Option<&Position>, replica: Option<&Position>) {
        let mut state = self.state();
        let before = state.fitness.clone();
        state.compare(primary, replica, Instant::now());
        if state.fitness == before {
            return;
        }
        let place = self.location.display();
        match &state.fitness {
            Fitness::Current => tracing::info!("the replica {place} answers"),
            Fitness::Behind => tracing::warn!(
                "the replica {place} is {} s behind: the primary answers until it has caught up",
                state.lag.last.as_secs()
            ),
            Fitness::Unusable(reason) => {
                tracing::warn!("the replica {place} is not used: {reason}");
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the position of a database.
async fn position(server: &Server) -> sqlx::Result<Position> {
    let mut transaction = server.begin(BEGIN_READING).await?;
    let (_, is_ours): (bool, bool) = sqlx::query_as(STATE)
        .persistent(PERSISTENT)
        .fetch_one(&mut *transaction)
        .await?;
    if !is_ours {
        return Ok(Position {
            version: 0,
            feed: None,
            timeline: None,
        });
    }
    let version: i64 = sqlx::query_scalar(VERSION)
        .persistent(PERSISTENT)
        .fetch_one(&mut *transaction)
        .await?;
    let feed = if version == newest(&MIGRATIONS) {
        let query = sqlx::query_as(FEED_STATE).persistent(PERSISTENT);
        Some(query.fetch_one(&mut *transaction).await?)
    } else {
        None
    };
    let timeline = sqlx::query_scalar(TIMELINE)
        .persistent(PERSISTENT)
        .fetch_one(&mut *transaction)
        .await?;
    Ok(Position {
        version,
        feed,
        timeline,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(epoch: &str, last_change: u64) -> Position {
        Position {
            version: newest(&MIGRATIONS),
            feed: Some(FeedState {
                epoch: epoch.to_owned(),
                withdrawals: 0,
                last_change,
            }),
            timeline: None,
        }
    }

    #[test]
    fn a_promoted_replica_is_not_read_beside_its_old_primary() {
        let with_timeline = |timeline: Option<&str>| Position {
            timeline: timeline.map(str::to_owned),
            ..position("a", 3)
        };
        let mut state = State::default();
        for (primary, replica, is_read) in [
            (Some("00000001"), None, true),
            (Some("00000001"), Some("00000002"), false),
            (Some("00000002"), Some("00000002"), true),
            (None, Some("00000002"), true),
        ] {
            let (primary, replica) = (with_timeline(primary), with_timeline(replica));
            state.compare(Some(&primary), Some(&replica), Instant::now());
            assert_eq!(state.fitness == Fitness::Current, is_read, "{replica:?}");
        }
        let promoted = with_timeline(Some("00000002"));
        state.compare(None, Some(&promoted), Instant::now());
        assert_eq!(state.fitness, Fitness::Current, "the primary is away");
    }

    #[test]
    fn a_replica_that_misses_a_change_for_too_long_is_behind_until_it_has_caught_up() {
        let start = Instant::now();
        let mut state = State::default();
        let mut after = |seconds, primary: u64, replica: u64| {
            let (primary, replica) = (position("a", primary), position("a", replica));
            let now = start + Duration::from_secs(seconds);
            state.compare(Some(&primary), Some(&replica), now);
            (state.fitness.clone(), state.lag.last.as_secs())
        };
        assert_eq!(after(0, 7, 7), (Fitness::Current, 0));
        assert_eq!(after(1, 9, 7), (Fitness::Current, 0));
        // It goes on, but never has what the primary had a second before.
        assert_eq!(after(2, 11, 9), (Fitness::Current, 0));
        assert_eq!(after(5, 20, 10), (Fitness::Current, 3));
        assert_eq!(after(7, 20, 10), (Fitness::Behind, 5));
        assert_eq!(after(8, 20, 11), (Fitness::Current, 0));
        assert_eq!(after(20, 20, 11), (Fitness::Behind, 12));
        assert_eq!(after(21, 20, 20), (Fitness::Current, 0));
    }

    #[test]
    fn a_database_with_changes_that_its_primary_lacks_is_no_replica() {
        let now = Instant::now();
        let mut state = State::default();
        let mut after = |primary: u64, replica: u64| {
            let (primary, replica) = (position("a", primary), position("a", replica));
            state.compare(Some(&primary), Some(&replica), now);
            state.fitness.clone()
        };
        assert_eq!(after(5, 6), Fitness::Current, "the primary was read first");
        assert_eq!(after(6, 7), Fitness::Current);
        assert!(matches!(after(6, 7), Fitness::Unusable(_)));
        assert_eq!(after(7, 7), Fitness::Current);
    }

    #[test]
    fn a_replica_of_another_database_or_schema_is_not_used() {
        let (now, ours) = (Instant::now(), position("a", 1));
        let mut state = State::default();
        state.compare(Some(&ours), Some(&position("b", 1)), now);
        assert!(matches!(state.fitness, Fitness::Unusable(_)));
        state.compare(Some(&ours), Some(&ours), now);
        assert_eq!(state.fitness, Fitness::Current);
        let older = Position {
            version: 24,
            feed: None,
            timeline: None,
        };
        state.compare(None, Some(&older), now);
        let Fitness::Unusable(reason) = &state.fitness else {
            panic!("{:?}", state.fitness);
        };
        assert!(reason.contains("at version 24"), "{reason}");
        state.compare(None, Some(&ours), now);
        assert_eq!(state.fitness, Fitness::Current);
        state.compare(None, None, now);
        assert_eq!(state.fitness, Fitness::Current);
    }
}
