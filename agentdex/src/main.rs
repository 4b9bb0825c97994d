//! The `agentdex` program: crawler, indexer and web in one process, and the demo.

mod backup;
mod config;
mod demo;
mod run;
mod supervisor;

use admin::Signals;
use config::CommandLine;
use run::ExitReason;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    manifest::fault::quiet();
    let arguments: Vec<_> = std::env::args_os().collect();
    let line = match CommandLine::read(&arguments) {
        Ok(line) => line,
        Err(error) => {
            return terminal::usage::refuse(error);
        }
    };
    let given = std::env::var("RUST_LOG").ok();
    let filter = terminal::log_filter(given.as_deref(), "warn,admin=info,crawler=info");
    let filter = EnvFilter::new(filter);
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(terminal::log)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            terminal::say(&format!("error: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    if let Some(command) = &line.command {
        return execute(command, &runtime);
    }
    let code = match runtime.block_on(run::run(line)) {
        Ok(ExitReason::Stopped(signal)) => signal.stopped(),
        Ok(ExitReason::WrongUsage) => ExitCode::from(2),
        Err(error) => {
            let text = format!("error: {error:#}");
            terminal::say(&terminal::line(&text));
            ExitCode::FAILURE
        }
    };
    // A thread that still reads standard input must not keep the process alive.
    runtime.shutdown_background();
    code
}

/// Executes a command to its end, and prints its report.
fn execute(command: &backup::Command, runtime: &tokio::runtime::Runtime) -> ExitCode {
    let work = async {
        let mut signals = Signals::catch()?;
        tokio::select! {
            result = command.execute() => Ok(Ok(result)),
            signal = signals.next() => Ok(Err(signal)),
        }
    };
    let ended: std::io::Result<_> = runtime.block_on(work);
    match ended {
        Err(error) => {
            terminal::say(&terminal::failure(&error));
            ExitCode::FAILURE
        }
        // Nothing was written in the place of the file.
        Ok(Err(signal)) => signal.unfinished(),
        Ok(Ok(Ok(report))) => {
            terminal::say(&terminal::lines(&report));
            ExitCode::SUCCESS
        }
        Ok(Ok(Err(error))) => {
            terminal::say(&terminal::failure(&error));
            ExitCode::from(if backup::is_usage(&error) { 2 } else { 1 })
        }
    }
}
