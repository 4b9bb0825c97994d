//! The encoder against the programs that it replaces (`model/reference.py`).

use super::*;
use serde::Deserialize;
use std::io::Read as _;

#[derive(Deserialize)]
struct Reference {
    text: String,
    pieces: Vec<u32>,
    /// 512 signed bytes in base64.
    vector: String,
}

fn encoder() -> &'static Encoder {
    Encoder::shipped().expect("the shipped model can be read")
}

fn references() -> Vec<Reference> {
    let packed = include_bytes!("../model/reference.jsonl.zst");
    let mut lines = String::new();
    let mut decoder = zstd::Decoder::new(&packed[..]).unwrap();
    decoder.read_to_string(&mut lines).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |left: &[f32], right: &[f32]| -> f32 {
        left.iter()
            .zip(right)
            .map(|(left, right)| left * right)
            .sum()
    };
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

#[test]
fn texts_of_every_language_are_cut_up_as_by_sentencepiece() {
    let references = references();
    assert!(references.len() > 1_900, "{}", references.len());
    for reference in references {
        let pieces = encoder().tokenizer.pieces(&reference.text);
        assert_eq!(pieces, reference.pieces, "{:?}", reference.text);
    }
}

#[test]
fn pieces_have_the_vectors_of_the_original_network() {
    let encoder = encoder();
    let references = references();
    let framed = references.iter().map(|it| {
        let pieces = it.pieces.iter().copied().take(MAX_PIECES);
        let pieces = [tokenizer::START].into_iter().chain(pieces);
        pieces.chain([tokenizer::END]).collect::<Vec<_>>()
    });
    let framed: Vec<_> = framed.collect();
    let mut vectors = Vec::new();
    for batch in framed.chunks(20) {
        encoder
            .network
            .run(batch, &encoder.table, Work::Texts, &mut vectors);
    }
    for (reference, vector) in references.iter().zip(&vectors) {
        let bytes = data_encoding::BASE64
            .decode(reference.vector.as_bytes())
            .unwrap();
        let expected: Vec<f32> = bytes
            .iter()
            .map(|byte| f32::from(byte.cast_signed()))
            .collect();
        let cosine = cosine(vector, &expected);
        assert!(cosine >= 0.999, "{cosine} for {:?}", reference.text);
    }
}

#[test]
fn a_text_has_the_same_vector_alone_and_among_others() {
    let texts = ["rent a bike", "", "ein Fahrrad mieten", "水管工"];
    let together = encoder().encode(&texts);
    for (text, vector) in texts.iter().zip(&together) {
        let alone = encoder().encode(&[text]);
        assert!(cosine(vector, &alone[0]) > 0.9999, "{text}");
        let length: f32 = vector.iter().map(|it| it * it).sum();
        assert!((length - 1.0).abs() < 1e-3, "{text}: {length}");
    }
}

#[test]
fn meanings_are_near_across_languages_and_numbers() {
    let near = |one: &str, other: &str| {
        let vectors = encoder().encode(&[one, other]);
        cosine(&vectors[0], &vectors[1])
    };
    for (one, other) in [
        ("rent a bike", "Fahrrad mieten"),
        ("a plumber", "un plombier"),
        ("a table for 5 people", "a table for 8 people"),
    ] {
        let (same, different) = (near(one, other), near(one, "tickets for the opera"));
        assert!(same > different + 0.2, "{one} {other}: {same}, {different}");
    }
}

#[test]
fn very_long_and_strange_texts_are_encoded() {
    let long = "a word ".repeat(100_000);
    let vectors = encoder().encode(&[long.as_str(), "\u{0}\u{301}\u{FFFF}", "😀"]);
    assert!(vectors.iter().flatten().all(|it| it.is_finite()));
}

#[test]
fn a_damaged_model_never_panics() {
    let packed = include_bytes!("../model/model.bin.zst");
    let model = zstd::decode_all(&packed[..]).unwrap();
    let length = 237_542_u32;
    let charsmap = model.windows(4).position(|it| it == length.to_le_bytes());
    let charsmap = charsmap.expect("the map of characters") + 4;
    // The table: its number of rows, 34 scales, and the smallest value of each row.
    let lowest = charsmap + length as usize + 4 + 34 * 4;
    let (scores, trie) = (20..200, 640_012..900_000);
    let map = charsmap + 4..charsmap + 150_000;
    for range in [0..4, 8..12, scores, trie, map, lowest..lowest + 128_000] {
        for mask in [0x01, 0x80, 0xFF] {
            let mut damaged = model.clone();
            for byte in &mut damaged[range.clone()] {
                *byte ^= mask;
            }
            let damaged = zstd::encode_all(&damaged[..], -7).unwrap();
            if let Ok(encoder) = Encoder::read(&damaged) {
                let vectors = encoder.encode(&["a bike, ｶﾀｶﾅ and ㍿ 水管工 e\u{301}", ""]);
                assert_eq!(vectors.len(), 2);
            }
        }
    }
}

#[test]
fn another_file_is_no_model() {
    for model in [
        &b""[..],
        b"not a model",
        &zstd::encode_all(&b"AGDXUSE1"[..], 1).unwrap(),
    ] {
        assert!(Encoder::read(model).is_err());
    }
}
