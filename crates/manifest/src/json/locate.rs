//! Positions of findings in a JSON text, by their pointers.

use super::lenient;
use crate::position::Cursor;
use crate::rule::document::DI_07;
use crate::{Finding, Severity};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use std::borrow::Cow;
use std::collections::HashMap;

#[cfg(test)]
mod tests;

/// Sets line and column of each position of the findings in `text`, and sorts the findings by the
/// first one, after an error of the grammar.
///
/// A missing member has the position of its nearest existing parent. One walk over the document
/// determines all positions.
pub(crate) fn locate(findings: &mut [Finding], text: &str) {
    let mut wanted = PointerTree::default();
    let places = findings.iter().flat_map(|finding| {
        let also = finding.also.iter().map(|it| (&it.pointer, it.line));
        [(&finding.pointer, finding.line)].into_iter().chain(also)
    });
    for (index, (pointer, line)) in places.enumerate() {
        if line.is_none() {
            wanted.add(pointer, index);
        }
    }
    let located = wanted.positions(text);
    let places = findings.iter_mut().flat_map(|finding| {
        let also = finding.also.iter_mut();
        let also = also.map(|it| (&mut it.line, &mut it.column));
        [(&mut finding.line, &mut finding.column)]
            .into_iter()
            .chain(also)
    });
    for (index, (line, column)) in places.enumerate() {
        let found = located.get(&index).copied().unwrap_or((1, 1));
        line.get_or_insert(found.0);
        column.get_or_insert(found.1);
    }
    // Broken JSON explains what is wrong with the rest.
    let is_later = |it: &Finding| !is_syntax(it);
    findings.sort_by_key(|finding| (is_later(finding), finding.line, finding.column));
}

/// Returns line and column of the value at each pointer in `text`, or of its nearest existing parent;
/// `None` for all of them if the text is no JSON.
pub(crate) fn positions(text: &str, pointers: &[&str]) -> Vec<Option<(u32, u32)>> {
    let mut wanted = PointerTree::default();
    for (index, pointer) in pointers.iter().enumerate() {
        wanted.add(pointer, index);
    }
    let located = wanted.positions(text);
    let indices = 0..pointers.len();
    indices.map(|it| located.get(&it).copied()).collect()
}

/// Reports whether the finding is an error of the grammar.
pub(crate) fn is_syntax(finding: &Finding) -> bool {
    finding.rule == &DI_07 && finding.severity == Severity::Error && finding.pointer.is_empty()
}

/// JSON pointers as a tree, so that one walk over a document finds all of them.
#[derive(Default)]
struct PointerTree<'p> {
    here: Vec<usize>,
    below: HashMap<Cow<'p, str>, Self>,
}

impl<'p> PointerTree<'p> {
    fn is_empty(&self) -> bool {
        self.here.is_empty() && self.below.is_empty()
    }

    fn add(&mut self, pointer: &'p str, index: usize) {
        let mut node = self;
        for step in pointer.split('/').skip(1) {
            node = node.below.entry(unescape(step)).or_default();
        }
        node.here.push(index);
    }

    /// Returns the lines and columns of all pointers in `text`.
    fn positions(&self, text: &str) -> HashMap<usize, (u32, u32)> {
        let mut offsets = Vec::new();
        match lenient::parse(text) {
            Some(tree) if !self.is_empty() => self.find(&tree, &mut offsets),
            Some(_) | None => {}
        }
        offsets.sort_unstable();
        let mut cursor = Cursor::at_start(text);
        let mut located = HashMap::new();
        for (offset, index) in offsets {
            cursor.advance(offset);
            located.insert(index, (cursor.line, cursor.column));
        }
        located
    }

    /// Adds the offset of each pointer's value in `tree`, or of the nearest existing parent.
    fn find(&self, tree: &ast::Value<'_>, offsets: &mut Vec<(usize, usize)>) {
        let start = tree.start();
        offsets.extend(self.here.iter().map(|index| (start, *index)));
        let mut children: HashMap<&str, &ast::Value<'_>> = HashMap::new();
        match tree {
            ast::Value::Object(object) => {
                let members = object.properties.iter();
                let named = members.map(|member| (member.name.as_str(), &member.value));
                children.extend(named.filter(|(name, _)| self.below.contains_key(*name)));
            }
            ast::Value::Array(array) => {
                let item = |step: &'_ str| array.elements.get(step.parse::<usize>().ok()?);
                let steps = self.below.keys();
                children.extend(steps.filter_map(|step| Some((step.as_ref(), item(step)?))));
            }
            ast::Value::StringLit(_)
            | ast::Value::NumberLit(_)
            | ast::Value::BooleanLit(_)
            | ast::Value::NullKeyword(_) => {}
        }
        for (step, below) in &self.below {
            match children.get(step.as_ref()) {
                Some(child) => below.find(child, offsets),
                None => below.use_parent(start, offsets),
            }
        }
    }

    /// Gives all pointers of this node and below the offset `start`.
    fn use_parent(&self, start: usize, offsets: &mut Vec<(usize, usize)>) {
        offsets.extend(self.here.iter().map(|index| (start, *index)));
        for below in self.below.values() {
            below.use_parent(start, offsets);
        }
    }
}

/// Decodes one step of a JSON pointer to the member's name (RFC 6901 section 4).
fn unescape(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        step.replace("~1", "/").replace("~0", "~").into()
    } else {
        step.into()
    }
}
