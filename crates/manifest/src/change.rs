//! Classes of the differences between two versions of a listing.

use crate::{Agent, Listing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a listing that may change on its own.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeClass {
    /// Name, other names, or translations.
    Name,
    /// Description, tags or languages.
    Description,
    /// Capabilities, flows, the members of a graph, or media types.
    Capabilities,
    /// URL or interfaces.
    Endpoint,
    /// Authentication schemes or sessions.
    Authentication,
    /// Rate limits, policies or auditing.
    Terms,
    /// Ways to pay.
    Payment,
    /// Version.
    Version,
    /// Provider, contact, or links to pages about the agent.
    Provider,
    /// Signatures.
    Signature,
    /// Documents that it is read from, their formats or levels.
    Sources,
    /// Contradictions between its documents.
    Conflicts,
    /// Any other member.
    Other,
}

/// Returns the classes of the differences between two versions of a listing, in a fixed order; none
/// if they differ only in positions and hashes of documents.
pub fn classes(before: &Listing, after: &Listing) -> Vec<ChangeClass> {
    // Named one by one, so that a new field does not compile before it has a class.
    let Agent {
        key,
        pointer: _,
        pointers: _,
        name,
        other_names,
        description,
        url,
        version,
        provider,
        contact,
        docs,
        logo,
        homepage,
        tags,
        languages,
        capabilities: _,
        auth,
        interfaces,
        programs,
        rate_limits,
        sessions,
        flows,
        audit,
        graph,
        policies,
        payments,
        signatures,
        input_modes,
        output_modes,
        translations,
        specified,
        extensions,
        withheld,
        defaulted,
    } = &before.agent;
    let new = &after.agent;
    let differs = |class: ChangeClass| match class {
        ChangeClass::Name => {
            (name, other_names, translations) != (&new.name, &new.other_names, &new.translations)
        }
        ChangeClass::Description => {
            (description, tags, languages) != (&new.description, &new.tags, &new.languages)
        }
        ChangeClass::Capabilities => {
            capabilities_differ(before, after)
                || (flows, graph, input_modes, output_modes)
                    != (&new.flows, &new.graph, &new.input_modes, &new.output_modes)
        }
        ChangeClass::Endpoint => {
            (url, interfaces, programs, withheld)
                != (&new.url, &new.interfaces, &new.programs, &new.withheld)
        }
        ChangeClass::Authentication => (auth, sessions) != (&new.auth, &new.sessions),
        ChangeClass::Terms => {
            (rate_limits, policies, audit) != (&new.rate_limits, &new.policies, &new.audit)
        }
        ChangeClass::Payment => payments != &new.payments,
        ChangeClass::Version => version != &new.version,
        ChangeClass::Provider => {
            (provider, contact, docs, logo, homepage)
                != (
                    &new.provider,
                    &new.contact,
                    &new.docs,
                    &new.logo,
                    &new.homepage,
                )
        }
        ChangeClass::Signature => signatures != &new.signatures,
        ChangeClass::Sources => sources_differ(before, after),
        ChangeClass::Conflicts => conflicts_differ(before, after),
        ChangeClass::Other => {
            (key, specified, extensions, defaulted)
                != (&new.key, &new.specified, &new.extensions, &new.defaulted)
        }
    };
    ALL.into_iter().filter(|class| differs(*class)).collect()
}

const ALL: [ChangeClass; 13] = [
    ChangeClass::Name,
    ChangeClass::Description,
    ChangeClass::Capabilities,
    ChangeClass::Endpoint,
    ChangeClass::Authentication,
    ChangeClass::Terms,
    ChangeClass::Payment,
    ChangeClass::Version,
    ChangeClass::Provider,
    ChangeClass::Signature,
    ChangeClass::Sources,
    ChangeClass::Conflicts,
    ChangeClass::Other,
];

/// Compares capabilities without their positions.
fn capabilities_differ(before: &Listing, after: &Listing) -> bool {
    let plain = |listing: &Listing| {
        let mut capabilities = listing.agent.capabilities.clone();
        for capability in &mut capabilities {
            capability.pointer.clear();
        }
        capabilities
    };
    plain(before) != plain(after)
}

/// Compares sources without their hashes.
fn sources_differ(before: &Listing, after: &Listing) -> bool {
    let plain = |listing: &Listing| {
        let mut sources = listing.sources.clone();
        for source in &mut sources {
            source.hash.clear();
        }
        sources
    };
    let kind = |listing: &Listing| (listing.format, listing.level);
    kind(before) != kind(after) || plain(before) != plain(after)
}

/// Compares conflicts without their positions.
fn conflicts_differ(before: &Listing, after: &Listing) -> bool {
    let plain = |listing: &Listing| {
        let mut conflicts = listing.conflicts.clone();
        for claim in conflicts.iter_mut().flat_map(|it| &mut it.claims) {
            claim.evidence.pointer.clear();
        }
        conflicts
    };
    plain(before) != plain(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Auth, Capability, Interface};
    use crate::succession::tests::listing;

    #[test]
    fn each_difference_has_its_class() {
        let before = listing("ferry", "https://ferry.example/card", &[]);
        let mut after = before.clone();
        assert_eq!(classes(&before, &after), []);
        after.agent.capabilities.push(Capability::default());
        assert_eq!(classes(&before, &after), [ChangeClass::Capabilities]);
        after.agent.interfaces.push(Interface::default());
        after.agent.auth.push(Auth::default());
        assert_eq!(
            classes(&before, &after),
            [
                ChangeClass::Capabilities,
                ChangeClass::Endpoint,
                ChangeClass::Authentication
            ]
        );
        after = before.clone();
        after.sources[0].url.push('2');
        assert_eq!(classes(&before, &after), [ChangeClass::Sources]);
        after = before.clone();
        after.agent.extensions.insert("x".into(), 1.into());
        assert_eq!(classes(&before, &after), [ChangeClass::Other]);
    }

    #[test]
    fn another_layout_is_no_difference() {
        let mut before = listing("ferry", "https://ferry.example/card", &[]);
        before.agent.capabilities.push(Capability::default());
        let mut after = before.clone();
        after.sources[0].hash.push('0');
        after.agent.capabilities[0].pointer = "/skills/7".to_owned();
        assert_eq!(classes(&before, &after), []);
    }
}
