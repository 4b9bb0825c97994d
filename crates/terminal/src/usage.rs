//! Parsing of the command line. clap's messages repeat arguments verbatim, so they are escaped here.

use crate::{environment, line, lines, manual};
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Command, Error, Parser};
use std::error::Error as _;
use std::ffi::OsString;
use std::process::ExitCode;

/// Parses the command line. If it is invalid or asks for help, a man page or completions, prints
/// these and returns the exit code.
pub fn parse<T: Parser>() -> Result<T, ExitCode> {
    let arguments: Vec<_> = std::env::args_os().collect();
    let (parsed, _) = parse_by::<T>(T::command(), &arguments)?;
    Ok(parsed)
}

/// Parses these arguments by this description of the command line, as [`parse`] does; also returns
/// them as matched.
pub fn parse_by<T: Parser>(
    command: Command,
    arguments: &[OsString],
) -> Result<(T, ArgMatches), ExitCode> {
    let mut command = prepared(command);
    let matches = command
        .try_get_matches_from_mut(arguments)
        .map_err(refuse)?;
    if let Some(code) = manual::execute(&mut command, &matches) {
        return Err(code);
    }
    let parsed =
        T::from_arg_matches(&matches).map_err(|error| refuse(error.format(&mut command)))?;
    Ok((parsed, matches))
}

/// Returns a command line with all that the programs have in common.
pub fn prepared(command: Command) -> Command {
    manual::offered(environment::adapted(command))
}

/// Prints the error, or the help, with clap's own styling, and returns the exit code.
fn refuse(error: Error) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let error = cleaned(error);
    // The message of a value parser cannot be replaced, so the whole text is escaped, without
    // styling.
    let says_raw = error
        .source()
        .is_some_and(|source| matches!(line(&source.to_string()), std::borrow::Cow::Owned(_)));
    if says_raw {
        crate::say(lines(&error.render().to_string()).trim_end());
    } else {
        // A closed pipe is not an error.
        let _ = error.print();
    }
    ExitCode::from(code)
}

/// Escapes all arguments that the error repeats, and removes suggestions, which repeat them styled.
fn cleaned(mut error: Error) -> Error {
    let mut clean = Vec::new();
    let mut styled = Vec::new();
    let mut is_strange = false;
    for (kind, value) in error.context() {
        match value {
            ContextValue::String(text) => {
                let shown = line(text).into_owned();
                is_strange |= shown != *text;
                clean.push((kind, ContextValue::String(shown)));
            }
            ContextValue::Strings(texts) => {
                let shown: Vec<_> = texts.iter().map(|text| line(text).into_owned()).collect();
                is_strange |= shown != *texts;
                clean.push((kind, ContextValue::Strings(shown)));
            }
            ContextValue::StyledStr(_) | ContextValue::StyledStrs(_)
                if kind != ContextKind::Usage =>
            {
                styled.push(kind);
            }
            _ => {}
        }
    }
    if is_strange {
        for (kind, value) in clean {
            error.insert(kind, value);
        }
        for kind in styled {
            error.remove(kind);
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[arg(long)]
        limit: Option<u32>,
        #[arg(long, value_parser = |text: &str| Err::<String, _>(format!("'{text}' is no good")))]
        site: Option<String>,
    }

    fn rendered(arguments: &[&str]) -> String {
        let error = Line::try_parse_from([&["line"], arguments].concat()).unwrap_err();
        cleaned(error).render().ansi().to_string()
    }

    #[test]
    fn arguments_are_repeated_with_escapes() {
        // Not red, which clap uses itself.
        for arguments in [
            &["--bogus\u{1b}[5m"][..],
            &["--limit", "\u{1b}[5m7"],
            &["\u{1b}[5mstray"],
            &["--limi\u{1b}[5m", "7"],
        ] {
            let message = rendered(arguments);
            assert!(message.contains(r"\u{1b}[5m"), "{message:?}");
            assert!(!message.contains("\u{1b}[5m"), "{message:?}");
        }
        assert!(rendered(&["--limti", "7"]).contains("--limit"));
    }
}
