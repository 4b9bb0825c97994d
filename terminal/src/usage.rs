//! Command lines that make no sense: clap's messages repeat arguments as they are.

use crate::{line, lines};
use clap::error::{ContextKind, ContextValue};
use clap::{Error, Parser};
use std::error::Error as _;
use std::process::ExitCode;

/// Reads the command line; an exit code where it makes no sense, which is said, or only help is asked for.
pub fn parse<T: Parser>() -> Result<T, ExitCode> {
    T::try_parse().map_err(refuse)
}

/// Prints the message, or the help, with clap's own styling; gives the exit code.
pub fn refuse(error: Error) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let error = cleaned(error);
    // What a value's own reader says is beyond reach: without styling, everything that is left can be told.
    let says_raw = error
        .source()
        .is_some_and(|source| matches!(line(&source.to_string()), std::borrow::Cow::Owned(_)));
    if says_raw {
        crate::say(lines(&error.render().to_string()).trim_end());
    } else {
        // A reader that went away has seen enough.
        let _ = error.print();
    }
    ExitCode::from(code)
}

/// The error with every argument that it repeats escaped; suggestions, which repeat them styled, go.
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

    fn told(arguments: &[&str]) -> String {
        let error = Line::try_parse_from([&["line"], arguments].concat()).unwrap_err();
        cleaned(error).render().ansi().to_string()
    }

    #[test]
    fn an_argument_is_repeated_as_something_that_can_be_read() {
        // Not red, which clap uses itself.
        for arguments in [
            &["--bogus\u{1b}[5m"][..],
            &["--limit", "\u{1b}[5m7"],
            &["\u{1b}[5mstray"],
            &["--limi\u{1b}[5m", "7"],
        ] {
            let told = told(arguments);
            assert!(told.contains(r"\u{1b}[5m"), "{told:?}");
            assert!(!told.contains("\u{1b}[5m"), "{told:?}");
        }
        assert!(told(&["--limti", "7"]).contains("--limit"));
    }
}
