//! Other documents that a file points at.

use super::directives::Directive;
use super::{Manifest, keys};
use crate::reference;
use crate::{Document, Reference};
use std::collections::HashSet;

/// Keys inside blocks, with the relation and the maximum number of references.
const OF_BLOCKS: &[(&str, &str, usize)] = &[
    ("openapi", "openapi", 5),
    ("agent-declaration", "agents.txt", 3),
];

/// Returns the documents that a file points at, each with its line.
pub(super) fn references(manifest: &Manifest, document: &Document) -> Vec<Reference> {
    let to = |line: &Directive, rel: &str| {
        reference::to(document, rel, line.document()?, &line.at.pointer())
    };
    let mut references = Vec::new();
    for (key, rel, most) in keys::REFERENCES {
        let lines = manifest.directives.all(key);
        references.extend(lines.filter_map(|line| to(line, rel)).take(*most));
    }
    for (key, rel, most) in OF_BLOCKS {
        let blocks = manifest.blocks.iter();
        let lines = blocks.filter_map(|block| block.directives.first(key));
        references.extend(lines.filter_map(|line| to(line, rel)).take(*most));
    }
    if manifest.dialect.is_informal() {
        references.extend(manifest.prose.references(document));
    }
    let mut seen = HashSet::new();
    references.retain(|reference| seen.insert((reference.rel.clone(), reference.url.clone())));
    references
}
