//! Completion of a listing with the OpenAPI documents that its documents name (GP-18).
//!
//! Only documents of the site are used, those on other hosts of its registrable domain included.

mod facts;
#[cfg(test)]
mod tests;

pub(crate) use facts::agent;

use super::Content;
use super::fill::Record;
use super::group::Group;
use crate::listing::Source;
use crate::{Agent, Document, Reading, link, openapi};
use std::collections::HashMap;

/// Maximum number of OpenAPI documents of one listing.
const MAX_APIS: usize = 5;

/// The OpenAPI documents of a site.
pub(super) struct Apis<'r> {
    documents: Vec<(&'r Document, &'r [Source])>,
    /// Index of each document by its places.
    by_place: HashMap<String, usize>,
}

impl<'r> Apis<'r> {
    /// Selects the OpenAPI documents that the site itself serves.
    pub(super) fn new(
        readings: &'r [(&'r Document, Reading)],
        contents: &'r [Content<'r>],
    ) -> Self {
        let mut apis = Self {
            documents: Vec::new(),
            by_place: HashMap::new(),
        };
        for content in contents {
            if content.reading.format != openapi::ID {
                continue;
            }
            let places = content.places.iter().map(|place| readings[*place].0);
            let own: Vec<&Document> = places
                .filter(|document| link::is_own(document, document.url.as_str()))
                .collect();
            let Some(first) = own.first() else {
                continue;
            };
            let index = apis.documents.len();
            apis.documents.push((first, &content.sources));
            for document in own {
                for url in [&document.url, &document.requested] {
                    apis.by_place.insert(link::place(url.as_str()), index);
                }
            }
        }
        apis
    }

    /// Adds the facts of the OpenAPI documents that the agents of `group` name.
    pub(super) fn complete(
        &self,
        group: &Group<'_>,
        contents: &[Content<'_>],
        sources: &mut Vec<Source>,
        record: &mut Record,
    ) {
        let mut used: Vec<usize> = Vec::new();
        let urls = group
            .iter()
            .flat_map(|(content, agent)| named(&contents[*content], agent));
        for url in urls {
            if let Some(index) = self.by_place.get(&link::place(url))
                && !used.contains(index)
                && used.len() < MAX_APIS
            {
                used.push(*index);
            }
        }
        for index in used {
            let (document, own) = self.documents[index];
            let Some(api) = agent(document) else {
                continue;
            };
            record.fill(&api, sources.len());
            sources.extend(own.iter().cloned());
        }
    }
}

/// Iterates over the URLs of the OpenAPI documents that an agent names: its interfaces, and the
/// references of its document, or, if that describes several agents, of its part.
fn named<'r>(content: &'r Content<'_>, agent: &'r Agent) -> impl Iterator<Item = &'r str> {
    let is_alone = content.reading.agents.len() == 1;
    let is_inside = move |pointer: &str| {
        let rest = pointer.strip_prefix(&agent.pointer);
        is_alone || (!agent.pointer.is_empty() && rest.is_some_and(|it| it.starts_with('/')))
    };
    let references = content.reading.references.iter();
    let references = references.filter(move |it| it.rel == "openapi" && is_inside(&it.pointer));
    let interfaces = agent
        .interfaces
        .iter()
        .filter(|it| it.protocol == "openapi");
    references
        .map(|it| it.url.as_str())
        .chain(interfaces.map(|it| it.url.as_str()))
}
