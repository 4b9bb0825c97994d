//! Title, description and links of a text, outside of its `Key: Value` lines.

use super::{paragraph, title};
use crate::agent::Auth;
use crate::formats::agents_txt::Dialect;
use crate::formats::agents_txt::lines::{Line, Position};
use crate::reference;
use crate::{Document, Reference, auth, link, text};

/// Maximum number of links that are kept.
const MAX_LINKS: usize = 100;
/// Length at which a paragraph or a run of comments is no longer extended, in bytes.
const MAX_GATHERED: usize = 4 * text::MAX_CHARS;

/// Title, description and links, each with its position.
#[derive(Clone, Debug, Default)]
pub(in crate::formats::agents_txt) struct Prose {
    title: Option<(Position, String)>,
    /// Title in a heading that begins with the name of the file.
    title_of_file: Option<(Position, String)>,
    /// Words of the comment that gave the title, unless it is the first comment.
    first_words: Option<(Position, String)>,
    /// Address in the first heading, as in `agents.txt for https://shop.example`.
    address: Option<(Position, String)>,
    description: Option<(Position, String)>,
    paragraph: Option<(Position, String)>,
    /// Comments at the top of the file, which often introduce the site.
    preamble: Option<(Position, String)>,
    /// Comments below a comment such as `What this is`, further down.
    about: Option<(Position, String)>,
    is_below_preamble: bool,
    has_comments: bool,
    is_below_rule: bool,
    section: Section,
    links: Vec<(Position, String)>,
    /// First sentence that says that callers send a bearer token.
    bearer: Option<(Position, String)>,
    /// Positions of links in whose line a word names their protocol.
    named: Vec<Position>,
}

/// Part of a text, as far as a description of the site may stand in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    /// Before the first paragraph.
    #[default]
    Opening,
    /// Below the first paragraph, or a heading about the site.
    Introduction,
    /// In comments below a comment about the site, after other lines.
    About,
    /// Below another heading.
    Other,
}

impl Prose {
    pub(in crate::formats::agents_txt) fn comment(
        &mut self,
        line: &Line<'_>,
        level: usize,
        text: &str,
    ) {
        self.add_links(line, text);
        self.end_paragraph();
        let is_first = !std::mem::replace(&mut self.has_comments, true);
        let text = text.trim_matches(|it: char| it == '-' || it == '=' || it == ' ');
        if self.section == Section::About && level == 1 && !text.is_empty() {
            return gather(&mut self.about, line.place(text), text);
        }
        self.section = match self.section {
            Section::Opening => Section::Opening,
            Section::About => Section::Other,
            _ if title::is_about_site(text) => Section::Introduction,
            _ => Section::Other,
        };
        if self.is_below_preamble && self.about.is_none() && title::is_about_site(text) {
            self.section = Section::About;
        }
        let title = title::name(text).filter(|_| level == 1 || is_first);
        let place = line.place(text);
        if is_first && self.address.is_none() {
            self.address = title::address(text).map(|address| (place, address));
        }
        if self.is_below_preamble {
            // A heading further down does not describe the site.
        } else if self.title.is_none() && title.is_some() && self.preamble.is_none() {
            self.title = title.map(|title| (place, title));
            let is_of_file = is_first && title::names_file(text);
            self.title_of_file = self.title.clone().filter(|_| is_of_file);
            self.first_words = (!is_first).then_some((place, text.to_owned()));
        } else if level == 1 && !is_first && !is_note(text) {
            self.take_back_title(line, text);
            gather(&mut self.preamble, place, text);
        }
    }

    /// Begins the preamble with a comment that was taken for a title, if this one goes on with its
    /// sentence.
    fn take_back_title(&mut self, line: &Line<'_>, text: &str) {
        let is_next = |(place, _): &(Position, String)| place.line + 1 == line.number;
        if let Some((place, words)) = self.first_words.take().filter(is_next)
            && text.starts_with(char::is_lowercase)
        {
            self.title = None;
            gather(&mut self.preamble, place, &words);
        }
    }

    /// Takes an unmarked first line as the title if it reads like one, and returns true then.
    pub(in crate::formats::agents_txt) fn opens_with(
        &mut self,
        line: &Line<'_>,
        text: &str,
    ) -> bool {
        let is_first = !self.has_comments && !self.is_below_preamble;
        if is_first && !text.ends_with(['.', ':']) {
            self.title = title::name(text).map(|name| (line.place(text), name));
        }
        self.is_below_preamble = true;
        is_first && self.title.is_some()
    }

    pub(in crate::formats::agents_txt) fn line(&mut self, line: &Line<'_>, text: &str) {
        self.add_links(line, text);
        self.is_below_preamble = true;
        self.end_about();
        if paragraph::is_rule(text) {
            self.end_paragraph();
            self.is_below_rule = true;
        } else if !std::mem::take(&mut self.is_below_rule) && self.description.is_none() {
            gather(&mut self.paragraph, line.place(text), text);
        }
    }

