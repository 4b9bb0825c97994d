//! Identifiers made from what the publisher calls things.

use std::collections::{HashMap, HashSet};

/// Names that are given once each.
#[derive(Default)]
pub(super) struct Taken {
    names: HashSet<String>,
    next: HashMap<String, usize>,
}

impl Taken {
    /// `wanted`, or with a number behind it when somebody has it already.
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

/// `text` in lower-case ASCII with `separator` between words; `None` when nothing is left.
pub(super) fn slug(text: &str, separator: &str) -> Option<String> {
    let slug = slug::slugify(text).replace('-', separator);
    (!slug.is_empty()).then_some(slug)
}

/// `urn:air:<domain>:agent:<slug>`: a name below the site's own.
pub(super) fn urn(domain: &crate::Domain, name: &str) -> Option<String> {
    Some(format!("urn:air:{domain}:agent:{}", slug(name, "-")?))
}
