//! Decodes the content encoding of a body, piece by piece and up to a cap.
//!
//! The HTTP library is not used for this: it decodes several layers when several are named, and
//! gives brotli windows of a gibibyte.

use crate::fetch::FetchError;
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::write::GzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use std::io::{self, Write};

/// Value of the `Accept-Encoding` header (P2).
pub(super) const OFFERED: &str = "gzip, br";

/// Size of one decoding step in decoded bytes.
const STEP: usize = 16 * 1024;

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// Decoder for at most one content encoding.
pub(super) enum Decoder {
    Identity,
    Gzip {
        decoder: Box<GzDecoder<Vec<u8>>>,
        is_begun: bool,
    },
    Brotli {
        state: Box<Brotli>,
        is_begun: bool,
        is_done: bool,
    },
}

/// Result of decoding a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// The body fits so far.
    Available,
    /// The body is longer than the cap and was truncated there.
    None,
}

impl Decoder {
    /// Returns the decoder for the one content encoding that an answer may have.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, FetchError> {
        let mut named = headers.get_all(CONTENT_ENCODING).iter();
        let (coding, second) = (named.next(), named.next());
        if second.is_some() {
            return Err(FetchError::BadEncoding);
        }
        let coding = coding.map_or(&b""[..], |value| value.as_bytes().trim_ascii());
        match coding.to_ascii_lowercase().as_slice() {
            b"" | b"identity" => Ok(Self::Identity),
            b"gzip" | b"x-gzip" => Ok(Self::Gzip {
                decoder: Box::new(GzDecoder::new(Vec::new())),
                is_begun: false,
            }),
            b"br" => Ok(Self::Brotli {
                // Strict: without the larger windows of a brotli extension.
                state: Box::new(Brotli::new_strict(
                    StandardAlloc::default(),
                    StandardAlloc::default(),
                    StandardAlloc::default(),
                )),
                is_begun: false,
                is_done: false,
            }),
            _ => Err(FetchError::BadEncoding),
        }
    }

    /// Decodes a piece and appends it to `body`, up to `cap` bytes in all.
    pub(super) fn decode(
        &mut self,
        piece: &[u8],
        body: &mut Vec<u8>,
        cap: usize,
    ) -> Result<Room, FetchError> {
        match self {
            Self::Identity => Ok(append(piece, body, cap)),
            Self::Gzip { decoder, is_begun } => {
                *is_begun |= !piece.is_empty();
                gunzip(decoder, piece, body, cap).map_err(|_| FetchError::BadEncoding)
            }
            Self::Brotli {
                state,
                is_begun,
                is_done,
            } => {
                *is_begun |= !piece.is_empty();
                if *is_done {
                    return Ok(Room::Available);
                }
                unbrotli(state, is_done, piece, body, cap)
            }
        }
    }

    /// Decodes the buffered rest and checks that the encoding was complete; an empty body needs
    /// none.
    pub(super) fn finish(self, body: &mut Vec<u8>, cap: usize) -> Result<Room, FetchError> {
        match self {
            Self::Gzip {
                mut decoder,
                is_begun: true,
            } => {
                decoder.try_finish().map_err(|_| FetchError::BadEncoding)?;
                Ok(append(decoder.get_ref(), body, cap))
            }
            Self::Brotli {
                is_begun: true,
                is_done: false,
                ..
            } => Err(FetchError::BadEncoding),
            Self::Identity | Self::Gzip { .. } | Self::Brotli { .. } => Ok(Room::Available),
        }
    }
}

fn append(piece: &[u8], body: &mut Vec<u8>, cap: usize) -> Room {
    let room = cap.saturating_sub(body.len());
    body.extend_from_slice(&piece[..piece.len().min(room)]);
    if piece.len() > room {
        Room::None
    } else {
        Room::Available
    }
}

