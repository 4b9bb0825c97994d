//! Positions in a text: lines and columns, both counted from 1, columns in characters.

/// Returns line and column of the byte at `offset`.
pub(crate) fn at(text: &str, offset: usize) -> (u32, u32) {
    let mut cursor = Cursor::at_start(text);
    cursor.advance(offset);
    (cursor.line, cursor.column)
}

/// Returns the offset of a line and column that count bytes, as the errors of `serde_json` do.
pub(crate) fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// A position in a text that only advances, so that many positions take one pass.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    offset: usize,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl<'t> Cursor<'t> {
    pub(crate) fn at_start(text: &'t str) -> Self {
        Self {
            text,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    pub(crate) fn advance(&mut self, to: usize) {
        let to = self.text.floor_char_boundary(to).max(self.offset);
        let passed = &self.text[self.offset..to];
        let count = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let in_line = match passed.rfind('\n') {
            Some(end) => {
                self.line += count(passed.matches('\n').count());
                self.column = 1;
                &passed[end + 1..]
            }
            None => passed,
        };
        self.column += count(in_line.chars().count());
        self.offset = to;
    }
}
