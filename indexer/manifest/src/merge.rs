//! Several documents of one domain become its agents (PR-01, PR-02, PR-05).
//!
//! Documents are put in order of precedence first, so that nothing depends on the order in which
//! they came. Then each agent joins the listing that is about the same agent, or begins one:
//! the same name, else the same endpoint; a nameless agent joins the only other one.
//! Agents of one document are never merged with each other: their publisher tells them apart.
//! The first document of a listing leads; the others fill in what it does not say, and
//! `provenance` records from where.

use crate::agent::{Listing, Source};
use crate::{Agent, AgentId, Document, Domain, Reading, link, text};
use std::collections::{BTreeMap, HashMap, HashSet};

mod fill;
mod precedence;
#[cfg(test)]
mod tests;

/// Longest slug, in characters.
const MAX_SLUG: usize = 64;

/// Merges what the documents of one domain say into its agents, in order of id.
///
/// The result does not depend on the order of `readings`.
pub fn merge(domain: &Domain, readings: &[(&Document, Reading)]) -> Vec<Listing> {
    let documents = locations(readings);
    let mut groups = Groups::default();
    for (place, locations) in documents.iter().enumerate() {
        let agents = &locations.reading.agents;
        for agent in agents {
            groups.add(place, agent, agents.len() == 1);
        }
    }
    let groups = groups.finish();
    let slugs = slugs(&groups, &documents);
    let mut listings: Vec<Listing> = groups
        .iter()
        .zip(slugs)
        .map(|(group, slug)| listing(AgentId::new(domain, &slug), group, &documents))
        .collect();
    listings.sort_by(|one, other| one.id.cmp(&other.id));
    listings
}

/// One document with all the places where its bytes were found (PR-05), the preferred one first.
struct Locations<'r> {
    reading: &'r Reading,
    sources: Vec<Source>,
}

/// The distinct documents, in order of precedence.
fn locations<'r>(readings: &'r [(&'r Document, Reading)]) -> Vec<Locations<'r>> {
    let mut ordered: Vec<_> = readings
        .iter()
        .map(|(document, reading)| {
            (
                precedence::of(document, reading),
                document.hash(),
                *document,
                reading,
            )
        })
        .collect();
    ordered.sort_by(|one, other| {
        (&one.0, &one.1, one.2.requested.as_str()).cmp(&(
            &other.0,
            &other.1,
            other.2.requested.as_str(),
        ))
    });
    let mut by_hash: HashMap<String, usize> = HashMap::new();
    let mut documents: Vec<Locations<'r>> = Vec::new();
    for (_, hash, document, reading) in ordered {
        let source = Source::of(document, reading);
        if let Some(place) = by_hash.get(&hash) {
            documents[*place].sources.push(source);
        } else {
            by_hash.insert(hash, documents.len());
            documents.push(Locations {
                reading,
                sources: vec![source],
            });
        }
    }
    documents
}

/// What the documents say of one agent, each with its document's place, leading one first.
type Group<'r> = Vec<(usize, &'r Agent)>;

#[derive(Default)]
struct Groups<'r> {
    found: Vec<Group<'r>>,
    by_name: HashMap<String, Vec<usize>>,
    by_endpoint: HashMap<String, Vec<usize>>,
    /// Agents without a name of their own that are alone in their documents.
    nameless: Vec<(usize, &'r Agent)>,
}

impl<'r> Groups<'r> {
    fn add(&mut self, place: usize, agent: &'r Agent, is_alone: bool) {
        if is_nameless(agent) && is_alone {
            self.nameless.push((place, agent));
            return;
        }
        let group = self.matching(place, agent).unwrap_or_else(|| {
            self.found.push(Vec::new());
            self.found.len() - 1
        });
        self.found[group].push((place, agent));
        let by_name = self.by_name.entry(text::fold(&agent.name)).or_default();
        by_name.push(group);
        for endpoint in endpoints(agent) {
            self.by_endpoint.entry(endpoint).or_default().push(group);
        }
    }

    /// The group about the same agent, in which this document has said nothing yet.
    fn matching(&self, place: usize, agent: &Agent) -> Option<usize> {
        let is_free = |group: &&usize| self.found[**group].iter().all(|(other, _)| *other != place);
        let named = self.by_name.get(&text::fold(&agent.name));
        let same_name = named.and_then(|groups| groups.iter().find(is_free));
        let same_endpoint = || {
            endpoints(agent)
                .into_iter()
                .find_map(|endpoint| self.by_endpoint.get(&endpoint)?.iter().find(is_free))
        };
        same_name.or_else(same_endpoint).copied()
    }

    /// Gives the nameless ones their places: one agent of all, or the domain's only one.
    fn finish(mut self) -> Vec<Group<'r>> {
        let nameless = std::mem::take(&mut self.nameless);
        match self.found.as_mut_slice() {
            _ if nameless.is_empty() => {}
            [only] => {
                only.extend(nameless);
                only.sort_by_key(|(place, _)| *place);
            }
            _ => self.found.push(nameless),
        }
        self.found
    }
}

