//! Tests of the store, each run on a new database of every supported kind.

#![expect(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod cast;
mod postgres;

/// Makes each function a test with its own database.
macro_rules! on_every_database {
    ($($story:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $story() {
                    let place = tempfile::tempdir().unwrap();
                    let store = crate::cast::sqlite(place.path()).await;
                    super::$story(&*store).await;
                }
            )+
        }

        mod postgres {
            $(
                #[tokio::test]
                async fn $story() {
                    let Some(database) = crate::postgres::Database::create().await else {
                        return;
                    };
                    super::$story(&*database.open().await).await;
                    database.drop().await;
                }
            )+
        }
    };
}

mod agents;
mod backup;
mod chance;
mod claims;
mod clock;
mod edge_answers;
mod exclusions;
mod feed;
mod fleet;
mod frontier;
mod history;
mod log;
mod migrations;
mod moderation;
mod named;
mod opening;
mod retention;
mod sessions;
mod status;
mod strangers_day;
mod submissions;
mod transfer;
mod untaken;
mod visits;
