//! Identifiers made from the publisher's names.

use std::collections::{HashMap, HashSet};

/// A set of names, each of which is used once.
#[derive(Default)]
pub(super) struct UniqueNames {
    names: HashSet<String>,
    next: HashMap<String, usize>,
}

impl UniqueNames {
    /// Returns `wanted`, with a number appended if that name is already taken.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        if self.names.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let number = self.next.entry(wanted.to_owned()).or_insert(2);
        loop {
            let name = format!("{wanted}_{number}");
            *number += 1;
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Converts `text` to lower-case ASCII with `separator` between words; returns `None` if nothing
/// remains.
pub(super) fn slug(text: &str, separator: &str) -> Option<String> {
    let slug = slug::slugify(text).replace('-', separator);
    (!slug.is_empty()).then_some(slug)
}

/// Returns the URN `urn:air:<domain>:agent:<slug>`.
pub(super) fn urn(domain: &crate::Domain, name: &str) -> Option<String> {
    Some(format!("urn:air:{domain}:agent:{}", slug(name, "-")?))
}
