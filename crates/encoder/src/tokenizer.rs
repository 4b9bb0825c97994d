//! Pieces of a text, exactly as the unigram model of `SentencePiece` cuts it.

use crate::charsmap::Charsmap;
use crate::float;
use crate::packed::{ModelError, Packed};

/// Mark of the pieces that begin a word.
const MARK: &str = "\u{2581}";

/// Piece for a run of characters that no piece has.
const UNKNOWN: u32 = 0;
/// Piece before each text.
pub(crate) const START: u32 = 1;
/// Piece after each text.
pub(crate) const END: u32 = 2;

/// Points by which a character without a piece is worse than the worst piece.
const PENALTY: f32 = 10.0;

/// Type of pieces that a text always has if it has their characters.
const USER_DEFINED: u8 = 4;

/// The vocabulary: a trie of the pieces with their scores.
///
/// The children of a node follow each other in order of their labels.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    charsmap: Charsmap,
    /// Logarithm of the probability of each piece.
    scores: Vec<f32>,
    /// Types of the pieces.
    types: Vec<u8>,
    /// Score of a character without a piece.
    unknown: f32,
    /// Highest score of an ordinary piece.
    highest: f32,
    labels: Vec<u8>,
    /// First child of each node, and the number of nodes at the end.
    children: Vec<u32>,
    /// Piece plus one that ends at each node; 0 for none.
    ends: Vec<u32>,
}

/// The best way to cut a text up to a position.
#[derive(Clone, Copy)]
struct Best {
    score: f32,
    /// Start of the last piece.
    start: usize,
    piece: u32,
}

impl Tokenizer {
    pub(crate) fn read(packed: &mut Packed<'_>) -> Result<Self, ModelError> {
        let count = packed.count()?;
        let bounds = packed.floats(2)?;
        let scores = packed.planes(count)?;
        let scores = scores.into_iter().map(f32::from_le_bytes).collect();
        let types = packed.bytes(count)?;
        let nodes = packed.count()?;
        let labels = packed.bytes(nodes)?;
        let counts = packed.planes(nodes)?;
        let mut next = 1_u32;
        let mut children = Vec::with_capacity(nodes + 1);
        for count in counts.into_iter().map(u16::from_le_bytes) {
            children.push(next);
            next = next.saturating_add(u32::from(count));
        }
        children.push(next);
        let ends: Vec<u32> = {
            let ends = packed.planes(nodes)?;
            ends.into_iter().map(u32::from_le_bytes).collect()
        };
        if next as usize != nodes || ends.iter().any(|&end| end as usize > count) {
            return Err(ModelError::Invalid("its pieces are damaged"));
        }
        Ok(Self {
            charsmap: Charsmap::read(packed)?,
            scores,
            types,
            unknown: bounds[0] - PENALTY,
            highest: bounds[1],
            labels,
            children,
            ends,
        })
    }

    /// Returns the numbers of the pieces of a text, without those for its start and its end.
    pub(crate) fn pieces(&self, text: &str) -> Vec<u32> {
        let text = self.charsmap.normalized(text);
        let mut best: Vec<Option<Best>> = vec![None; text.len() + 1];
        let mut start = 0;
        while start < text.len() {
            let before = best[start].map_or(0.0, |best| best.score);
            let length = length_of(text[start]).min(text.len() - start);
            let mut has_single = false;
            let mut node = 0;
            for (end, &byte) in (start + 1..).zip(&text[start..]) {
                let Some(child) = self.child(node, byte) else {
                    break;
                };
                node = child;
                let Some(piece) = self.ends[node].checked_sub(1) else {
                    continue;
                };
                let score = before + self.score(piece, end - start);
                improve(
                    &mut best[end],
                    Best {
                        score,
                        start,
                        piece,
                    },
                );
                has_single |= end - start == length;
            }
            if !has_single {
                let score = before + self.unknown;
                let piece = UNKNOWN;
                improve(
                    &mut best[start + length],
                    Best {
                        score,
                        start,
                        piece,
                    },
                );
            }
            start += length;
        }
        let mut pieces = Vec::new();
        let mut end = text.len();
        while let Some(last) = best[end] {
            // A run of unknown characters is one piece.
            if last.piece != UNKNOWN || pieces.last() != Some(&UNKNOWN) {
                pieces.push(last.piece);
            }
            end = last.start;
        }
        pieces.reverse();
        pieces
    }

    /// Returns the pieces that begin a word, without their mark, the most frequent first: words and
    /// beginnings of words of every language, normalized.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let root = MARK
            .bytes()
            .try_fold(0, |node, byte| self.child(node, byte));
        let mut open: Vec<(usize, Vec<u8>)> = root.map(|it| (it, Vec::new())).into_iter().collect();
        while let Some((node, text)) = open.pop() {
            if let Some(piece) = self.ends[node].checked_sub(1)
                && let Ok(word) = str::from_utf8(&text)
            {
                words.push((self.scores[piece as usize], word.to_owned()));
            }
            let children = self.children[node] as usize..self.children[node + 1] as usize;
            open.extend(children.map(|child| (child, [&text[..], &[self.labels[child]]].concat())));
        }
        words.sort_by(|left, right| {
            right
                .0
                .total_cmp(&left.0)
                .then_with(|| left.1.cmp(&right.1))
        });
        words.into_iter().map(|it| it.1).collect()
    }

    fn child(&self, node: usize, label: u8) -> Option<usize> {
        let first = self.children[node] as usize;
        let labels = &self.labels[first..self.children[node + 1] as usize];
        Some(first + labels.binary_search(&label).ok()?)
    }

    fn score(&self, piece: u32, length: usize) -> f32 {
        if self.types[piece as usize] == USER_DEFINED {
            float(length) * self.highest - 0.1
        } else {
            self.scores[piece as usize]
        }
    }
}

/// Keeps the better one of two ways; of equal ones, the first.
fn improve(best: &mut Option<Best>, other: Best) {
    if best.is_none_or(|best| other.score > best.score) {
        *best = Some(other);
    }
}

/// Returns the length of a character in UTF-8 by its first byte.
fn length_of(byte: u8) -> usize {
    match byte {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}
