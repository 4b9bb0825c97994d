//! Top-k selection of one page: matches sorted by relevance or order, limited by site, from a
//! cursor on.

use super::State;
use crate::collector::{self, Match, MatchSet, Numbers};
use crate::facet::Facet;
use crate::near_duplicates::{self, RecentHashes};
use crate::query_plan::QueryPlan;
use crate::ranking::Fit;
use crate::request::{Cursor, Request, Sort};
use crate::results::Hit;
use crate::stable_hash::stable_hash;
use manifest::{AgentId, Domain};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tantivy::collector::{TopDocs, TopNComputer};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED, Term};

/// Number of best matches that are selected first, and the factor by which that number grows each
/// time they do not fill the page.
const FIRST: usize = 256;
const MORE: usize = 16;
/// Maximum number of hits of a page.
const MAX_LIMIT: usize = 1_000;

/// Sort position: by value, then by name if the order is by name, then by tie.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    value: f64,
    /// Folded name if the order is by name; otherwise empty.
    name: String,
    tie: u64,
}

impl PartialOrd for Place {
    /// Orders the better position first.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let order = other.value.total_cmp(&self.value);
        let order = order.then_with(|| self.name.cmp(&other.name));
        Some(order.then_with(|| self.tie.cmp(&other.tie)))
    }
}

/// Queue of sorted matches, drawn lazily.
struct Line<'a> {
    state: &'a State,
    collected: &'a MatchSet,
    sort: Sort,
    ties: &'a Numbers,
    /// Remaining matches of the last batch, the best at the end.
    drawn: Vec<(Place, usize)>,
    /// Number of matches in all batches so far.
    count: usize,
}

/// Limits by which matches are left out of a page and only counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folding {
    /// Maximum number of hits of a registrable domain.
    pub(super) per_site: usize,
    /// Leaves out near-duplicates of an earlier match.
    pub(super) is_folded: bool,
}

/// The page and its counts.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) hits: Vec<Hit>,
    pub(super) next: Option<Cursor>,
    pub(super) more_from_site: BTreeMap<String, u64>,
}

impl State {
    /// Selects the hits of the page, walking from the best match to the end of the page.
    pub(super) fn page(
        &self,
        need: &QueryPlan,
        collected: &MatchSet,
        sort: Sort,
        folding: Folding,
        request: &Request,
    ) -> tantivy::Result<Page> {
        let has_match = || {
            let mut matches = collected.matches.iter();
            matches.any(|it| it.score.fit() > Fit::None)
        };
        let limit = if request.nearest == request.limit || has_match() {
            request.limit
        } else {
            request.nearest
        };
        let limit = limit.min(MAX_LIMIT);
        let ties = Numbers::open(&self.searcher, self.fields.tie)?;
        let groups = Numbers::open(&self.searcher, self.fields.group)?;
        let simhashes = Numbers::open(&self.searcher, self.fields.simhash)?;
        let start = match &request.after {
            Some(cursor) => Some(self.start(collected, &ties, cursor, sort)?),
            None => None,
        };
        let mut line = Line {
            state: self,
            collected,
            sort,
            ties: &ties,
            drawn: Vec::new(),
            count: 0,
        };
        let (per_site, is_folded) = (folding.per_site, folding.is_folded);
        let mut taken = RecentHashes::default();
        let mut of_page: Vec<u64> = Vec::new();
        let mut has_begun = start.is_none();
        let mut shown: HashMap<u64, usize> = HashMap::new();
        let mut sites: BTreeSet<String> = BTreeSet::new();
        let mut page = Page::default();
        let mut last = None;
        while let Some((place, at)) = line.next()? {
            let found = &collected.matches[at];
            let is_start = start.as_ref().is_some_and(|start| start.tie == place.tie);
            has_begun = has_begun || start.as_ref().is_some_and(|start| *start < place);
            let simhash = simhashes.of(found);
            if is_folded && taken.has_near(simhash) {
                continue;
            }
            let group = groups.of(found);
            let of_site = shown.entry(group).or_default();
            if *of_site >= per_site {
                continue;
            }
            if has_begun && !is_start && page.hits.len() == limit {
                page.next = last;
                break;
            }
            *of_site += 1;
            taken.insert(simhash);
            if !has_begun || is_start {
                has_begun = has_begun || is_start;
                continue;
            }
            let Some(hit) = self.hit(need, found, place.value)? else {
                continue;
            };
            sites.extend(registrable(&hit.id));
            last = Some(hit.cursor());
            page.hits.push(hit);
            of_page.push(simhash);
        }
        if is_folded {
            let mut of_page = near_duplicates::Counts::of(&of_page);
            simhashes.of_all(&collected.matches, |_, simhash| of_page.count(simhash));
            for (hit, count) in page.hits.iter_mut().zip(of_page.counts()) {
                // The match itself does not count.
                hit.near_duplicates = count.saturating_sub(1);
            }
        }
        for site in sites {
            let count = self.count_of_site(&collected.matches, &site, per_site)?;
            let more = count.saturating_sub(per_site as u64);
            if more > 0 {
                page.more_from_site.insert(site, more);
            }
        }
        Ok(page)
    }

