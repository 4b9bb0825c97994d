//! From matches to one page: in line by relevance or order, grouped by site, from a cursor on.

use super::super::alike::{self, Likenesses};
use super::super::collector::{Collected, Match};
use super::super::need::Need;
use super::super::ranking::Evidence;
use super::super::schema::stable_hash;
use super::super::{Cursor, Hit, Request, Sort};
use super::State;
use manifest::{AgentId, Domain};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use tantivy::collector::TopDocs;
use tantivy::columnar::Column;

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

/// What is left out of a page and only counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folding {
    /// Most hits of a registrable domain.
    pub(super) per_site: usize,
    /// Whether agents nearly the same as one before are left out.
    pub(super) is_folded: bool,
}

/// The page and what is known once it is made.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// What speaks for the best match of all, when relevance is the order.
    pub(super) best: Option<Evidence>,
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
        folding: Folding,
        request: &Request,
    ) -> tantivy::Result<Page> {
        let limit = request.limit.min(MAX_LIMIT);
        let mut queue = queue(collected, sort);
        let start = match &request.after {
            Some(cursor) => Some(self.start(searcher, collected, cursor, sort)?),
            None => None,
        };
        let Folding {
            per_site,
            is_folded,
        } = folding;
        let likenesses = self.likenesses(searcher)?;
        let mut taken = Likenesses::default();
        let mut of_page: Vec<u64> = Vec::new();
        let mut has_begun = start.is_none();
        let mut shown: HashMap<u64, usize> = HashMap::new();
        let mut sites: BTreeMap<String, u64> = BTreeMap::new();
        let mut page = Page::default();
        let mut last = None;
        while let Some(candidate) = queue.pop() {
            if !candidate.is_settled {
                queue.push(self.settled(searcher, candidate.found)?);
                continue;
            }
            if sort == Sort::Relevance {
                page.best.get_or_insert(candidate.found.evidence);
            }
            let is_start = start
                .as_ref()
                .is_some_and(|start| start.found.tie == candidate.found.tie);
            has_begun = has_begun || start.as_ref().is_some_and(|start| candidate < *start);
            let likeness = likenesses.of(&candidate.found);
            if is_folded && taken.has_near(likeness) {
                continue;
            }
            let of_site = shown.entry(candidate.found.group).or_default();
            if *of_site >= per_site {
                continue;
            }
            if has_begun && !is_start && page.hits.len() == limit {
                page.next = last;
                break;
            }
            *of_site += 1;
            taken.insert(likeness);
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
            of_page.push(likeness);
        }
        if is_folded {
            for found in &collected.matches {
                let likeness = likenesses.of(found);
                let first = of_page.iter().position(|it| alike::is_alike(*it, likeness));
                if let Some(at) = first {
                    page.hits[at].alike += 1;
                }
            }
            for hit in &mut page.hits {
                // Without itself.
                hit.alike = hit.alike.saturating_sub(1);
            }
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

    fn likenesses(&self, searcher: &tantivy::Searcher) -> tantivy::Result<Columns> {
        let field = searcher.schema().get_field_name(self.fields.likeness);
        let segments = searcher.segment_readers().iter();
        let columns = segments.map(|segment| segment.fast_fields().u64(field));
        Ok(Columns(columns.collect::<tantivy::Result<_>>()?))
    }

    /// Where the page before ended, as a place in the queue.
    fn start(
        &self,
        searcher: &tantivy::Searcher,
        collected: &Collected,
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
        let tie = stable_hash(cursor.id.as_str());
        // Agents that came or went since have moved every relevance a little; where the last hit is now counts.
        let now = collected.matches.iter().find(|found| found.tie == tie);
        Ok(Candidate {
            value: now.map_or(cursor.value, |found| found.key),
            name,
            is_settled: true,
            found: Match {
                segment: 0,
                document: 0,
                key: 0.0,
                evidence: Evidence::default(),
                tie,
                shortfall: 0,
                group: 0,
            },
        })
    }

    /// A match at its exact place, which its whole name decides.
    fn settled(&self, searcher: &tantivy::Searcher, found: Match) -> tantivy::Result<Candidate> {
        Ok(Candidate {
            value: found.key,
            name: self.name(searcher, found.segment, found.document)?,
            is_settled: true,
            found,
        })
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

/// The likenesses of the agents of each segment.
struct Columns(Vec<Column<u64>>);

impl Columns {
    fn of(&self, found: &Match) -> u64 {
        let column = self.0.get(found.segment as usize);
        let likeness = column.and_then(|column| column.first(found.document));
        likeness.unwrap_or(0)
    }
}

/// Every match in line; by name, as far as the first bytes go.
fn queue(collected: &Collected, sort: Sort) -> BinaryHeap<Candidate> {
    collected
        .matches
        .iter()
        .map(|found| Candidate {
            value: found.key,
            name: String::new(),
            is_settled: sort != Sort::Name,
            found: *found,
        })
        .collect()
}

fn registrable(id: &AgentId) -> Option<String> {
    let domain = Domain::parse(id.parts().0).ok()?;
    Some(domain.registrable().to_owned())
}
