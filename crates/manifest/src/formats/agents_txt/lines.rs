//! The line syntax that all dialects share (AT-01 to AT-03, AT-94).

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    /// Number, counted from 1.
    pub(crate) number: u32,
    /// True if the line begins with white space; in agents.txt 1.0 it belongs to a block then.
    pub(crate) is_indented: bool,
    /// Kind and content.
    pub(crate) kind: Kind<'t>,
    /// Whole line, unchanged.
    pub(crate) text: &'t str,
}

/// Position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Line, counted from 1.
    pub(crate) line: u32,
    /// Column in characters, counted from 1.
    pub(crate) column: u32,
}

impl Position {
    /// Returns the line as the provenance of a fact.
    pub(crate) fn pointer(self) -> String {
        format!("line:{}", self.line)
    }

    /// Returns the position behind `text`, which begins here.
    pub(crate) fn after(self, text: &str) -> Self {
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        Self {
            column: self.column.saturating_add(length),
            ..self
        }
    }
}

impl Line<'_> {
    /// Returns the position of `part`, which is a slice of this line's text.
    pub(crate) fn place(&self, part: &str) -> Position {
        let start = Position {
            line: self.number,
            column: 1,
        };
        let offset = part.as_ptr().addr().checked_sub(self.text.as_ptr().addr());
        let before = offset.and_then(|offset| self.text.get(..offset));
        start.after(before.unwrap_or_default())
    }
}

/// Kind and content of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'t> {
    /// Empty line.
    Blank,
    /// `# text`, with the number of `#` characters.
    Comment {
        /// Number of `#` characters, the level of a Markdown heading.
        level: usize,
        /// Text after them.
        text: &'t str,
    },
    /// `> text`.
    Quote(&'t str),
    /// `[text]` alone on its line.
    Section(&'t str),
    /// `- text`, `* text` or `1. text`.
    Item(&'t str),
    /// `Key: Value`.
    Pair(Pair<'t>),
    /// Anything else.
    Prose(&'t str),
}

/// `Key: Value`, split at the first colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair<'t> {
    /// Key as written.
    pub(crate) written: &'t str,
    /// Key in lower case, with `-` for spaces and underscores.
    pub(crate) key: String,
    /// Value without an inline comment.
    pub(crate) value: &'t str,
    /// True if an inline comment was cut off (AT-94).
    pub(crate) had_comment: bool,
}

/// Returns the lines of `text`. If all but the comments are indented, that indentation counts as
/// none.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let content = text.lines().filter(|line| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    });
    let least = content.map(indentation).min().unwrap_or(0);
    (1..).zip(text.lines()).map(move |(number, line)| Line {
        number,
        is_indented: indentation(line) > least,
        kind: kind(line.trim()),
        text: line,
    })
}

/// Returns the number of blanks and tabs before the content of a line.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn kind(line: &str) -> Kind<'_> {
    if line.is_empty() {
        return Kind::Blank;
    }
    if line.starts_with('#') {
        let text = line.trim_start_matches('#');
        return Kind::Comment {
            level: line.len() - text.len(),
            text: text.trim(),
        };
    }
    if let Some(text) = line.strip_prefix('>') {
        return Kind::Quote(text.trim());
    }
    if let Some(section) = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return Kind::Section(section.trim());
    }
    if let Some(item) = item(line) {
        return Kind::Item(item);
    }
    pair(line).map_or(Kind::Prose(line), Kind::Pair)
}

fn item(line: &str) -> Option<&str> {
    let after_bullet = ["- ", "* ", "• "]
        .iter()
        .find_map(|bullet| line.strip_prefix(bullet));
    let after_number = || {
        let rest = line.trim_start_matches(|first: char| first.is_ascii_digit());
        (rest.len() < line.len())
            .then_some(rest)?
            .strip_prefix(". ")
    };
    after_bullet.or_else(after_number).map(str::trim)
}

