//! Options that all crawlers of a fleet share, since a site meets any of them as one crawler.

use crate::config::Network;
use crate::rate_limit::Edge;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use store::FleetView;

/// Returns the options with their values.
pub(super) fn shared(network: &Network) -> BTreeMap<String, String> {
    let identity = &network.identity;
    let key = identity.signer.as_ref();
    let options = [
        (
            "--user-agent-token or --contact",
            identity.user_agent.clone(),
        ),
        ("--delay", network.delay.as_millis().to_string()),
        ("--address-delay", network.pace.gap.as_millis().to_string()),
        ("--shared-addresses", summary(&network.pace.edges)),
        (
            "--sign-key or --sign-agent",
            key.map_or("none".to_owned(), |it| {
                format!("{} of {}", it.key_id(), it.agent())
            }),
        ),
    ];
    let options = options.into_iter();
    options
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Returns the number of ranges and a hash of them all.
fn summary(edges: &[Edge]) -> String {
    if edges.is_empty() {
        return "none".to_owned();
    }
    let mut hash = Sha256::new();
    for edge in edges {
        hash.update(format!("{} {}\n", edge.range, edge.group));
    }
    let hash: [u8; 32] = hash.finalize().into();
    let [first, second, third, fourth, ..] = hash;
    let hash = u32::from_be_bytes([first, second, third, fourth]);
    format!("{} ranges with the hash {hash:08x}", edges.len())
}

/// Returns the differences between the options of a crawler and those of the first other member that has
/// others; `None` if all are the same.
pub(super) fn differences(
    own: &BTreeMap<String, String>,
    name: &str,
    view: &FleetView,
) -> Option<String> {
    let others = view.members.iter().filter(|(other, _)| *other != name);
    others
        .map(|(_, member)| (member, differing(own, &member.options)))
        .find(|(_, differing)| !differing.is_empty())
        .map(|(member, differing)| {
            let process = &member.description;
            format!(
                "crawler {process} has other options: {}",
                differing.join("; ")
            )
        })
}

/// Returns a phrase for each option that both have with different values.
fn differing(own: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<String> {
    let both = own.iter().filter_map(|(option, here)| {
        let there = other.get(option)?;
        (there != here).then(|| format!("{option}, {there} instead of {here}"))
    });
    both.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Member;

    fn options(values: &[(&str, &str)]) -> BTreeMap<String, String> {
        let values = values.iter();
        values
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn p51_the_first_member_with_other_options_is_named_with_all_of_them() {
        let own = options(&[("--address-delay", "1000"), ("--delay", "1000")]);
        let member = |process: &str, values: &[(&str, &str)]| Member {
            description: process.to_owned(),
            since: 0,
            until: 1,
            is_leaving: false,
            options: options(values),
        };
        let mut view = FleetView::default();
        let mut add = |name: &str, member| view.members.insert(name.to_owned(), member);
        add("a", member("process 1 on a", &[("--delay", "1000")]));
        // Of an earlier version.
        add("b", member("process 2 on b", &[]));
        add("own", member("process 3 on c", &[("--delay", "200")]));
        assert_eq!(differences(&own, "own", &view), None);
        view.members.insert(
            "c".to_owned(),
            member(
                "process 4 on d",
                &[
                    ("--address-delay", "500"),
                    ("--delay", "200"),
                    ("--new", "1"),
                ],
            ),
        );
        let found = differences(&own, "own", &view).unwrap();
        assert_eq!(
            found,
            "crawler process 4 on d has other options: --address-delay, 500 instead of 1000; \
             --delay, 200 instead of 1000"
        );
    }
}
