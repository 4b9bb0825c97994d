//! The `crawler` program: command line in, exit code out.

use admin::Signals;
use crawler::config::{Command, CommandLine, Config, ProgressStyle, RawConfig};
use crawler::metrics::Crawl;
use crawler::run::{Control, RunError};
use crawler::summary::Progress;
use crawler::{check, exclude, progress, run, status};
use std::error::Error;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use terminal::{LogFormat, say, without_password};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    let line: CommandLine = match terminal::usage::parse() {
        Ok(line) => line,
        Err(code) => return code,
    };
    manifest::fault::quiet();
    // One network thread is enough in addition to those of the database: politeness limits the work
    // to far less than a thousand visits a second, and moving work between threads costs a
    // fifteenth of the CPU time.
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return fail(FAILED, &error),
    };
    let code = runtime.block_on(async {
        match line.command {
            Some(Command::Check(arguments)) => check_one(arguments).await,
            Some(Command::KeyDirectory(arguments)) => print_directory(&arguments),
            Some(Command::Exclude(arguments)) => exclude(arguments).await,
            Some(Command::Forget(arguments)) => forget(arguments).await,
            Some(Command::Status(arguments)) => show_status(arguments).await,
            None => crawl(line.crawl).await,
        }
    });
    // A thread that still reads standard input must not keep the process running.
    runtime.shutdown_background();
    code
}

async fn check_one(arguments: crawler::config::Check) -> ExitCode {
    match check::check(
        arguments,
        std::io::stdout(),
        check::Palette::of_stdout(),
        run::clock(),
        run::random(),
    )
    .await
    {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error @ check::CheckError::Config(_)) => fail(WRONG_USAGE, &error),
        Err(check::CheckError::Store(error)) => unopened(&error),
        // A closed output needs no error message.
        Err(check::CheckError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => fail(FAILED, &error),
    }
}

fn print_directory(arguments: &crawler::config::KeyDirectory) -> ExitCode {
    match arguments.key() {
        Ok(key) => {
            // A closed output needs no error message.
            let _ = writeln!(std::io::stdout(), "{:#}", key.directory());
            ExitCode::SUCCESS
        }
        Err(error) => fail(WRONG_USAGE, &error),
    }
}

async fn exclude(arguments: crawler::config::Exclude) -> ExitCode {
    // A wrong name must not create a database, and without one there is no exclusion to remove.
    if let Err(error) = exclude::scope(&arguments) {
        return fail(WRONG_USAGE, &error);
    }
    let database = &arguments.database.database;
    let store = if arguments.remove {
        existing(database).await
    } else {
        store::open(database, &[])
            .await
            .map_err(|error| unopened(&error))
    };
    match store {
        Ok(store) => {
            let done = exclude::exclude(&arguments, &*store, run::clock().now()).await;
            store.close().await;
            print_result(done)
        }
        Err(code) => code,
    }
}

async fn forget(arguments: crawler::config::Forget) -> ExitCode {
    match existing(&arguments.database.database).await {
        Ok(store) => {
            let done = exclude::forget(&arguments, &*store, run::clock().now()).await;
            store.close().await;
            print_result(done)
        }
        Err(code) => code,
    }
}

async fn show_status(arguments: crawler::config::Status) -> ExitCode {
    let store = match existing(&arguments.database.database).await {
        Ok(store) => store,
        Err(code) => return code,
    };
    let status = status::status(&arguments, &*store, run::clock().now()).await;
    store.close().await;
    match status {
        Ok(text) => print_result(Ok(text)),
        Err(error) => fail(FAILED, &error),
    }
}

/// Opens an existing database, or reports why that failed.
async fn existing(database: &str) -> Result<Arc<dyn store::Store>, ExitCode> {
    match store::open_existing(database, &[]).await {
        Ok(Some(store)) => Ok(store),
        Ok(None) => {
            say(&format!(
                "error: there is no registry at {} yet: name another database with --database, or crawl a list of --seeds",
                without_password(database)
            ));
            Err(ExitCode::from(FAILED))
        }
        Err(error) => Err(unopened(&error)),
    }
}

/// Reports why a database cannot be opened. The disk is no matter of the command line: a supervisor may
/// start a service again when it takes writes.
fn unopened(error: &store::StoreError) -> ExitCode {
    let code = if error.is_wrong_name() && !error.is_refused_write() {
        WRONG_USAGE
    } else {
        FAILED
    };
    fail(code, error)
}