/// Writes in steps, so that the decoder never buffers much more than one step.
fn gunzip(
    decoder: &mut GzDecoder<Vec<u8>>,
    piece: &[u8],
    body: &mut Vec<u8>,
    cap: usize,
) -> io::Result<Room> {
    let mut rest = piece;
    while !rest.is_empty() {
        let taken = decoder.write(rest)?;
        let made = decoder.get_mut();
        let room = append(made, body, cap);
        made.clear();
        if room == Room::None {
            return Ok(Room::None);
        }
        if taken == 0 {
            // Bytes after the end of the encoding are not part of the body.
            break;
        }
        rest = &rest[taken..];
    }
    Ok(Room::Available)
}

fn unbrotli(
    state: &mut Brotli,
    is_done: &mut bool,
    piece: &[u8],
    body: &mut Vec<u8>,
    cap: usize,
) -> Result<Room, FetchError> {
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
        if append(&step[..made], body, cap) == Room::None {
            return Ok(Room::None);
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput => return Ok(Room::Available),
            BrotliResult::ResultSuccess => {
                *is_done = true;
                return Ok(Room::Available);
            }
            BrotliResult::ResultFailure => return Err(FetchError::BadEncoding),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    fn decoder(codings: &[&'static str]) -> Result<Decoder, FetchError> {
        let mut headers = HeaderMap::new();
        for coding in codings {
            headers.append(CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        Decoder::of(&headers)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn p02_two_encodings_are_offered() {
        assert_eq!(OFFERED, "gzip, br");
    }

    #[test]
    fn p44_exactly_one_offered_encoding_is_accepted() {
        for codings in [
            &[][..],
            &["identity"],
            &[""],
            &["GZip"],
            &["br"],
            &[" x-gzip "],
        ] {
            assert!(decoder(codings).is_ok(), "{codings:?}");
        }
        for codings in [
            &["gzip, gzip"][..],
            &["gzip", "gzip"],
            &["deflate"],
            &["zstd"],
        ] {
            assert!(decoder(codings).is_err(), "{codings:?}");
        }
    }

    #[test]
    fn p44_a_bomb_is_cut_at_the_cap() {
        let bomb = gzip(&vec![b' '; 10 << 20]);
        let mut body = Vec::new();
        let mut decoder = decoder(&["gzip"]).unwrap();
        assert_eq!(decoder.decode(&bomb, &mut body, 1000), Ok(Room::None));
        assert_eq!(body.len(), 1000);
        assert!(body.capacity() < 100_000);
    }

    #[test]
    fn p44_an_encoding_must_be_complete_unless_there_is_no_body() {
        let text = gzip(b"Name: Mesa");
        let mut decoder_of_half = decoder(&["gzip"]).unwrap();
        let half = &text[..text.len() - 9];
        assert_eq!(
            decoder_of_half.decode(half, &mut Vec::new(), 1000),
            Ok(Room::Available)
        );
        let end = decoder_of_half.finish(&mut Vec::new(), 1000);
        assert_eq!(end, Err(FetchError::BadEncoding));
        for coding in ["gzip", "br"] {
            let end = decoder(&[coding]).unwrap().finish(&mut Vec::new(), 0);
            assert_eq!(end, Ok(Room::Available), "{coding}");
        }
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_decode_to_the_whole(text: Vec<u8>, size in 1_usize..100) {
            let mut body = Vec::new();
            let mut decoder = decoder(&["gzip"]).unwrap();
            for piece in gzip(&text).chunks(size) {
                decoder.decode(piece, &mut body, text.len()).unwrap();
            }
            let end = decoder.finish(&mut body, text.len());
            prop_assert_eq!(end, Ok(Room::Available));
            prop_assert_eq!(body, text);
        }

        #[test]
        fn no_bytes_make_a_decoder_panic(bytes: Vec<u8>) {
            for coding in ["gzip", "br"] {
                let mut decoder = decoder(&[coding]).unwrap();
                let _ = decoder.decode(&bytes, &mut Vec::new(), 1000);
                let _ = decoder.finish(&mut Vec::new(), 1000);
            }
        }
    }
}
