//! The identity of agents over time: an agent whose name changed, or that became part of another.
//!
//! The id of an agent contains a slug of its name ([`crate::merge`]), so an agent with a new name
//! gets a new id. [`successors`] finds the present id of an agent whose id is no longer listed, from
//! the listings of its site before and after.

use crate::{AgentId, Listing};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most endpoints or documents of one listing that are compared.
const MAX_TRAITS: usize = 100;

/// Mark by which an agent is recognised under another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mark<'a> {
    Endpoint(&'a str),
    Document(&'a str),
}

/// Returns the present id of each agent that is no longer listed under its own, if it is certain.
///
/// `before` and `after` are the listings of one site. An agent is recognised by an endpoint, or by a
/// document, that only one agent had before and only one has now. Agents that both state endpoints
/// and share none are different ones, even in the same document. If the marks of an agent lead to
/// several others, it has no successor: a missing alias does less harm than a wrong one. Linear in
/// the size of the listings.
pub fn successors(before: &[Listing], after: &[Listing]) -> BTreeMap<AgentId, AgentId> {
    let listed: BTreeSet<&AgentId> = after.iter().map(|listing| &listing.id).collect();
    let old = owners(before);
    let new = owners(after);
    let mut successors = BTreeMap::new();
    for gone in before.iter().filter(|it| !listed.contains(&it.id)) {
        let found: BTreeSet<usize> = marks(gone)
            .filter(|mark| old.get(mark).is_some_and(Option::is_some))
            .filter_map(|mark| {
                let at = new.get(&mark).copied().flatten()?;
                let is_other = matches!(mark, Mark::Document(_)) && are_apart(gone, after.get(at)?);
                (!is_other).then_some(at)
            })
            .collect();
        let mut found = found.into_iter();
        if let (Some(at), None) = (found.next(), found.next()) {
            successors.insert(gone.id.clone(), after[at].id.clone());
        }
    }
    successors
}

/// Returns the only listing with each mark, by its index; `None` if several have it.
fn owners(listings: &[Listing]) -> HashMap<Mark<'_>, Option<usize>> {
    let mut owners: HashMap<Mark<'_>, Option<usize>> = HashMap::new();
    for (index, listing) in listings.iter().enumerate() {
        for mark in marks(listing) {
            owners
                .entry(mark)
                .and_modify(|owner| {
                    if *owner != Some(index) {
                        *owner = None;
                    }
                })
                .or_insert(Some(index));
        }
    }
    owners
}

fn marks(listing: &Listing) -> impl Iterator<Item = Mark<'_>> {
    let documents = listing.sources.iter().take(MAX_TRAITS);
    endpoints(listing)
        .map(Mark::Endpoint)
        .chain(documents.map(|source| Mark::Document(&source.url)))
}

/// Returns the addresses at which an agent is called.
fn endpoints(listing: &Listing) -> impl Iterator<Item = &str> {
    let interfaces = listing.agent.interfaces.iter().take(MAX_TRAITS);
    interfaces
        .map(|interface| interface.url.trim_end_matches('/'))
        .filter(|url| !url.is_empty())
}

/// Reports whether both agents state endpoints, and none in common.
fn are_apart(one: &Listing, other: &Listing) -> bool {
    let mine: BTreeSet<&str> = endpoints(one).collect();
    let mut theirs = endpoints(other).peekable();
    !mine.is_empty() && theirs.peek().is_some() && !theirs.any(|url| mine.contains(url))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::agent::{Agent, Interface};
    use crate::listing::Source;
    use crate::{Domain, Level, formats};

    /// Returns an agent of one document with these endpoints.
    pub(crate) fn listing(slug: &str, document: &str, endpoints: &[&str]) -> Listing {
        let domain = Domain::parse("ferry.example").unwrap();
        let format = formats::find("a2a-agent-card").unwrap();
        let interface = |url: &&str| Interface {
            url: (*url).to_owned(),
            ..Interface::default()
        };
        Listing {
            id: AgentId::new(&domain, slug),
            format,
            level: Level::A,
            agent: Agent {
                name: slug.to_owned(),
                interfaces: endpoints.iter().map(interface).collect(),
                ..Agent::default()
            },
            sources: vec![Source {
                url: document.to_owned(),
                hash: String::new(),
                format,
                generation: None,
                level: Level::A,
            }],
            provenance: BTreeMap::new(),
            conflicts: Vec::new(),
        }
    }

    fn found(before: &[Listing], after: &[Listing]) -> Vec<(String, String)> {
        let slug = |id: &AgentId| id.parts().1.to_owned();
        successors(before, after)
            .iter()
            .map(|(old, new)| (slug(old), slug(new)))
            .collect()
    }

    fn pair(old: &str, new: &str) -> (String, String) {
        (old.to_owned(), new.to_owned())
    }

    #[test]
    fn a_renamed_agent_is_recognised_by_its_endpoint_or_its_document() {
        let before = [listing("ferry", "/card", &["https://f.example/a2a/"])];
        let moved = [listing(
            "island-ferry",
            "/other",
            &["https://f.example/a2a"],
        )];
        assert_eq!(found(&before, &moved), [pair("ferry", "island-ferry")]);
        let silent = [listing("island-ferry", "/card", &[])];
        assert_eq!(found(&before, &silent), [pair("ferry", "island-ferry")]);
    }

    #[test]
    fn another_agent_in_the_same_document_is_none() {
        let before = [listing("ferry", "/card", &["https://f.example/a2a"])];
        let after = [listing("taxi", "/card", &["https://t.example/a2a"])];
        assert_eq!(found(&before, &after), []);
        let elsewhere = [listing("taxi", "/taxi", &[])];
        assert_eq!(found(&before, &elsewhere), []);
    }

    #[test]
    fn a_mark_of_several_agents_identifies_none() {
        let before = [
            listing("ferry", "/list", &["https://f.example/rpc"]),
            listing("taxi", "/list", &["https://f.example/rpc"]),
        ];
        let after = [listing("boat", "/list", &["https://f.example/rpc"])];
        assert_eq!(found(&before, &after), []);
        let one = [listing("ferry", "/list", &[])];
        let several = [listing("boat", "/list", &[]), listing("bus", "/list", &[])];
        assert_eq!(found(&one, &several), []);
    }

    #[test]
    fn marks_that_lead_to_two_agents_lead_to_none() {
        let before = [listing("ferry", "/a", &["https://f.example/1"])];
        let after = [
            listing("boat", "/b", &["https://f.example/1"]),
            listing("bus", "/a", &[]),
        ];
        assert_eq!(found(&before, &after), []);
    }

    #[test]
    fn an_agent_that_joins_another_has_it_as_successor() {
        let ferry = listing("ferry", "/ferry", &["https://f.example/1"]);
        let taxi = listing("taxi", "/taxi", &["https://f.example/2"]);
        let both = listing(
            "taxi",
            "/taxi",
            &["https://f.example/2", "https://f.example/1"],
        );
        assert_eq!(
            found(&[ferry.clone(), taxi.clone()], &[both]),
            [pair("ferry", "taxi")]
        );
        // A listed agent needs none.
        assert_eq!(found(&[ferry.clone(), taxi.clone()], &[ferry, taxi]), []);
    }
}
