//! Words by frequency: those of the labelled collections, if present, followed by invented ones.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Different words. The collections have 17,000 in 378,000; a million agents have more words than
/// any of them.
const WORDS: usize = 200_000;
/// The share of the word at rank r is 1 / (r + SHIFT)^SLOPE over the sum of all: measured on `dev`,
/// ranks 1, 10, 100 and 1,000 have 4.3 %, 1.2 %, 0.12 % and 0.011 % of all words; here 4.2 %, 0.9
/// %, 0.10 % and 0.009 %.
const SLOPE: f64 = 1.05;
const SHIFT: f64 = 1.7;
/// The first ranks of any English text, for a vocabulary without the collections.
const COMMON: [&str; 40] = [
    "the", "to", "a", "and", "of", "for", "you", "in", "is", "your", "with", "or", "from", "this",
    "on", "it", "can", "that", "an", "are", "by", "about", "be", "as", "will", "use", "any", "at",
    "get", "if", "have", "all", "more", "what", "how", "not", "one", "has", "out", "so",
];
const COLLECTIONS: [&str; 3] = ["dev", "dev_plugins", "dev_mcp"];

/// A vocabulary with how often each word is used.
pub(crate) struct Words {
    by_rank: Vec<String>,
    /// Number of words that come from the collections.
    pub(crate) known: usize,
    /// Up to each rank, the share of all uses.
    shares: Vec<f64>,
}

impl Words {
    /// Returns the vocabulary of the collections in this folder, if there is one, and then invented
    /// words.
    pub(crate) fn new(collections: Option<&Path>, seed: u64) -> Self {
        let mut by_rank = collections.map(read).unwrap_or_default();
        let known = by_rank.len();
        let mut taken: HashSet<String> = by_rank.iter().cloned().collect();
        let common = COMMON.iter().map(|word| (*word).to_owned());
        by_rank.extend(common.filter(|word| taken.insert(word.clone())));
        let mut random = StdRng::seed_from_u64(seed);
        while by_rank.len() < WORDS {
            let word = invented(&mut random);
            if taken.insert(word.clone()) {
                by_rank.push(word);
            }
        }
        let mut sum = 0.0;
        let ranks = (1..=u32::try_from(WORDS).unwrap_or(u32::MAX)).map(f64::from);
        let shares: Vec<f64> = ranks
            .map(|rank| {
                sum += (rank + SHIFT).powf(-SLOPE);
                sum
            })
            .collect();
        Self {
            by_rank,
            known,
            shares: shares.into_iter().map(|share| share / sum).collect(),
        }
    }

    /// Returns a rank, the frequent ones more often.
    pub(crate) fn rank(&self, random: &mut StdRng) -> usize {
        let share: f64 = random.random();
        let rank = self.shares.partition_point(|it| *it < share);
        rank.min(self.by_rank.len() - 1)
    }

    /// Returns the word at a rank.
    pub(crate) fn at(&self, rank: usize) -> &str {
        &self.by_rank[rank]
    }
}

/// Returns the words of the collections, the most frequent first.
fn read(folder: &Path) -> Vec<String> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for collection in COLLECTIONS {
        let lines = std::fs::read_to_string(folder.join(collection).join("agents.jsonl"));
        for line in lines.unwrap_or_default().lines() {
            let agent: serde_json::Value = serde_json::from_str(line).expect("an agent");
            let mut texts = vec![&agent["name"], &agent["description"]];
            for capability in agent["capabilities"].as_array().into_iter().flatten() {
                texts.extend([&capability["name"], &capability["description"]]);
            }
            let texts = texts.into_iter().filter_map(serde_json::Value::as_str);
            let words = texts.flat_map(|text| text.split(|it: char| !it.is_alphanumeric()));
            for word in words.filter(|word| !word.is_empty()) {
                *counts.entry(word.to_lowercase()).or_default() += 1;
            }
        }
    }
    let mut words: Vec<_> = counts.into_iter().collect();
    words.sort_unstable_by(|left, right| (right.1, &left.0).cmp(&(left.1, &right.0)));
    words.into_iter().map(|(word, _)| word).collect()
}

/// Returns a word of two to four syllables that can be said aloud.
fn invented(random: &mut StdRng) -> String {
    const BEGIN: &[u8] = b"bcdfghjklmnprstvwz";
    const VOWEL: &[u8] = b"aeiou";
    const END: &[u8] = b"nrstlm";
    let mut word = String::new();
    for _ in 0..random.random_range(2..=4) {
        for letters in [BEGIN, VOWEL] {
            word.push(char::from(letters[random.random_range(0..letters.len())]));
        }
        if random.random_bool(0.3) {
            word.push(char::from(END[random.random_range(0..END.len())]));
        }
    }
    word
}
