//! The `agentdex` program: crawler, indexer and web in one process, the demo, and the bridge for
//! clients of MCP.

mod backup;
mod bridge;
mod check_config;
mod config;
mod demo;
mod migrate;
mod run;
mod seeds;
mod supervisor;

use admin::{Signal, Signals};
use clap::ArgMatches;
use config::{Command, CommandLine};
use run::ExitReason;
use std::io;
use std::process::ExitCode;
use terminal::LogFormat;
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    manifest::fault::quiet();
    let arguments: Vec<_> = std::env::args_os().collect();
    let described = CommandLine::described(&arguments);
    let (line, matches) = match terminal::usage::parse_by::<CommandLine>(described, &arguments) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let filter = match line.command {
        // Messages that are dropped, which the user's own client would wait for in vain.
        Some(Command::Mcp(_)) => "warn,rmcp::transport::async_rw=error",
        _ => "warn,admin=info,agentdex=info,crawler=info",
    };
    // The demo is for a person.
    let format = if line.demo {
        LogFormat::Text
    } else {
        LogFormat::Auto
    };
    terminal::start_log(filter, format);
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            terminal::say(&format!("error: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = match &line.command {
        Some(command) => execute(command, &matches, &runtime),
        None => run_registry(line, &runtime),
    };
    // A thread that still reads standard input must not keep the process alive.
    runtime.shutdown_background();
    code
}

/// Runs the registry until it is stopped.
fn run_registry(line: CommandLine, runtime: &Runtime) -> ExitCode {
    match runtime.block_on(run::run(line)) {
        Ok(ExitReason::Stopped(signal)) => signal.stopped(),
        Ok(ExitReason::WrongUsage) => ExitCode::from(2),
        Err(error) => {
            let text = format!("error: {error:#}");
            terminal::say(&terminal::line(&text));
            ExitCode::FAILURE
        }
    }
}

/// Executes a command to its end, and prints its report.
fn execute(command: &Command, matches: &ArgMatches, runtime: &Runtime) -> ExitCode {
    let ended = match command {
        Command::Data(command) => {
            let work = until_signal(command.execute());
            runtime.block_on(work).map(|ended| match ended {
                // Nothing was written in the place of the file.
                Err(signal) => signal.unfinished(),
                Ok(Ok(report)) => {
                    terminal::say(&terminal::lines(&report));
                    ExitCode::SUCCESS
                }
                Ok(Err(error)) => {
                    terminal::say(&terminal::failure(&error));
                    ExitCode::from(if backup::is_usage(&error) { 2 } else { 1 })
                }
            })
        }
        Command::CheckConfig(options) => {
            return runtime.block_on(check_config::print(options, matches));
        }
        Command::Migrate(migrate) => return runtime.block_on(migrate.print()),
        Command::Seeds(seeds) => return seeds.print(),
        Command::Mcp(bridge) => {
            let work = until_signal(bridge.run());
            runtime.block_on(work).map(|ended| match ended {
                Err(signal) => signal.stopped(),
                Ok(Ok(())) => ExitCode::SUCCESS,
                Ok(Err(error)) => {
                    terminal::say(&terminal::failure(&error));
                    ExitCode::FAILURE
                }
            })
        }
    };
    ended.unwrap_or_else(|error| {
        terminal::say(&terminal::failure(&error));
        ExitCode::FAILURE
    })
}

/// Returns the result of `work`, or the signal that came first.
async fn until_signal<T>(work: impl Future<Output = T>) -> io::Result<Result<T, Signal>> {
    let mut signals = Signals::catch()?;
    tokio::select! {
        result = work => Ok(Ok(result)),
        signal = signals.next() => Ok(Err(signal)),
    }
}
