//! Bytes to text: UTF-8 as it should be, and what editors save instead (DI-03).

use crate::finding::Findings;
use crate::{Finding, Severity, place};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// The text that `bytes` were meant to be; `None` when they are no text.
pub(super) fn text<'b>(bytes: &'b [u8], findings: &mut Findings) -> Option<Cow<'b, str>> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            let message = "starts with a byte order mark; UTF-8 needs none";
            findings.info("DI-03", "", message);
            utf8(rest, findings)
        }
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => {
            let message = "UTF-32, which is not read; save the file as UTF-8";
            findings.report("DI-03", "", message);
            None
        }
        [0xFF, 0xFE, rest @ ..] => Some(utf16(UTF_16LE, rest, findings)),
        [0xFE, 0xFF, rest @ ..] => Some(utf16(UTF_16BE, rest, findings)),
        _ => utf8(bytes, findings),
    }
}

/// UTF-16 with its mark; what is no character in it becomes U+FFFD.
fn utf16<'b>(
    encoding: &'static Encoding,
    bytes: &'b [u8],
    findings: &mut Findings,
) -> Cow<'b, str> {
    let message = "UTF-16, yet read; save the file as UTF-8";
    findings.report("DI-03", "", message);
    encoding.decode_without_bom_handling(bytes).0
}

/// UTF-8, or else the encoding of old editors, in which every byte is a character.
fn utf8<'b>(bytes: &'b [u8], findings: &mut Findings) -> Option<Cow<'b, str>> {
    let error = match str::from_utf8(bytes) {
        Ok(text) => return Some(text.into()),
        Err(error) => error,
    };
    let is_text = bytes
        .iter()
        .all(|byte| *byte >= b' ' || byte.is_ascii_whitespace());
    let message = if is_text {
        "not UTF-8, read as windows-1252; save the file as UTF-8"
    } else {
        "neither UTF-8 nor any other text; save the file as UTF-8"
    };
    let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
    let (line, column) = place::at(&valid, valid.len());
    findings.push(Finding {
        column: Some(column),
        ..Finding::at_line("DI-03", Severity::Error, line, message)
    });
    is_text.then(|| WINDOWS_1252.decode_without_bom_handling(bytes).0)
}
