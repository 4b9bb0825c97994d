//! Sentences that may name a time: exactly for programs, relative to now for people.

use super::time::Moment;
use std::fmt;

/// Preposition that a relative time has as well: `since 2 hours ago`, but `in 2 hours`.
const SINCE: &str = "since";

/// Sentence or fragment with at most one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    before: String,
    /// Time, and the preposition of an exact one; most statements have none.
    at: Option<Box<(&'static str, Moment)>>,
    after: String,
}

impl Statement {
    /// Creates a statement on what has been so since a time.
    pub(crate) fn since(before: String, moment: Moment, after: String) -> Self {
        let at = Some(Box::new((SINCE, moment)));
        Self { before, at, after }
    }

    /// Creates a statement on what will be at a time.
    pub(crate) fn at(before: String, moment: Moment, after: String) -> Self {
        let at = Some(Box::new(("at", moment)));
        Self { before, at, after }
    }

    /// Returns the text before a relative time.
    pub(crate) fn begin(&self) -> String {
        if self.at.as_ref().is_some_and(|it| it.0 == SINCE) {
            format!("{} {SINCE}", self.before)
        } else {
            self.before.clone()
        }
    }

    /// Returns the time.
    pub(crate) fn moment(&self) -> Option<&Moment> {
        self.at.as_ref().map(|it| &it.1)
    }

    /// Returns the text after the time.
    pub(crate) fn end(&self) -> &str {
        &self.after
    }

    /// Returns the fragment as a sentence, given how text without a time becomes one.
    pub(crate) fn finished(self, sentence: impl Fn(&str) -> String) -> Self {
        if self.at.is_none() {
            return sentence(&self.before).into();
        }
        let end = if self.after.ends_with('.') { "" } else { "." };
        Self {
            before: sentence(&self.before).trim_end_matches('.').to_owned(),
            after: format!("{}{end}", self.after),
            ..self
        }
    }
}

impl From<String> for Statement {
    fn from(text: String) -> Self {
        Self {
            before: text,
            ..Self::default()
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.before)?;
        if let Some(at) = &self.at {
            let (word, moment) = &**at;
            write!(formatter, " {word} {}", moment.iso)?;
        }
        formatter.write_str(&self.after)
    }
}