/// Splits a line at its first colon; `None` if the text before it cannot be a key.
///
/// `HOME https://shop.example/`, a key in capitals before an address, needs no colon.
pub(super) fn pair(line: &str) -> Option<Pair<'_>> {
    let labelled = line.split_once(' ').filter(|(label, address)| {
        let is_label = |it: u8| it.is_ascii_uppercase() || it == b'_' || it == b'-';
        label.len() > 2 && label.bytes().all(is_label) && address.trim().starts_with("https://")
    });
    let (written, value) = labelled.or_else(|| line.split_once(':'))?;
    let written = written.trim();
    let is_key = !written.is_empty()
        && written.len() <= 60
        && written.split_whitespace().count() <= 4
        && !value.starts_with("//")
        && written
            .chars()
            .all(|character| character.is_alphanumeric() || " -_./()&*".contains(character));
    if !is_key {
        return None;
    }
    // `**Key:** value` in Markdown.
    let value = value.trim().trim_start_matches("**").trim_start();
    let (value, had_comment) = without_comment(value);
    Some(Pair {
        written,
        key: written
            .trim_matches('*')
            .to_lowercase()
            .replace([' ', '_'], "-"),
        value,
        had_comment,
    })
}

/// Cuts off ` # comment`, but not a `#` inside a URL or a word; true if it cut something.
fn without_comment(value: &str) -> (&str, bool) {
    let comment = value.match_indices('#').map(|(at, _)| at).find(|at| {
        let before = value[..*at].ends_with(char::is_whitespace);
        let after = value[at + 1..].starts_with(|next: char| next.is_whitespace());
        before && after
    });
    match comment {
        Some(at) => (value[..at].trim_end(), true),
        None => (value, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str) -> (&str, bool) {
        let pair = pair(line).unwrap();
        (pair.value, pair.had_comment)
    }

    #[test]
    fn lines_are_split_at_the_first_colon_and_keys_folded() {
        let pair = pair("Agents_JSON : https://a.example:8443/x").unwrap();
        assert_eq!(pair.key, "agents-json");
        assert_eq!(pair.value, "https://a.example:8443/x");
        assert_eq!(pair.written, "Agents_JSON");
    }

    #[test]
    fn an_inline_comment_ends_a_value_and_a_fragment_does_not() {
        assert_eq!(value("Page: / # Home"), ("/", true));
        assert_eq!(
            value("Docs: https://a.example/#start"),
            ("https://a.example/#start", false)
        );
        assert_eq!(value("Channel: #general"), ("#general", false));
        assert_eq!(value("Name: C# shop"), ("C# shop", false));
    }

    #[test]
    fn indentation_is_relative_to_the_least_of_all_lines() {
        let indented = |text| lines(text).map(|line| line.is_indented).collect::<Vec<_>>();
        assert_eq!(
            indented("# a\n  Key: v\n    Sub: w\n"),
            [false, false, true]
        );
        assert_eq!(indented("Key: v\n  Sub: w\n"), [false, true]);
    }

    #[test]
    fn places_are_counted_in_characters() {
        let line = lines("x\n \tÄpfel: rot").nth(1).unwrap();
        let Kind::Pair(pair) = &line.kind else {
            panic!("{line:?}");
        };
        let place = |column| Position { line: 2, column };
        assert_eq!(line.place(pair.written), place(3));
        assert_eq!(line.place(pair.value), place(10));
        assert_eq!(line.place("from elsewhere").line, 2);
    }

    #[test]
    fn each_line_is_of_one_kind() {
        let text = "\n## Head\n> quote\n[Agent: *]\n- item\n2. second\n  Key: v\nplain words\nhttps://a.example/x\n";
        let kinds: Vec<_> = lines(text)
            .map(|line| (line.number, line.is_indented, line.kind))
            .collect();
        assert_eq!(kinds[0], (1, false, Kind::Blank));
        assert_eq!(
            kinds[1],
            (
                2,
                false,
                Kind::Comment {
                    level: 2,
                    text: "Head"
                }
            )
        );
        assert_eq!(kinds[2].2, Kind::Quote("quote"));
        assert_eq!(kinds[3].2, Kind::Section("Agent: *"));
        assert_eq!(kinds[4].2, Kind::Item("item"));
        assert_eq!(kinds[5].2, Kind::Item("second"));
        assert!(kinds[6].1 && matches!(&kinds[6].2, Kind::Pair(pair) if pair.key == "key"));
        assert_eq!(kinds[7].2, Kind::Prose("plain words"));
        assert_eq!(kinds[8].2, Kind::Prose("https://a.example/x"));
    }
}