    /// Ends the paragraph above this line, and reads the links in the line.
    pub(in crate::formats::agents_txt) fn other(&mut self, line: &Line<'_>, text: &str) {
        self.add_links(line, text);
        self.end_paragraph();
        self.is_below_preamble = true;
        self.end_about();
    }

    /// Ends the comments about the site at a line that is none.
    fn end_about(&mut self) {
        if self.section == Section::About {
            self.section = Section::Opening;
        }
    }

    pub(in crate::formats::agents_txt) fn end_paragraph(&mut self) {
        self.is_below_rule = false;
        let ended = self.paragraph.take();
        if self.description.is_none() && self.section != Section::Other {
            let is_text = |(_, text): &(Position, String)| text.split_whitespace().nth(2).is_some();
            if ended.as_ref().is_some_and(is_text) {
                self.section = Section::Introduction;
            }
            self.description = ended.filter(|(_, text)| paragraph::is_description(text));
        }
    }

    /// Returns the name in the first heading; `None` in dialects with a key for the name.
    pub(in crate::formats::agents_txt) fn title(
        &self,
        dialect: Dialect,
    ) -> Option<(Position, String)> {
        self.title.clone().filter(|_| !dialect.names_its_site)
    }

    /// Returns the name beside that of the file in the first heading, as in `agents.txt — Mugs`; it names the
    /// site in any dialect.
    pub(in crate::formats::agents_txt) fn title_of_file(&self) -> Option<(Position, String)> {
        self.title_of_file.clone()
    }

    /// Returns the site's address in the first heading.
    pub(in crate::formats::agents_txt) fn address(&self) -> Option<&(Position, String)> {
        self.address.as_ref()
    }

    /// Returns the first paragraph that is a description, else the comments at the top; in
    /// Markdown, these are headings (GP-16).
    pub(in crate::formats::agents_txt) fn description(
        &self,
        dialect: Dialect,
    ) -> Option<(Position, String)> {
        let preamble = self.preamble.as_ref().filter(|_| dialect != Dialect::PROSE);
        let preamble = preamble.filter(|(_, text)| paragraph::is_description(text));
        let about = self
            .about
            .as_ref()
            .filter(|(_, text)| paragraph::is_description(text));
        let (place, text) = self.description.as_ref().or(preamble).or(about)?;
        Some((*place, text::some(text)?))
    }

