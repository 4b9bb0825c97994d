//! Databases on a PostgreSQL server, one for each story.

use crate::cast::{NOON, minutes, seeds};
use sqlx::{Connection as _, PgConnection, Postgres, QueryBuilder};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use store::{FleetPlan, Role, Store, StoreError};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use url::Url;

/// Variable with the URL of a server, as a user who may create databases.
const SERVER: &str = "AGENTDEX_TEST_POSTGRES";

/// Variable with the URL of a pooler before it, through which stories work then.
const POOLER: &str = "AGENTDEX_TEST_POOLER";

/// Longest wait for a renewal of a role.
const PATIENCE: Duration = Duration::from_secs(20);

/// Name of a database with the schema, which every other one is a copy of.
static TEMPLATE: OnceCell<String> = OnceCell::const_new();

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Database of one story.
pub(crate) struct Database {
    name: String,
}

impl Database {
    /// Creates a database; none if no server is named, which the output says.
    #[expect(clippy::print_stdout, reason = "a skipped test says so")]
    pub(crate) async fn create() -> Option<Self> {
        if std::env::var_os(SERVER).is_none() {
            println!("SKIPPED on PostgreSQL: {SERVER} names no server");
            return None;
        }
        let template = TEMPLATE.get_or_init(template).await;
        Some(Self::created(template).await)
    }

    /// Creates a database without tables; none if no server is named.
    async fn create_empty() -> Option<Self> {
        std::env::var_os(SERVER)?;
        Some(Self::created("template0").await)
    }

    async fn created(template: &str) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("story_{}_{number}", std::process::id());
        execute(format_args!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        Self { name }
    }

    /// Opens it, without a role.
    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        self.open_as(&[]).await.unwrap()
    }

    async fn open_as(&self, roles: &[Role]) -> Result<Arc<dyn Store>, StoreError> {
        let variable = std::env::var(POOLER).map_or(SERVER, |_| POOLER);
        store::open(&url(variable, &self.name), roles).await
    }

    /// Returns its URL, past the pooler.
    pub(crate) fn url(&self) -> String {
        url(SERVER, &self.name)
    }

    /// Opens a plain connection.
    pub(crate) async fn stranger(&self) -> PgConnection {
        PgConnection::connect(&self.url()).await.unwrap()
    }

    /// Deletes it.
    pub(crate) async fn drop(self) {
        execute(format_args!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
    }
}

/// Creates a database with the schema, and returns its name.
async fn template() -> String {
    let name = format!("template_{}", std::process::id());
    execute(format_args!("DROP DATABASE IF EXISTS {name}")).await;
    execute(format_args!("CREATE DATABASE {name} TEMPLATE template0")).await;
    let store = store::open(&url(SERVER, &name), &[]).await.unwrap();
    store.close().await;
    name
}

/// Returns the URL of a database of the server that a variable names.
fn url(variable: &str, name: &str) -> String {
    let mut url = Url::parse(&std::env::var(variable).unwrap()).unwrap();
    url.set_path(name);
    url.into()
}

