//! Reader of lines into a [`Manifest`].

use super::directives::Directive;
use super::lines::{Kind, Line, Pair, lines, pair};
use super::prose::Operation;
use super::prose::list::{self, Item, List};
use super::well_known::block::Block;
use super::{Dialect, Manifest, agents_brief, keys};
use crate::{link, text};

/// Maximum number of items, and of operations, that are kept.
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

/// Manifest read so far, with the context of the current line.
#[derive(Default)]
struct Reader {
    manifest: Manifest,
    /// True while lines belong to the block added last.
    is_in_block: bool,
    /// True inside a Markdown code fence.
    is_in_fence: bool,
    /// True while plain lines continue the value above.
    is_in_value: bool,
    /// Kind of the current list.
    list: List,
    nested: Nested,
}

/// Subject of indented `Key: Value` lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Nested {
    /// The file.
    #[default]
    File,
    /// The API whose paths they name, as below `api:`.
    Api,
    /// The item above, which begins with its name.
    Item,
}

impl Reader {
    fn is_informal(&self) -> bool {
        self.manifest.dialect.is_informal()
    }

    fn line(&mut self, line: &Line<'_>) {
        let is_fence = matches!(line.kind, Kind::Prose(text) if text.starts_with("```"));
        if self.is_informal() && (is_fence || self.is_in_fence) {
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
        if self.is_informal() && self.manifest.dialect != Dialect::YAML_LIST {
            self.list = List::below(text);
        }
        self.manifest.prose.comment(line, level, text);
    }

    /// Returns true for comments that carry data (AT-01), more of them without a specification.
    fn is_data(&self, level: usize, pair: &Pair<'_>) -> bool {
        let key = pair.key.as_str();
        let is_address = pair.value.contains('@') || link::is_absolute(pair.value);
        let is_usual = self.is_informal() && level == 1 && is_address;
        keys::COMMENTS.contains(&key) || is_usual && keys::INFORMAL_COMMENTS.contains(&key)
    }

    /// Opens a section at `[Agent: name]`, in agents-brief only.
    fn section(&mut self, line: &Line<'_>, head: &str) {
        match agents_brief::section_name(head)
            .filter(|_| self.manifest.dialect == Dialect::AGENTS_BRIEF)
        {
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
        self.sentence(line, item);
        let is_yaml = self.manifest.dialect == Dialect::YAML_LIST && self.list == List::Names;
        if let Some(named) = pair(item).filter(|pair| is_yaml && pair.key == "name") {
            self.nested = Nested::Item;
            return self.listed(line, named.value);
        }
        let known =
            pair(item).filter(|pair| self.is_informal() && !is_yaml && keys::has_place(&pair.key));
        match known {
            Some(pair) => self.directive(line, &pair),
            None => self.listed(line, item),
        }
    }

    fn listed(&mut self, line: &Line<'_>, item: &str) {
        let is_capability = match self.list {
            List::Names => true,
            List::Addresses => list::is_callable(item),
            List::Other => false,
        };
        if !is_capability {
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

    /// Reads `GET /path` or `name: GET /path`; returns true if the line is one.
    fn operation(&mut self, line: &Line<'_>, text: &str) -> bool {
        let plain = || Operation::read(line, text);
        let named = || {
            let (name, rest) = text.split_once(": ")?;
            Some(Operation::read(line, rest)?.called(name))
        };
        let operation = plain().or_else(named);
        self.add_operation(operation)
    }

    /// Reads a call within a sentence, which stays a sentence.
    fn sentence(&mut self, line: &Line<'_>, text: &str) {
        if self.is_informal() {
            self.manifest.prose.note_bearer(line, text);
            self.add_operation(Operation::in_sentence(line, text));
        }
    }

    fn add_operation(&mut self, operation: Option<Operation>) -> bool {
        let is_one = operation.is_some();
        if self.manifest.operations.len() < MAX_ITEMS {
            self.manifest.operations.extend(operation);
        } else {
            self.manifest.unread += usize::from(is_one);
        }
        is_one
    }

    fn pair(&mut self, line: &Line<'_>, pair: &Pair<'_>) {
        let is_brief = self.manifest.dialect == Dialect::AGENTS_BRIEF;
        if self.is_in_block && (line.is_indented || is_brief) {
            if let Some(block) = self.manifest.blocks.last_mut() {
                block.directives.add(Directive::new(line, pair));
            }
            return;
        }
        self.manifest.first.get_or_insert(line.place(line.text));
        if self.nested(line, pair) {
            return;
        }
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
            .other(line, if self.is_informal() { pair.value } else { "" });
        let is_head = pair.value.is_empty() && !line.is_indented;
        let is_capabilities = pair.key == "capabilities";
        self.list = match List::below(pair.written) {
            list if is_head && (is_capabilities || self.is_informal()) => list,
            _ => List::Other,
        };
        // Nested values in prose can be about anything, so only known keys count.
        let is_nested = self.manifest.dialect == Dialect::PROSE && line.is_indented;
        if !is_nested || keys::has_place(&pair.key) {
            self.directive(line, pair);
        }
    }

    /// Reads a pair that is about an item or an API above it; returns false for any other.
    fn nested(&mut self, line: &Line<'_>, pair: &Pair<'_>) -> bool {
        const APIS: [&str; 3] = ["api", "endpoints", "api-endpoints"];
        if !line.is_indented {
            let is_api = pair.value.is_empty() && APIS.contains(&pair.key.as_str());
            self.nested = if is_api && self.is_informal() {
                Nested::Api
            } else {
                Nested::File
            };
            return false;
        }
        let is_path = pair.value.starts_with('/') && !pair.value.contains(char::is_whitespace);
        match self.nested {
            Nested::Item => {
                if let Some(item) = self
                    .manifest
                    .listed
                    .last_mut()
                    .filter(|_| pair.key == "description")
                {
                    item.text = format!("{}: {}", item.text, pair.value);
                }
                true
            }
            Nested::Api if is_path && self.manifest.operations.len() < MAX_ITEMS => {
                let operation = Operation::at_path(line, pair.written, pair.value);
                self.manifest.operations.push(operation);
                true
            }
            Nested::Api | Nested::File => false,
        }
    }

    fn directive(&mut self, line: &Line<'_>, pair: &Pair<'_>) {
        if self.is_informal() && pair.key.contains("mcp") {
            self.tools(line, pair.value);
        }
        let is_description = keys::DESCRIPTIONS.contains(&pair.key.as_str());
        self.is_in_value = self.is_informal() && (is_description || pair.value.is_empty());
        self.manifest.directives.add(Directive::new(line, pair));
    }

    /// Adds the tools that are named after the address of an MCP server.
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
            // The line is the title.
        } else if is_capital_heading(text) {
            self.manifest.prose.comment(line, 2, text);
        } else if self.operation(line, text) || (self.is_in_value && self.extend_value(text)) {
            self.manifest.prose.other(line, text);
        } else {
            self.sentence(line, text);
            self.manifest.prose.line(line, text);
        }
        self.manifest.stray.push(at);
    }

    /// Appends `text` to the value above it; returns false if there is none.
    fn extend_value(&mut self, text: &str) -> bool {
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

/// Reports whether a line is a heading in capitals, as texts without markup have them.
fn is_capital_heading(text: &str) -> bool {
    let mut letters = text.chars().filter(|it| it.is_alphabetic());
    let has_letters = text.chars().filter(|it| it.is_alphabetic()).count() > 2;
    has_letters
        && letters.all(char::is_uppercase)
        && text.split_whitespace().count() <= 6
        && !text.contains(['/', ':', '.'])
}
