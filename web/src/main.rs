//! Serves the registry from the database and the index.

use admin::{Signal, Signals};
use anyhow::Context as _;
use std::process::ExitCode;
use std::sync::Arc;
use terminal::LogFormat;
use tokio_util::sync::CancellationToken;
use web::server::limits::raise_file_limit;
use web::{AppState, Config, run};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let config: Config = match terminal::usage::parse() {
        Ok(config) => config,
        Err(code) => return code,
    };
    terminal::start_log("info", LogFormat::Auto);
    match serve(&config).await {
        Ok(signal) => signal.stopped(),
        Err(error) => {
            // As plain text, even if the log is JSON.
            let text = format!("error: {error:#}");
            terminal::say(&terminal::line(&text));
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: &Config) -> anyhow::Result<Signal> {
    let mut signals = Signals::catch().context("cannot catch signals")?;
    let limits = run::limits(config, raise_file_limit())?;
    let listener = run::listen(config).await?;
    let admin = config.admin.bind().await?;
    let store = run::store(config)
        .await
        .context("cannot open the database")?;
    let state = AppState {
        store: Arc::clone(&store),
        searcher: run::searcher(config).context("cannot open the index")?,
        public_url: config.public_url(listener.local_addr()?),
        contact: config.contact.clone(),
        crawler: run::crawler(config)?,
        secrets: run::secrets(config)?,
        limiter: run::limiter(config),
        metrics: web::metrics::Metrics::default(),
        feed: run::feed(config),
        shared: web::state::Shared::default(),
        now: admin::now,
    };
    let parts = run::parts(&state);
    let stop = CancellationToken::new();
    let signalled = async {
        let signal = signals.next().await;
        stop.cancel();
        signal
    };
    let serving = async {
        let serving = run::serve_on(listener, state, limits, &stop);
        let following = run::follow(config, Arc::clone(&store), &stop);
        tokio::join!(serving, following, signalled)
    };
    let ended = tokio::select! {
        ((), (), signal) = serving => Ok(signal),
        error = store.watch() => Err(error.into()),
        never = admin::serve(admin, parts) => match never {},
    };
    store.close().await;
    ended
}
