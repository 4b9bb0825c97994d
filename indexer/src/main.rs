//! The `indexer` program: opens the resources of a command, runs it and reports errors.

mod config;
mod convert;
mod database;
mod eval;
mod indexing;
mod input;
mod lint;
mod moderate;
mod report;

use admin::Signals;
use anyhow::Context as _;
use config::{Command, Config, Search};
use database::Database;
use export::{self, Output, daily};
use indexer::pipeline::WorkCounts;
use indexer::run::{self, Until};
use report::Marks;
use search::{Request, Searcher, query};
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::OnceLock;
use store::{Day, Role};
use terminal::LogFormat;
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the program. The exit code is 0 on success, 1 on failure, 2 for wrong usage, 130 after
/// Ctrl-C and 143 after SIGTERM, after which `--watch` ends with 0.
fn main() -> ExitCode {
    let config: Config = match terminal::usage::parse() {
        Ok(config) => config,
        Err(code) => return code,
    };
    manifest::fault::quiet();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::Error::new(error).context("cannot start")),
    };
    terminal::start_log("info,tantivy=warn", LogFormat::Auto);
    let code = runtime.block_on(supervised(&config));
    // A second Ctrl-C must not wait for a long commit.
    runtime.shutdown_background();
    code
}

/// Runs the command beside the signals: the first asks for a clean stop, the second stops now.
async fn supervised(config: &Config) -> ExitCode {
    let mut signals = match Signals::catch() {
        Ok(signals) => signals,
        Err(error) => return failed(&anyhow::Error::new(error).context("cannot start")),
    };
    let stop = CancellationToken::new();
    let signalled = OnceLock::new();
    let is_service = config.watch && config.command.is_none();
    let database = Database::new(config);
    let work = async {
        let done = execute(&database, &stop).await;
        database.close().await;
        done
    };
    let twice = async {
        let _ = signalled.set(signals.next().await);
        stop.cancel();
        signals.next().await
    };
    tokio::select! {
        result = work => match (result, signalled.get()) {
            (Ok(_), Some(signal)) if is_service => signal.stopped(),
            (Ok(_), Some(signal)) => signal.unfinished(),
            (Ok(code), None) => code,
            (Err(error), _) => failed(&error),
        },
        signal = twice => signal.unfinished(),
    }
}

