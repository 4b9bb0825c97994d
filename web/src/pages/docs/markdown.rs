//! Markdown of our own as HTML, in which each heading can be linked to, and each id that a table
//! explains.

use crate::html::escaped;
use manifest::rules;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[cfg(test)]
mod tests;

/// Id of a rule or a decision to the name of the document that explains it.
pub(super) type Ids = BTreeMap<&'static str, &'static str>;

/// Number of sections from which on a document gets a table of contents.
const MANY_SECTIONS: usize = 9;

/// Anchor of the page around a document, which no heading may have.
const PAGE_ANCHOR: &str = "content";

/// Returns the ids that the tables of these documents explain: those in the first cells of their
/// rows.
pub(super) fn ids(documents: impl Iterator<Item = (&'static str, &'static str)>) -> Ids {
    let rows = documents.flat_map(|(name, text)| text.lines().map(move |line| (name, line)));
    let ids = rows.filter_map(|(name, line)| {
        let (id, _) = line.strip_prefix("| ")?.split_once(" |")?;
        is_id(id).then_some((id, name))
    });
    ids.collect()
}

/// Renders the document called `name`.
///
/// HTML is shown as text, so that nothing comes through as it is; comments are left out.
pub(super) fn rendered(name: &str, markdown: &str, ids: &Ids) -> String {
    let parser = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let events: Vec<Event<'_>> = TextMergeStream::new(parser).collect();
    let mut renderer = Renderer {
        name,
        ids,
        headings: headings(&events),
        written: Vec::with_capacity(events.len()),
        heads: Vec::new(),
        column: None,
        links: Vec::new(),
        literal: 0,
    };
    for (index, event) in events.iter().enumerate() {
        renderer.write(event, &events[index + 1..]);
    }
    let mut html = String::with_capacity(markdown.len() * 2);
    pulldown_cmark::html::push_html(&mut html, renderer.written.into_iter());
    html
}

/// A heading below the title of a document.
struct Heading {
    level: HeadingLevel,
    anchor: String,
    text: String,
}

struct Renderer<'a> {
    name: &'a str,
    ids: &'a Ids,
    /// The headings that are still to come, the last one first.
    headings: Vec<Heading>,
    written: Vec<Event<'a>>,
    /// The heads of the present table.
    heads: Vec<String>,
    /// Position of the present cell in its row; `None` in the head of a table.
    column: Option<usize>,
    /// The links that are open, true for those that are written as links.
    links: Vec<bool>,
    /// Number of open elements in which ids stay text.
    literal: usize,
}

