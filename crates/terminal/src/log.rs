//! The log of a program on standard error.

use crate::{escaped, say};
use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// True once the log is JSON.
static IS_JSON: OnceLock<bool> = OnceLock::new();

/// Form of the lines of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, otherwise one JSON object a line, which a collector can read.
    Auto,
    /// Text, for programs that a person starts to look at.
    Text,
}

/// Starts the log; `default` is its filter unless `RUST_LOG` gives another. What is wrong with that one
/// is the first line of the log.
pub fn start_log(default: &str, format: LogFormat) {
    let given = std::env::var("RUST_LOG").ok();
    let (filter, fault) = filter(given.as_deref(), default);
    let is_terminal = io::stderr().is_terminal();
    let is_json = format == LogFormat::Auto && !is_terminal;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // That would panic once nothing reads standard error any more.
        .log_internal_errors(false)
        .with_writer(writer);
    // A second log in this process would be that of a test.
    let _ = if is_json {
        log.json().try_init()
    } else {
        log.with_ansi(is_terminal).with_target(false).try_init()
    };
    let _ = IS_JSON.set(is_json);
    if let Some(fault) = fault {
        tracing::warn!(target: "agentdex", "{fault}");
    }
}

/// Tells the operator what the program does: as text, or in a log that is JSON as an event, so that
/// each of its lines is an object.
pub fn announce(text: &str) {
    if IS_JSON.get().copied().unwrap_or_default() {
        tracing::info!(target: "agentdex", "{text}");
    } else {
        say(text);
    }
}

/// Returns the filter of a log, and what is wrong with `RUST_LOG`, if anything.
fn filter(given: Option<&str>, default: &str) -> (EnvFilter, Option<String>) {
    match EnvFilter::try_new(log_filter(given, default)) {
        Ok(filter) => (filter, given.and_then(misspelt)),
        Err(error) => {
            let fault = format!(
                "RUST_LOG is ignored: {error}: {}",
                given.unwrap_or_default()
            );
            (EnvFilter::new(log_filter(None, default)), Some(fault))
        }
    }
}

/// Describes a word of `RUST_LOG` that is probably a level with a typing error: it would be the name of
/// a target, of which everything is logged.
fn misspelt(given: &str) -> Option<String> {
    let word = directives(given).find(|it| !is_level(it) && !it.contains(['=', ':', '[']))?;
    Some(format!(
        "RUST_LOG has '{word}', which is no level (off, error, warn, info, debug, trace); as a target it \
         needs one, such as {word}=debug"
    ))
}

/// Returns the parts of a filter.
fn directives(filter: &str) -> impl Iterator<Item = &str> {
    filter.split(',').map(str::trim).filter(|it| !it.is_empty())
}

fn is_level(directive: &str) -> bool {
    directive.parse::<LevelFilter>().is_ok()
}

/// Returns the text of the filter of a log: what `RUST_LOG` gives, else `default`. If it gives no level
/// for all targets, it is added to `default`, since it would silence all others.
///
/// The libraries of the protocols write a line for each fault of a client, so that one client could
/// fill the disk: that of HTTP/2 warnings, that of MCP errors too; that of databases writes some for each trial while a
/// server is away. They are silent unless they are named;
/// what fails within the registry, it logs itself.
fn log_filter(given: Option<&str>, default: &str) -> String {
    let given: Vec<_> = given.map(directives).into_iter().flatten().collect();
    let has_level = given.iter().any(|it| is_level(it));
    let default = (!has_level).then_some(default);
    let all: Vec<_> = ["h2=error", "rmcp=off", "sqlx=error"]
        .into_iter()
        .chain(default)
        .chain(given)
        .collect();
    all.join(",")
}

/// Returns a writer of log lines to standard error. It keeps colours, since the log itself escapes
/// those in third-party text.
fn writer() -> Log<io::Stderr> {
    Log(io::stderr())
}

/// Writer that escapes the text of each write.
#[derive(Debug)]
struct Log<W>(W);

impl<W: Write> Write for Log<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let text = escaped(&text, |character| {
            matches!(character, '\n' | '\t' | '\u{1b}')
        });
        self.0.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_protocols_are_silent_unless_they_are_named() {
        let quiet = "h2=error,rmcp=off,sqlx=error";
        assert_eq!(log_filter(None, "info"), format!("{quiet},info"));
        assert_eq!(log_filter(Some(" "), "info"), format!("{quiet},info"));
        let named = format!("{quiet},debug,h2=trace");
        assert_eq!(log_filter(Some("debug, h2=trace,"), "info"), named);
    }

    #[test]
    fn a_filter_silences_what_it_does_not_name_only_by_a_level() {
        let text = |given| filter(Some(given), "warn,admin=info").0.to_string();
        for given in ["crawler=debug", "bogus", "=x", "warn,crawler=loud"] {
            let text = text(given);
            assert!(text.contains("admin=info"), "{given}: {text}");
        }
        for given in ["error", "off,crawler=debug"] {
            let text = text(given);
            assert!(!text.contains("admin"), "{given}: {text}");
        }
    }

    #[test]
    fn a_fault_of_a_filter_is_described() {
        let fault = |given| filter(given, "info").1;
        for good in [
            None,
            Some(" "),
            Some("info,crawler=debug"),
            Some("WARN"),
            Some("web[request]=trace,store::sqlite"),
        ] {
            assert_eq!(fault(good), None, "{good:?}");
        }
        for (wrong, expected) in [
            ("=x", "RUST_LOG is ignored"),
            ("crawler=loud", "crawler=loud"),
            ("info,bogus", "'bogus', which is no level"),
        ] {
            let fault = fault(Some(wrong)).unwrap();
            assert!(fault.contains(expected), "{wrong}: {fault}");
        }
    }

    #[test]
    fn a_log_keeps_its_own_colours() {
        let mut log = Log(Vec::new());
        log.write_all("\u{1b}[33mWARN\u{1b}[0m a\u{202e}b\n".as_bytes())
            .unwrap();
        let text = String::from_utf8(log.0).unwrap();
        assert_eq!(text, "\u{1b}[33mWARN\u{1b}[0m a\\u{202e}b\n");
    }
}
