//! The table that ships, against what the Python side with the model's own tokenizer said; and
//! tables that do not ship.

use super::*;
use proptest::prelude::*;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A line of the fixture.
#[derive(Deserialize)]
struct Case {
    text: String,
    /// Entries of the table that the Python side cuts the text into, with a space between.
    pieces: String,
    /// Vector computed by the Python implementation.
    vector: Option<Vec<i8>>,
}

static TABLE: LazyLock<&Table> = LazyLock::new(|| table().unwrap());

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("embedding")
}

fn cases() -> Vec<Case> {
    let cases: Vec<_> = include_str!("../../embedding/fixture.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() > 300);
    cases
}

/// Returns a table file of a few entries, their rows all ones.
fn file(entries: &str, count: u32) -> Vec<u8> {
    let mut head = b"agdxembd".to_vec();
    let length = u32::try_from(entries.len()).unwrap();
    for number in [3, 1, 256, count, length] {
        head.extend(u32::to_le_bytes(number));
    }
    let mut body = entries.as_bytes().to_vec();
    body.extend(vec![1; count as usize * table::DIMENSIONS]);
    signed(&head, &body)
}

fn signed(head: &[u8], body: &[u8]) -> Vec<u8> {
    let checksum = Sha256::new()
        .chain_update(head)
        .chain_update(body)
        .finalize();
    [head, &checksum, body].concat()
}

#[test]
fn texts_are_cut_as_the_python_side_cuts_them() {
    let bytes = std::fs::read(folder().join("table.bin")).unwrap();
    let length = u32::from_le_bytes(*bytes[24..].first_chunk().unwrap()) as usize;
    let names: Vec<&str> = str::from_utf8(&bytes[60..60 + length])
        .unwrap()
        .lines()
        .collect();
    for case in cases() {
        let pieces: Vec<&str> = TABLE
            .pieces(&case.text)
            .iter()
            .map(|&row| names[row as usize])
            .collect();
        assert_eq!(pieces.join(" "), case.pieces, "{:?}", case.text);
    }
}

#[test]
fn vectors_are_those_of_the_python_side() {
    let mut compared = 0;
    for case in cases() {
        let Some(expected) = case.vector else {
            continue;
        };
        let made = TABLE
            .embed(&case.text)
            .map_or([0; table::DIMENSIONS], |it| it.to_bytes());
        assert_eq!(made.map(u8::cast_signed)[..], expected, "{:?}", case.text);
        compared += usize::from(expected.contains(&127) || expected.contains(&-127));
    }
    assert!(compared > 30);
}

#[test]
fn what_means_the_same_is_near() {
    let cosine = |left, right| {
        TABLE
            .embed(left)
            .unwrap()
            .cosine(&TABLE.embed(right).unwrap())
    };
    let need = "I want to fly to Lisbon";
    let near = cosine(need, "airline tickets and plane reservations");
    let far = cosine(need, "bakes bread and pastry");
    assert!(near > far + 0.1, "{near} and {far}");
}

#[test]
fn what_has_no_known_piece_has_no_vector() {
    for text in [
        "",
        " \n",
        "\u{200b}",
        "𝔘𝔫𝔦",
        "東京 予約",
        "ᚠᚢ",
        &"x".repeat(101),
    ] {
        assert_eq!(TABLE.embed(text), None, "{text:?}");
    }
}

#[test]
fn a_text_counts_up_to_its_256th_piece() {
    let long = "word ".repeat(255);
    assert_ne!(TABLE.embed(&format!("{long} house")), TABLE.embed(&long));
    assert_eq!(
        TABLE.embed(&format!("{long} house and garden")),
        TABLE.embed(&format!("{long} house"))
    );
}

#[test]
fn a_vector_survives_storing() {
    let vector = TABLE.embed("book a table").unwrap();
    assert_eq!(Vector::from_bytes(&vector.to_bytes()), Some(vector));
    assert!((vector.cosine(&vector) - 1.0).abs() < 1e-6);
    for bytes in [&[][..], &[1; 255], &[1; 257], &[0; 256]] {
        assert_eq!(Vector::from_bytes(bytes), None);
    }
}

#[test]
fn a_vector_survives_a_column_and_its_signs_are_nearest_to_themselves() {
    let vector = TABLE.embed("book a table").unwrap();
    let numbers: Vec<u64> = vector.to_numbers().collect();
    assert_eq!(Vector::from_numbers(&numbers), Some(vector));
    assert_eq!(Vector::from_numbers(&numbers[1..]), None);
    assert_eq!(
        Sketch::of_numbers(&numbers.try_into().unwrap()),
        vector.signs()
    );
    let near = TABLE.embed("reserve a table").unwrap().signs();
    let far = TABLE.embed("weather in the mountains").unwrap().signs();
    assert_eq!(vector.signs().distance(&vector.signs()), 0);
    assert!(vector.signs().distance(&near) < vector.signs().distance(&far));
}

#[test]
fn a_direction_between_others_is_as_near_to_a_long_text_as_to_a_short_one() {
    let short = TABLE.embed("weather").unwrap();
    let long = TABLE
        .embed(&"book a table at a restaurant ".repeat(9))
        .unwrap();
    let between = Vector::between([short, long]).unwrap();
    let (near, far) = (between.cosine(&short), between.cosine(&long));
    assert!((near - far).abs() < 0.01, "{near} {far}");
    assert!(near > short.cosine(&long));
    assert!(Vector::between([short]).unwrap().cosine(&short) > 0.9999);
    assert_eq!(Vector::between([]), None);
}

#[test]
fn the_extremes_of_eight_bits_have_a_cosine() {
    let low = Vector::from_bytes(&[0x80; 256]).unwrap();
    let high = Vector::from_bytes(&[0x7f; 256]).unwrap();
    assert!((low.cosine(&low) - 1.0).abs() < 1e-6);
    assert!((low.cosine(&high) + 1.0).abs() < 1e-6);
}

#[test]
fn an_empty_file_is_no_table() {
    assert!(matches!(Table::read(&[]), Err(TableError::Foreign)));
}

#[test]
fn a_damaged_table_is_refused() {
    let sound = file("[UNK]\na\n##b\n", 3);
    let table = Table::read(&sound).unwrap();
    assert_eq!(table.pieces("ab ba a Abb"), [1, 2, 0, 1, 1, 2, 2]);
    assert_eq!(table.checksum()[..], sound[28..60]);
    for end in 0..sound.len() {
        assert!(Table::read(&sound[..end]).is_err(), "cut at {end}");
    }
    for place in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[place] ^= 1;
        assert!(Table::read(&bytes).is_err(), "changed at {place}");
    }
}

