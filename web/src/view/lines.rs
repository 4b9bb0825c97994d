//! Text of third parties line by line, with invisible characters made visible.

use manifest::text::is_hidden;

/// Most lines of one page.
const MAX_LINES: usize = 5_000;
/// Maximum number of bytes of text on one page.
const MAX_BYTES: usize = 256 << 10;
/// Bytes that a piece or a line costs apart from its text.
const OVERHEAD: usize = 40;

/// Part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// Character that is not visible, by its number, such as `U+202E`.
    Hidden(String),
    /// Place to which links lead.
    Anchor(String),
}

/// Space that is left for text on a page.
#[derive(Debug)]
pub(crate) struct Space {
    lines: usize,
    bytes: usize,
}

/// Line as far as it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) pieces: Vec<Piece>,
    /// True if the rest of it did not fit.
    pub(crate) is_cut: bool,
}

impl Space {
    /// Returns the space of one page.
    pub(crate) fn of_page() -> Self {
        Self {
            lines: MAX_LINES,
            bytes: MAX_BYTES,
        }
    }

    /// Returns a line with anchors before the characters at these columns, which are counted from 1 and
    /// in order; `None` if there is no space for it.
    pub(crate) fn line(&mut self, text: &str, anchors: &[(u32, String)]) -> Option<Line> {
        self.lines = self.lines.checked_sub(1)?;
        self.bytes = self.bytes.checked_sub(OVERHEAD)?;
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut anchors = anchors.iter().peekable();
        let mut repeated: Option<(char, usize)> = None;
        let mut is_cut = false;
        let text = text.strip_suffix('\r').unwrap_or(text);
        for (column, character) in (1_u32..).zip(text.chars()) {
            while let Some((_, anchor)) = anchors.next_if(|(at, _)| *at <= column) {
                flush(&mut pieces, &mut plain, &mut repeated);
                pieces.push(Piece::Anchor(anchor.clone()));
            }
            let is_visible = character == '\t' || !is_hidden(character);
            let cost = if is_visible {
                character.len_utf8()
            } else {
                OVERHEAD
            };
            let Some(rest) = self.bytes.checked_sub(cost) else {
                is_cut = true;
                break;
            };
            self.bytes = rest;
            match &mut repeated {
                Some((same, times)) if *same == character => *times += 1,
                _ if is_visible => {
                    hide(&mut pieces, &mut repeated);
                    plain.push(character);
                }
                _ => {
                    flush(&mut pieces, &mut plain, &mut repeated);
                    repeated = Some((character, 1));
                }
            }
        }
        flush(&mut pieces, &mut plain, &mut repeated);
        pieces.extend(anchors.map(|(_, anchor)| Piece::Anchor(anchor.clone())));
        Some(Line { pieces, is_cut })
    }
}

/// Ends the piece that is being read.
fn flush(pieces: &mut Vec<Piece>, plain: &mut String, repeated: &mut Option<(char, usize)>) {
    hide(pieces, repeated);
    if !plain.is_empty() {
        pieces.push(Piece::Text(std::mem::take(plain)));
    }
}

/// Ends a run of one hidden character.
fn hide(pieces: &mut Vec<Piece>, repeated: &mut Option<(char, usize)>) {
    if let Some((character, times)) = repeated.take() {
        let number = format!("U+{:04X}", u32::from(character));
        pieces.push(Piece::Hidden(match times {
            1 => number,
            times => format!("{number} ×{times}"),
        }));
    }
}

/// Returns the text of lines, with the numbers of hidden characters in brackets.
pub(crate) fn text<'a>(lines: impl Iterator<Item = &'a [Piece]>) -> String {
    let mut text = String::new();
    for pieces in lines {
        for piece in pieces {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Hidden(number) => {
                    text.push('[');
                    text.push_str(number);
                    text.push(']');
                }
                Piece::Anchor(_) => {}
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, anchors: &[(u32, &str)]) -> Vec<Piece> {
        let anchors: Vec<_> = anchors.iter().map(|it| (it.0, it.1.to_owned())).collect();
        Space::of_page().line(text, &anchors).unwrap().pieces
    }

    #[test]
    fn hidden_characters_are_shown_by_their_numbers_and_runs_are_counted() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let hidden = |number: &str| Piece::Hidden(number.to_owned());
        assert_eq!(
            line("a\u{202e}b\u{200b}\u{200b}\u{200b}\tc\r", &[]),
            [
                text("a"),
                hidden("U+202E"),
                text("b"),
                hidden("U+200B ×3"),
                text("\tc")
            ]
        );
    }

    #[test]
    fn anchors_stand_before_their_characters() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let anchor = |name: &str| Piece::Anchor(name.to_owned());
        assert_eq!(
            line("äbc", &[(1, "x"), (3, "y"), (9, "z")]),
            [anchor("x"), text("äb"), anchor("y"), text("c"), anchor("z")]
        );
    }

    #[test]
    fn a_page_has_a_limited_number_of_lines_and_bytes() {
        let mut space = Space::of_page();
        let lines = (0..=MAX_LINES).filter(|_| space.line("x", &[]).is_some());
        assert_eq!(lines.count(), MAX_LINES);
        let mut space = Space::of_page();
        let line = space.line(&"x".repeat(1 << 20), &[]).unwrap();
        assert!(line.is_cut);
        let Piece::Text(text) = &line.pieces[0] else {
            panic!("{:?}", line.pieces[0].clone());
        };
        assert!(text.len() < MAX_BYTES);
        assert_eq!(space.line("x", &[]), None);
        let mut space = Space::of_page();
        let hidden = "\u{202e}\u{202d}".repeat(1 << 18);
        let line = space.line(&hidden, &[]).unwrap();
        assert!(line.is_cut && line.pieces.len() <= MAX_BYTES / OVERHEAD);
    }
}
