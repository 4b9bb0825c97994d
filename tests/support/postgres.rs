//! Databases on a PostgreSQL server, and paths to it that a test cuts.

use sqlx::{Connection as _, PgConnection, Postgres, QueryBuilder};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};
use url::Url;

/// Variable with the URL of a server, as a user who may create databases.
const SERVER: &str = "AGENTDEX_TEST_POSTGRES";

/// Variable with the URL of a pooler before it, which takes transactions of any database.
const POOLER: &str = "AGENTDEX_TEST_POOLER";

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Database of one test.
pub(crate) struct Database {
    name: String,
}

impl Database {
    /// Creates an empty database; none if no server is named, which the output says.
    pub(crate) async fn create() -> Option<Self> {
        if std::env::var_os(SERVER).is_none() {
            super::skip(&format!("{SERVER} names no server of PostgreSQL"));
            return None;
        }
        Some(Self::created("template0").await)
    }

    /// Creates a database with the same content, which nothing is connected to.
    pub(crate) async fn copy(&self) -> Self {
        Self::created(&self.name).await
    }

    async fn created(template: &str) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        execute(
            &url("postgres"),
            &format!("CREATE DATABASE {name} TEMPLATE {template}"),
        )
        .await;
        Self { name }
    }

    /// Returns its URL.
    pub(crate) fn url(&self) -> String {
        url(&self.name)
    }

    /// Returns its URL through the pooler, if there is one.
    pub(crate) fn pooled_url(&self) -> String {
        let variable = std::env::var(POOLER).map_or(SERVER, |_| POOLER);
        url_of(variable, &self.name)
    }

    /// Returns the number that a query gives.
    pub(crate) async fn number(&self, query: &'static str) -> i64 {
        let mut connection = PgConnection::connect(&self.url()).await.unwrap();
        let number = sqlx::query_scalar(query).fetch_one(&mut connection).await;
        connection.close().await.unwrap();
        number.unwrap()
    }

    /// Counts the rows of a table.
    pub(crate) async fn count(&self, table: &'static str) -> i64 {
        let mut connection = PgConnection::connect(&self.url()).await.unwrap();
        let mut query = QueryBuilder::<Postgres>::new("SELECT COUNT(*) FROM ");
        let count: i64 = query
            .push(table)
            .build_query_scalar()
            .fetch_one(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
        count
    }

    /// Returns the texts that a query gives.
    pub(crate) async fn texts(&self, query: &'static str) -> Vec<String> {
        let mut connection = PgConnection::connect(&self.url()).await.unwrap();
        let texts = sqlx::query_scalar(query).fetch_all(&mut connection).await;
        connection.close().await.unwrap();
        texts.unwrap()
    }

    /// Deletes it.
    pub(crate) async fn drop(self) {
        let statement = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        execute(&url("postgres"), &statement).await;
    }
}

/// Returns the URL of a database of the server.
fn url(name: &str) -> String {
    url_of(SERVER, name)
}

/// Returns the URL of a database of the server that a variable names.
fn url_of(variable: &str, name: &str) -> String {
    let mut url = Url::parse(&std::env::var(variable).unwrap()).unwrap();
    url.set_path(name);
    url.into()
}

async fn execute(url: &str, statement: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let mut query = QueryBuilder::<Postgres>::new("");
    let query = query.push(statement).build().persistent(false);
    query.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// Socket that leads to the server until it is cut. For its clients the server is away then.
pub(crate) struct Gate {
    folder: TempDir,
    server: PathBuf,
    forwarding: Option<JoinHandle<()>>,
}

impl Gate {
    /// Opens a socket that leads to the server.
    pub(crate) fn open() -> Self {
        let server = Url::parse(&url("postgres")).unwrap();
        let folder = server.host_str().unwrap().replace("%2F", "/");
        assert!(folder.starts_with('/'), "{SERVER} names no socket");
        let name = format!(".s.PGSQL.{}", server.port().unwrap_or(5432));
        let mut gate = Self {
            folder: tempfile::tempdir().unwrap(),
            server: Path::new(&folder).join(name),
            forwarding: None,
        };
        gate.restore();
        gate
    }

    /// Returns the URL of a database that leads through it.
    pub(crate) fn url(&self, database: &Database) -> String {
        let folder = self.folder.path().display().to_string();
        let folder = folder.replace('/', "%2F");
        format!("postgres://agentdex@{folder}/{}", database.name)
    }

    /// Cuts all connections, and refuses new ones.
    pub(crate) async fn cut(&mut self) {
        let forwarding = self.forwarding.take().unwrap();
        forwarding.abort();
        // The socket is closed with the task.
        let _ = forwarding.await;
    }

    /// Lets connections through again.
    pub(crate) fn restore(&mut self) {
        let path = self.folder.path().join(".s.PGSQL.5432");
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(path).unwrap();
        self.forwarding = Some(tokio::spawn(forward(listener, self.server.clone())));
    }
}

/// Connects each client to the server.
async fn forward(listener: UnixListener, server: PathBuf) {
    let mut connections = JoinSet::new();
    while let Ok((mut client, _)) = listener.accept().await {
        let server = server.clone();
        connections.spawn(async move {
            let mut server = UnixStream::connect(server).await?;
            copy_bidirectional(&mut client, &mut server).await
        });
    }
}