#[test]
fn a_table_that_contradicts_itself_is_refused() {
    for bytes in [
        file("", 0),
        file("[UNK]\na\n", 3),
        file("[UNK]\na\n", 1),
        signed(&file("[UNK]\n", 1)[..28], b"\xff"),
        signed(&file("[UNK]\n", 1)[..28], &[0xff; 6 + 256]),
    ] {
        assert!(matches!(Table::read(&bytes), Err(TableError::Damaged)));
    }
}

#[test]
fn other_files_and_other_versions_are_told_apart() {
    assert!(matches!(
        Table::read(b"PK\x03\x04"),
        Err(TableError::Foreign)
    ));
    let mut bytes = file("[UNK]\n", 1);
    bytes[8] = 2;
    let Err(error) = Table::read(&bytes) else {
        panic!("format 2 was read")
    };
    assert!(
        matches!(
            error,
            TableError::Unknown {
                format: 2,
                dimensions: 256
            }
        ),
        "{error}"
    );
}

#[test]
fn words_of_words_are_told_from_others() {
    for (word, is_made) in [
        ("screenwriting", true),
        ("homebrewing", true),
        ("screen", true),
        ("wechat", false),
        ("whatsapp", false),
        ("qwer", false),
        ("blorptastic", false),
        ("\u{16a0}", false),
        ("", false),
    ] {
        assert_eq!(TABLE.is_made_of_words(word), is_made, "{word}");
    }
}

proptest! {
    #[test]
    fn any_text_has_a_bounded_number_of_pieces(text in "\\PC*|[a-z\u{300}\u{4e00} ,]{0,900}|.{0,50}") {
        prop_assert!(TABLE.pieces(&text).len() <= 256);
        if let Some(vector) = TABLE.embed(&text) {
            prop_assert!(vector.cosine(&vector) > 0.999);
        }
    }

    #[test]
    fn any_signed_bytes_are_read_or_refused(head in proptest::array::uniform28(any::<u8>()), body in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut head = head;
        head[..20].copy_from_slice(&file("[UNK]\n", 1)[..20]);
        let _: Result<Table, TableError> = Table::read(&signed(&head, &body));
    }
}

proptest! {
    #[test]
    fn words_met_before_are_cut_as_new_ones(texts: Vec<String>) {
        let mut embedder = Embedder::new(table().unwrap());
        for text in texts.iter().chain(&texts) {
            prop_assert_eq!(embedder.embed(text), TABLE.embed(text));
        }
    }

    /// The short way through ASCII leads where the long one does: a space of another script changes
    /// nothing else.
    #[test]
    fn ascii_is_cut_as_every_text(text in "[ -~\\t\\n\\x00\\x1f\\x7f]{0,300}") {
        prop_assert_eq!(TABLE.pieces(&text), TABLE.pieces(&format!("{text}\u{a0}")));
    }
}
