//! Receipt of one fact: the thing that an agent can do, with the file, the line and the time of it.

use crate::error::AppError;
use crate::record::version::text::Texts;
use crate::state::AppState;
use crate::view::place::{line_anchor, raw_path};
use crate::view::time::Moment;
use crate::view::title;
use manifest::listing::Evidence;
use manifest::{Timestamp, lint, text};
use search::language_of;
use store::StoredAgent;
use unicode_width::UnicodeWidthStr;
use url::Url;

/// Agents whose documents are read to find a receipt.
const TRIALS: usize = 4;
/// Lines below the beginning of a capability among which its name is looked for.
const LINES: usize = 40;
/// Columns that fit the drawing: of the fact, of the name below it, and of the file and its line.
const FACT: usize = 30;
const NAME: usize = 38;
const FILE: usize = 35;

/// Receipt of a capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Receipt {
    /// Name of the capability.
    pub(super) fact: String,
    /// Name of its agent.
    pub(super) agent: String,
    /// Host and path of the file.
    pub(super) file: (String, String),
    /// Number of the line, counted from 1.
    pub(super) line: usize,
    /// The line around the name: before it, the name, and after it.
    pub(super) quote: [String; 3],
    /// Time of the last visit that confirmed it.
    pub(super) confirmed: Moment,
    /// Address of the line in the stored file.
    pub(super) href: String,
}

impl Receipt {
    /// Returns a receipt of the first of these agents of which one can be drawn.
    pub(super) async fn of_first(
        state: &AppState,
        agents: &[StoredAgent],
    ) -> Result<Option<Self>, AppError> {
        let now = (state.now)();
        let mut drawable: Vec<_> = agents.iter().filter(|it| can_be_drawn(it)).collect();
        // The page is in English, and words say more than an identifier.
        drawable.sort_by_key(|it| {
            let agent = &it.listing.agent;
            let is_other = language_of(agent).is_some_and(|it| it != "en");
            let mut capabilities = agent.capabilities.iter();
            (is_other, !capabilities.any(|it| it.name.contains(' ')))
        });
        for agent in drawable.into_iter().take(TRIALS) {
            let texts = Texts::new().of(state, agent).await?;
            let Some(Ok(shown)) = texts.into_iter().next() else {
                continue;
            };
            if let Some(receipt) = Self::of(agent, &shown.text, now) {
                return Ok(Some(receipt));
            }
        }
        Ok(None)
    }

    /// Draws the receipt of the first capability of an agent that its leading document names in one
    /// line; `None` if it does not fit.
    fn of(stored: &StoredAgent, document: &str, now: Timestamp) -> Option<Self> {
        let listing = &stored.listing;
        let file = Url::parse(&listing.sources.first()?.url).ok()?;
        let file = (file.host_str()?.to_owned(), file.path().to_owned());
        let capabilities = listing.agent.capabilities.iter().enumerate();
        let mut found = capabilities.filter_map(|(index, capability)| {
            let known = listing.provenance.get(&format!("capabilities/{index}"));
            let place = known.map_or((0, &capability.pointer), |it: &Evidence| {
                (it.source, &it.pointer)
            });
            let fits = place.0 == 0 && (1..=FACT).contains(&capability.name.width());
            let (line, quote) = quoted(document, place.1, &capability.name).filter(|_| fits)?;
            Some((capability.name.clone(), line, quote))
        });
        let (fact, line, quote) = found.next()?;
        let fits = file.0.width() <= FILE && file.1.width() <= FILE;
        fits.then(|| Self {
            fact,
            agent: title(&listing.agent.name),
            file,
            quote,
            confirmed: Moment::of(stored.last_seen, now),
            href: format!("{}#{}", raw_path(&listing.id), line_anchor(0, line)),
            line,
        })
    }
}

/// Reports whether the name of an agent fits, and is no name of its host.
fn can_be_drawn(stored: &StoredAgent) -> bool {
    let name = &stored.listing.agent.name;
    name.width() <= NAME && !name.is_empty() && *name != stored.domain.as_str()
}

/// Returns the number of the first line from `pointer` on that contains `name`, and the line around it.
fn quoted(document: &str, pointer: &str, name: &str) -> Option<(usize, [String; 3])> {
    let (begin, _) = lint::positions(document, &[pointer]).first().copied()??;
    let begin = usize::try_from(begin).ok()?;
    let lines = (1..)
        .zip(document.split('\n'))
        .skip(begin.saturating_sub(1))
        .take(LINES);
    let mut around = lines.filter_map(|(number, line)| {
        let (before, after) = line.split_once(name)?;
        Some((number, before.trim_start(), after.trim_end()))
    });
    let (number, before, after) = around.next()?;
    // A line with characters that are not seen is no example.
    let is_plain = |it: &str| text::clean(it, FILE * 8).len() >= it.trim().len().min(FILE * 4);
    if !(is_plain(before) && is_plain(after)) {
        return None;
    }
    let room = FILE.checked_sub(name.width())?;
    let before = end_of(before, room - after.width().min(room / 2));
    let after = beginning_of(after, room.saturating_sub(before.width()));
    Some((number, [before, name.to_owned(), after]))
}

/// Returns the beginning of a text in at most `columns`, with `…` where it is cut.
fn beginning_of(text: &str, columns: usize) -> String {
    cut(text.chars(), columns).map_or_else(|| text.to_owned(), |it| it + "…")
}

/// Returns the end of a text in at most `columns`, with `…` where it is cut.
fn end_of(text: &str, columns: usize) -> String {
    let reversed = cut(text.chars().rev(), columns);
    reversed.map_or_else(
        || text.to_owned(),
        |it| format!("…{}", it.chars().rev().collect::<String>()),
    )
}

/// Returns the characters that fit beside a `…`; `None` if all fit.
fn cut(characters: impl Iterator<Item = char>, columns: usize) -> Option<String> {
    let all: String = characters.take(FILE * 2).collect();
    if all.width() <= columns {
        return None;
    }
    let mut kept = String::new();
    for character in all.chars() {
        kept.push(character);
        if kept.width() > columns.saturating_sub(1) {
            kept.pop();
            break;
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_quoted_around_the_name() {
        let card = "{\n  \"skills\": [\n    {\n      \"id\": \"book\",\n      \"name\": \"Book a table\",\n";
        let card = format!("{card}      \"tags\": []\n    }}\n  ]\n}}\n");
        let quote = |document: &str, pointer: &str, name: &str| {
            quoted(document, pointer, name).map(|(line, parts)| (line, parts.concat()))
        };
        assert_eq!(
            quote(&card, "/skills/0", "Book a table"),
            Some((5, "\"name\": \"Book a table\",".to_owned()))
        );
        assert_eq!(quote(&card, "/skills/0", "Order food"), None);
        assert_eq!(
            quote("# Ferry\nAllow: book\n", "line:2", "book"),
            Some((2, "Allow: book".to_owned()))
        );
        let minified = format!(
            "{{\"x\":\"{}\",\"name\":\"Book\",\"y\":\"{0}\"}}",
            "z".repeat(99)
        );
        let (line, parts) = quoted(&minified, "", "Book").unwrap();
        assert_eq!(line, 1);
        assert_eq!(parts[1], "Book");
        assert!(
            parts[0].starts_with('…') && parts[0].ends_with("\"name\":\""),
            "{parts:?}"
        );
        assert!(
            parts[2].ends_with('…') && parts.concat().width() <= FILE,
            "{parts:?}"
        );
        assert_eq!(quote("\u{202e}Book\n", "line:1", "Book"), None);
    }
}
