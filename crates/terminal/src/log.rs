//! The log of a program on standard error.

use crate::{escaped, say};
use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;
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

/// Starts the log; `default` is its filter unless `RUST_LOG` gives another.
pub fn start_log(default: &str, format: LogFormat) {
    let given = std::env::var("RUST_LOG").ok();
    let filter = EnvFilter::new(log_filter(given.as_deref(), default));
    let is_terminal = io::stderr().is_terminal();
    let is_json = format == LogFormat::Auto && !is_terminal;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer);
    // A second log in this process would be that of a test.
    let _ = if is_json {
        log.json().try_init()
    } else {
        log.with_ansi(is_terminal).with_target(false).try_init()
    };
    let _ = IS_JSON.set(is_json);
}

/// Tells the operator what `agentdex` does: as text, or in a log that is JSON as an event, so that
/// each of its lines is an object.
pub fn announce(text: &str) {
    if IS_JSON.get().copied().unwrap_or_default() {
        tracing::info!(target: "agentdex", "{text}");
    } else {
        say(text);
    }
}

/// Returns the filter of a log: what `RUST_LOG` gives, else `default`.
///
/// The libraries of the protocols write a line for each fault of a client, so that one client could
/// fill the disk: that of HTTP/2 warnings, that of MCP errors too. They are silent unless they are named;
/// what fails within the registry, it logs itself.
pub fn log_filter(given: Option<&str>, default: &str) -> String {
    let given = given.map(str::trim).filter(|it| !it.is_empty());
    format!("h2=error,rmcp=off,{}", given.unwrap_or(default))
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
        let quiet = "h2=error,rmcp=off";
        assert_eq!(log_filter(None, "info"), format!("{quiet},info"));
        assert_eq!(log_filter(Some(" "), "info"), format!("{quiet},info"));
        let named = format!("{quiet},debug,h2=trace");
        assert_eq!(log_filter(Some("debug,h2=trace"), "info"), named);
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
