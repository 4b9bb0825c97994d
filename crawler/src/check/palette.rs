//! Colours of the output of a check: from the sixteen basic colours of terminals, whose shades
//! users can choose.

use anstyle::{AnsiColor, Style};
use store::Outcome;

/// The styles of the parts of the output.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// Style of success.
    pub good: Style,
    /// Style of an empty result that is not an error.
    pub nothing: Style,
    /// Style of failure.
    pub bad: Style,
    /// Style of secondary information.
    pub aside: Style,
}

impl Palette {
    /// No colours: for files, pipes and users who set `NO_COLOR`.
    pub const PLAIN: Self = Self {
        good: Style::new(),
        nothing: Style::new(),
        bad: Style::new(),
        aside: Style::new(),
    };

    /// Colours for a terminal.
    pub const TERMINAL: Self = Self {
        good: AnsiColor::Green.on_default(),
        nothing: AnsiColor::Yellow.on_default(),
        bad: AnsiColor::Red.on_default(),
        aside: Style::new().dimmed(),
    };

    /// Returns the palette that standard output supports.
    pub fn of_stdout() -> Self {
        match anstream::AutoStream::choice(&std::io::stdout()) {
            anstream::ColorChoice::Never => Self::PLAIN,
            _ => Self::TERMINAL,
        }
    }

    /// Returns the style of a status, or of a missing answer.
    pub(super) fn of_status(&self, status: Option<u16>) -> Style {
        match status {
            Some(200..=399) => self.good,
            Some(404 | 410) => self.nothing,
            Some(_) | None => self.bad,
        }
    }

    /// Returns the style of an outcome.
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
    fn the_plain_palette_adds_no_bytes() {
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
    fn a_colour_is_reset_after_its_word() {
        let style = Palette::TERMINAL.of_status(Some(404));
        assert_eq!(format!("{style}404{style:#}"), "\u{1b}[33m404\u{1b}[0m");
        let outcome = Palette::TERMINAL.of_outcome(Outcome::Down);
        assert_eq!(outcome, Palette::TERMINAL.bad);
    }
}
