//! Decodes the content encoding of a body, piece by piece and up to a cap.
//!
//! The HTTP library is not used for this: it decodes several layers when several are named, and
//! gives brotli windows of a gibibyte.

use crate::fetch::FetchError;
use crate::robots::is_plain_text;
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::write::GzDecoder;
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use std::io::{self, Write};

/// Value of the `Accept-Encoding` header (P2).
pub(super) const OFFERED: &str = "gzip, br";

/// Size of one decoding step in decoded bytes.
const STEP: usize = 16 * 1024;

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// Decoder for at most one content encoding.
pub(super) struct Decoder {
    coding: Coding,
    /// True if the answer also names what is no coding, so that the body must be plainly text.
    must_be_text: bool,
}

enum Coding {
    Identity,
    Gzip(Gzip),
    Brotli {
        state: Box<Brotli>,
        is_begun: bool,
        is_done: bool,
    },
}

/// Decoder for a series of members (RFC 1952 section 2.2).
#[derive(Default)]
struct Gzip {
    /// The member that is being decoded; `None` before the first one, and in the padding after one.
    member: Option<Box<GzDecoder<Vec<u8>>>>,
    is_begun: bool,
}

/// Result of decoding a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The body fits so far.
    Complete,
    /// The body is longer than the cap and was truncated there.
    Truncated,
}

impl Decoder {
    /// Returns the decoder for the one content encoding that an answer may have.
    ///
    /// Empty elements are ignored (RFC 9110 section 5.6.1).
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, FetchError> {
        let values = headers.get_all(CONTENT_ENCODING).iter();
        let names = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
        let mut coding = Coding::Identity;
        let mut must_be_text = false;
        for name in names.map(<[u8]>::trim_ascii) {
            let next = match name.to_ascii_lowercase().as_slice() {
                b"" | b"identity" => continue,
                b"gzip" | b"x-gzip" => Coding::Gzip(Gzip::default()),
                b"br" => Coding::Brotli {
                    // Strict: without the larger windows of a brotli extension.
                    state: Box::new(Brotli::new_strict(
                        StandardAlloc::default(),
                        StandardAlloc::default(),
                        StandardAlloc::default(),
                    )),
                    is_begun: false,
                    is_done: false,
                },
                name if is_no_coding(name) => {
                    must_be_text = true;
                    continue;
                }
                _ => return Err(FetchError::BadEncoding),
            };
            if !matches!(coding, Coding::Identity) {
                return Err(FetchError::BadEncoding);
            }
            coding = next;
        }
        Ok(Self {
            coding,
            must_be_text,
        })
    }

    /// Decodes a piece and appends it to `body`, up to `cap` bytes in all.
    pub(super) fn decode(
        &mut self,
        piece: &[u8],
        body: &mut Vec<u8>,
        cap: usize,
    ) -> Result<Extent, FetchError> {
        match &mut self.coding {
            Coding::Identity => Ok(append(piece, body, cap)),
            Coding::Gzip(gzip) => gzip
                .decode(piece, body, cap)
                .map_err(|_| FetchError::BadEncoding),
            Coding::Brotli {
                state,
                is_begun,
                is_done,
            } => {
                *is_begun |= !piece.is_empty();
                if *is_done && !piece.is_empty() {
                    return Err(FetchError::BadEncoding);
                }
                unbrotli(state, is_done, piece, body, cap)
            }
        }
    }

    /// Decodes the buffered rest and checks that the encoding was complete; an empty body needs
    /// none.
    pub(super) fn finish(self, body: &mut Vec<u8>, cap: usize) -> Result<Extent, FetchError> {
        let must_be_text = self.must_be_text;
        let room = match self.coding {
            Coding::Gzip(gzip) => gzip
                .finish(body, cap)
                .map_err(|_| FetchError::BadEncoding)?,
            Coding::Brotli {
                is_begun: true,
                is_done: false,
                ..
            } => return Err(FetchError::BadEncoding),
            Coding::Identity | Coding::Brotli { .. } => Extent::Complete,
        };
        check_text(must_be_text, body)?;
        Ok(room)
    }

