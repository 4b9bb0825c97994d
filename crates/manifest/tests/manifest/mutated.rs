//! Thousands of mutated manifests: none is an internal error (DI-11).

use crate::support::{documents, survives};
use manifest::convert::Target;
use manifest::{Document, formats, merge};
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of documents in a usual run.
const FEW: u64 = 1_000;
/// Number of documents in a long run: about ten minutes of one core in a debug build.
const MANY: u64 = 150_000;
/// Maximum length of a body before its last mutation, in bytes.
const LONG: usize = 100_000;

/// Tokens of JSON and agents.txt, and characters of several bytes.
const TOKENS: &[&str] = &[
    "\"",
    "\\",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "//",
    "/*",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{FEFF}",
    "\\ud800",
    "\\udc00x",
    "\\u00",
    "\"\"",
    "\"\"\"\"",
    "“",
    "„",
    "é",
    "東",
    "👍🏽",
    "e\u{301}",
    "\u{202E}",
    "null",
    "true",
    "NaN",
    "Infinity",
    "-",
    "+1",
    "0x",
    "1e999",
    "-1e999",
    "1e-999",
    "0.1",
    "9223372036854775808",
    "18446744073709551616",
    "https://",
    "http://[::1]/",
    "//x",
    "#",
    "/",
    "~1",
    "{id}",
    "${X}",
    "%",
    "%zz",
    "?a=b",
    "ajson://a.example/b",
    "urn:air:",
    "Bearer ",
    "token=abc",
    "sk_live_",
    "eyJ",
    "-----BEGIN PRIVATE KEY-----",
    "100/hour",
    "99999999999999999999/hour",
    "3600",
    "P1D",
    "not ",
    "(",
    ")",
    " && ",
    "=~ '(a'",
    "*",
    "- ",
    "Allow: ",
    "User-agent: ",
    "[x](y)",
    "```",
    "> ",
    "  ",
    "a: b: c",
    "=",
];

/// Deterministic pseudo-random numbers (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns a range of a body, usually a short one.
    fn piece(&mut self, body: &[u8]) -> std::ops::Range<usize> {
        let from = self.below(body.len());
        let most = *self.of(&[1, 4, 40, 400]);
        from..body.len().min(from + 1 + self.below(most))
    }

    /// Returns a number of repetitions: usually small, rarely very large.
    fn times(&mut self) -> usize {
        let most = *self.of(&[3, 3, 3, 30, 30, 300, 3_000]);
        1 + self.below(most)
    }
}

/// Mutates the body once.
fn mutate(body: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    if body.is_empty() {
        body.extend_from_slice(other);
        return;
    }
    let piece = chance.piece(body);
    let at = piece.start;
    let insert = |body: &mut Vec<u8>, what: &[u8]| drop(body.splice(at..at, what.iter().copied()));
    match chance.below(12) {
        0 => body[at] ^= 1 << chance.below(8),
        1 => drop(body.drain(piece)),
        2 => body.truncate(at),
        3 => {
            let repeated = body[piece].to_vec();
            let times = chance.times().min(LONG / repeated.len());
            insert(body, &repeated.repeat(times));
        }
        4 | 5 => insert(body, chance.of(TOKENS).as_bytes()),
        6 => {
            let times = chance.times();
            insert(body, chance.of(TOKENS).repeat(times).as_bytes());
        }
        7 => {
            let taken = chance.piece(other);
            body.splice(piece, other[taken].iter().copied());
        }
        8 => {
            let digits = *chance.of(&[1, 19, 20, 309, 400, 65_534, 65_536, 70_000]);
            // Rarely, a length that is expensive to process.
            let digits = if chance.below(8) == 0 {
                digits
            } else {
                digits.min(400)
            };
            let from = (at..body.len())
                .find(|at| body[*at].is_ascii_digit())
                .unwrap_or(at);
            body.splice(from..from, b"9".repeat(digits));
        }
        9 => {
            let tag = *chance.of(&["[", "{\"a\":", "(", "- ", "  ", "#", "not "]);
            insert(body, tag.repeat(chance.times()).as_bytes());
        }
        10 => {
            let strings: Vec<_> = (at..body.len())
                .filter(|at| body[*at] == b'"')
                .take(2)
                .collect();
            if let [from, to] = strings[..] {
                body.splice(from + 1..to, chance.of(TOKENS).bytes());
            }
        }
        _ => {
            let moved: Vec<u8> = body.drain(piece).collect();
            let to = chance.below(body.len());
            body.splice(to..to, moved);
        }
    }
    body.truncate(LONG + 70_000);
}

/// Returns a document of `sources` with up to four mutations.
fn broken(sources: &[Document], number: u64) -> Document {
    let mut chance = Chance(number);
    let mut document = chance.of(sources).clone();
    let other = &chance.of(sources).body;
    for _ in 0..=chance.below(4) {
        mutate(&mut document.body, other, &mut chance);
    }
    document
}

/// Lints document `number`, and sometimes also converts and merges it.
fn try_one(sources: &[Document], number: u64) {
    let document = broken(sources, number);
    let mut chance = Chance(!number);
    let targets = [*chance.of(&Target::ALL)];
    let targets: &[Target] = if number.is_multiple_of(4) {
        &targets
    } else {
        &[]
    };
    let reading = survives(&number.to_string(), &document, targets);
    if number.is_multiple_of(8) {
        let format = chance.of(formats::ALL).id;
        let forced = manifest::lint::lint_as(&document, format).reading;
        assert_eq!(forced.fault(), None, "{number} as {format}");
        let merged = merge::merge(
            &document.domain,
            &[(&document, reading), (&document, forced)],
        );
        assert!(
            !merged
                .findings
                .iter()
                .flatten()
                .any(manifest::Finding::is_ours),
            "{number}"
        );
        let file = Document::of_file(document.path(), &*document.body);
        survives(&number.to_string(), &file, &[]);
    }
}

fn sources() -> Vec<Document> {
    documents()
        .into_iter()
        .map(|named| named.document)
        .collect()
}

#[test]
fn mutated_documents_are_never_an_internal_error() {
    let sources = sources();
    (0..FEW).for_each(|number| try_one(&sources, number));
}

#[test]
#[ignore = "150,000 documents, some minutes: `cargo test --workspace --test manifest -- --ignored`"]
fn none_of_150_000_mutated_documents_is_an_internal_error() {
    let (sources, next) = (sources(), AtomicU64::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= MANY {
                        return;
                    }
                    try_one(&sources, number);
                }
            });
        }
    });
    println!(
        "{MANY} documents, made of {}: no internal error",
        sources.len()
    );
}
