//! Differences between two versions of an agent, fact by fact.

use crate::agent::{Auth, Interface, Payment};
use crate::change::{ChangeClass, classes};
use crate::{Capability, Listing};
use std::collections::{HashMap, HashSet};

/// Most differences that are listed.
const MOST: usize = 100;

/// Differences between two versions of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// The first hundred, in a fixed order.
    pub listed: Vec<Difference>,
    /// Number of further ones.
    pub more: usize,
    /// Classes of differences of which none is listed.
    pub other: Vec<ChangeClass>,
}

/// Difference in one fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Class.
    pub class: ChangeClass,
    /// Noun for the fact, such as `capability`.
    pub fact: &'static str,
    /// Kind, with the values.
    pub kind: Kind,
}

/// Kind of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The later version states it, the earlier one does not.
    Added(String),
    /// The earlier version states it, the later one does not.
    Removed(String),
    /// Both state it, with different values.
    Replaced {
        /// Earlier value.
        before: String,
        /// Later value.
        after: String,
    },
    /// Both list it at the same address, under different names.
    Renamed {
        /// Earlier name.
        before: String,
        /// Later name.
        after: String,
    },
    /// Both list it under this name, with other details.
    Altered {
        /// Name.
        name: String,
        /// Details that differ.
        details: Vec<&'static str>,
    },
}

/// Returns the differences between two versions of an agent.
pub fn differences(before: &Listing, after: &Listing) -> Differences {
    let mut found = DifferenceList::default();
    let (old, new) = (&before.agent, &after.agent);
    let one = |text: &Option<String>| text.clone();
    for (class, fact, before, after) in [
        (
            ChangeClass::Name,
            "name",
            Some(old.name.clone()),
            Some(new.name.clone()),
        ),
        (
            ChangeClass::Version,
            "version",
            one(&old.version),
            one(&new.version),
        ),
        (
            ChangeClass::Description,
            "description",
            one(&old.description),
            one(&new.description),
        ),
    ] {
        found.value(class, fact, before, after);
    }
    found.capabilities(&old.capabilities, &new.capabilities);
    let address = |text: &Option<String>| text.iter().cloned().collect::<Vec<_>>();
    let words = |all: &[Interface]| all.iter().map(interface).collect::<Vec<_>>();
    let (mut doors, mut new_doors) = (words(&old.interfaces), words(&new.interfaces));
    if doors.is_empty() && new_doors.is_empty() {
        (doors, new_doors) = (address(&old.url), address(&new.url));
    }
    found.list(ChangeClass::Endpoint, "endpoint", &doors, &new_doors);
    let words = |all: &[Auth]| all.iter().map(auth).collect::<Vec<_>>();
    let class = ChangeClass::Authentication;
    found.list(
        class,
        "authentication",
        &words(&old.auth),
        &words(&new.auth),
    );
    let words = |all: &[Payment]| all.iter().map(payment).collect::<Vec<_>>();
    let (paid, newly_paid) = (words(&old.payments), words(&new.payments));
    found.list(ChangeClass::Payment, "payment", &paid, &newly_paid);
    let provider = |listing: &Listing| listing.agent.provider.as_ref().map(|it| it.name.clone());
    let class = ChangeClass::Provider;
    found.value(class, "provider", provider(before), provider(after));
    found.list(ChangeClass::Description, "tag", &old.tags, &new.tags);
    let class = ChangeClass::Description;
    found.list(class, "language", &old.languages, &new.languages);
    found.finish(classes(before, after))
}

#[derive(Default)]
struct DifferenceList(Vec<Difference>);

impl DifferenceList {
    fn add(&mut self, class: ChangeClass, fact: &'static str, kind: Kind) {
        self.0.push(Difference { class, fact, kind });
    }

