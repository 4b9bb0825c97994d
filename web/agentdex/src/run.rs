//! The parts, run concurrently: they share the store and stop together.

use crate::config::CommandLine;
use crate::demo::Demo;
use anyhow::Context as _;
use crawler::config::Config as CrawlerConfig;
use crawler::metrics::Crawl;
use crawler::run::{Control, Stop};
use crawler::summary::Progress;
use crawler::{descriptors, progress};
use indexer::export::daily;
use indexer::run::Until;
use indexer::search::embedding;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Role;
use terminal::say;
use tokio::sync::watch;
use web::server::Limits;

/// Interval between checks whether the first crawl is done.
const GLANCE: Duration = Duration::from_millis(250);

/// Successful end of a run, or a usage error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitReason {
    /// Stopped by the operator.
    Interrupted,
    /// Invalid command line; the reason was printed.
    WrongUsage,
}

/// Runs the registry until it is stopped or a part fails.
pub(crate) async fn run(mut line: CommandLine) -> anyhow::Result<ExitReason> {
    let demo = if line.demo {
        Some(Demo::start(&mut line).await?)
    } else {
        None
    };
    let database = line
        .database
        .clone()
        .unwrap_or_else(|| "sqlite:data/agentdex.db".to_owned());
    let index = line
        .index
        .clone()
        .unwrap_or_else(|| PathBuf::from("data/index"));
    let mut crawl = match CrawlerConfig::try_from(line.crawler(&database)) {
        Ok(config) => config,
        Err(error) => {
            say(&terminal::line(&format!("error: {error}")));
            return Ok(ExitReason::WrongUsage);
        }
    };
    let web_config = line.web(&database, index.clone());
    let limits = share_files(&mut crawl, &web_config)?;
    let table = embedding::shipped_unless(line.no_semantic);

    let store = store::open(&database, &[Role::Crawler, Role::Indexer]).await?;
    let listener = web::run::listen(&web_config).await?;
    let admin = line.admin.bind().await?;
    let address = listener
        .local_addr()
        .context("cannot get the address that the server listens on")?;
    let public_url = web_config.public_url(address);

    if let Some(demo) = &demo {
        say(&demo.introduction());
    }
    say(&format!("registry: {public_url} (Ctrl-C stops)"));

    let (stopper, stop) = watch::channel(Stop::No);
    let progress = Arc::new(Progress::default());
    let control = Control {
        stop: stop.clone(),
        progress: Arc::clone(&progress),
    };
    let state = web::AppState {
        store: Arc::clone(&store),
        searcher: web::run::searcher(&web_config)?,
        public_url: public_url.clone(),
        contact: web_config.contact.clone(),
        secrets: web::run::secrets(&web_config)?,
        limiter: web::run::limiter(&web_config),
        metrics: web::metrics::Metrics::default(),
        feed: web::run::feed(&web_config),
        shared: web::state::Shared::default(),
        now: indexer::run::now,
    };

    let mut parts = web::run::parts(&state);
    parts.push(Box::new(Crawl {
        progress: Arc::clone(&progress),
        store: Arc::clone(&store),
        clock: crawler::run::clock(),
    }));

    let crawling = async {
        crawler::run::run(&crawl, Arc::clone(&store), control)
            .await
            .context("the crawler failed")
    };
    let indexing = async {
        indexer::run::run(
            Arc::clone(&store),
            &index,
            table,
            Until::Stopped,
            stopped(stop.clone()),
        )
        .await
        .context("the indexer failed")
    };
    let exports = line.export.clone();
    let exports = exports.unwrap_or_else(|| daily::beside(&database));
    let exporting = async {
        indexer::run::export_daily(Arc::clone(&store), &exports, stopped(stop.clone())).await;
        anyhow::Ok(())
    };
    let serving = async {
        web::run::serve_on(listener, state, limits, stopped(stop.clone())).await;
        anyhow::Ok(())
    };
    let together = async { tokio::try_join!(crawling, indexing, exporting, serving) };
    let is_demo = demo.is_some();
    tokio::select! {
        result = together => result.map(|_| ExitReason::Interrupted),
        never = listen(stopper, &progress) => match never {},
        never = admin::serve(admin, parts) => match never {},
        () = progress::show(&progress, line.progress) => Ok(ExitReason::Interrupted),
        () = announce(&progress, &public_url, is_demo) => Ok(ExitReason::Interrupted),
    }
}

/// Divides the limit of open files: half for connections of visitors, half for visits.
fn share_files(crawl: &mut CrawlerConfig, web: &web::Config) -> anyhow::Result<Limits> {
    let limit = descriptors::raise();
    let half = limit.map(|files| files / 2);
    let room = descriptors::room(half)?;
    if room < crawl.concurrency {
        say(&format!(
            "{room} concurrent visits instead of {}, because of the limit of open files; raise it \
             with `ulimit -n`",
            crawl.concurrency
        ));
        crawl.concurrency = room;
    }
    Ok(web::run::limits(web, half)?)
}

/// Announces once that the first crawl is done, with its summary; then waits forever.
async fn announce(progress: &Progress, url: &str, is_demo: bool) {
    let mut ticks = tokio::time::interval(GLANCE);
    loop {
        ticks.tick().await;
        let summary = progress.snapshot();
        if summary.visits > 0 && summary.in_flight == 0 && summary.visits >= summary.due {
            say(&format!(
                "\nthe first crawl is done; the registry keeps running at {url}\n\n{summary}"
            ));
            if is_demo {
                say(&format!(
                    "try {url}/search?q=book+a+table+for+four+in+Lisbon"
                ));
            }
            return std::future::pending().await;
        }
    }
}

/// Stops all parts on signals: the first lets visits in flight finish, the second stops at once.
async fn listen(stopper: watch::Sender<Stop>, progress: &Progress) -> std::convert::Infallible {
    indexer::run::asked_to_stop().await;
    let in_flight = progress.snapshot().in_flight;
    say(&format!(
        "finishing {in_flight} visits in flight; press Ctrl-C again to stop immediately"
    ));
    stopper.send_replace(Stop::Finish);
    indexer::run::asked_to_stop().await;
    stopper.send_replace(Stop::Now);
    std::future::pending().await
}

/// Resolves when the parts are to stop.
async fn stopped(mut stop: watch::Receiver<Stop>) {
    // A dropped sender means that the process is ending anyway.
    let _ = stop.wait_for(|stop| *stop != Stop::No).await;
}
