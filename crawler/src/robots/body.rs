//! Decoding of a body: byte order marks, UTF-16, the size limit.

use std::borrow::Cow;

/// Maximum size of a robots.txt in decoded octets; the rest is ignored (RFC 9309 section 2.5, P25).
pub const BODY_CAP: usize = 512_000;

/// Returns the octets that count, converted to UTF-8 if the body was UTF-16.
///
/// A text longer than [`BODY_CAP`] is truncated at the end of a line (P25): part of a rule is
/// another, often broader rule.
pub(super) fn decode(body: &[u8]) -> Cow<'_, [u8]> {
    let text = unmarked(body);
    if body.len() < BODY_CAP && text.len() < BODY_CAP {
        return text;
    }
    let limit = text.len().min(BODY_CAP);
    let end = text[..limit]
        .iter()
        .rposition(|octet| matches!(octet, b'\n' | b'\r'))
        .map_or(0, |position| position + 1);
    match text {
        Cow::Borrowed(octets) => Cow::Borrowed(&octets[..end]),
        Cow::Owned(mut octets) => {
            octets.truncate(end);
            Cow::Owned(octets)
        }
    }
}

/// Reports whether a body is plainly a text, in whatever character encoding: it does not begin like
/// gzip or zstd, and has NUL bytes in UTF-16 with a byte order mark only.
pub(crate) fn is_plain_text(body: &[u8]) -> bool {
    const GZIP: &[u8] = &[0x1f, 0x8b];
    const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    !body.starts_with(GZIP) && !body.starts_with(ZSTD) && !unmarked(body).contains(&0)
}

/// Returns a body in UTF-8, without its byte order mark.
fn unmarked(body: &[u8]) -> Cow<'_, [u8]> {
    match body {
        [0xff, 0xfe, rest @ ..] => utf16(encoding_rs::UTF_16LE, rest),
        [0xfe, 0xff, rest @ ..] => utf16(encoding_rs::UTF_16BE, rest),
        _ => Cow::Borrowed(without_mark(body)),
    }
}

fn utf16(encoding: &'static encoding_rs::Encoding, octets: &[u8]) -> Cow<'static, [u8]> {
    let (text, _) = encoding.decode_without_bom_handling(octets);
    Cow::Owned(text.into_owned().into_bytes())
}

/// Removes a UTF-8 byte order mark, even an incomplete one, as Google does.
fn without_mark(body: &[u8]) -> &[u8] {
    let length = body
        .iter()
        .zip([0xef, 0xbb, 0xbf])
        .take_while(|(octet, mark)| *octet == mark)
        .count();
    &body[length..]
}
