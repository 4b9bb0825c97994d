//! Tests of single and several members, of limits, and of what names no coding.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::HeaderValue;
use proptest::prelude::*;

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
    assert_eq!(
        decoder.decode(&bomb, &mut body, 1000),
        Ok(Extent::Truncated)
    );
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
        Ok(Extent::Complete)
    );
    let end = decoder_of_half.finish(&mut Vec::new(), 1000);
    assert_eq!(end, Err(FetchError::BadEncoding));
    for coding in ["gzip", "br"] {
        let end = decoder(&[coding]).unwrap().finish(&mut Vec::new(), 0);
        assert_eq!(end, Ok(Extent::Complete), "{coding}");
    }
}

/// Decodes a body that arrives in pieces of this size.
fn decoded(coding: &'static str, bytes: &[u8], size: usize) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    let mut decoder = decoder(&[coding])?;
    for piece in bytes.chunks(size) {
        assert_eq!(decoder.decode(piece, &mut body, 1000)?, Extent::Complete);
    }
    decoder.finish(&mut body, 1000)?;
    Ok(body)
}

/// RFC 1952 section 2.2: a file is a series of members.
#[test]
fn every_member_of_a_gzip_body_is_decoded() {
    let members = [gzip(b"one "), gzip(b""), gzip(b"two")].concat();
    let padded = [members.as_slice(), &[0; 30]].concat();
    let broken = [members.as_slice(), b"three"].concat();
    let cut = &members[..members.len() - 1];
    let mut wrong_sum = members.clone();
    let first = gzip(b"one ").len();
    wrong_sum[first - 5] ^= 1;
    for size in [1, 7, 1000] {
        for whole in [&members, &padded] {
            assert_eq!(decoded("gzip", whole, size).as_deref(), Ok(&b"one two"[..]));
        }
        for bad in [&broken, cut, &wrong_sum] {
            assert_eq!(decoded("gzip", bad, size), Err(FetchError::BadEncoding));
        }
    }
}

/// A brotli body is one stream, so anything after it would be lost.
#[test]
fn nothing_follows_a_brotli_body() {
    // RFC 7932 section 9.2: an empty stream.
    const EMPTY: &[u8] = b"\x06";
    for size in [1, 1000] {
        assert_eq!(decoded("br", EMPTY, size), Ok(Vec::new()));
        let twice = EMPTY.repeat(2);
        assert_eq!(decoded("br", &twice, size), Err(FetchError::BadEncoding));
    }
}

#[test]
fn elements_that_name_no_coding_are_ignored_over_a_text() {
    let text = b"User-agent: *\nDisallow: /caf\xe9\n";
    for coding in [
        "UTF-8",
        "none",
        "aws-chunked",
        ", ,",
        "identity, utf8",
        "ISO-8859-1",
    ] {
        assert_eq!(
            decoded(coding, text, 5).as_deref(),
            Ok(&text[..]),
            "{coding}"
        );
    }
    let packed = gzip(text);
    for coding in [
        ",gzip",
        "aws-chunked, GZIP",
        "gzip,, utf-8",
        "identity,gzip",
    ] {
        assert_eq!(
            decoded(coding, &packed, 5).as_deref(),
            Ok(&text[..]),
            "{coding}"
        );
    }
    for (coding, body) in [
        ("utf-8", packed.as_slice()),
        ("none", b"a\0b"),
        ("none", b"\x28\xb5\x2f\xfd"),
        (
            "aws-chunked",
            b"4;chunk-signature=a\r\nabcd\r\n0;chunk-signature=b\r\n",
        ),
        ("aws-chunked", b"4\r\nabcd\r\n0\r\n"),
        ("base64", text),
        ("utf-8, deflate", text),
        ("gzip, br", &packed),
    ] {
        assert_eq!(
            decoded(coding, body, 1000),
            Err(FetchError::BadEncoding),
            "{coding}"
        );
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
        prop_assert_eq!(end, Ok(Extent::Complete));
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