fn is_nameless(agent: &Agent) -> bool {
    agent.defaulted.iter().any(|field| field == "name")
}

/// Addresses that identify an agent across documents.
fn endpoints(agent: &Agent) -> Vec<String> {
    let urls = agent.interfaces.iter().map(|interface| &interface.url);
    let mut endpoints: Vec<String> = agent
        .url
        .iter()
        .chain(urls)
        .filter(|url| link::is_absolute(url))
        .map(|url| url.trim_end_matches('/').to_owned())
        .collect();
    endpoints.sort_unstable();
    endpoints.dedup();
    endpoints
}

fn listing(id: AgentId, group: &Group<'_>, documents: &[Locations<'_>]) -> Listing {
    let mut sources: Vec<Source> = Vec::new();
    let mut provenance = BTreeMap::new();
    let mut merged: Option<Agent> = None;
    for (place, agent) in group {
        let index = sources.len();
        sources.extend(documents[*place].sources.iter().cloned());
        merged = Some(match merged {
            None => (*agent).clone(),
            Some(leading) => fill::fill(leading, agent, index, &mut provenance),
        });
    }
    let mut agent = merged.unwrap_or_default();
    agent.other_names = other_names(&agent.name, group);
    let leading = &sources[0];
    Listing {
        id,
        format: leading.format.clone(),
        level: leading.level,
        agent,
        sources,
        provenance,
    }
}

/// Names in a group that are not just another spelling of the leading one, each once.
fn other_names(leading: &str, group: &Group<'_>) -> Vec<String> {
    let mut seen = HashSet::from([text::fold(leading)]);
    let named = group.iter().filter(|(_, agent)| !is_nameless(agent));
    named
        .filter(|(_, agent)| seen.insert(text::fold(&agent.name)))
        .map(|(_, agent)| agent.name.clone())
        .collect()
}

/// One slug for each group: of its name, with a number where names collide.
fn slugs(groups: &[Group<'_>], documents: &[Locations<'_>]) -> Vec<String> {
    let wanted: Vec<String> = groups
        .iter()
        .map(|group| {
            let (place, agent) = group[0];
            slug_of(&agent.name)
                .unwrap_or_else(|| slug::slugify(documents[place].reading.format.as_str()))
        })
        .collect();
    let mut taken: HashSet<String> = HashSet::new();
    let first: Vec<bool> = wanted
        .iter()
        .map(|slug| taken.insert(slug.clone()))
        .collect();
    let mut next: HashMap<&str, usize> = HashMap::new();
    let mut slugs = Vec::with_capacity(wanted.len());
    for (slug, is_first) in wanted.iter().zip(first) {
        if is_first {
            slugs.push(slug.clone());
            continue;
        }
        let number = next.entry(slug).or_insert(2);
        let mut numbered = format!("{slug}-{number}");
        while !taken.insert(numbered.clone()) {
            *number += 1;
            numbered = format!("{slug}-{number}");
        }
        slugs.push(numbered);
    }
    slugs
}

/// The slug of a name; `None` for names without letters.
fn slug_of(name: &str) -> Option<String> {
    if !name.chars().any(char::is_alphabetic) {
        return None;
    }
    let slug = slug::slugify(name);
    let cut: String = slug.chars().take(MAX_SLUG).collect();
    let cut = cut.trim_end_matches('-');
    (!cut.is_empty()).then(|| cut.to_owned())
}
