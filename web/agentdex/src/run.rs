//! The three parts side by side: they meet in the store, and stop together.

use crate::config::CommandLine;
use crate::demo::Demo;
use anyhow::Context as _;
use crawler::config::Config as CrawlerConfig;
use crawler::run::{Control, Stop};
use crawler::summary::Progress;
use crawler::{descriptors, progress};
use indexer::run::Until;
use indexer::search::semantic;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Role;
use terminal::say;
use tokio::sync::watch;
use web::server::Limits;

/// How often the first crawl is looked at, to say when it is done.
const GLANCE: Duration = Duration::from_millis(250);

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The operator said stop.
    Interrupted,
    /// The command line makes no sense; it was said why.
    WrongUsage,
}

/// Runs the registry until somebody stops it or a part fails.
pub(crate) async fn run(mut line: CommandLine) -> anyhow::Result<Ended> {
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
            return Ok(Ended::WrongUsage);
        }
    };
    let web_config = line.web(&database, index.clone());
    let limits = share_files(&mut crawl, &web_config)?;
    let table = semantic::shipped_unless(line.no_semantic);

    let store = store::open(&database, &[Role::Crawler, Role::Indexer]).await?;
    let listener = web::run::listen(&web_config).await?;
    let address = listener
        .local_addr()
        .context("cannot learn the address that we listen on")?;
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
        now: web::run::now,
    };

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
    let serving = async {
        web::run::serve_on(listener, state, limits, stopped(stop.clone())).await;
        anyhow::Ok(())
    };
    let together = async { tokio::try_join!(crawling, indexing, serving) };
    let is_demo = demo.is_some();
    tokio::select! {
        result = together => result.map(|_| Ended::Interrupted),
        never = listen(stopper, &progress) => match never {},
        () = progress::show(&progress, line.progress) => Ok(Ended::Interrupted),
        () = announce(&progress, &public_url, is_demo) => Ok(Ended::Interrupted),
    }
}

/// Shares what this process may have open: half is for the connections of visitors, half for visits.
fn share_files(crawl: &mut CrawlerConfig, web: &web::Config) -> anyhow::Result<Limits> {
    let limit = descriptors::raise();
    let half = limit.map(|files| files / 2);
    let room = descriptors::room(half)?;
    if room < crawl.concurrency {
        say(&format!(
            "{room} visits at the same time instead of {}: this process may not have more files open, raise the \
             limit with `ulimit -n`",
            crawl.concurrency
        ));
        crawl.concurrency = room;
    }
    Ok(web::run::limits(web, half)?)
}

/// Says once that the first crawl is done and what there is to see; then waits forever.
async fn announce(progress: &Progress, url: &str, is_demo: bool) {
    let mut ticks = tokio::time::interval(GLANCE);
    loop {
        ticks.tick().await;
        let summary = progress.snapshot();
        if summary.visits > 0 && summary.in_flight == 0 && summary.visits >= summary.due {
            say(&format!(
                "\nthe first crawl is done; the registry stays up at {url}\n\n{summary}"
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

/// Turns signals into the stop of all parts: the first finishes the visits in flight, the second gives up.
async fn listen(stopper: watch::Sender<Stop>, progress: &Progress) -> std::convert::Infallible {
    web::run::asked_to_stop().await;
    let in_flight = progress.snapshot().in_flight;
    say(&format!(
        "finishing {in_flight} visits in flight; Ctrl-C again stops now"
    ));
    stopper.send_replace(Stop::Finish);
    web::run::asked_to_stop().await;
    stopper.send_replace(Stop::Now);
    std::future::pending().await
}

/// Resolves when the parts are to stop.
async fn stopped(mut stop: watch::Receiver<Stop>) {
    // A sender that is gone means that the process ends anyway.
    let _ = stop.wait_for(|stop| *stop != Stop::No).await;
}