    /// Counts the matches of a registrable domain; returns zero if the index has at most `shown`
    /// agents of it.
    fn count_of_site(&self, matches: &[Match], site: &str, shown: usize) -> tantivy::Result<u64> {
        let term = Term::from_field_text(self.fields.facet(Facet::Site), site);
        let mut count = 0;
        if self.searcher.doc_freq(&term)? <= shown as u64 {
            return Ok(count);
        }
        for mut of_segment in collector::by_segment(matches) {
            let segment = self.searcher.segment_reader(of_segment[0].segment);
            let index = segment.inverted_index(term.field())?;
            let Some(mut agents) = index.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            while agents.doc() != TERMINATED {
                let before = collector::from_document(of_segment, agents.doc());
                of_segment = &of_segment[before..];
                let Some(next) = of_segment.first() else {
                    break;
                };
                if next.document == agents.doc() {
                    // The others are too far from the need to be offered.
                    count += u64::from(next.score.fit() > Fit::None);
                    agents.advance();
                } else {
                    agents.seek(next.document);
                }
            }
        }
        Ok(count)
    }

    /// Converts the cursor to a sort position.
    fn start(
        &self,
        collected: &MatchSet,
        ties: &Numbers,
        cursor: &Cursor,
        sort: Sort,
    ) -> tantivy::Result<Place> {
        let mut name = String::new();
        if sort == Sort::Name {
            let term = Term::from_field_text(self.fields.id, cursor.id.as_str());
            let query = tantivy::query::TermQuery::new(term, IndexRecordOption::Basic);
            let found = self
                .searcher
                .search(&query, &TopDocs::with_limit(1).order_by_score())?;
            if let Some((_, address)) = found.first() {
                name = self.name(address.segment_ord, address.doc_id)?;
            }
        }
        let tie = stable_hash(cursor.id.as_str());
        // Changes of the index since the last page shift every relevance a little, so the current
        // position of its last hit is used.
        let mut now = None;
        ties.of_all(&collected.matches, |at, other| {
            if other == tie {
                now = Some(collected.key.of(&collected.matches[at]));
            }
        });
        Ok(Place {
            value: now.unwrap_or(cursor.value),
            name,
            tie,
        })
    }

    fn name(&self, segment: u32, document: u32) -> tantivy::Result<String> {
        let field = self.searcher.schema().get_field_name(self.fields.name);
        let mut name = String::new();
        if let Some(column) = self
            .searcher
            .segment_reader(segment)
            .fast_fields()
            .str(field)?
            && let Some(ordinal) = column.ords().first(document)
        {
            column.ord_to_str(ordinal, &mut name)?;
        }
        Ok(name)
    }
}

impl Line<'_> {
    /// Returns the next position and the index of its match.
    fn next(&mut self) -> tantivy::Result<Option<(Place, usize)>> {
        if self.drawn.is_empty() && self.count < self.collected.matches.len() {
            self.draw()?;
        }
        Ok(self.drawn.pop())
    }

    /// Draws the next batch: selects a larger number of best matches, and drops those that were
    /// drawn before.
    fn draw(&mut self) -> tantivy::Result<()> {
        let (before, matches) = (self.count, &self.collected.matches);
        self.count = (before * MORE).clamp(FIRST, FIRST.max(matches.len()));
        let mut first = TopNComputer::<Place, usize, _>::new(self.count);
        let mut least = f64::NEG_INFINITY;
        for (at, found) in matches.iter().enumerate() {
            let value = self.collected.key.of(found);
            if value < least {
                continue;
            }
            let place = Place {
                value,
                name: match self.sort {
                    Sort::Name => self.state.name(found.segment, found.document)?,
                    Sort::Relevance | Sort::Updated | Sort::FirstSeen => String::new(),
                },
                tie: self.ties.of(found),
            };
            first.push(place, at);
            if let Some(worst) = &first.threshold {
                least = worst.value;
            }
        }
        let mut drawn = first.into_sorted_vec();
        drawn.drain(..before.min(drawn.len()));
        let drawn = drawn.into_iter().rev();
        self.drawn = drawn.map(|it| (it.sort_key, it.doc)).collect();
        Ok(())
    }
}

fn registrable(id: &AgentId) -> Option<String> {
    let domain = Domain::parse(id.parts().0).ok()?;
    Some(domain.registrable().to_owned())
}
