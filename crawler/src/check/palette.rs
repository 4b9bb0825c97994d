//! The colours of a check: of the sixteen that every terminal has, so that its owner chooses the shades.

use anstyle::{AnsiColor, Style};
use store::Outcome;

/// How the parts of a check look.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// As hoped for.
    pub good: Style,
    /// Not as hoped for, and nobody's fault.
    pub nothing: Style,
    /// Failed.
    pub bad: Style,
    /// Of lesser interest.
    pub aside: Style,
}

impl Palette {
    /// No colours: for files, pipes and those who set `NO_COLOR`.
    pub const PLAIN: Self = Self {
        good: Style::new(),
        nothing: Style::new(),
        bad: Style::new(),
        aside: Style::new(),
    };

    /// For a terminal.
    pub const TERMINAL: Self = Self {
        good: AnsiColor::Green.on_default(),
        nothing: AnsiColor::Yellow.on_default(),
        bad: AnsiColor::Red.on_default(),
        aside: Style::new().dimmed(),
    };

    /// What standard output takes.
    pub fn of_stdout() -> Self {
        match anstream::AutoStream::choice(&std::io::stdout()) {
            anstream::ColorChoice::Never => Self::PLAIN,
            _ => Self::TERMINAL,
        }
    }

    /// The style of a status, or of no answer at all.
    pub(super) fn of_status(&self, status: Option<u16>) -> Style {
        match status {
            Some(200..=399) => self.good,
            Some(404 | 410) => self.nothing,
            Some(_) | None => self.bad,
        }
    }

    /// The style of an outcome.
    pub(super) fn of_outcome(&self, outcome: Outcome) -> Style {
        match outcome {
            Outcome::Found => self.good,
            Outcome::Empty
            | Outcome::Soft404
            | Outcome::RobotsDisallow
            | Outcome::OptedOut
            | Outcome::Budget => self.nothing,
            _ => self.bad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_not_a_byte_is_added() {
        for style in [
            Palette::PLAIN.of_status(None),
            Palette::PLAIN.of_status(Some(200)),
            Palette::PLAIN.of_outcome(Outcome::Found),
            Palette::PLAIN.aside,
        ] {
            assert_eq!(format!("{style}x{style:#}"), "x");
        }
    }

    #[test]
    fn a_colour_ends_where_its_word_does() {
        let style = Palette::TERMINAL.of_status(Some(404));
        assert_eq!(format!("{style}404{style:#}"), "\u{1b}[33m404\u{1b}[0m");
        let outcome = Palette::TERMINAL.of_outcome(Outcome::Down);
        assert_eq!(outcome, Palette::TERMINAL.bad);
    }
}
