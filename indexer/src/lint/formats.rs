//! Text of `indexer lint --list-formats`.

use manifest::formats;
use std::fmt::Write as _;

/// Lists each format with its names for `--as` and its usual paths.
pub(crate) fn list() -> String {
    let mut text = String::new();
    for entry in formats::ALL {
        let _ = writeln!(text, "{:<28} {}", entry.id, entry.title);
        for also in entry.also {
            let _ = writeln!(text, "  {also}");
        }
        for place in entry.places {
            let _ = writeln!(text, "    {place}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_and_dialect_is_listed() {
        let list = list();
        for id in formats::ids() {
            let is_listed = |line: &str| line.split_whitespace().next() == Some(id.as_str());
            assert!(list.lines().any(is_listed), "{id}");
        }
    }
}
