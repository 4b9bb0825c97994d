//! Decoding of bytes to text: UTF-8, UTF-16 with a byte order mark, or windows-1252 (DI-03).

use crate::finding::Findings;
use crate::rule::document::DI_03;
use crate::{Finding, position};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

const BOM: &str = "the file starts with a byte order mark, which UTF-8 does not need";
const UTF_16: &str = "the file is UTF-16";
const NOT_UTF_8: &str = "the file is not UTF-8 and was read as windows-1252";
const BARE_RETURNS: &str = "the lines end in CR alone";

/// Reports whether a finding is on the encoding of a document that is read all the same.
pub(crate) fn is_of_encoding(finding: &Finding) -> bool {
    let all = [BOM, UTF_16, NOT_UTF_8, BARE_RETURNS];
    finding.rule == &DI_03 && all.contains(&finding.message.as_str())
}

/// Decodes `bytes`; returns `None` if they are not text.
pub(super) fn text<'b>(bytes: &'b [u8], findings: &mut Findings) -> Option<Cow<'b, str>> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            findings.push(Finding::new(DI_03.info(), "", BOM).with_help("remove it"));
            utf8(rest, findings)
        }
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => {
            let message = "the file is UTF-32 and cannot be read; save it as UTF-8";
            findings.add(&DI_03, "", message);
            None
        }
        [0xFF, 0xFE, rest @ ..] => Some(utf16(UTF_16LE, rest, findings)),
        [0xFE, 0xFF, rest @ ..] => Some(utf16(UTF_16BE, rest, findings)),
        _ => utf8(bytes, findings),
    }
}

/// Replaces carriage returns, if the lines end in nothing else, with line feeds.
pub(super) fn lines<'b>(text: Cow<'b, str>, findings: &mut Findings) -> Cow<'b, str> {
    if text.contains('\n') || !text.trim_end().contains('\r') {
        return text;
    }
    let finding = Finding::new(DI_03.info(), "", BARE_RETURNS);
    findings.push(finding.with_help("save the file with LF or CRLF"));
    Cow::Owned(text.replace('\r', "\n"))
}

/// Decodes UTF-16 after its byte order mark; invalid sequences become U+FFFD.
fn utf16<'b>(
    encoding: &'static Encoding,
    bytes: &'b [u8],
    findings: &mut Findings,
) -> Cow<'b, str> {
    findings.push(Finding::new(&DI_03, "", UTF_16).with_help("save it as UTF-8"));
    encoding.decode_without_bom_handling(bytes).0
}

/// Decodes UTF-8, or else windows-1252, in which every byte is a character.
fn utf8<'b>(bytes: &'b [u8], findings: &mut Findings) -> Option<Cow<'b, str>> {
    let error = match str::from_utf8(bytes) {
        Ok(text) => return Some(text.into()),
        Err(error) => error,
    };
    let is_text = bytes
        .iter()
        .all(|byte| *byte >= b' ' || byte.is_ascii_whitespace());
    let message = if is_text {
        NOT_UTF_8
    } else {
        "the file is neither UTF-8 nor any other text"
    };
    let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
    let (line, column) = position::at(&valid, valid.len());
    findings.push(Finding {
        column: Some(column),
        ..Finding::at_line(&DI_03, line, message).with_help("save it as UTF-8")
    });
    is_text.then(|| WINDOWS_1252.decode_without_bom_handling(bytes).0)
}