async fn execute(statement: impl std::fmt::Display) {
    let mut connection = PgConnection::connect(&url(SERVER, "postgres"))
        .await
        .unwrap();
    let mut query = QueryBuilder::<Postgres>::new("");
    let query = query.push(statement).build().persistent(false);
    query.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_second_indexer_is_refused_until_the_first_one_has_ended() {
    let Some(database) = Database::create().await else {
        return;
    };
    let indexer = database.open_as(&[Role::Indexer]).await.unwrap();
    let refusal = database.open_as(&[Role::Indexer]).await.unwrap_err();
    assert!(matches!(refusal, StoreError::InUse { .. }), "{refusal}");
    let process = format!("indexer process {}", std::process::id());
    assert!(refusal.to_string().starts_with(&process), "{refusal}");
    for others in [&[Role::Crawler][..], &[Role::Web], &[Role::Web], &[]] {
        database.open_as(others).await.unwrap();
    }
    indexer.close().await;
    database.open_as(&[Role::Indexer]).await.unwrap();
    database.drop().await;
}

#[tokio::test]
async fn a_process_that_is_to_be_the_only_crawler_is_refused_beside_members_of_a_fleet() {
    let Some(database) = Database::create().await else {
        return;
    };
    let sole = [Role::SoleCrawler];
    let (term, options) = (Duration::from_mins(1), BTreeMap::new());
    let first = database.open_as(&[Role::Crawler]).await.unwrap();
    let second = database.open_as(&[Role::Crawler]).await.unwrap();
    first.join_fleet(term, &options).await.unwrap().unwrap();
    let refusal = database.open_as(&sole).await.unwrap_err().to_string();
    let process = format!("crawler process {}", std::process::id());
    assert!(refusal.starts_with(&process), "{refusal}");

    let mut connection = database.stranger().await;
    let expire = "UPDATE crawlers SET until = now() - INTERVAL '1 second'";
    sqlx::query(expire).execute(&mut connection).await.unwrap();
    let alone = database.open_as(&sole).await.unwrap();
    assert!(alone.fleet().await.unwrap().unwrap().members.is_empty());
    let refusal = database.open_as(&[Role::Crawler]).await.unwrap_err();
    assert!(matches!(refusal, StoreError::InUse { .. }), "{refusal}");
    second.join_fleet(term, &options).await.unwrap_err();
    alone.close().await;
    second.join_fleet(term, &options).await.unwrap().unwrap();
    connection.close().await.unwrap();
    database.drop().await;
}

#[tokio::test]
async fn only_an_opening_that_may_create_a_registry_makes_its_tables() {
    let Some(database) = Database::create_empty().await else {
        return;
    };
    let url = database.url();
    let existing = || store::open_existing(&url, &[]);
    assert!(existing().await.unwrap().is_none());
    assert!(existing().await.unwrap().is_none());
    store::open(&url, &[]).await.unwrap().close().await;
    let opened = existing().await.unwrap().unwrap();
    opened.close().await;
    database.drop().await;
}

/// Through a pooler some fail, since the statements of a migration may go to different connections.
#[tokio::test]
async fn starts_at_once_on_an_empty_database_leave_no_lock_behind() {
    let Some(database) = Database::create_empty().await else {
        return;
    };
    let starts = (0..4).map(|_| async {
        if let Ok(store) = database.open_as(&[]).await {
            store.close().await;
        }
    });
    futures_util::future::join_all(starts).await;
    let url = database.url();
    let opened = timeout(PATIENCE, store::open(&url, &[])).await;
    opened.unwrap().unwrap().close().await;
    database.drop().await;
}

#[tokio::test]
async fn tables_that_the_user_may_not_read_are_those_of_another_program_too() {
    let Some(database) = Database::create().await else {
        return;
    };
    let (name, user) = (
        format!("{}_other", database.name),
        format!("user_of_{}", database.name),
    );
    execute(format_args!("CREATE DATABASE {name} TEMPLATE template0")).await;
    execute(format_args!("CREATE ROLE {user} LOGIN")).await;
    let mut other = Url::parse(&url(SERVER, &name)).unwrap();
    let mut connection = PgConnection::connect(other.as_str()).await.unwrap();
    let mut query = QueryBuilder::<Postgres>::new("GRANT CREATE, USAGE ON SCHEMA public TO ");
    let query = query.push(&user).build().persistent(false);
    query.execute(&mut connection).await.unwrap();
    let table = "CREATE TABLE customers (id INT)";
    sqlx::query(table).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();

    other.set_username(&user).unwrap();
    let refusal = store::open(other.as_str(), &[]).await.unwrap_err();
    assert!(
        matches!(refusal, StoreError::OfOtherProgram { .. }),
        "{refusal}"
    );
    execute(format_args!("DROP DATABASE {name} WITH (FORCE)")).await;
    execute(format_args!("DROP ROLE {user}")).await;
    database.drop().await;
}

#[tokio::test]
async fn a_user_without_rights_learns_which_one_it_lacks() {
    let Some(database) = Database::create().await else {
        return;
    };
    database.open_as(&[]).await.unwrap().close().await;
    let user = format!("reader_of_{}", database.name);
    execute(format_args!("CREATE ROLE {user} LOGIN")).await;
    let mut other = Url::parse(&database.url()).unwrap();
    other.set_username(&user).unwrap();
    let refusal = store::open(other.as_str(), &[]).await.unwrap_err();
    let text = refusal.to_string();
    assert!(
        text.ends_with("refuses its user: permission denied for table _sqlx_migrations; make that user the owner of the database"),
        "{text}"
    );
    assert!(refusal.is_wrong_name());
    execute(format_args!("DROP ROLE {user}")).await;
    database.drop().await;
}

/// A server that is stopped, or a firewall that drops packets, answers nothing.
#[tokio::test]
async fn a_server_that_accepts_and_answers_nothing_is_away() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("postgres://me:secret@{address}/registry");
    let opened = timeout(PATIENCE, store::open(&url, &[Role::Crawler])).await;
    let error = opened.unwrap().unwrap_err().to_string();
    assert_eq!(
        error,
        format!("database postgres://{address}/registry is away (no answer within 5 s)")
    );
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_not_changed() {
    let Some(database) = Database::create().await else {
        return;
    };
    let name = format!("{}_other", database.name);
    execute(format_args!("CREATE DATABASE {name} TEMPLATE template0")).await;
    let other = url(SERVER, &name);
    let mut connection = PgConnection::connect(&other).await.unwrap();
    let table = "CREATE TABLE notes (text TEXT)";
    sqlx::query(table).execute(&mut connection).await.unwrap();
    let refusal = store::open(&other, &[]).await.unwrap_err();
    assert!(
        matches!(refusal, StoreError::OfOtherProgram { .. }),
        "{refusal}"
    );
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'";
    let tables: i64 = sqlx::query_scalar(tables)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(tables, 1);
    connection.close().await.unwrap();
    execute(format_args!("DROP DATABASE {name} WITH (FORCE)")).await;
    database.drop().await;
}

#[tokio::test]
async fn a_role_that_another_process_has_taken_is_lost_and_one_that_lapsed_is_not() {
    let Some(database) = Database::create().await else {
        return;
    };
    let crawler = database.open_as(&[Role::SoleCrawler]).await.unwrap();
    let mut connection = PgConnection::connect(&url(SERVER, &database.name))
        .await
        .unwrap();
    let lapse = "UPDATE roles SET until = now() - INTERVAL '1 minute'";
    sqlx::query(lapse).execute(&mut connection).await.unwrap();
    // The next renewal makes it current again, within two seconds.
    let current = "SELECT until > now() FROM roles";
    let renewed = async {
        while !sqlx::query_scalar::<_, bool>(current)
            .fetch_one(&mut connection)
            .await
            .unwrap()
        {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, renewed).await.unwrap();
    crawler.last_change().await.unwrap();
    let take = "UPDATE roles SET holder = 'another'";
    sqlx::query(take).execute(&mut connection).await.unwrap();
    let loss = timeout(PATIENCE, crawler.watch()).await.unwrap();
    assert!(matches!(loss, StoreError::RoleLost { .. }), "{loss}");
    let refusal = crawler.last_change().await.unwrap_err();
    assert!(matches!(refusal, StoreError::RoleLost { .. }), "{refusal}");
    crawler.close().await;
    connection.close().await.unwrap();
    database.drop().await;
}

#[tokio::test]
async fn a_process_that_lost_one_of_its_roles_writes_nothing_even_before_it_notices() {
    let Some(database) = Database::create().await else {
        return;
    };
    let roles = [Role::SoleCrawler, Role::Indexer];
    let both = database.open_as(&roles).await.unwrap();
    let seeds = seeds(&["a.example"]);
    let mut connection = database.stranger().await;
    let take = "UPDATE roles SET holder = 'another' WHERE role = 'indexer'";
    sqlx::query(take).execute(&mut connection).await.unwrap();
    // Its own clock says that it holds both until the next renewal.
    both.add_seeds(&seeds, false, NOON).await.unwrap_err();
    let other = database.open().await;
    let leases = other.lease_domains(NOON, minutes(30), 1).await.unwrap();
    assert_eq!(leases.len(), 0, "a seed was written");
    both.close().await;
    other.close().await;
    connection.close().await.unwrap();
    database.drop().await;
}

#[tokio::test]
async fn a_start_releases_the_leases_of_processes_that_have_ended_and_no_others() {
    let Some(database) = Database::create().await else {
        return;
    };
    let running = database.open_as(&[Role::Crawler]).await.unwrap();
    let name = running
        .join_fleet(Duration::from_mins(1), &BTreeMap::new())
        .await
        .unwrap();
    running
        .add_seeds(&seeds(&["a.example", "b.example"]), false, NOON)
        .await
        .unwrap();
    let until = minutes(30);
    let leases = running.lease_domains(NOON, until, 1).await.unwrap();
    let other = database.open().await;
    assert_eq!(other.lease_domains(NOON, until, 1).await.unwrap().len(), 1);
    let released = other.release_leases(minutes(1), 1_000, 0).await.unwrap();
    assert_eq!(released.len(), 1, "of a process that is no member");
    assert_ne!(released[0], leases[0].domain);

    let last = crate::fleet::renewal(&name.unwrap(), 1, FleetPlan::default());
    running.leave_fleet(&last).await.unwrap();
    running.close().await;
    let released = other.release_leases(minutes(2), 1_000, 0).await.unwrap();
    assert_eq!(released, [leases[0].domain.clone()]);
    other.close().await;
    database.drop().await;
}
