//! From matches to one page: in line by relevance or order, grouped by site, from a cursor on.

use super::super::collector::{Collected, Match};
use super::super::need::{EXACT, Need};
use super::super::{Cursor, Hit, Request, Sort, profile};
use super::State;
use manifest::{AgentId, Domain};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use tantivy::collector::TopDocs;

/// Most hits of one page.
const MAX_LIMIT: usize = 1_000;

/// A match in line for the page. The queue gives the best first; a match that is not settled stands where its
/// upper bound is, and is settled only when it comes to the front.
#[derive(Debug)]
struct Candidate {
    value: f64,
    /// The folded name, when that decides.
    name: String,
    is_settled: bool,
    found: Match,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value
            .total_cmp(&other.value)
            .then_with(|| other.is_settled.cmp(&self.is_settled))
            .then_with(|| other.name.cmp(&self.name))
            .then_with(|| other.found.tie.cmp(&self.found.tie))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// The page and what is known once it is made.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Relevance of the best match of all, when that is the order.
    pub(super) best: Option<f64>,
    pub(super) hits: Vec<Hit>,
    pub(super) next: Option<Cursor>,
    pub(super) more_from_site: BTreeMap<String, u64>,
}

impl State {
    /// Walks from the best match down to the end of the page.
    pub(super) fn page(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        collected: &Collected,
        sort: Sort,
        per_site: usize,
        request: &Request,
    ) -> tantivy::Result<Page> {
        let limit = request.limit.min(MAX_LIMIT);
        let mut queue = queue(need, collected, sort);
        let start = match &request.after {
            Some(cursor) => Some(self.start(searcher, cursor, sort)?),
            None => None,
        };
        let mut has_begun = start.is_none();
        let mut shown: HashMap<u64, usize> = HashMap::new();
        let mut sites: BTreeMap<String, u64> = BTreeMap::new();
        let mut page = Page::default();
        let mut last = None;
        while let Some(candidate) = queue.pop() {
            if !candidate.is_settled {
                queue.push(self.settled(searcher, need, sort, candidate.found)?);
                continue;
            }
            if sort == Sort::Relevance {
                page.best.get_or_insert(candidate.value);
            }
            let is_start = start
                .as_ref()
                .is_some_and(|start| start.found.tie == candidate.found.tie);
            has_begun = has_begun || start.as_ref().is_some_and(|start| candidate < *start);
            let of_site = shown.entry(candidate.found.group).or_default();
            if *of_site >= per_site {
                continue;
            }
            if has_begun && !is_start && page.hits.len() == limit {
                page.next = last;
                break;
            }
            *of_site += 1;
            if !has_begun || is_start {
                has_begun = has_begun || is_start;
                continue;
            }
            let Some(hit) = self.hit(searcher, need, &candidate.found)? else {
                continue;
            };
            if let Some(site) = registrable(&hit.id) {
                sites.insert(site, candidate.found.group);
            }
            last = Some(Cursor {
                value: candidate.value,
                id: hit.id.clone(),
            });
            page.hits.push(hit);
        }
        let mut groups: HashMap<u64, u64> = sites.values().map(|group| (*group, 0)).collect();
        for found in &collected.matches {
            if let Some(count) = groups.get_mut(&found.group) {
                *count += 1;
            }
        }
        for (site, group) in sites {
            let more = groups[&group].saturating_sub(per_site as u64);
            if more > 0 {
                page.more_from_site.insert(site, more);
            }
        }
        Ok(page)
    }

    /// Where the page before ended, as a place in the queue.
    fn start(
        &self,
        searcher: &tantivy::Searcher,
        cursor: &Cursor,
        sort: Sort,
    ) -> tantivy::Result<Candidate> {
        let mut name = String::new();
        if sort == Sort::Name {
            let term = tantivy::Term::from_field_text(self.fields.id, cursor.id.as_str());
            let query =
                tantivy::query::TermQuery::new(term, tantivy::schema::IndexRecordOption::Basic);
            let found = searcher.search(&query, &TopDocs::with_limit(1).order_by_score())?;
            if let Some((_, address)) = found.first() {
                name = self.name(searcher, address.segment_ord, address.doc_id)?;
            }
        }
        Ok(Candidate {
            value: cursor.value,
            name,
            is_settled: true,
            found: Match {
                segment: 0,
                document: 0,
                score: 0.0,
                key: 0.0,
                tie: profile::stable_hash(cursor.id.as_str()),
                group: 0,
            },
        })
    }

    /// A match at its exact place.
    fn settled(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        sort: Sort,
        found: Match,
    ) -> tantivy::Result<Candidate> {
        let (value, name) = match sort {
            Sort::Relevance => (self.relevance(searcher, need, &found)?, String::new()),
            Sort::Name => (
                found.key,
                self.name(searcher, found.segment, found.document)?,
            ),
            Sort::Updated | Sort::FirstSeen => (found.key, String::new()),
        };
        Ok(Candidate {
            value,
            name,
            is_settled: true,
            found,
        })
    }

    /// From 0 to 1; from 2 to 3 for an exact name.
    pub(super) fn relevance(
        &self,
        searcher: &tantivy::Searcher,
        need: &Need,
        found: &Match,
    ) -> tantivy::Result<f64> {
        let segment = searcher.segment_reader(found.segment);
        let column = segment
            .fast_fields()
            .u64(searcher.schema().get_field_name(self.fields.profile))?;
        let score = profile::score(column.values_for_doc(found.document), &need.words);
        let exact = if found.score >= EXACT { 2.0 } else { 0.0 };
        Ok(f64::from(score) + exact)
    }

    fn name(
        &self,
        searcher: &tantivy::Searcher,
        segment: u32,
        document: u32,
    ) -> tantivy::Result<String> {
        let field = searcher.schema().get_field_name(self.fields.name);
        let mut name = String::new();
        if let Some(column) = searcher.segment_reader(segment).fast_fields().str(field)?
            && let Some(ordinal) = column.ords().first(document)
        {
            column.ord_to_str(ordinal, &mut name)?;
        }
        Ok(name)
    }
}

/// Every match in line at its upper bound: a score never exceeds the share of the words that were found.
fn queue(need: &Need, collected: &Collected, sort: Sort) -> BinaryHeap<Candidate> {
    let total = need.total().max(f32::MIN_POSITIVE);
    collected
        .matches
        .iter()
        .map(|found| Candidate {
            value: match sort {
                Sort::Relevance if found.score >= EXACT => 3.0,
                Sort::Relevance => f64::from(found.score / total) + 1e-3,
                Sort::Updated | Sort::FirstSeen | Sort::Name => found.key,
            },
            name: String::new(),
            is_settled: matches!(sort, Sort::Updated | Sort::FirstSeen),
            found: *found,
        })
        .collect()
}

fn registrable(id: &AgentId) -> Option<String> {
    let domain = Domain::parse(id.parts().0).ok()?;
    Some(domain.registrable().to_owned())
}