    /// Checks a body of which the rest is not read.
    pub(super) fn cut(self, body: &[u8]) -> Result<(), FetchError> {
        check_text(self.must_be_text, body)
    }
}

impl Gzip {
    /// Writes in steps, so that the decoder never buffers much more than one step.
    fn decode(&mut self, piece: &[u8], body: &mut Vec<u8>, cap: usize) -> io::Result<Extent> {
        let mut rest = piece;
        while !rest.is_empty() {
            let Some(decoder) = &mut self.member else {
                // Zeros may pad the last member.
                if self.is_begun && rest[0] == 0 {
                    rest = &rest[1..];
                    continue;
                }
                self.is_begun = true;
                self.member = Some(Box::new(GzDecoder::new(Vec::new())));
                continue;
            };
            let taken = decoder.write(rest)?;
            if move_output(decoder, body, cap) == Extent::Truncated {
                return Ok(Extent::Truncated);
            }
            rest = &rest[taken..];
            if taken == 0 {
                decoder.try_finish()?;
                self.member = None;
            }
        }
        Ok(Extent::Complete)
    }

    fn finish(self, body: &mut Vec<u8>, cap: usize) -> io::Result<Extent> {
        let Some(mut decoder) = self.member else {
            return Ok(Extent::Complete);
        };
        decoder.try_finish()?;
        Ok(move_output(&mut decoder, body, cap))
    }
}

fn move_output(decoder: &mut GzDecoder<Vec<u8>>, body: &mut Vec<u8>, cap: usize) -> Extent {
    let made = decoder.get_mut();
    let room = append(made, body, cap);
    made.clear();
    room
}

/// Reports whether a value of `Content-Encoding`, in lower case, is known to name no coding: it is a
/// character encoding, or what a storage service left there.
///
/// Any other value may name one, whose bytes may look like a text.
fn is_no_coding(name: &[u8]) -> bool {
    const NO_CODINGS: [&[u8]; 8] = [
        b"none",
        b"null",
        b"aws-chunked",
        b"7bit",
        b"8bit",
        b"binary",
        b"text",
        b"plain",
    ];
    NO_CODINGS.contains(&name) || encoding_rs::Encoding::for_label(name).is_some()
}

fn check_text(must_be_text: bool, body: &[u8]) -> Result<(), FetchError> {
    if must_be_text && (!is_plain_text(body) || has_frames(body)) {
        return Err(FetchError::BadEncoding);
    }
    Ok(())
}

/// Reports whether a body begins with a frame of `aws-chunked`, which should have been removed.
fn has_frames(body: &[u8]) -> bool {
    let line = body.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.trim_ascii_end();
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit());
    let digits = digits.count();
    digits > 0 && (digits == line.len() || line[digits..].starts_with(b";chunk-signature="))
}

fn append(piece: &[u8], body: &mut Vec<u8>, cap: usize) -> Extent {
    let room = cap.saturating_sub(body.len());
    body.extend_from_slice(&piece[..piece.len().min(room)]);
    if piece.len() > room {
        Extent::Truncated
    } else {
        Extent::Complete
    }
}

fn unbrotli(
    state: &mut Brotli,
    is_done: &mut bool,
    piece: &[u8],
    body: &mut Vec<u8>,
    cap: usize,
) -> Result<Extent, FetchError> {
    let (mut unread, mut offset, mut total) = (piece.len(), 0, 0);
    let mut step = vec![0; STEP];
    loop {
        let (mut free, mut made) = (STEP, 0);
        let result = BrotliDecompressStream(
            &mut unread,
            &mut offset,
            piece,
            &mut free,
            &mut made,
            &mut step,
            &mut total,
            state,
        );
        if append(&step[..made], body, cap) == Extent::Truncated {
            return Ok(Extent::Truncated);
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput => return Ok(Extent::Complete),
            // What follows would be lost.
            BrotliResult::ResultSuccess if unread > 0 => return Err(FetchError::BadEncoding),
            BrotliResult::ResultSuccess => {
                *is_done = true;
                return Ok(Extent::Complete);
            }
            BrotliResult::ResultFailure => return Err(FetchError::BadEncoding),
        }
    }
}

#[cfg(test)]
mod tests;
