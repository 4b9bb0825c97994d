//! agents.txt: several formats under one name, read as one (FORMATS.md section 4).
//!
//! There is no single agents.txt. What publishers write falls into dialects, of which D1 to D4
//! have specifications and the others have habits. One file may follow several, so all keys of
//! all dialects are honoured wherever they stand (AT-05), and the dialect only decides what is
//! asked for: `keys` reads lines of `Key: Value`, `blocks` the indented capabilities of D3,
//! `prose` the Markdown of D11, and `validate` holds the rules of each dialect.
//! A text that is in no dialect is some other file (DI-05) and lists nothing.
//!
//! Specifications: kaylacar/agents-protocol (D1, D2), kaylacar/agents-txt and
//! draft-car-agents-txt-wellknown-00 (D3), agents-txt.com (D4).
//! The dialects D7, D9, D10 and `AgentNav` are recognised and kept, not read.

use crate::finding::Findings;
use crate::format::{Format, Input};
use crate::{Agent, FormatId, Reference, secret};
use blocks::Block;
use keys::Directives;
use lines::{Kind, Pair, lines};
use prose::Prose;

mod blocks;
mod keys;
pub(super) mod lines;
mod prose;
#[cfg(test)]
mod tests;
mod validate;

/// Every dialect that is read.
pub(crate) struct AgentsTxt;

/// What a file holds, line by line.
pub(crate) struct Manifest {
    dialect: Dialect,
    directives: Directives,
    blocks: Vec<Block>,
    /// Items of a YAML-like list under `Capabilities:` (D8).
    listed: Vec<(u32, String)>,
    prose: Prose,
    /// Lines that are neither `Key: Value` nor anything else that belongs here.
    stray: Vec<u32>,
    /// Keys under which a secret stood.
    secrets: Vec<(u32, String)>,
    comments: usize,
}

/// Which rules a file is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `Name`, `URL`, `Capabilities: a, b`.
    D1,
    /// `Site`, `URL`, `Allow: <capability>`.
    D2,
    /// `Site-Name`, `Site-URL`, indented `Capability:` blocks.
    D3,
    /// Pointers: `MCP`, `A2A`, `Skills`, `Protocols`.
    D4,
    /// Markdown in the manner of llms.txt.
    D11,
    /// Lines of `Key: Value` by some other habit (D5, D6, D8, D12 to D14).
    Free,
    /// Some other file.
    None,
}

impl Dialect {
    fn of(format: FormatId) -> Self {
        match format.0 {
            "agents-txt/d1" => Self::D1,
            "agents-txt/d2" => Self::D2,
            "agents-txt/d3" => Self::D3,
            "agents-txt/d4" => Self::D4,
            "agents-txt/d11" => Self::D11,
            "agents-txt" => Self::None,
            _ => Self::Free,
        }
    }
}

impl Format for AgentsTxt {
    type Manifest = Manifest;

    const ID: FormatId = FormatId("agents-txt/d2");
    const ALSO: &'static [FormatId] = &[
        FormatId("agents-txt/d1"),
        FormatId("agents-txt/d3"),
        FormatId("agents-txt/d4"),
        FormatId("agents-txt/d5"),
        FormatId("agents-txt/d6"),
        FormatId("agents-txt/d8"),
        FormatId("agents-txt/d11"),
        FormatId("agents-txt/d12"),
        FormatId("agents-txt/d13"),
        FormatId("agents-txt/d14"),
        FormatId("agents-txt"),
    ];
    const TITLE: &'static str = "agents.txt";
    const PLACES: &'static [&'static str] = &["/.well-known/agents.txt", "/agents.txt"];

    fn parse(input: &Input<'_>) -> Manifest {
        let mut manifest = Manifest {
            dialect: Dialect::of(input.format),
            directives: Directives::default(),
            blocks: Vec::new(),
            listed: Vec::new(),
            prose: Prose::default(),
            stray: Vec::new(),
            secrets: Vec::new(),
            comments: 0,
        };
        if manifest.dialect != Dialect::None {
            manifest.read(input.text);
        }
        manifest
    }

    fn validate(manifest: &Manifest, input: &Input<'_>, findings: &mut Findings) {
        validate::validate(manifest, input, findings);
    }

    fn normalize(manifest: &Manifest, input: &Input<'_>) -> Vec<Agent> {
        if manifest.dialect == Dialect::None {
            return Vec::new();
        }
        vec![keys::agent(manifest, input.document)]
    }

    fn references(manifest: &Manifest, input: &Input<'_>) -> Vec<Reference> {
        keys::references(manifest, input.document)
    }

    fn generation(manifest: &Manifest) -> Option<String> {
        let version = manifest.directives.first("spec-version")?;
        (manifest.dialect == Dialect::D3).then(|| version.value.clone())
    }
}

impl Manifest {
    fn read(&mut self, text: &str) {
        let mut is_in_block = false;
        let mut is_in_list = false;
        for line in lines(text) {
            match line.kind {
                Kind::Blank => self.prose.end_paragraph(),
                Kind::Comment { level, text } => {
                    self.comments += 1;
                    self.prose.comment(level, text);
                    if let Some(pair) = lines::pair(text)
                        && keys::COMMENTS.contains(&pair.key.as_str())
                    {
                        self.directives.add(line.number, &pair);
                    }
                }
                Kind::Item(item) => {
                    self.prose.item(item);
                    if is_in_list && line.is_indented {
                        self.listed.push((line.number, item.to_owned()));
                    } else if self.dialect == Dialect::D11
                        && let Some(pair) = lines::pair(item)
                    {
                        self.pair(line.number, pair);
                    }
                }
                Kind::Pair(pair) if line.is_indented && is_in_block => {
                    let pair = self.redacted(line.number, pair);
                    if let Some(block) = self.blocks.last_mut() {
                        block.directives.add(line.number, &pair);
                    }
                }
                Kind::Pair(pair) => {
                    self.prose.end_paragraph();
                    is_in_list = pair.key == "capabilities" && pair.value.is_empty();
                    is_in_block = !line.is_indented && Block::is_opened_by(&pair, self.dialect);
                    if is_in_block {
                        self.blocks.push(Block::new(line.number, &pair));
                    } else {
                        self.pair(line.number, pair);
                    }
                }
                Kind::Prose(text) => {
                    self.prose.line(text);
                    self.stray.push(line.number);
                }
                Kind::Quote(text) => self.prose.line(text),
                Kind::Section(_) => self.stray.push(line.number),
            }
        }
        self.prose.end_paragraph();
    }

    fn pair(&mut self, number: u32, pair: Pair<'_>) {
        let pair = self.redacted(number, pair);
        self.directives.add(number, &pair);
    }

    /// The pair without its value, if that is a secret (DI-10).
    fn redacted<'t>(&mut self, number: u32, pair: Pair<'t>) -> Pair<'t> {
        if !secret::is_secret(&pair.key, pair.value) {
            return pair;
        }
        self.secrets.push((number, pair.written.to_owned()));
        Pair {
            value: secret::REDACTED,
            ..pair
        }
    }
}
