//! Facts read from the lines of a file, with their positions.

use super::directives::{Directive, Directives};
use super::keys;
use super::lines::Position;
use crate::{Document, Fact, link, text};
use std::collections::BTreeMap;

/// Lines of a file, with the position that each field of the agent was read from.
pub(super) struct Facts<'m> {
    pub(super) directives: &'m Directives,
    pub(super) pointers: BTreeMap<String, String>,
}

impl<'m> Facts<'m> {
    pub(super) fn of(directives: &'m Directives) -> Self {
        Self {
            directives,
            pointers: BTreeMap::new(),
        }
    }

    /// Records the position of `field`; the first one recorded is kept.
    pub(super) fn note(&mut self, field: Fact, place: Position) {
        let pointers = &mut self.pointers;
        pointers
            .entry(field.into())
            .or_insert_with(|| place.pointer());
    }

    /// Removes the position recorded for `field`.
    pub(super) fn forget(&mut self, field: Fact) {
        self.pointers.remove(field.name());
    }

    /// Returns the first line with any of `keys`, and records it as the position of `field`.
    pub(super) fn line(&mut self, field: Fact, keys: &[&str]) -> Option<&'m Directive> {
        let line = self.directives.any(keys)?;
        self.note(field, line.at);
        Some(line)
    }

    /// Returns the cleaned value of that line.
    pub(super) fn text(&mut self, field: Fact, keys: &[&str]) -> Option<String> {
        let line = self.line(field, keys)?;
        text::some(&line.value)
    }

    /// Returns the value of that line as an absolute URL.
    pub(super) fn url(
        &mut self,
        field: Fact,
        keys: &[&str],
        document: &Document,
    ) -> Option<String> {
        let line = self.directives.any(keys)?;
        let url = link::guessed(&document.url, line.address())?;
        self.note(field, line.at);
        Some(url)
    }

    /// Returns the site's address, written as an absolute URL, as a path, or as a host name only.
    ///
    /// A value that could also be a file name counts only if it is the site's own host (AT-11).
    pub(super) fn site_url(&mut self, document: &Document) -> Option<String> {
        let written = self.directives.any(keys::URLS)?.address();
        let whole = format!("https://{written}");
        let is_host =
            link::guessed(&document.url, written) == link::absolute(&document.url, &whole);
        if is_host || written.starts_with('/') || written.contains("://") {
            return self.url(Fact::Url, keys::URLS, document);
        }
        let whole = link::absolute(&document.url, &whole)?;
        link::is_own(document, &whole).then(|| {
            self.line(Fact::Url, keys::URLS);
            whole
        })
    }

    /// Returns the comma-separated values of all lines with any of `keys`, each once.
    pub(super) fn list(&mut self, field: Fact, keys: &[&str]) -> Vec<String> {
        self.line(field, keys);
        let values = keys.iter().flat_map(|key| self.directives.list(key));
        text::distinct(values)
    }
}
