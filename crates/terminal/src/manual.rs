//! Commands that every program has: man pages and completions, made from its own command line.

use clap::builder::EnumValueParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const MAN: &str = "man";
const COMPLETIONS: &str = "completions";

/// Note on the log at the end of the help.
const LOG: &str = "The variable RUST_LOG sets the filter of the log on standard error, such as warn, debug, or \
                   info,crawler=debug. On a terminal its lines are text, elsewhere JSON.";

/// Adds the commands and the note on the log.
pub(crate) fn offered(command: Command) -> Command {
    let command = match command.get_after_help() {
        Some(_) => command,
        None => command.after_long_help(LOG),
    };
    command
        .subcommand(
            Command::new(MAN)
                .about("Write the man pages of this program into a directory")
                .arg(
                    Arg::new("directory")
                        .value_name("DIR")
                        .help("Existing directory, such as /usr/local/share/man/man1")
                        .required(true)
                        .value_parser(value_parser!(PathBuf)),
                ),
        )
        .subcommand(
            Command::new(COMPLETIONS)
                .about("Print the completions of this program for a shell")
                .arg(
                    Arg::new("shell")
                        .value_name("SHELL")
                        .help("Shell that reads them")
                        .required(true)
                        .value_parser(EnumValueParser::<Shell>::new()),
                ),
        )
}

/// Executes one of the commands; returns `None` if the command line has another.
pub(crate) fn execute(command: &mut Command, given: &ArgMatches) -> Option<ExitCode> {
    match given.subcommand()? {
        (MAN, given) => {
            let directory: &PathBuf = given.get_one("directory")?;
            Some(match clap_mangen::generate_to(command.clone(), directory) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => unwritten(directory, &error),
            })
        }
        (COMPLETIONS, given) => {
            let shell: Shell = *given.get_one("shell")?;
            let name = command.get_name().to_owned();
            let mut text = Vec::new();
            clap_complete::generate(shell, command, name, &mut text);
            // A closed output needs no error message.
            let _ = io::Write::write_all(&mut io::stdout(), &text);
            Some(ExitCode::SUCCESS)
        }
        _ => None,
    }
}

fn unwritten(directory: &Path, error: &io::Error) -> ExitCode {
    crate::say(&format!(
        "error: cannot write man pages into {}: {error}",
        directory.display()
    ));
    ExitCode::FAILURE
}
