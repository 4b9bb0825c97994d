//! Examines the heads of answers as they arrive over HTTP/1.
//!
//! The HTTP library either refuses an answer for any fault in its head, or drops every faulty line.
//! A fault in a header of no importance must not cost a site its visit, but a line that is dropped
//! may have been a length, a coding or a pause. The library therefore drops, and what may not be
//! dropped is found here first.

use super::failure::TOO_MANY_HEADERS;
use super::head::HEADER_BYTES;
use crate::fetch::FetchError;

/// Headers on which the meaning of an answer depends, without hyphens.
const IMPORTANT: [&[u8]; 8] = [
    b"contentencoding",
    b"contentlength",
    b"contentsignal",
    b"contentusage",
    b"location",
    b"retryafter",
    b"transferencoding",
    b"xrobotstag",
];

/// Maximum length of a head in bytes: the headers, the status line and the line ends.
const HEAD_BYTES: usize = HEADER_BYTES + 8 * 1024;

/// Position in the bytes of a connection.
#[derive(Debug, Default)]
pub(super) struct RawHead {
    /// True from a request to the end of the head of its answer.
    is_expected: bool,
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// Length of the head so far in bytes.
    length: usize,
    /// True once the status line was read.
    has_status: bool,
    /// True for an informational answer, after which another head follows.
    is_interim: bool,
}

impl RawHead {
    /// Expects a head, as a request is sent.
    pub(super) fn expect(&mut self) {
        self.is_expected = true;
    }

    /// Reports whether the next bytes belong to a head.
    pub(super) fn is_expected(&self) -> bool {
        self.is_expected
    }

    /// Examines the next bytes of the connection.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        let mut rest = bytes;
        while self.is_expected && !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let (part, others) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            self.length += part.len();
            if self.length > HEAD_BYTES {
                return Err(TOO_MANY_HEADERS);
            }
            self.line.extend_from_slice(part);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                let line = line.strip_suffix(b"\n").unwrap_or(&line);
                self.end_line(line.strip_suffix(b"\r").unwrap_or(line))?;
            }
            rest = others;
        }
        Ok(())
    }

    fn end_line(&mut self, line: &[u8]) -> Result<(), FetchError> {
        match (line.is_empty(), self.has_status) {
            // Empty lines before the status line are ignored (HS-31).
            (true, false) => Ok(()),
            (false, false) => {
                self.has_status = true;
                let status = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
                self.is_interim = status.starts_with(b"1") && status != b"101";
                Ok(())
            }
            (true, true) => {
                *self = Self {
                    is_expected: self.is_interim,
                    ..Self::default()
                };
                Ok(())
            }
            (false, true) => check(line).map_err(FetchError::Protocol),
        }
    }
}

/// Checks a line between the status line and the end of the head.
fn check(line: &[u8]) -> Result<(), &'static str> {
    if line.contains(&0) {
        return Err("a NUL in a header");
    }
    if line.contains(&b'\r') {
        return Err("a carriage return within a header");
    }
    if matches!(line.first(), Some(b' ' | b'\t')) {
        return Err("a header over several lines");
    }
    let colon = line.iter().position(|byte| *byte == b':');
    let (name, value) = line.split_at(colon.unwrap_or(line.len()));
    if colon.is_some() && matches!(name.last(), Some(b' ' | b'\t')) {
        return Err("a space before the colon of a header");
    }
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    let is_whole =
        colon.is_some() && name.iter().copied().all(is_token) && !value.iter().any(is_control);
    if !is_whole && is_important(name, colon.is_some()) {
        return Err("a damaged header on which the meaning of the answer depends");
    }
    Ok(())
}

/// Reports whether a name is that of an important header, apart from its damage.
fn is_important(name: &[u8], has_colon: bool) -> bool {
    let letters = name.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let letters: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    IMPORTANT.iter().any(|important| {
        if has_colon {
            letters == *important
        } else {
            letters.starts_with(important)
        }
    })
}

/// Reports whether a name of a header may contain a byte (RFC 9110 section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads an answer that arrives in pieces of this size; returns whether a head is still expected.
    fn read(bytes: &[u8], size: usize) -> Result<bool, FetchError> {
        let mut head = RawHead::default();
        head.expect();
        for piece in bytes.chunks(size) {
            head.read(piece)?;
        }
        Ok(head.is_expected())
    }

    fn with(header: &[u8]) -> Vec<u8> {
        [b"HTTP/1.1 200 OK\r\n", header, b"\r\n\r\n"].concat()
    }

    #[test]
    fn faults_in_headers_of_no_importance_are_accepted() {
        for header in [
            &b"Content-Length: 5"[..],
            b"Nonsense",
            b"X-Control: a\x01b\x7f",
            b": nothing",
            b"X (1): a",
            b"X-Latin: caf\xe9",
            b"Location: /caf\xe9\t",
            b"Location-Hint\x01: a",
            b"A\x01-Location: a",
        ] {
            for size in [1, 5, 1000] {
                assert_eq!(read(&with(header), size), Ok(false), "{header:?}");
            }
        }
    }

    #[test]
    fn damaged_headers_that_matter_are_not() {
        for header in [
            &b"X: a\0b"[..],
            b"\0",
            b"X: a\rb",
            b" folded: a",
            b"X: a\r\n\tb",
            b"X : a",
            b"X\t: a",
            b"Content-Length: 5\x01",
            b"content-length\x01: 5",
            b"Content Length: 5",
            b"Content-Length 5",
            b"Transfer-Encoding: chunked\x7f",
            b"Content-Encoding: g\x08zip",
            b"LOCATION: /\x1b",
            b"\x80Location: /",
            b"Retry-After: 7\x01",
            b"X-Robots-Tag: none\x02",
            b"Retry-After",
        ] {
            for size in [1, 5, 1000] {
                let result = read(&with(header), size);
                assert!(matches!(result, Err(FetchError::Protocol(_))), "{header:?}");
            }
        }
    }

    #[test]
    fn only_heads_are_examined() {
        let body = [with(b"A: b").as_slice(), b" X: a\0\r\n"].concat();
        assert_eq!(read(&body, 3), Ok(false));
        let interim = b"\r\n\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n";
        let hints = [interim.as_slice(), interim, b"HTTP/1.1 200 OK\n X: a\n"].concat();
        assert!(read(&hints, 3).is_err());
        assert_eq!(read(interim, 3), Ok(true));
        let switched = b"HTTP/1.1 101 Switching\r\n\r\n\0\n";
        assert_eq!(read(switched, 3), Ok(false));
        let mut idle = RawHead::default();
        assert_eq!(idle.read(b"HTTP/1.1 200 OK\r\n X: a\r\n"), Ok(()));
    }

    #[test]
    fn p44_a_head_is_bounded() {
        let long = [b"X: ".as_slice(), &b"a".repeat(HEAD_BYTES)].concat();
        assert_eq!(read(&with(&long), 1000), Err(TOO_MANY_HEADERS));
        let flood = b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n".repeat(HEAD_BYTES / 30);
        assert_eq!(read(&flood, 1000), Ok(true));
    }

    proptest! {
        #[test]
        fn the_pieces_of_an_answer_make_no_difference(
            bytes in "(HTTP/1.1 [12]00 OK\r\n)?([ \0A-a:\t\x01]{0,20}\r?\n){0,5}", size in 1_usize..40,
        ) {
            prop_assert_eq!(read(bytes.as_bytes(), size), read(bytes.as_bytes(), 1000));
        }
    }
}
