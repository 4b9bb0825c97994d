//! Markdown in the manner of llms.txt, the most common agents.txt of all (D11, AT-90).

use crate::{Document, Reference, link, text};

/// Most links that are kept.
const MAX_LINKS: usize = 100;

/// What a text says outside `Key: Value` lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Prose {
    title: Option<String>,
    paragraph: String,
    has_paragraph: bool,
    /// Comment lines below the title, for files that are nothing but comments.
    remarks: String,
    links: Vec<String>,
}

impl Prose {
    pub(super) fn comment(&mut self, level: usize, line: &str) {
        self.add_links(line);
        self.end_paragraph();
        if self.title.is_none() {
            self.title = title(line);
        } else if level == 1 && self.remarks.len() < text::MAX_CHARS {
            self.remarks.push_str(line);
            self.remarks.push(' ');
        }
    }

    pub(super) fn line(&mut self, line: &str) {
        self.add_links(line);
        if !self.has_paragraph && self.paragraph.len() < 4 * text::MAX_CHARS {
            self.paragraph.push_str(line);
            self.paragraph.push(' ');
        }
    }

    pub(super) fn item(&mut self, item: &str) {
        self.add_links(item);
        self.end_paragraph();
    }

    pub(super) fn end_paragraph(&mut self) {
        self.has_paragraph |= !self.paragraph.is_empty();
    }

    /// The first heading, without the words that only name the file.
    pub(super) fn name(&self) -> Option<String> {
        self.title.as_deref().and_then(text::some)
    }

    /// The first paragraph, else what comments say.
    pub(super) fn description(&self) -> Option<String> {
        let paragraph = text::some(&self.paragraph);
        paragraph.or_else(|| self.title.as_ref().and_then(|_| text::some(&self.remarks)))
    }

    /// Links whose end says what they lead to, as protocol and address.
    pub(super) fn interfaces(&self, is_prose: bool) -> impl Iterator<Item = (String, &str)> {
        let links = self.links.iter().filter(move |_| is_prose);
        links.filter_map(|link| {
            let path = link.split(['?', '#']).next().unwrap_or_default();
            let path = path.trim_end_matches('/').to_ascii_lowercase();
            let protocol = match path.rsplit('/').next().unwrap_or_default() {
                "mcp" | "sse" => "mcp",
                "a2a" => "a2a",
                "api" => "rest",
                "openapi.json" | "openapi.yaml" => "openapi",
                _ => return None,
            };
            Some((protocol.to_owned(), link.as_str()))
        })
    }

    /// Links to manifests (12.5).
    pub(super) fn references(&self, document: &Document) -> Vec<Reference> {
        const FILES: [(&str, &str); 6] = [
            ("agent-card.json", "agent-card"),
            ("agent.json", "agent-card"),
            ("agents.json", "agents.json"),
            ("openapi.json", "openapi"),
            ("ai-catalog.json", "ai-catalog"),
            ("ard.json", "ai-catalog"),
        ];
        let of_link = |link: &String| {
            let (_, rel) = FILES.iter().find(|(file, _)| {
                link.strip_suffix(file)
                    .is_some_and(|before| before.ends_with('/'))
            })?;
            link::reference(document, rel, link, "")
        };
        self.links.iter().filter_map(of_link).take(10).collect()
    }

    /// `[words](address)`, bare addresses, and addresses in backticks.
    fn add_links(&mut self, line: &str) {
        let words = line
            .split(|character: char| character.is_whitespace() || "()<>`\"'|,".contains(character));
        for word in words {
            let word = word.trim_end_matches(['.', ':', ';', '!', '*', ']']);
            let is_path = word.len() > 1 && word.starts_with('/') && !word.starts_with("//");
            if self.links.len() < MAX_LINKS && (is_path || link::is_absolute(word)) {
                self.links.push(word.to_owned());
            }
        }
    }
}

/// The name in a first heading: `agents.txt — Shop (https://shop.example)` is about Shop.
fn title(line: &str) -> Option<String> {
    const FILE_NAMES: [&str; 2] = ["agents.txt", "agent.txt"];
    let mut rest = line.trim_matches(|character: char| "=-# ".contains(character));
    let lower = rest.to_ascii_lowercase();
    if let Some(file) = FILE_NAMES.iter().find(|file| lower.starts_with(**file)) {
        rest = rest[file.len()..].trim_start_matches(|character: char| {
            character.is_whitespace() || "-–—:|".contains(character)
        });
        rest = rest.strip_prefix("for ").unwrap_or(rest);
    }
    let rest = rest.split_once(" (http").map_or(rest, |(name, _)| name);
    text::some(rest).filter(|rest| !link::is_absolute(rest))
}
