//! Sizes of a fleet's database and the distance of its indexes, once a minute.

use super::members::Members;
use super::verdict::UNREAD;
use crate::support::postgres::Database;
use search::Searcher;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_mins(1);

/// Largest tables, the parts of the queue as one: megabytes with indexes, and dead rows.
const TABLES: &str = "
    SELECT string_agg(format('%s %s MB %s dead', name, bytes / 1000000, dead), ', ' ORDER BY bytes DESC)
    FROM (
        SELECT regexp_replace(relname, '_[0-9]$', '') AS name,
               SUM(pg_total_relation_size(relid))::BIGINT AS bytes, SUM(n_dead_tup)::BIGINT AS dead
        FROM pg_stat_user_tables GROUP BY 1 ORDER BY 2 DESC LIMIT 8) AS largest";

/// Sizes that are printed while a fleet works.
pub(crate) struct Sizes<'a> {
    database: &'a Database,
    began: Instant,
    printed: Instant,
}

impl<'a> Sizes<'a> {
    pub(crate) fn new(database: &'a Database) -> Self {
        let now = Instant::now();
        Self {
            database,
            began: now,
            printed: now,
        }
    }

    /// Prints the sizes if a minute has passed.
    #[expect(clippy::print_stdout, reason = "the figures are the answer")]
    pub(crate) async fn watch(&mut self, members: &Members<'_>) {
        if self.printed.elapsed() < INTERVAL {
            return;
        }
        self.printed = Instant::now();
        let number = async |query| self.database.number(query).await;
        let visited = number("SELECT COUNT(*) FROM domains WHERE last_visit IS NOT NULL").await;
        let unread = number(UNREAD).await;
        let last = number("SELECT COALESCE(MAX(seq), 0)::BIGINT FROM changes").await;
        let indexes = members.indexers.iter().map(|(_, index)| {
            let searcher = Searcher::open(index, None).ok();
            let committed = searcher.and_then(|it| it.committed().ok()).unwrap_or(0);
            last - i64::try_from(committed).unwrap()
        });
        let tables = self.database.texts(TABLES).await.join("");
        println!(
            "{:>4} min: {} crawlers, {visited} visited, {unread} domains unread, indexes {:?} changes behind; {tables}",
            self.began.elapsed().as_secs() / 60,
            members.crawlers.len(),
            indexes.collect::<Vec<_>>()
        );
    }
}
