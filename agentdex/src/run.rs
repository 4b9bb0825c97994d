//! The parts, run concurrently: they share the store and stop together.

use crate::config::{CommandLine, Options};
use crate::demo::Demo;
use crate::supervisor::Supervisor;
use admin::{Signal, Signals};
use anyhow::Context as _;
use crawler::config::{Config as CrawlerConfig, KeyDirectory};
use crawler::metrics::Crawl;
use crawler::run::{Control, RunError};
use crawler::summary::Progress;
use crawler::{descriptors, progress};
use export::daily;
use indexer::run::Until;
use search::embedding;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::{Role, Store, StoreError};
use terminal::{announce, say, without_password};
use tokio_util::sync::CancellationToken;
use web::crawler_identity::CrawlerIdentity;
use web::server::Limits;

/// Time for which the indexer may take longer to stop than the crawler.
const SLACK: Duration = Duration::from_secs(1);

/// Interval between checks whether the first crawl is done.
const GLANCE: Duration = Duration::from_millis(250);

/// Successful end of a run, or a usage error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitReason {
    /// Stopped by the operator.
    Stopped(Signal),
    /// Invalid command line; the reason was printed.
    WrongUsage,
}

/// Returns the identity of the crawler, with the public part of the key that signs its requests.
fn crawler_identity(line: &Options, web: &web::Config) -> anyhow::Result<CrawlerIdentity> {
    let identity = web::run::crawler(web)?;
    let key = line.network.sign_key.clone();
    match key.filter(|_| web.crawler.crawler_keys.is_none()) {
        None => Ok(identity),
        Some(sign_key) => Ok(identity.with_keys(KeyDirectory { sign_key }.key()?.directory())),
    }
}

/// Opens the database. Without seeds it must exist, since a new registry would have nothing to do.
async fn open(line: &Options, is_demo: bool) -> anyhow::Result<Option<Arc<dyn Store>>> {
    let roles = [Role::Crawler, Role::Indexer, Role::Web];
    let store = if line.seeds.is_empty() {
        store::open_existing(line.database(), &roles).await?
    } else {
        Some(store::open(line.database(), &roles).await?)
    };
    if let Some(store) = store.as_deref().filter(|_| is_demo) {
        refuse_fleet(store).await?;
    }
    Ok(store)
}

/// Refuses a database that crawlers use: they would look up the invented names of the demo, and its
/// crawler their names, which its own name server does not know.
async fn refuse_fleet(store: &dyn Store) -> anyhow::Result<()> {
    let fleet = store.fleet().await?;
    let member = fleet.and_then(|fleet| fleet.members.into_values().next());
    match member {
        Some(member) => {
            store.close().await;
            anyhow::bail!(
                "crawler {} uses this database: the demo needs one of its own",
                member.description
            )
        }
        None => Ok(()),
    }
}

/// Returns the folder of the daily exports.
fn exports(web: &web::Config) -> PathBuf {
    let given = web.export.clone();
    given.unwrap_or_else(|| daily::beside(&web.database))
}

/// Returns the store of pages and exports: crawler and indexer read what they are about to write, and
/// these may be older.
async fn reading(web: &web::Config, store: &Arc<dyn Store>) -> Result<Arc<dyn Store>, StoreError> {
    match &web.read_database {
        Some(_) => web::run::store(web).await,
        None => Ok(Arc::clone(store)),
    }
}

