//! BM25 over one field, word by word, for the agents of a segment.
//!
//! Tantivy's own scorers count each spelling of a word. Walking the posting lists here lets a word
//! have several spellings without counting twice.

use super::query_plan::Word;
use super::statistics::{self, Statistics};
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, SegmentReader, Term};

/// Agents that are added up at once: their slots fit into the first caches of a core.
const WINDOW: usize = 1 << 13;
const WINDOW_SIZE: u32 = 1 << 13;

/// Lexical match of a query in one agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// The agent, in its segment.
    pub(crate) document: DocId,
    /// The BM25 score.
    pub(crate) score: f32,
}

/// A place in the window that is being filled.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    score: f32,
    /// The last word found, counted from one.
    last: u16,
}

/// The list of a term, read up to a place in a block.
struct List<'a> {
    /// Number of its word, counted from one.
    number: u16,
    word: &'a Word,
    postings: BlockSegmentPostings,
    at: usize,
}

/// Walks the posting lists of all words in a segment and reports the match of each agent with any
/// of them, in order; also reports the other given agents, which are sorted.
///
/// The lists are walked side by side, a window of agents at a time, so that what is added up stays
/// near the core.
pub(crate) fn found(
    words: &[Word],
    segment: &SegmentReader,
    field: Field,
    statistics: &Statistics,
    others: &[DocId],
    mut take: impl FnMut(Cell),
) -> tantivy::Result<()> {
    let index = segment.inverted_index(field)?;
    let mut lists = Vec::new();
    for (number, word) in (1..).zip(words) {
        for term in &word.terms {
            let term = Term::from_field_text(field, term);
            let postings = index.read_block_postings(&term, IndexRecordOption::WithFreqs)?;
            lists.extend(postings.map(|postings| List {
                number,
                word,
                postings,
                at: 0,
            }));
        }
    }
    let mut codes = 0..=u8::MAX;
    let discounts = [(); 256].map(|()| statistics.discount(codes.next().unwrap_or(u8::MAX)));
    let lengths = segment.get_fieldnorms_reader(field)?;
    let mut slots = vec![Slot::default(); WINDOW];
    let mut touched = [0_u64; WINDOW / 64];
    let mut others = others.iter().copied().peekable();
    loop {
        let next = lists.iter().filter_map(List::next).min();
        let Some(first) = next.into_iter().chain(others.peek().copied()).min() else {
            return Ok(());
        };
        let start = first - first % WINDOW_SIZE;
        let last = start + (WINDOW_SIZE - 1);
        while let Some(document) = others.next_if(|it| *it <= last) {
            let place = (document - start) as usize;
            touched[place / 64] |= 1 << (place % 64);
        }
        for list in &mut lists {
            let (number, word) = (list.number, list.word);
            list.walk(last, |document, count| {
                let place = (document - start) as usize;
                let slot = &mut slots[place];
                if slot.last == number {
                    return;
                }
                touched[place / 64] |= 1 << (place % 64);
                let discount = discounts[usize::from(lengths.fieldnorm_id(document))];
                slot.score += statistics::score(word.idf, count, discount);
                slot.last = number;
            });
        }
        for (group, bits) in (0..).zip(&mut touched) {
            while *bits != 0 {
                let place = group * u64::BITS + bits.trailing_zeros();
                *bits &= *bits - 1;
                let slot = std::mem::take(&mut slots[place as usize]);
                take(Cell {
                    document: start + place,
                    score: slot.score,
                });
            }
        }
    }
}

/// Returns an upper bound of the number of agents in a segment with any of the words.
pub(crate) fn most(
    words: &[Word],
    segment: &SegmentReader,
    field: Field,
) -> tantivy::Result<usize> {
    let index = segment.inverted_index(field)?;
    let mut sum = 0;
    for term in words.iter().flat_map(|word| &word.terms) {
        sum += index.doc_freq(&Term::from_field_text(field, term))? as usize;
    }
    Ok(sum.min(segment.max_doc() as usize))
}

impl List<'_> {
    /// Returns the next agent.
    fn next(&self) -> Option<DocId> {
        self.postings.docs().get(self.at).copied()
    }

    /// Takes every agent up to one, with how often it has the term.
    fn walk(&mut self, last: DocId, mut take: impl FnMut(DocId, u32)) {
        loop {
            let (documents, counts) = (self.postings.docs(), self.postings.freqs());
            let rest = &documents[self.at..];
            let end = match rest.last() {
                None => return,
                Some(end) if *end <= last => documents.len(),
                Some(_) => self.at + rest.partition_point(|it| *it <= last),
            };
            for (document, count) in documents[self.at..end].iter().zip(&counts[self.at..end]) {
                take(*document, *count);
            }
            self.at = end;
            if end < documents.len() {
                return;
            }
            self.postings.advance();
            self.at = 0;
        }
    }
}
