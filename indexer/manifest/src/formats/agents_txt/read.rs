//! From lines to a [`Manifest`].

use super::d11::Operation;
use super::d11::list::{self, Item, List};
use super::directives::Directive;
use super::lines::{Kind, Line, Pair, lines, pair};
use super::{Block, Dialect, Manifest, d7, keys};
use crate::{link, text};

/// Most items and operations that are kept.
const MAX_ITEMS: usize = 1_000;

/// Reads all lines of `text`.
pub(super) fn read(text: &str, dialect: Dialect) -> Manifest {
    let mut reader = Reader {
        manifest: Manifest::of(dialect),
        ..Reader::default()
    };
    for line in lines(text) {
        reader.line(&line);
    }
    reader.manifest.prose.end_paragraph();
    reader.manifest
}

/// A manifest in the making, and where in the text we are.
#[derive(Default)]
struct Reader {
    manifest: Manifest,
    /// Lines belong to the block added last.
    is_in_block: bool,
    /// Lines are code.
    is_in_fence: bool,
    /// Plain lines go on with the value above.
    is_in_value: bool,
    /// What the items here are.
    list: List,
}

impl Reader {
    fn is_habit(&self) -> bool {
        self.manifest.dialect.is_habit()
    }

    fn line(&mut self, line: &Line<'_>) {
        let is_fence = matches!(line.kind, Kind::Prose(text) if text.starts_with("```"));
        if self.is_habit() && (is_fence || self.is_in_fence) {
            self.is_in_fence ^= is_fence;
            return;
        }
        match &line.kind {
            Kind::Blank => {
                self.manifest.prose.end_paragraph();
                self.is_in_value = false;
            }
            Kind::Comment { level, text } => self.comment(line, *level, text),
            Kind::Quote(text) => self.manifest.prose.line(line, text),
            Kind::Section(name) => self.section(line, name),
            Kind::Item(item) => self.item(line, item),
            Kind::Pair(pair) => self.pair(line, pair),
            Kind::Prose(text) => self.prose(line, text),
        }
    }

    fn comment(&mut self, line: &Line<'_>, level: usize, text: &str) {
        self.manifest.first.get_or_insert(line.place(line.text));
        if let Some(pair) = pair(text)
            && self.is_data(level, &pair)
        {
            self.manifest.directives.add(Directive::new(line, &pair));
            return;
        }
        if self.is_habit() && self.manifest.dialect != Dialect::D8 {
            self.list = List::below(text);
        }
        self.manifest.prose.comment(line, level, text);
    }

    /// AT-01: comments that carry data, and where there is no specification those that people write.
    fn is_data(&self, level: usize, pair: &Pair<'_>) -> bool {
        let key = pair.key.as_str();
        let is_address = pair.value.contains('@') || link::is_absolute(pair.value);
        let is_usual = self.is_habit() && level == 1 && is_address;
        keys::COMMENTS.contains(&key) || is_usual && keys::HABITUAL_COMMENTS.contains(&key)
    }

    /// `[Agent: name]` opens a section of D7, and belongs to nothing else.
    fn section(&mut self, line: &Line<'_>, head: &str) {
        match d7::section_name(head).filter(|_| self.manifest.dialect == Dialect::D7) {
            Some(name) => {
                self.manifest.blocks.push(Block::new(line, name, true));
                self.is_in_block = true;
            }
            None => self.manifest.stray.push(line.place(line.text.trim_start())),
        }
    }

    fn item(&mut self, line: &Line<'_>, item: &str) {
        self.manifest.prose.other(line, item);
        if self.operation(line, item) {
            return;
        }
        let is_yaml = self.manifest.dialect == Dialect::D8 && self.list == List::Names;
        let known =
            pair(item).filter(|pair| self.is_habit() && !is_yaml && keys::has_place(&pair.key));
        match known {
            Some(pair) => self.directive(line, &pair),
            None => self.listed(line, item),
        }
    }

