//! The catalogue of rules: one table from which validators, command lines and pages speak.
//!
//! Each rule carries documents of one site that break it and documents that do not, and a test
//! reads all of them. So the catalogue cannot promise what no validator does, and no validator can
//! report what the catalogue does not explain.

use crate::{FormatId, Severity, formats};

mod convert;
mod document;
mod site;
#[cfg(test)]
mod tests;

/// A numbered rule of FORMATS.md; its findings carry its id.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable id, such as `A2-06`.
    pub id: &'static str,
    /// What it is about, for people: "A2A agent card", "Any document".
    pub format: &'static str,
    /// The gravest finding that it gives; a finding may be milder where the specification is.
    pub severity: Severity,
    /// What holds in a document that follows it, in a few words.
    pub title: &'static str,
    /// Why it matters and what to do, in a sentence or three.
    pub explanation: &'static str,
    /// Where it comes from: the specification and its section.
    pub section: &'static str,
    /// Documents of one site that follow it.
    pub good: &'static [Example],
    /// Documents of one site that break it.
    pub bad: &'static [Example],
}

/// A document that shows a rule, as one site would serve it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Where it lies, such as `/.well-known/agent-card.json`; a host in front where it matters.
    pub path: &'static str,
    /// The `Content-Type` it is served as, when that matters.
    pub media_type: Option<&'static str>,
    /// The format to read it as when its content alone would be taken for another.
    pub format: Option<FormatId>,
    /// Its bytes.
    pub body: &'static [u8],
}

impl Example {
    /// A text at a path.
    pub(crate) const fn at(path: &'static str, body: &'static str) -> Self {
        Self {
            path,
            media_type: None,
            format: None,
            body: body.as_bytes(),
        }
    }

    /// A text at a path that is read as `format`, whatever it looks like.
    pub(crate) const fn read_as(format: FormatId, path: &'static str, body: &'static str) -> Self {
        let mut example = Self::at(path, body);
        example.format = Some(format);
        example
    }

    /// The body as text, for pages; broken bytes become U+FFFD.
    pub fn text(&self) -> std::borrow::Cow<'static, str> {
        String::from_utf8_lossy(self.body)
    }
}

/// Every rule, those on any document first, then format by format.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let of_formats = formats::ALL.iter().map(|entry| entry.rules);
    [document::RULES, site::RULES, convert::RULES]
        .into_iter()
        .chain(of_formats)
        .flatten()
}

/// The rule with this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}
