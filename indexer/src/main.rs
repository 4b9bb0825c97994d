//! The `indexer` program: opens the resources of a command, runs it and reports errors.

mod config;
mod convert;
mod eval;
mod input;
mod lint;
mod moderate;
mod report;

use admin::Signals;
use anyhow::{Context as _, bail};
use config::{Command, Config, Search};
use export::{self, Output, daily};
use indexer::pipeline::WorkCounts;
use indexer::run::{self, Until};
use report::Marks;
use search::metrics::Index;
use search::{Request, Searcher, query};
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use store::blocklist::Blocklist;
use store::{Day, Role, Store};
use terminal::LogFormat;
use tokio_util::sync::CancellationToken;

/// Warning about an export from the database itself.
const HELD_SNAPSHOT: &str = "exports read the database that crawler and indexer write, which cannot remove old rows meanwhile and gets slower: give a replica with --read-database";

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
    let database = Database {
        config,
        opened: OnceLock::new(),
    };
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
        None => index(database, stop).await?,
        Some(Command::Rebuild) => {
            let store = database.open(&[Role::Indexer]).await?;
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

async fn index(database: &Database<'_>, stop: &CancellationToken) -> anyhow::Result<()> {
    let config = database.config;
    let until = if config.watch {
        Until::Stopped
    } else {
        Until::CaughtUp
    };
    let listener = admin::bind(config.admin_listen).await?;
    let blocklist = config.blocklist.as_deref();
    let mut blocklist = blocklist.map(Blocklist::open).transpose()?;
    let store = database.open(&[Role::Indexer]).await?;
    if let Some(blocklist) = &mut blocklist {
        blocklist.apply(&*store, admin::now()).await?;
    }
    let (followed, watched) = (Arc::clone(&store), Arc::clone(&store));
    let following = async {
        match blocklist {
            Some(blocklist) => blocklist.follow(&*followed, admin::now).await,
            None => std::future::pending().await,
        }
    };
    let parts: Vec<Box<dyn admin::Part>> = vec![
        Box::new(admin::Database(Arc::clone(&store))),
        Box::new(Index::written(&config.index, Arc::clone(&store))),
    ];
    let exports = config.exports();
    let exported = if config.watch {
        database.open_to_export().await?
    } else {
        Arc::clone(&store)
    };
    let copied = Arc::clone(&exported);
    let exporting = async {
        if config.watch {
            run::export_daily(exported, &exports, stop).await;
        }
        Ok(())
    };
    let indexing = run::run(store, &config.index, config.models(), until, stop);
    let done = tokio::select! {
        done = async { tokio::try_join!(indexing, exporting) } => done?.0,
        never = following => match never {},
        error = watched.watch() => return Err(error.into()),
        error = copied.watch(), if config.read_database.is_some() => return Err(error.into()),
        never = admin::serve(listener, parts) => match never {},
    };
    print(&summary(&done))
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

/// Database of a command, which is closed at its end.
struct Database<'a> {
    config: &'a Config,
    opened: OnceLock<Arc<dyn Store>>,
}

impl Database<'_> {
    /// Opens the database, once per command. Only `indexer --watch` creates a missing one, for a
    /// crawler that starts later.
    async fn open(&self, roles: &[Role]) -> anyhow::Result<Arc<dyn Store>> {
        let config = self.config;
        if !(config.watch && config.command.is_none())
            && let Some(path) = config.missing_database()
        {
            bail!(
                "there is no database at '{}': run `crawler --seeds FILE` first, or give --database",
                path.display()
            );
        }
        let store = store::open(&config.database, roles).await?;
        Ok(Arc::clone(self.opened.get_or_init(|| store)))
    }

    /// Opens what an export reads: a replica if there is one, otherwise the database.
    async fn open_to_export(&self) -> anyhow::Result<Arc<dyn Store>> {
        let config = self.config;
        if let Some(replica) = &config.read_database {
            return Ok(store::open_with_replica(&config.database, replica).await?);
        }
        if store::is_postgres(&config.database) {
            tracing::warn!("{HELD_SNAPSHOT}");
        }
        match self.opened.get() {
            Some(store) => Ok(Arc::clone(store)),
            None => self.open(&[]).await,
        }
    }

    /// Closes the database, if it was opened, so that all of its data is in its one file.
    async fn close(&self) {
        if let Some(store) = self.opened.get() {
            store.close().await;
        }
    }
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