    /// Compares a fact that has at most one value.
    fn value(
        &mut self,
        class: ChangeClass,
        fact: &'static str,
        before: Option<String>,
        after: Option<String>,
    ) {
        match (before, after) {
            (Some(before), Some(after)) if before != after => {
                self.add(class, fact, Kind::Replaced { before, after });
            }
            (None, Some(after)) => self.add(class, fact, Kind::Added(after)),
            (Some(before), None) => self.add(class, fact, Kind::Removed(before)),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }

    /// Compares a fact that is a set of values; one that took the place of the only other one is a
    /// replacement.
    fn list(
        &mut self,
        class: ChangeClass,
        fact: &'static str,
        before: &[String],
        after: &[String],
    ) {
        if let ([one], [other]) = (before, after) {
            self.value(class, fact, Some(one.clone()), Some(other.clone()));
            return;
        }
        let missing = |all: &[String], there: &[String]| -> Vec<String> {
            let there: HashSet<&String> = there.iter().collect();
            all.iter()
                .filter(|it| !there.contains(it))
                .cloned()
                .collect()
        };
        for added in missing(after, before) {
            self.add(class, fact, Kind::Added(added));
        }
        for removed in missing(before, after) {
            self.add(class, fact, Kind::Removed(removed));
        }
    }

    fn capabilities(&mut self, before: &[Capability], after: &[Capability]) {
        let by_id = |all: &'_ [Capability]| -> HashMap<String, usize> {
            let ids = all.iter().enumerate();
            ids.map(|(at, it)| (it.id.clone(), at)).collect()
        };
        let (old, new) = (by_id(before), by_id(after));
        let class = ChangeClass::Capabilities;
        let fact = "capability";
        let gone: Vec<_> = before
            .iter()
            .filter(|it| !new.contains_key(&it.id))
            .collect();
        let mut renamed = HashSet::new();
        for capability in after {
            match old.get(&capability.id).map(|at| &before[*at]) {
                None => {
                    let earlier = gone
                        .iter()
                        .find(|it| !renamed.contains(&it.id) && has_address_of(it, capability));
                    let name = capability.name.clone();
                    let Some(earlier) = earlier else {
                        self.add(class, fact, Kind::Added(name));
                        continue;
                    };
                    renamed.insert(&earlier.id);
                    let before = earlier.name.clone();
                    self.add(
                        class,
                        fact,
                        Kind::Renamed {
                            before,
                            after: name,
                        },
                    );
                }
                Some(earlier) => {
                    let details = details(earlier, capability);
                    if !details.is_empty() {
                        let name = capability.name.clone();
                        self.add(class, fact, Kind::Altered { name, details });
                    }
                }
            }
        }
        for removed in gone.into_iter().filter(|it| !renamed.contains(&it.id)) {
            self.add(class, fact, Kind::Removed(removed.name.clone()));
        }
    }

    fn finish(mut self, classes: Vec<ChangeClass>) -> Differences {
        let is_listed = |class: &ChangeClass| self.0.iter().any(|it| it.class == *class);
        let other = classes.into_iter().filter(|it| !is_listed(it)).collect();
        let more = self.0.len().saturating_sub(MOST);
        self.0.truncate(MOST);
        Differences {
            listed: self.0,
            more,
            other,
        }
    }
}

/// Reports whether two capabilities are called at the same address, so that one is the other under a new name.
fn has_address_of(one: &Capability, other: &Capability) -> bool {
    one.url.is_some() && (&one.method, &one.url) == (&other.method, &other.url)
}

/// Returns the details in which two versions of a capability differ.
fn details(before: &Capability, after: &Capability) -> Vec<&'static str> {
    let plain = |it: &Capability| {
        let mut plain = it.clone();
        plain.pointer.clear();
        plain
    };
    if plain(before) == plain(after) {
        return Vec::new();
    }
    let address = |it: &Capability| (it.method.clone(), it.endpoint.clone(), it.url.clone());
    let schemas = |it: &Capability| (it.input_schema.clone(), it.output_schema.clone());
    let mut details: Vec<_> = [
        ("name", before.name != after.name),
        ("description", before.description != after.description),
        ("address", address(before) != address(after)),
        ("parameters", before.params != after.params),
        ("schemas", schemas(before) != schemas(after)),
        ("examples", before.examples != after.examples),
        ("tags", before.tags != after.tags),
        ("deprecation", before.deprecated != after.deprecated),
    ]
    .into_iter()
    .filter_map(|(detail, differs)| differs.then_some(detail))
    .collect();
    if details.is_empty() {
        details.push("details");
    }
    details
}

fn interface(interface: &Interface) -> String {
    let version = interface.version.as_deref();
    let transport = interface.transport.as_deref();
    let parts = [Some(&*interface.protocol), version, transport];
    joined(parts.into_iter().chain([Some(&*interface.url)]))
}