/// Prints the result of `exclude` or `forget`.
fn print_result(result: Result<String, exclude::ExcludeError>) -> ExitCode {
    match result {
        Ok(text) => {
            // A closed output needs no error message.
            let _ = writeln!(std::io::stdout(), "{}", terminal::lines(&text));
            ExitCode::SUCCESS
        }
        Err(error) if error.is_usage() => fail(WRONG_USAGE, &error),
        Err(error) => fail(FAILED, &error),
    }
}

async fn crawl(raw: RawConfig) -> ExitCode {
    let style = progress::resolve(raw.progress);
    log_to_stderr(style);
    let signals = match Signals::catch() {
        Ok(signals) => signals,
        Err(error) => return fail(FAILED, &error),
    };
    let database = raw.database.clone();
    let admin_listen = raw.admin_listen;
    let config = match Config::try_from(raw) {
        Ok(config) => config,
        Err(error) => return fail(WRONG_USAGE, &error),
    };
    let listener = match admin::bind(admin_listen).await {
        Ok(listener) => listener,
        Err(error) => return fail(WRONG_USAGE, &error),
    };
    let store = match store::open(&database, &[store::Role::Crawler]).await {
        Ok(store) => store,
        Err(error) => return unopened(&error),
    };
    let progress = Arc::new(Progress::default());
    let control = Control::new(Arc::clone(&progress));
    let (stopping, signalled) = (control.clone(), OnceLock::new());
    let parts: Vec<Box<dyn admin::Part>> = vec![
        Box::new(admin::Database(Arc::clone(&store))),
        Box::new(Crawl {
            progress: Arc::clone(&progress),
            store: Arc::clone(&store),
            clock: run::clock(),
        }),
    ];
    let is_watching = config.watch;
    let is_stdout_taken = config.report.as_deref() == Some(Path::new("-"));
    // It runs on the thread of the visits, which wake it without a system call.
    let crawled = Arc::clone(&store);
    let crawl = tokio::spawn(async move { run::run(&config, crawled, control).await });
    let result = tokio::select! {
        ended = crawl => match ended {
            Ok(result) => result,
            Err(error) => return fail(FAILED, &error),
        },
        error = store.watch() => return fail_after(&progress, &error),
        never = admin::serve(listener, parts) => match never {},
        never = stopping.listen(signals, &signalled) => match never {},
        () = progress::show(&progress, style) => Ok(progress.snapshot()),
    };
    store.close().await;
    let summary = match result {
        Ok(summary) => summary,
        Err(RunError::ReaderGone) => return ExitCode::SUCCESS,
        Err(error) if error.is_usage() => return fail(WRONG_USAGE, &error),
        Err(error) => return fail_after(&progress, &error),
    };
    let text = summary.to_string();
    let text = terminal::lines(&text);
    // A closed output needs no error message.
    let _ = if is_stdout_taken {
        write!(std::io::stderr(), "{text}")
    } else {
        write!(std::io::stdout(), "{text}")
    };
    if summary.visits == 0 && summary.seeds.lists == 0 && !summary.interrupted {
        say("nothing was due; --seeds FILE adds domains, crawler --help tells more");
    }
    match signalled.get() {
        None => ExitCode::SUCCESS,
        Some(signal) if is_watching => signal.stopped(),
        Some(signal) => signal.unfinished(),
    }
}

fn log_to_stderr(style: ProgressStyle) {
    // A progress bar and log lines would overwrite each other.
    let default = match style {
        ProgressStyle::Log => "warn,admin=info,agentdex=info,crawler=info",
        ProgressStyle::Auto | ProgressStyle::Bar | ProgressStyle::None => "warn,agentdex=info",
    };
    terminal::start_log(default, LogFormat::Auto);
}

/// Results recorded before the failure are still shown.
fn fail_after(progress: &Progress, error: &dyn Error) -> ExitCode {
    let summary = progress.snapshot();
    if summary.visits > 0 {
        let _ = write!(
            std::io::stderr(),
            "{}",
            terminal::lines(&summary.to_string())
        );
    }
    fail(FAILED, error)
}

/// Formats an error and its causes on one line.
fn fail(code: u8, error: &dyn Error) -> ExitCode {
    say(&terminal::failure(error));
    ExitCode::from(code)
}