impl<'a> Renderer<'a> {
    fn write(&mut self, event: &Event<'a>, rest: &[Event<'a>]) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if *level != HeadingLevel::H1 => {
                self.heading(*level);
            }
            Event::Start(Tag::Table(_)) => {
                self.heads.clear();
                self.html("<table class=\"stack\">");
            }
            Event::Start(Tag::TableHead) => {
                self.column = None;
                self.keep(event);
            }
            Event::Start(Tag::TableRow) => {
                self.column = Some(0);
                self.keep(event);
            }
            Event::Start(Tag::TableCell) => self.cell(event, rest),
            Event::End(TagEnd::TableCell) => match self.column {
                Some(column) => {
                    self.column = Some(column + 1);
                    self.html("</td>");
                }
                None => self.keep(event),
            },
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.literal += 1;
                self.link(event, dest_url);
            }
            Event::End(TagEnd::Link) => {
                self.literal -= 1;
                if self.links.pop() == Some(true) {
                    self.keep(event);
                }
            }
            // It may be wider than the page, and is then moved with the keyboard.
            Event::Start(Tag::CodeBlock(_)) => {
                self.literal += 1;
                self.html("<pre tabindex=\"0\"><code>");
            }
            Event::End(TagEnd::CodeBlock) => {
                self.literal = self.literal.saturating_sub(1);
                self.html("</code></pre>");
            }
            Event::End(TagEnd::Heading(_)) => {
                self.literal = self.literal.saturating_sub(1);
                self.keep(event);
            }
            Event::Html(html) | Event::InlineHtml(html) if html.starts_with("<!--") => {}
            Event::Html(html) | Event::InlineHtml(html) => {
                self.written.push(Event::Text(html.clone()));
            }
            Event::Text(text) if self.literal == 0 => self.text(text),
            // A path in a narrow column breaks between its parts.
            Event::Code(code) if self.literal == 0 && self.column.is_some() => {
                let code = escaped(code).replace('/', "/<wbr>");
                self.html(format!("<code>{code}</code>"));
            }
            event => self.keep(event),
        }
    }

    fn keep(&mut self, event: &Event<'a>) {
        self.written.push(event.clone());
    }

    fn html(&mut self, html: impl Into<CowStr<'a>>) {
        self.written.push(Event::Html(html.into()));
    }

    /// Opens a heading with its anchor, and writes the table of contents above the first section.
    fn heading(&mut self, level: HeadingLevel) {
        self.literal += 1;
        if level == HeadingLevel::H2 && !self.written.iter().any(is_section) {
            self.contents();
        }
        let anchor = self.headings.pop().map(|heading| heading.anchor.into());
        self.written.push(Event::Start(Tag::Heading {
            level,
            id: anchor,
            classes: Vec::new(),
            attrs: Vec::new(),
        }));
    }

    fn contents(&mut self) {
        let sections = self.headings.iter().rev();
        let sections: Vec<_> = sections.filter(|it| it.level == HeadingLevel::H2).collect();
        if sections.len() < MANY_SECTIONS {
            return;
        }
        let mut html = "<nav class=\"contents\" aria-label=\"Contents\"><ul>".to_owned();
        for Heading { anchor, text, .. } in sections {
            // Writing to a string cannot fail.
            let _ = write!(html, "<li><a href=\"#{anchor}\">{}</a></li>", escaped(text));
        }
        self.html(html + "</ul></nav>\n");
    }

    /// Opens a cell. It names the head of its column, which narrow screens show, where rows become
    /// blocks.
    fn cell(&mut self, event: &Event<'a>, rest: &[Event<'a>]) {
        let Some(column) = self.column else {
            self.heads.push(text_of(rest, TagEnd::TableCell));
            return self.keep(event);
        };
        let head = self.heads.get(column).map_or("", String::as_str);
        let html = format!("<td data-label=\"{}\">", escaped(head));
        self.html(html);
    }

    /// Opens a link. Other documents are pages here; a link to a file that is no page is left out.
    fn link(&mut self, event: &Event<'a>, target: &str) {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let is_elsewhere = target.starts_with(['/', '#']) || target.contains(':');
        let page = file.strip_suffix(".md");
        let page = page.and_then(|page| super::ALL.iter().find(|doc| doc.name == page));
        let written = match (event, page) {
            (event, _) if is_elsewhere => Some(event.clone()),
            (
                Event::Start(Tag::Link {
                    link_type,
                    title,
                    id,
                    ..
                }),
                Some(page),
            ) => {
                let hash = if anchor.is_empty() { "" } else { "#" };
                Some(Event::Start(Tag::Link {
                    link_type: *link_type,
                    dest_url: format!("{}{hash}{anchor}", page.path).into(),
                    title: title.clone(),
                    id: id.clone(),
                }))
            }
            _ => None,
        };
        self.links.push(written.is_some());
        self.written.extend(written);
    }

    /// Writes a text in which ids are links, or the target of those links.
    fn text(&mut self, text: &CowStr<'a>) {
        let is_defined_here = self.column == Some(0) && self.ids.get(&**text) == Some(&self.name);
        if is_defined_here {
            let target = match rules::find(text) {
                Some(rule) => format!(
                    "<a class=\"id\" id=\"{text}\" href=\"{}\">{text}</a>",
                    crate::view::rule_path(rule.id)
                ),
                None => format!("<span class=\"id\" id=\"{text}\">{text}</span>"),
            };
            return self.html(target);
        }
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '-';
        let mut plain = 0;
        for word in text.split(|it| !is_part(it)) {
            let Some(document) = self.ids.get(word) else {
                continue;
            };
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            self.part(&text[plain..start]);
            let page = if *document == self.name {
                String::new()
            } else {
                format!("/docs/{document}")
            };
            self.html(format!("<a href=\"{page}#{word}\">{word}</a>"));
            plain = start + word.len();
        }
        self.part(&text[plain..]);
    }

    fn part(&mut self, text: &str) {
        if !text.is_empty() {
            self.written.push(Event::Text(text.to_owned().into()));
        }
    }
}

fn is_section(event: &Event<'_>) -> bool {
    let level = HeadingLevel::H2;
    matches!(event, Event::Start(Tag::Heading { level: it, .. }) if *it == level)
}

/// Returns the headings below the title, the last one first, with anchors as GitHub makes them.
fn headings(events: &[Event<'_>]) -> Vec<Heading> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::from([(PAGE_ANCHOR.to_owned(), 1)]);
    let mut headings: Vec<Heading> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let Event::Start(Tag::Heading { level, .. }) = event else {
            continue;
        };
        if *level == HeadingLevel::H1 {
            continue;
        }
        let text = text_of(&events[index + 1..], TagEnd::Heading(*level));
        let slug = slug(&text);
        let count = seen.entry(slug.clone()).or_default();
        let anchor = match *count {
            0 => slug,
            count => format!("{slug}-{count}"),
        };
        *count += 1;
        headings.push(Heading {
            level: *level,
            anchor,
            text,
        });
    }
    headings.reverse();
    headings
}

fn slug(text: &str) -> String {
    let kept = text
        .chars()
        .filter(|it| it.is_alphanumeric() || " -_".contains(*it));
    let kept = kept.map(|it| if it == ' ' { '-' } else { it });
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns the text up to `end`.
fn text_of(events: &[Event<'_>], end: TagEnd) -> String {
    let inner = events.iter().take_while(|it| **it != Event::End(end));
    let texts = inner.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        _ => None,
    });
    texts.collect()
}

/// Returns true for `A2-06`, `C-102`, `HS-42`, `P9` and `P19a`.
fn is_id(text: &str) -> bool {
    let split = text.split_once('-').or_else(|| {
        let digits = text.find(|it: char| it.is_ascii_digit())?;
        text.split_at_checked(digits)
    });
    let Some((family, number)) = split else {
        return false;
    };
    let number = number
        .strip_suffix(|it: char| it.is_ascii_lowercase())
        .unwrap_or(number);
    let is_family = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit();
    family.starts_with(|it: char| it.is_ascii_uppercase())
        && family.len() <= 3
        && family.bytes().all(is_family)
        && (1..=3).contains(&number.len())
        && number.bytes().all(|it| it.is_ascii_digit())
}
