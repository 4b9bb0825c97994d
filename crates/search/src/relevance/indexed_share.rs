//! Coverage of a labelled collection by an index: without its agents, every figure is zero.

use super::collection::Names;
use super::{Collection, DEPTH};
use crate::{Facet, Query, Request, SearchError, Searcher, Sort};
use serde::Serialize;
use std::collections::BTreeSet;

/// Coverage of a labelled collection by an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct IndexedShare {
    /// Documents (sites or agents) with a grade for any query.
    pub judged: usize,
    /// Judged documents with an agent in the index.
    pub indexed: usize,
}

impl IndexedShare {
    /// Looks up the judged documents in an index by their domains.
    pub fn of(searcher: &Searcher, collection: &Collection) -> Result<Self, SearchError> {
        let names = Names::of(collection);
        let mapped = collection.sites.iter();
        let mapped = mapped.filter(|(_, document)| names.judged.contains(document.as_str()));
        let plain = names.judged.iter().filter_map(|it| it.split('/').next());
        let domains: BTreeSet<&str> = mapped
            .map(|(domain, _)| domain.as_str())
            .chain(plain)
            .collect();
        let mut found = BTreeSet::new();
        for domain in domains {
            let mut after = None;
            loop {
                let results = searcher.search(&Request {
                    filters: [(Facet::Site, vec![domain.to_owned()])].into(),
                    sort: Sort::Name,
                    after,
                    ..Request::new(Query::default(), DEPTH)
                })?;
                let hits = results.hits.iter().map(|hit| names.name(&hit.id));
                found.extend(hits.filter(|name| names.judged.contains(name.as_str())));
                after = results.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(Self {
            judged: names.judged.len(),
            indexed: found.len(),
        })
    }
}
