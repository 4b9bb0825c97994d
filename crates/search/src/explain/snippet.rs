//! Snippets: the part of a text around its matches.

/// Approximate number of characters of a snippet.
const SNIPPET: usize = 160;

/// A piece of a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Plain text, unescaped.
    pub text: String,
    /// True when it matched.
    pub is_match: bool,
}

/// A byte range in a text.
pub(super) type Mark = (usize, usize);

/// Cuts the part of a text around its matches at spaces, and marks the matches.
pub(super) fn snippet(text: &str, marks: &[Mark]) -> Vec<Fragment> {
    let (start, end) = window(text, marks);
    let mut fragments = Vec::new();
    let mut push = |text: &str, is_match: bool| {
        if !text.is_empty() {
            fragments.push(Fragment {
                text: text.to_owned(),
                is_match,
            });
        }
    };
    if start > 0 {
        push("… ", false);
    }
    let mut at = start;
    for &(from, to) in marks {
        if from >= at && to <= end {
            push(&text[at..from], false);
            push(&text[from..to], true);
            at = to;
        }
    }
    push(&text[at..end], false);
    if end < text.len() {
        push(" …", false);
    }
    fragments
}

/// Returns the byte range of the snippet: the part with the most matches, starting up to
/// `SNIPPET / 4` characters ahead of the first one. A short text is its own snippet.
fn window(text: &str, marks: &[Mark]) -> (usize, usize) {
    if text.chars().count() <= SNIPPET {
        return (0, text.len());
    }
    let forward = |from: usize, characters: usize| {
        text[from..]
            .char_indices()
            .nth(characters)
            .map_or(text.len(), |(offset, _)| from + offset)
    };
    let best = marks
        .iter()
        .map(|(from, _)| {
            let end = forward(*from, SNIPPET * 3 / 4);
            let count = marks
                .iter()
                .filter(|it| it.0 >= *from && it.1 <= end)
                .count();
            (count, std::cmp::Reverse(*from))
        })
        .max()
        .map_or(0, |(_, std::cmp::Reverse(from))| from);
    let ahead = text[..best]
        .char_indices()
        .rev()
        .take(SNIPPET / 4)
        .last()
        .map_or(best, |(offset, _)| offset);
    let start = match text[ahead..best].find(' ') {
        Some(space) if ahead > 0 => ahead + space + 1,
        _ if ahead == 0 => 0,
        _ => best,
    };
    let end = forward(start, SNIPPET);
    let end = match text[start..end].rfind(' ') {
        Some(space) if end < text.len() && start + space > best => start + space,
        _ => end,
    };
    (start, end)
}