fn auth(auth: &Auth) -> String {
    let place = match (&auth.name, &auth.location) {
        (Some(name), Some(location)) => Some(format!("({name} in {location})")),
        (Some(word), None) | (None, Some(word)) => Some(format!("({word})")),
        (None, None) => None,
    };
    let flows = (!auth.flows.is_empty()).then(|| auth.flows.join(", "));
    let parts = [Some(&*auth.scheme), place.as_deref(), flows.as_deref()];
    joined(parts.into_iter().chain([auth.token_url.as_deref()]))
}

fn payment(payment: &Payment) -> String {
    let parts = [
        Some(&*payment.protocol),
        payment.price.as_deref(),
        payment.asset.as_deref(),
        payment.network.as_deref(),
        payment.resource.as_deref(),
    ];
    joined(parts.into_iter())
}

fn joined<'a>(parts: impl Iterator<Item = Option<&'a str>>) -> String {
    parts.flatten().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::succession::tests::listing;

    fn capability(id: &str, name: &str) -> Capability {
        Capability {
            id: id.to_owned(),
            name: name.to_owned(),
            ..Capability::default()
        }
    }

    fn door(url: &str) -> Interface {
        Interface {
            protocol: "a2a".to_owned(),
            url: url.to_owned(),
            ..Interface::default()
        }
    }

    #[test]
    fn each_fact_that_differs_is_named_with_its_values() {
        let mut before = listing("ferry", "https://ferry.example/card", &[]);
        before.agent.capabilities = vec![capability("book", "Book"), capability("old", "Old")];
        before.agent.interfaces = vec![door("https://ferry.example/1")];
        before.agent.version = Some("1".to_owned());
        let mut after = before.clone();
        after.agent.capabilities = vec![capability("new", "New"), capability("book", "Book")];
        after.agent.capabilities[1].description = Some("Books a place.".to_owned());
        after.agent.interfaces = vec![door("https://ferry.example/2")];
        after.agent.version = None;
        after.agent.contact = Some("crew@ferry.example".to_owned());
        let found = differences(&before, &after);
        let kinds: Vec<_> = found.listed.iter().map(|it| (it.fact, &it.kind)).collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(
            kinds,
            [
                ("version", &Kind::Removed(text("1"))),
                ("capability", &Kind::Added(text("New"))),
                (
                    "capability",
                    &Kind::Altered {
                        name: text("Book"),
                        details: vec!["description"]
                    }
                ),
                ("capability", &Kind::Removed(text("Old"))),
                (
                    "endpoint",
                    &Kind::Replaced {
                        before: text("a2a https://ferry.example/1"),
                        after: text("a2a https://ferry.example/2"),
                    }
                ),
            ]
        );
        assert_eq!((found.more, found.other), (0, vec![ChangeClass::Provider]));
    }

    #[test]
    fn a_capability_at_the_same_address_is_renamed() {
        let at = |id: &str, path: &str| Capability {
            url: Some(format!("https://ferry.example/{path}")),
            ..capability(id, id)
        };
        let mut before = listing("ferry", "https://ferry.example/card", &[]);
        before.agent.capabilities = vec![at("book", "book"), at("cancel", "all"), at("ask", "all")];
        let mut after = before.clone();
        after.agent.capabilities =
            vec![at("reserve", "book"), at("talk", "all"), at("list", "list")];
        let found = differences(&before, &after);
        let kinds: Vec<_> = found.listed.into_iter().map(|it| it.kind).collect();
        let renamed = |before: &str, after: &str| Kind::Renamed {
            before: before.to_owned(),
            after: after.to_owned(),
        };
        assert_eq!(
            kinds,
            [
                renamed("book", "reserve"),
                renamed("cancel", "talk"),
                Kind::Added("list".to_owned()),
                Kind::Removed("ask".to_owned()),
            ]
        );
    }

    #[test]
    fn other_positions_are_no_difference_and_many_are_counted() {
        let before = listing("ferry", "https://ferry.example/card", &[]);
        let mut after = before.clone();
        after.agent.pointer = "/agents/3".to_owned();
        assert_eq!(differences(&before, &after), Differences::default());
        let names = 0..1_000;
        after.agent.capabilities = names.map(|it| capability(&it.to_string(), "One")).collect();
        let found = differences(&before, &after);
        assert_eq!((found.listed.len(), found.more), (MOST, 900));
    }
}