    fn listed(&mut self, line: &Line<'_>, item: &str) {
        let is_meant = match self.list {
            List::Names => true,
            List::Addresses => list::is_callable(item),
            List::Other => false,
        };
        if !is_meant {
            return;
        }
        if self.manifest.listed.len() < MAX_ITEMS {
            self.manifest.listed.push(Item {
                at: line.place(item),
                text: item.to_owned(),
            });
        } else {
            self.manifest.unread += 1;
        }
    }

    /// Takes a line that begins with an HTTP method, or with a name and one.
    fn operation(&mut self, line: &Line<'_>, text: &str) -> bool {
        let plain = || Operation::read(line, text);
        let named = || {
            let (name, rest) = text.split_once(": ")?;
            Some(Operation::read(line, rest)?.called(name))
        };
        let operation = plain().or_else(named);
        let is_one = operation.is_some();
        if self.manifest.operations.len() < MAX_ITEMS {
            self.manifest.operations.extend(operation);
        } else {
            self.manifest.unread += usize::from(is_one);
        }
        is_one
    }

    fn pair(&mut self, line: &Line<'_>, pair: &Pair<'_>) {
        let is_brief = self.manifest.dialect == Dialect::D7;
        if self.is_in_block && (line.is_indented || is_brief) {
            if let Some(block) = self.manifest.blocks.last_mut() {
                block.directives.add(Directive::new(line, pair));
            }
            return;
        }
        self.manifest.first.get_or_insert(line.place(line.text));
        self.is_in_block = !line.is_indented && Block::is_opened_by(pair, self.manifest.dialect);
        if self.is_in_block {
            let is_agent = pair.key == "agent";
            self.manifest
                .blocks
                .push(Block::new(line, pair.value, is_agent));
            return;
        }
        self.manifest
            .prose
            .other(line, if self.is_habit() { pair.value } else { "" });
        let is_head = pair.value.is_empty() && !line.is_indented;
        let is_capabilities = pair.key == "capabilities";
        self.list = match List::below(pair.written) {
            list if is_head && (is_capabilities || self.is_habit()) => list,
            _ => List::Other,
        };
        // Nested values of a text without a specification could be about anything.
        let is_nested = self.manifest.dialect == Dialect::D11 && line.is_indented;
        if !is_nested || keys::has_place(&pair.key) {
            self.directive(line, pair);
        }
    }

    fn directive(&mut self, line: &Line<'_>, pair: &Pair<'_>) {
        if self.is_habit() && pair.key.contains("mcp") {
            self.tools(line, pair.value);
        }
        let is_description = keys::DESCRIPTIONS.contains(&pair.key.as_str());
        self.is_in_value = self.is_habit() && (is_description || pair.value.is_empty());
        self.manifest.directives.add(Directive::new(line, pair));
    }

    /// The tools of a server, where its address names them in passing.
    fn tools(&mut self, line: &Line<'_>, text: &str) {
        let names = list::tools_in(text)
            .into_iter()
            .flat_map(|names| names.split(','));
        for name in names.filter_map(list::tool) {
            self.manifest.listed.push(Item {
                at: line.place(name),
                text: name.to_owned(),
            });
        }
    }

    fn prose(&mut self, line: &Line<'_>, text: &str) {
        let at = line.place(text);
        self.manifest.first.get_or_insert(at);
        if self.manifest.prose.opens_with(line, text) {
            // Has been taken as the title.
        } else if self.operation(line, text) || (self.is_in_value && self.goes_on(text)) {
            self.manifest.prose.other(line, text);
        } else {
            self.manifest.prose.line(line, text);
        }
        self.manifest.stray.push(at);
    }

    /// Adds `text` to the value above it.
    fn goes_on(&mut self, text: &str) -> bool {
        let Some(last) = self.manifest.directives.last_mut() else {
            return false;
        };
        if last.value.len() < text::MAX_CHARS * 4 && !last.was_secret {
            if !last.value.is_empty() {
                last.value.push(' ');
            }
            last.value.push_str(text);
        }
        true
    }
}
