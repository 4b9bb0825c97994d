//! Merging of the documents of one domain into its agents (PR-01, PR-02, PR-05).
//!
//! Documents are sorted by precedence, and the agents of each document by their content, so the
//! result does not depend on the order of either. Then each agent joins the listing of the same
//! agent, or begins one (`merge/group.rs`), and each listing gets an id that the other agents of
//! the site affect as little as possible (`merge/ids.rs`). The first document of a listing leads;
//! the others fill in facts that it lacks. [`Listing::provenance`] records the document and
//! position of each fact, and [`Listing::conflicts`] the contradictions between documents.

use crate::listing::{Evidence, Listing, Source};
use crate::{Agent, AgentId, Document, Domain, Fact, Finding, Reading, fault, text};
use api::Apis;
use fill::Record;
use group::Group;
use oauth::Metadata;
use std::collections::{HashMap, HashSet};

pub(crate) mod api;
mod conflict;
mod fill;
mod group;
mod ids;
mod oauth;
mod precedence;
mod skills;
#[cfg(test)]
mod tests;
mod validate;

/// Agents and findings of the documents of a domain together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedSite {
    /// The domain's agents, in order of id.
    pub listings: Vec<Listing>,
    /// For each document, in the order given, findings that result from comparing it with the
    /// others.
    ///
    /// No validator of a single document could make them, and they do not change the document's
    /// level.
    pub findings: Vec<Vec<Finding>>,
}

/// Merges the documents of one domain into its agents.
///
/// The listings do not depend on the order of `readings`.
///
/// After an internal error each document has a finding (DI-11), and there is no listing.
pub fn merge(domain: &Domain, readings: &[(&Document, Reading)]) -> MergedSite {
    let merged = fault::contained(|| merged(domain, readings));
    merged.unwrap_or_else(|fault| MergedSite {
        listings: Vec::new(),
        findings: vec![vec![fault.finding("merging the documents of the site")]; readings.len()],
    })
}

fn merged(domain: &Domain, readings: &[(&Document, Reading)]) -> MergedSite {
    let contents = contents(readings);
    let apis = Apis::new(readings, &contents);
    let metadata = Metadata::new(readings, &contents);
    let groups = group::groups(&contents);
    let slugs = ids::slugs(&groups);
    let mut listings: Vec<Listing> = groups
        .iter()
        .zip(slugs)
        .map(|(group, slug)| {
            let id = AgentId::new(domain, &slug);
            listing(id, group, &contents, &apis, &metadata)
        })
        .collect();
    listings.sort_by(|one, other| one.id.cmp(&other.id));
    MergedSite {
        listings,
        findings: validate::findings(readings, &contents),
    }
}

/// Identical bytes from one or several URLs, the preferred one first (PR-05).
struct Content<'r> {
    /// The reading at the preferred URL.
    reading: &'r Reading,
    /// The documents with these bytes, as indices into the input.
    places: Vec<usize>,
    sources: Vec<Source>,
    /// The URLs of these documents, requested and final.
    urls: Vec<&'r str>,
}

impl Content<'_> {
    /// Reports whether an address is the origin of one of the documents.
    fn is_origin(&self, address: &str) -> bool {
        let address = address.trim_end_matches('/');
        self.urls.iter().any(|url| {
            let rest = url.strip_prefix(address);
            rest.is_some_and(|rest| rest.starts_with('/')) && address.matches('/').count() == 2
        })
    }
}

/// Returns the distinct contents, in order of precedence.
fn contents<'r>(readings: &'r [(&'r Document, Reading)]) -> Vec<Content<'r>> {
    let mut ordered: Vec<_> = readings
        .iter()
        .enumerate()
        .map(|(place, (document, reading))| {
            let source = Source::of(document, reading);
            let rank = precedence::of(document, reading);
            let order = (rank, source.hash.clone(), document.requested.as_str());
            (order, place, source)
        })
        .collect();
    ordered.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let mut by_hash: HashMap<String, usize> = HashMap::new();
    let mut contents: Vec<Content<'r>> = Vec::new();
    for (_, place, source) in ordered {
        let index = *by_hash.entry(source.hash.clone()).or_insert_with(|| {
            contents.push(Content {
                reading: &readings[place].1,
                places: Vec::new(),
                sources: Vec::new(),
                urls: Vec::new(),
            });
            contents.len() - 1
        });
        contents[index].places.push(place);
        contents[index].sources.push(source);
        let document = readings[place].0;
        contents[index]
            .urls
            .extend([document.url.as_str(), document.requested.as_str()]);
    }
    contents
}

fn listing(
    id: AgentId,
    group: &Group<'_>,
    contents: &[Content<'_>],
    apis: &Apis<'_>,
    metadata: &Metadata<'_>,
) -> Listing {
    let mut sources: Vec<Source> = Vec::new();
    let mut members: Vec<(usize, &Agent)> = Vec::with_capacity(group.len());
    for (index, agent) in group {
        members.push((sources.len(), agent));
        sources.extend(contents[*index].sources.iter().cloned());
    }
    let mut record = Record::default();
    for (source, agent) in &members {
        record.fill(agent, *source);
    }
    add_other_names(&mut record, &members);
    apis.complete(group, contents, &mut sources, &mut record);
    metadata.complete(&mut sources, &mut record);
    let leading = &sources[0];
    Listing {
        id,
        format: leading.format,
        level: leading.level,
        agent: record.agent,
        conflicts: conflict::conflicts(&members),
        sources,
        provenance: record.provenance,
    }
}

/// Adds the names that are not just another spelling of the leading one, without repetitions.
fn add_other_names(record: &mut Record, members: &[(usize, &Agent)]) {
    let mut seen = HashSet::from([text::fold(&record.agent.name)]);
    for (source, agent) in members {
        if is_nameless(agent) || !seen.insert(text::fold(&agent.name)) {
            continue;
        }
        let path = format!("other_names/{}", record.agent.other_names.len());
        record.agent.other_names.push(agent.name.clone());
        record
            .provenance
            .insert(path, evidence_of(agent, Fact::Name, *source));
    }
}

/// Returns the position of `field` in an agent's document.
fn evidence_of(agent: &Agent, field: Fact, source: usize) -> Evidence {
    Evidence {
        source,
        pointer: agent.place(field).to_owned(),
    }
}

/// Reports whether an agent's document gives it no name.
fn is_nameless(agent: &Agent) -> bool {
    agent.is_default(Fact::Name)
}