async fn execute(database: &Database<'_>, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let config = database.config;
    match &config.command {
        None => {
            let done = indexing::index(database, stop).await?;
            print(&summary(&done))?;
        }
        Some(Command::Rebuild) => {
            // On a server, each machine has an index of its own.
            let roles: &[Role] = if store::is_postgres(&config.database) {
                &[]
            } else {
                &[Role::Indexer]
            };
            let store = database.open(roles).await?;
            if run::rebuild(store, &config.index, config.models(), stop).await? {
                print(&format!(
                    "Rebuilt the index at {}.\n",
                    config.index.display()
                ))?;
            }
        }
        Some(Command::Reread) => {
            let store = database.open(&[Role::Indexer]).await?;
            store.mark_all_unread().await?;
            let done =
                run::run(store, &config.index, config.models(), Until::CaughtUp, stop).await?;
            print(&summary(&done))?;
        }
        Some(Command::Stats) => {
            let store = database.open(&[]).await?;
            let now = admin::now();
            let (stats, first) = (
                store.stats(now).await?,
                Day::of(now).before(report::DAYS - 1),
            );
            let days = store.census_since(first).await?;
            print(&report::stats(&stats, &days))?;
        }
        Some(Command::Hide(command)) => {
            let store = database.open(&[]).await?;
            print(&moderate::hide(command, &*store, admin::now()).await?)?;
        }
        Some(Command::Show(command)) => {
            let store = database.open(&[]).await?;
            print(&moderate::show(command, &*store, admin::now()).await?)?;
        }
        Some(Command::Reports(command)) => {
            let store = database.open(&[]).await?;
            print(&moderate::reports(command, &*store, admin::now()).await?)?;
        }
        Some(Command::Export(command)) => write_export(database, command).await?,
        Some(Command::Compact(command)) => compact(database, command).await?,
        Some(Command::Search(search)) => find(database, search).await?,
        Some(Command::Eval(command)) => {
            let store = if command.own {
                Some(database.open(&[]).await?)
            } else {
                None
            };
            // Removed with its content, even if an interruption abandons the work.
            let temporary = tempfile::tempdir().context("cannot create a temporary directory")?;
            let (config, command) = (config.clone(), command.clone());
            let folder = temporary.path().to_owned();
            let work = move || {
                let index = (config.index.as_path(), config.models());
                eval::run(index, &command, store.as_ref(), &folder)
            };
            beside(stop, work).await?;
        }
        Some(Command::Lint(command)) => {
            let command = command.clone();
            return beside(stop, move || lint::run(&command)).await;
        }
        Some(Command::Convert(command)) => {
            let command = command.clone();
            let work = move || print(&convert::run(&command)?);
            beside(stop, work).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn write_export(database: &Database<'_>, command: &config::Export) -> anyhow::Result<()> {
    let store = database.open_to_export().await?;
    let output = match &command.out {
        Some(path) => Output::File(path.clone()),
        None => Output::Standard,
    };
    let counts = export::write(&*store, command.format, output).await?;
    let Some(path) = &command.out else {
        return Ok(());
    };
    let (seq, agents) = (counts.seq, counts.agents);
    let path = path.display();
    print(&format!(
        "Exported {agents} agents up to change {seq} to {path}.\n"
    ))
}

async fn compact(database: &Database<'_>, command: &config::Compact) -> anyhow::Result<()> {
    let store = database.open(&[]).await?;
    let folder = database.config.exports();
    let newest = export::latest(&folder)
        .with_context(|| format!("cannot read the export in '{}'", folder.display()))?;
    let feed = store.feed_state().await?;
    let newest = newest.filter(|it| it.is_of(&feed));
    let dropped = daily::compact(&*store, newest.as_ref(), command.keep_days, admin::now()).await?;
    print(&match newest {
        Some(_) => format!("Dropped {dropped} entries of the change log.\n"),
        None => format!(
            "Nothing was dropped: there is no export in '{}' to start from; \
             `indexer --watch` makes one each day.\n",
            folder.display()
        ),
    })
}

/// Runs blocking work that may wait for input; an interruption abandons it at once, as there is
/// nothing to finish.
async fn beside<T: Default + Send + 'static>(
    stop: &CancellationToken,
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::select! {
        done = tokio::task::spawn_blocking(work) => done.context("the command stopped working")?,
        () = stop.cancelled() => Ok(T::default()),
    }
}

async fn find(database: &Database<'_>, search: &Search) -> anyhow::Result<()> {
    let text = search.query.join(" ");
    let store = database.open(&[]).await?;
    let searcher = Searcher::open(&database.config.index, database.config.models())?;
    let request = Request {
        per_site: 2,
        unfold: false,
        ..Request::new(query::parse(&text), usize::from(search.limit))
    };
    let results = tokio::task::spawn_blocking(move || searcher.search(&request))
        .await
        .context("the search stopped working")??;
    let agents = store.agents_by_id(&results.ids()).await?;
    let answer = results.join(agents);
    if search.json {
        let json = report::search_json(&text, &answer);
        return print(&terminal::json(&format!("{json:#}\n")));
    }
    print(&report::search(&text, &answer, Marks::of_output()))
}

fn summary(done: &WorkCounts) -> String {
    if done.is_nothing() {
        return "Nothing new: the index is up to date.\n".to_owned();
    }
    let WorkCounts {
        domains,
        documents,
        added,
        updated,
        removed,
        indexed,
        encoded,
        rebuilt,
    } = done;
    let anew = if *rebuilt > 0 {
        "The index was rebuilt.\n"
    } else {
        ""
    };
    let vectors = if *encoded > 0 {
        format!("{encoded} agents got their sentence vectors.\n")
    } else {
        String::new()
    };
    if *domains == 0 && *indexed == 0 {
        return format!("{anew}{vectors}");
    }
    format!(
        "{anew}Read {documents} documents of {domains} domains: {added} agents new, {updated} changed, {removed} gone; \
         {indexed} changes made searchable.\n{vectors}"
    )
}

/// Writes to standard output; a reader that closed the pipe, such as `head`, is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    let text = format!("error: {error:#}");
    terminal::say(&terminal::line(&text));
    ExitCode::FAILURE
}
