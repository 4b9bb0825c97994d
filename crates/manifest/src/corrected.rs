//! Texts with those faults corrected that have one certain correction.
//!
//! Nothing is corrected that would change what is read: the corrected text has the same values in the
//! same places, and only the findings on its spelling are gone (DI-03, DI-07).

use crate::body::{self, Content};
use crate::correction::Correction;
use crate::json::rewrite::{Rewritten, rewritten};
use crate::position::Cursor;
use crate::{Document, fault, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Most lines that are named for one kind of correction.
const MAX_LINES: usize = 8;

/// Text with its spelling corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrectedText {
    /// The text, to be saved as UTF-8.
    pub text: String,
    /// Corrections by kind.
    pub edits: Vec<Edit>,
}

/// Corrections of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Kind of the corrections.
    pub correction: Correction,
    /// Number of places.
    pub count: usize,
    /// Lines of the first places in the text as it was; empty for the whole text.
    pub lines: Vec<u32>,
}

/// Returns the text of a document with its spelling corrected; `None` if nothing can be corrected
/// with certainty.
///
/// ```
/// let body = "{\n  // Crossings\n  name: 'Ferry',\n}";
/// let document = manifest::Document::of_file("agents.json", body);
/// let corrected = manifest::corrected(&document).unwrap();
/// assert_eq!(corrected.text, "{\n  \"name\": \"Ferry\"\n}");
/// ```
pub fn corrected(document: &Document) -> Option<CorrectedText> {
    fault::contained(|| of(document)).ok().flatten()
}

/// Returns the text of a document as it is read; `None` if its bytes are not text.
pub fn decoded(document: &Document) -> Option<String> {
    let decoded = || Some(body::with_lines(body::decoded(&document.body)?).into_owned());
    fault::contained(decoded).ok().flatten()
}

fn of(document: &Document) -> Option<CorrectedText> {
    let mut edits: Vec<Edit> = of_bytes(&document.body).map(Edit::of_all).collect();
    let opened = body::open(document);
    let decoded = body::decoded(&document.body)?;
    let text = body::with_lines(Cow::Borrowed(&decoded));
    // What stood in the place of a NUL byte is not known.
    if text.contains('\0') {
        return None;
    }
    // A character that could not be decoded is lost.
    if !edits.is_empty() && text.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    if text != decoded {
        edits.push(Edit::of_all(Correction::LineEnds));
    }
    let text = match &opened.content {
        Content::Html | Content::Nothing => return None,
        Content::Json(_) if opened.findings.iter().any(json::locate::is_syntax) => {
            let read = opened.mended.as_deref().unwrap_or(&text);
            let rewritten = rewritten(&text, read)?;
            let is_fenced = text.trim_start().starts_with("```");
            edits.extend(is_fenced.then(|| Edit::of_all(Correction::Fence)));
            edits.extend(grouped(&text, &rewritten));
            if is_fenced {
                format!("{}\n", rewritten.text.trim())
            } else {
                rewritten.text
            }
        }
        Content::Json(_) | Content::Text => text.into_owned(),
    };
    (!edits.is_empty()).then_some(CorrectedText { text, edits })
}

/// Returns the corrections of the encoding.
fn of_bytes(bytes: &[u8]) -> impl Iterator<Item = Correction> {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let wide = [&b"\xff\xfe"[..], b"\xfe\xff"];
    let is_wide = wide.iter().any(|mark| bytes.starts_with(mark));
    let is_utf8 = str::from_utf8(bytes).is_ok();
    [
        bytes.starts_with(BOM).then_some(Correction::Bom),
        is_wide.then_some(Correction::Utf16),
        (!is_wide && !is_utf8).then_some(Correction::Windows1252),
    ]
    .into_iter()
    .flatten()
}

/// Groups corrections by kind, with the lines of the first ones.
fn grouped(text: &str, rewritten: &Rewritten) -> Vec<Edit> {
    let mut cursor = Cursor::at_start(text);
    let mut kinds: BTreeMap<Correction, Edit> = BTreeMap::new();
    for (offset, correction) in &rewritten.edits {
        cursor.advance(*offset);
        let edit = kinds.entry(*correction).or_insert_with(|| Edit {
            count: 0,
            ..Edit::of_all(*correction)
        });
        edit.count += 1;
        if edit.lines.len() < MAX_LINES && edit.lines.last() != Some(&cursor.line) {
            edit.lines.push(cursor.line);
        }
    }
    kinds.into_values().collect()
}

/// Formats the corrections for people: `a comment, in line 2`.
impl fmt::Display for Edit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.correction.title())?;
        let lines: Vec<String> = self.lines.iter().map(u32::to_string).collect();
        match (self.count, lines.as_slice()) {
            (_, []) => Ok(()),
            (1, [line]) => write!(formatter, ", in line {line}"),
            (count, [line]) => write!(formatter, ", {count} times in line {line}"),
            (count, lines) => {
                let more = if lines.len() < MAX_LINES { "" } else { ", …" };
                write!(
                    formatter,
                    ", {count} times: lines {}{more}",
                    lines.join(", ")
                )
            }
        }
    }
}

impl Edit {
    /// Creates the correction of a whole text.
    fn of_all(correction: Correction) -> Self {
        Self {
            correction,
            count: 1,
            lines: Vec::new(),
        }
    }
}
