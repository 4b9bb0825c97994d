//! Near-duplicates: a locality-sensitive hash that changes little with the text (Charikar's
//! simhash).

use super::stable_hash::{hash_on, stable_hash};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Maximum Hamming distance of near-duplicates: one word of 60 changes 4 bits, four of 60 change 10
/// (medians of 200).
const NEAR: u32 = 6;
/// Minimum number of word pairs; shorter texts have no hash.
const MIN_PAIRS: usize = 20;
/// Hashes kept for comparison.
const MAX_KEPT: usize = 1_000;

/// Returns the simhash of a text's word pairs; zero for a text that is too short.
///
/// Each pair of neighbouring words counts once: a bit is set where most of their hashes have it
/// set. Digits are ignored, so that numbered copies have one hash.
pub(crate) fn simhash<'a>(words: impl Iterator<Item = &'a str> + Clone) -> u64 {
    let words = words.map(unnumbered);
    let pairs = words.clone().zip(words.skip(1));
    let mut pairs: Vec<u64> = pairs
        .map(|(left, right)| mixed(hash_on(hash_on(stable_hash(&left), " "), &right)))
        .collect();
    if pairs.len() < MIN_PAIRS {
        return 0;
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut votes = [0_i32; u64::BITS as usize];
    for hash in pairs {
        for (vote, bit) in votes.iter_mut().zip(0..) {
            *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    let votes = votes.iter();
    votes.fold(0, |hash, vote| (hash << 1) | u64::from(*vote > 0))
}

/// Removes the digits of a word and marks that it had some: copies are often numbered.
fn unnumbered(word: &str) -> Cow<'_, str> {
    if !word.contains(char::is_numeric) {
        return Cow::Borrowed(word);
    }
    let letters = word.chars().filter(|it| !it.is_numeric());
    Cow::Owned(letters.chain(['#']).collect())
}

/// Reports whether two hashes belong to near-duplicates.
pub(crate) fn is_near(left: u64, right: u64) -> bool {
    left != 0 && right != 0 && (left ^ right).count_ones() <= NEAR
}

/// The most recent hashes, searched for near-duplicates.
#[derive(Debug, Default)]
pub(crate) struct RecentHashes(VecDeque<u64>);

impl RecentHashes {
    /// Reports whether a near-duplicate is among them.
    pub(crate) fn has_near(&self, wanted: u64) -> bool {
        self.0.iter().any(|other| is_near(*other, wanted))
    }

    /// Adds a hash, except that of a text too short to have one.
    pub(crate) fn insert(&mut self, simhash: u64) {
        if simhash == 0 {
            return;
        }
        if self.0.len() == MAX_KEPT {
            self.0.pop_front();
        }
        self.0.push_back(simhash);
    }
}

/// Hashes of which one number says which are meant.
const AT_ONCE: usize = u64::BITS as usize;
/// Bytes of a hash.
const BYTES: usize = size_of::<u64>();

/// Counts of near-duplicates of a few agents.
///
/// Near-duplicate hashes have two bytes in common. Only hashes that have are compared bit by bit.
#[derive(Debug)]
pub(crate) struct Counts {
    simhashes: Vec<u64>,
    found: Vec<u64>,
    /// Of so many hashes at once: which of them have which byte at which place.
    have: Vec<[[u64; 1 << u8::BITS]; BYTES]>,
}

impl Counts {
    /// Starts with a count of zero for each.
    pub(crate) fn of(simhashes: &[u64]) -> Self {
        let have = simhashes.chunks(AT_ONCE).map(|some| {
            let mut have = [[0; 1 << u8::BITS]; BYTES];
            for (at, simhash) in some.iter().enumerate() {
                for (of_place, byte) in have.iter_mut().zip(simhash.to_le_bytes()) {
                    of_place[usize::from(byte)] |= 1 << at;
                }
            }
            have
        });
        Self {
            have: have.collect(),
            found: vec![0; simhashes.len()],
            simhashes: simhashes.to_vec(),
        }
    }

    /// Counts an agent for the first hash that it nearly duplicates.
    pub(crate) fn count(&mut self, simhash: u64) {
        if simhash == 0 {
            return;
        }
        let bytes = simhash.to_le_bytes();
        for (from, have) in (0..).step_by(AT_ONCE).zip(&self.have) {
            let (mut once, mut twice) = (0, 0);
            for (of_place, byte) in have.iter().zip(bytes) {
                let these = of_place[usize::from(byte)];
                twice |= once & these;
                once |= these;
            }
            while twice != 0 {
                let at = from + twice.trailing_zeros() as usize;
                if is_near(self.simhashes[at], simhash) {
                    self.found[at] += 1;
                    return;
                }
                twice &= twice - 1;
            }
        }
    }

    /// Returns the counts, in the order of the given hashes.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.found.iter().copied()
    }
}

// Hashes with fewer than two bytes in common differ in more bits.
const _: () = assert!((NEAR as usize) < BYTES - 1);

/// Lets every bit of a hash depend on every other (the last steps of `SplitMix64`).
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> u64 {
        simhash(text.split(' '))
    }

    #[test]
    fn one_more_word_changes_few_bits_and_another_text_many() {
        let letter = |it: u8| char::from(b'a' + it % 26);
        let word = |it: u8| format!("word{}{}", letter(it / 26), letter(it));
        let words: Vec<String> = (0..120_u32).map(|it| word((it * it % 97) as u8)).collect();
        let text = words.join(" ");
        assert!(is_near(of(&text), of(&text)));
        assert!(is_near(of(&text), of(&format!("{text} more"))));
        assert!(!is_near(of(&text), of("book a table for four tonight")));
        assert!(!is_near(of("weather for Berlin"), of("weather for Paris")));
        assert!(!is_near(of("weather"), of("weather")), "too short to tell");
    }

    #[test]
    fn texts_that_differ_in_numbers_have_one_hash() {
        let text = |number: u32| {
            format!(
                "Probe {number} reports what gauge {number} of river {number} measures every hour: \
                 level, flow and heat of the water at weir {number}, as probe{number} knows them"
            )
        };
        assert_ne!(of(&text(7)), 0);
        assert_eq!(of(&text(7)), of(&text(4_711)));
    }

    #[test]
    fn only_the_most_recent_hashes_are_kept() {
        let mut all = RecentHashes::default();
        all.insert(u64::MAX);
        assert!(all.has_near(u64::MAX - 1) && !all.has_near(1));
        for number in 0..=MAX_KEPT as u64 {
            all.insert(number);
        }
        assert!(!all.has_near(u64::MAX) && all.has_near(1));
        assert!(!all.has_near(0), "too short to tell");
    }

    #[test]
    fn each_agent_is_counted_for_its_first_near_duplicate() {
        let few: Vec<u64> = (1..=200).map(mixed).collect();
        let mut counts = Counts::of(&few);
        let mut expected = vec![0; few.len()];
        for (at, simhash) in few.iter().enumerate() {
            // Spread over as many bytes as there are bits that may differ, and over one more.
            for bits in 0..=NEAR + 1 {
                let other = (0..bits).fold(*simhash, |all, bit| all ^ 1 << (bit * 9));
                counts.count(other);
                expected[at] += u64::from(bits <= NEAR);
            }
        }
        counts.count(0);
        assert!(counts.counts().eq(expected));
        let mut same = Counts::of(&[5, 5, 7]);
        same.count(7);
        assert!(same.counts().eq([1, 0, 0]), "7 is like 5 too");
        let mut none = Counts::of(&[0]);
        none.count(1);
        assert!(none.counts().eq([0]), "too short to tell");
    }
}
