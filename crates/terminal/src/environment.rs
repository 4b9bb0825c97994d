//! Options from environment variables, alike in all programs.

use clap::builder::{BoolishValueParser, Resettable, TypedValueParser as _};
use clap::{Arg, ArgAction, Command};
use std::ffi::OsStr;

/// Adapts the options of a command and of its subcommands that have variables:
///
/// - `--help` shows no value of a variable, which may be a password;
/// - an empty variable is the same as none, as in a file of variables with nothing after `=`;
/// - the variable of a flag takes true or false, yes or no, on or off, 1 or 0.
pub(crate) fn adapted(command: Command) -> Command {
    command.mut_args(adapted_option).mut_subcommands(adapted)
}

fn adapted_option(option: Arg) -> Arg {
    let Some(name) = option.get_env() else {
        return option;
    };
    let variable = name.to_string_lossy().into_owned();
    let is_empty = std::env::var_os(name).is_some_and(|value| value.is_empty());
    let is_flag = matches!(option.get_action(), ArgAction::SetTrue);
    let mut option = option.hide_env_values(true);
    if is_flag {
        option = option.value_parser(move |word: &str| boolean(word, &variable));
    }
    if is_empty {
        option = option.env(Resettable::Reset);
    }
    option
}

/// Parses the value of a flag, which only its variable can have: the message of clap names the flag
/// alone.
fn boolean(word: &str, variable: &str) -> Result<bool, String> {
    BoolishValueParser::new()
        .parse_ref(&Command::new(""), None, OsStr::new(word))
        .map_err(|_| format!("{variable} takes true or false, yes or no, on or off, 1 or 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, CommandFactory as _, Parser, Subcommand};

    #[derive(Debug, Parser)]
    struct Line {
        /// Is `PATH` in each process that runs tests.
        #[arg(long, env = "PATH")]
        secret: Option<String>,
        #[command(subcommand)]
        command: Option<Inner>,
    }

    #[derive(Debug, Subcommand)]
    enum Inner {
        Copy(Copy),
    }

    #[derive(Debug, Args)]
    struct Copy {
        #[arg(long, env = "PATH")]
        secret: Option<String>,
    }

    #[test]
    fn help_shows_no_value_of_a_variable() {
        let value = std::env::var("PATH").unwrap();
        let mut command = adapted(Line::command());
        let inner = command.find_subcommand_mut("copy").unwrap();
        for help in [inner.render_long_help(), command.render_long_help()] {
            let help = help.to_string();
            assert!(help.contains("[env: PATH]"), "{help}");
            assert!(!help.contains(&value), "{help}");
        }
    }
}
