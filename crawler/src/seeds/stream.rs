//! Decompression of seed lists, and detection of files that are not text.

use std::io::{self, BufReader, Cursor, Read};

/// Number of bytes read at once.
pub(super) const BUFFER: usize = 64 * 1024;

/// Number of bytes at the start that decide whether a file is text.
pub(super) const START: u64 = 4096;

/// Decompresses a stream if its first bytes say that it is compressed.
pub(super) fn unpack<'a>(
    mut input: impl Read + Send + 'a,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut magic = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut magic)?;
    let is_gzip = magic.starts_with(&[0x1f, 0x8b]);
    let is_zstd = magic == [0x28, 0xb5, 0x2f, 0xfd];
    let whole = Cursor::new(magic).chain(input);
    Ok(if is_gzip {
        let packed = BufReader::with_capacity(BUFFER, whole);
        Box::new(flate2::bufread::MultiGzDecoder::new(packed))
    } else if is_zstd {
        Box::new(zstd::stream::read::Decoder::new(whole)?)
    } else {
        Box::new(whole)
    })
}

/// Reports whether more than a tenth of the bytes at the start of a file do not occur in text.
pub(super) fn is_binary(start: &[u8]) -> bool {
    let strange: usize = start
        .utf8_chunks()
        .map(|chunk| {
            let is_strange = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
            chunk.invalid().len()
                + chunk
                    .valid()
                    .bytes()
                    .filter(|byte| is_strange(byte))
                    .count()
        })
        .sum();
    strange * 10 > start.len()
}

/// Reports whether a file begins as a zip archive: with a file, or with the end of an empty one.
pub(super) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}