    /// Returns the links whose ending implies a protocol, with that protocol.
    pub(in crate::formats::agents_txt) fn interfaces<'p>(
        &'p self,
        dialect: Dialect,
        document: &'p Document,
    ) -> impl Iterator<Item = (Position, &'static str, &'p str)> {
        let links = self.links.iter().filter(move |_| dialect.is_informal());
        // A link to another site is that site's, unless the words beside it say what it is.
        let is_own = |place: &Position, link: &str| {
            let is_foreign = link::absolute(&document.url, link)
                .is_none_or(|url| link::is_repository(&url) || !link::is_own(document, &url));
            !is_foreign || (self.named.contains(place) && !link::is_repository(link))
        };
        links
            .filter(move |(place, link)| is_own(place, link))
            .filter_map(|(place, link)| Some((*place, protocol(link)?, link.as_str())))
    }

    /// Notes a sentence about a bearer token.
    pub(in crate::formats::agents_txt) fn note_bearer(&mut self, line: &Line<'_>, text: &str) {
        if self.bearer.is_none() && is_about_bearer(text) {
            self.bearer = Some((line.place(text), text.to_owned()));
        }
    }

    /// Returns the authentication by a token that a sentence states.
    pub(in crate::formats::agents_txt) fn bearer(&self) -> Option<(Position, Auth)> {
        let (place, text) = self.bearer.as_ref()?;
        let mut auth = Auth::of("bearer");
        auth.description = text::some(text);
        Some((*place, auth))
    }

    /// Returns the authorization servers whose metadata a link names.
    pub(in crate::formats::agents_txt) fn auths(
        &self,
        dialect: Dialect,
        document: &Document,
    ) -> impl Iterator<Item = (Position, Auth)> {
        let links = self.links.iter().filter(move |_| dialect.is_informal());
        let url = |link: &str| link::absolute(&document.url, link);
        links.filter_map(move |(place, link)| Some((*place, auth::of_metadata(&url(link)?)?)))
    }

    /// Returns the links to manifests, ten at most (`docs/formats.md`, "References").
    pub(in crate::formats::agents_txt) fn references(&self, document: &Document) -> Vec<Reference> {
        const FILES: [(&str, &str); 11] = [
            ("agents.txt", "agents.txt"),
            ("agent-card.json", "agent-card"),
            ("agent.json", "agent-card"),
            ("agents.json", "agents.json"),
            ("openapi.json", "openapi"),
            ("openapi.yaml", "openapi"),
            ("ai-catalog.json", "ai-catalog"),
            ("ard.json", "ai-catalog"),
            ("mcp.json", "mcp-card"),
            ("server-card.json", "mcp-card"),
            (".well-known/x402", "x402"),
        ];
        let of_link = |(place, link): &(Position, String)| {
            let is_file = |file: &str| {
                let before = link.strip_suffix(file);
                before.is_some_and(|before| before.ends_with('/'))
            };
            let (_, rel) = FILES.iter().find(|(file, _)| is_file(file))?;
            reference::to(document, rel, link, &place.pointer())
        };
        self.links.iter().filter_map(of_link).take(10).collect()
    }

    /// Collects `[words](address)`, bare addresses, and addresses in backticks, but no patterns.
    fn add_links(&mut self, line: &Line<'_>, text: &str) {
        const WARNINGS: [&str; 4] = ["do not call", "don't call", "do not use", "never call"];
        // As in robots.txt; what must not be visited is nothing to call.
        const KEYS: [&str; 4] = ["disallow", "deny", "forbid", "block"];
        let is_forbidden = || {
            let lower = line.text.to_ascii_lowercase();
            let key = lower.trim_start_matches(|it: char| !it.is_alphanumeric());
            WARNINGS.iter().any(|warning| lower.contains(warning))
                || KEYS.iter().any(|word| key.starts_with(word))
        };
        let is_between = |it: char| it.is_whitespace() || "()<>`\"'|,".contains(it);
        for word in text.split(is_between) {
            if self.links.len() == MAX_LINKS {
                return;
            }
            let address = word.trim_end_matches(['.', ':', ';', '!', ']']);
            let address = address.trim_matches('*');
            let is_path =
                address.len() > 1 && address.starts_with('/') && !address.starts_with("//");
            let is_pattern = word.contains("/*");
            if !is_pattern && (is_path || link::is_absolute(address)) {
                if is_forbidden() {
                    return;
                }
                let place = line.place(word);
                if names_protocol(line.text, address) {
                    self.named.push(place);
                }
                self.links.push((place, address.to_owned()));
            }
        }
    }
}

/// Reports whether a comment is a note on the file, such as `Last updated: 2026-05-25`: a key of one or two
/// words and its value.
fn is_note(text: &str) -> bool {
    let key = text.split_once(": ").map(|(key, _)| key);
    key.is_some_and(|key| {
        let is_key = |word: &str| {
            word.bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
        };
        key.split_whitespace().count() <= 2 && key.split_whitespace().all(is_key)
    })
}

/// Reports whether the words of a line beside an address name its protocol.
fn names_protocol(line: &str, address: &str) -> bool {
    let Some(protocol) = protocol(address) else {
        return false;
    };
    let beside = line.replace(address, " ").to_ascii_lowercase();
    let mut words = beside.split(|it: char| !it.is_ascii_alphanumeric());
    words.any(|word| word == protocol)
}

/// Returns the protocol that the ending of an address implies, unless it is a page about it.
fn protocol(link: &str) -> Option<&'static str> {
    const PAGES: [&str; 6] = ["docs", "blog", "guide", "guides", "features", "help"];
    let path = link.split(['?', '#']).next().unwrap_or_default();
    let path = path.trim_end_matches('/').to_ascii_lowercase();
    let mut parts = path.split(['/', '.']);
    if parts.any(|part| PAGES.contains(&part)) {
        return None;
    }
    match path.rsplit('/').next().unwrap_or_default() {
        "mcp" | "sse" => Some("mcp"),
        "a2a" => Some("a2a"),
        "api" => Some("rest"),
        "openapi.json" | "openapi.yaml" => Some("openapi"),
        _ => None,
    }
}

fn gather(texts: &mut Option<(Position, String)>, place: Position, text: &str) {
    let (_, gathered) = texts.get_or_insert_with(|| (place, String::new()));
    if gathered.len() < MAX_GATHERED {
        gathered.push_str(text);
        gathered.push(' ');
    }
}

/// Reports whether a sentence says that callers send a bearer token, and not that they need not.
fn is_about_bearer(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut words = text.split(|it: char| !it.is_alphanumeric() && it != '\'');
    let denies = words
        .clone()
        .any(|word| matches!(word, "no" | "not" | "without" | "never") || word.ends_with("n't"));
    let is_of_access = |word: &str| {
        word.starts_with("auth") || matches!(word, "token" | "tokens" | "key" | "header")
    };
    text.contains("bearer") && !denies && words.any(is_of_access)
}