/// Runs the registry until it is stopped or a part fails.
pub(crate) async fn run(mut line: CommandLine) -> anyhow::Result<ExitReason> {
    let signals = Signals::catch().context("cannot catch signals")?;
    let demo = if line.demo {
        Some(Demo::start(&mut line.options).await?)
    } else {
        None
    };
    let line = line.options;
    let mut crawl = match CrawlerConfig::try_from(line.crawler()) {
        Ok(config) => config,
        Err(error) => {
            say(&terminal::line(&format!("error: {error}")));
            return Ok(ExitReason::WrongUsage);
        }
    };
    let web_config = line.web();
    let database = &web_config.database;
    let limits = share_files(&mut crawl, &web_config)?;
    let models = embedding::shipped_unless(line.no_semantic);

    let Some(store) = open(&line, demo.is_some()).await? else {
        say(&format!(
            "error: there is no registry at {} yet: give --seeds FILE with the domains to visit, or try --demo",
            without_password(database)
        ));
        return Ok(ExitReason::WrongUsage);
    };
    let reading = reading(&web_config, &store).await?;
    let listener = web::run::listen(&web_config).await?;
    let admin = line.admin.bind().await?;
    let address = listener
        .local_addr()
        .context("cannot get the address that the server listens on")?;
    let public_url = web_config.public_url(address);

    if let Some(demo) = &demo {
        announce(&demo.introduction());
    }
    announce(&format!("registry: {public_url} (Ctrl-C stops)"));

    let progress = Arc::new(Progress::default());
    let control = Control::new(Arc::clone(&progress));
    let state = web::AppState {
        store: Arc::clone(&reading),
        searcher: web::run::searcher(&web_config)?,
        public_url: public_url.clone(),
        contact: web_config.contact.clone(),
        crawler: crawler_identity(&line, &web_config)?,
        secrets: web::run::secrets(&web_config)?,
        limiter: web::run::limiter(&web_config),
        metrics: web::metrics::Metrics::default(),
        feed: web::run::feed(&web_config),
        shared: web::state::Shared::default(),
        now: admin::now,
    };

    let mut parts = web::run::parts(&state);
    parts.push(Box::new(Crawl {
        progress: Arc::clone(&progress),
        store: Arc::clone(&store),
        clock: crawler::run::clock(),
    }));

    let work = Work {
        crawl: &crawl,
        store: &store,
        reading: &reading,
        control: &control,
        index: &web_config.index,
        models,
        exports: exports(&web_config),
        crawling: Supervisor::new("crawler"),
        indexing: Supervisor::new("indexer"),
    };
    parts.push(Box::new(work.crawling.clone()));
    parts.push(Box::new(work.indexing.clone()));
    // Pages are answered until the other parts have stopped.
    let pages = CancellationToken::new();
    let working = async {
        Box::pin(work.run()).await?;
        pages.cancel();
        anyhow::Ok(())
    };
    let serving = async {
        web::run::serve_on(listener, state, limits, &pages).await;
        anyhow::Ok(())
    };
    let signalled = OnceLock::new();
    let together = async { tokio::try_join!(working, serving) };
    let is_demo = demo.is_some();
    let ended = tokio::select! {
        result = together => result.map(|_| ()),
        error = store.watch() => Err(error.into()),
        error = reading.watch(), if line.read_database.is_some() => Err(error.into()),
        never = control.listen(signals, &signalled) => match never {},
        never = admin::serve(admin, parts) => match never {},
        () = progress::show(&progress, line.progress) => Ok(()),
        () = announce_first_crawl(&progress, &public_url, is_demo) => Ok(()),
    };
    store.close().await;
    if !Arc::ptr_eq(&store, &reading) {
        reading.close().await;
    }
    ended.map(|()| ExitReason::Stopped(signalled.get().copied().unwrap_or(Signal::Interrupt)))
}

/// The parts that write to the database.
struct Work<'a> {
    crawl: &'a CrawlerConfig,
    store: &'a Arc<dyn Store>,
    /// The same, or one that reads from a replica.
    reading: &'a Arc<dyn Store>,
    control: &'a Control,
    index: &'a Path,
    models: Option<embedding::Models>,
    exports: PathBuf,
    crawling: Supervisor,
    indexing: Supervisor,
}

impl Work<'_> {
    /// Runs all of them until they have stopped, or were to stop and did not.
    async fn run(&self) -> anyhow::Result<()> {
        let stop = &self.control.stop;
        let store = || Arc::clone(self.store);
        let crawling = async {
            let start = || crawler::run::run(self.crawl, store(), self.control.clone());
            let crawled = self.crawling.run(stop, start, RunError::is_usage).await;
            crawled.context("the crawler failed")
        };
        let indexing = async {
            let start =
                || indexer::run::run(store(), self.index, self.models, Until::Stopped, stop);
            let indexed = self.indexing.run(stop, start, |_| false).await;
            indexed.context("the indexer failed")
        };
        let exporting = async {
            indexer::run::export_daily(Arc::clone(self.reading), &self.exports, stop).await;
            anyhow::Ok(())
        };
        let work = async { tokio::try_join!(crawling, indexing, exporting) };
        let late = async {
            stop.cancelled().await;
            tokio::time::sleep(self.crawl.stop_within + SLACK).await;
        };
        tokio::select! {
            result = work => result.map(|_| ()),
            () = late => {
                tracing::warn!("the crawler or the indexer did not stop in time");
                Ok(())
            }
        }
    }
}

/// Divides the limit of open files: half for connections of visitors, half for visits.
fn share_files(crawl: &mut CrawlerConfig, web: &web::Config) -> anyhow::Result<Limits> {
    let limit = descriptors::raise();
    let half = limit.map(|files| files / 2);
    let room = descriptors::room(half)?;
    if room < crawl.concurrency {
        tracing::warn!(
            "{room} concurrent visits instead of {}, because of the limit of open files; raise it \
             with `ulimit -n`",
            crawl.concurrency
        );
        crawl.concurrency = room;
    }
    Ok(web::run::limits(web, half)?)
}

/// Announces once that the first crawl is done, with its summary; then waits forever.
async fn announce_first_crawl(progress: &Progress, url: &str, is_demo: bool) {
    let mut ticks = tokio::time::interval(GLANCE);
    loop {
        ticks.tick().await;
        let summary = progress.snapshot();
        if summary.visits > 0 && summary.in_flight == 0 && summary.visits >= summary.due {
            announce(&format!(
                "\nthe first crawl is done; the registry keeps running at {url}\n\n{summary}"
            ));
            if is_demo {
                announce(&format!(
                    "try {url}/search?q=book+a+table+for+four+in+Lisbon"
                ));
            }
            return std::future::pending().await;
        }
    }
}
