//! Page of an agent's capabilities.

use crate::view;
use manifest::Agent;
use std::borrow::Cow;
use std::ops::Range;

/// Number of capabilities of a page.
const PAGE: usize = 50;
/// Beginning of the paths of facts about capabilities.
const PREFIX: &str = "capabilities/";

/// Page of an agent's capabilities.
#[derive(Debug)]
pub(crate) struct CapabilityPage {
    /// Indexes of its capabilities.
    pub(crate) range: Range<usize>,
    /// Number of all capabilities.
    pub(crate) count: usize,
}

impl CapabilityPage {
    /// Creates the page after so many capabilities.
    pub(crate) fn of(agent: &Agent, after: usize) -> Self {
        let count = agent.capabilities.len();
        let start = after.min(count);
        Self {
            range: start..count.min(start + PAGE),
            count,
        }
    }

    /// Creates the page that has the capability with this index.
    pub(crate) fn with(agent: &Agent, index: usize) -> Self {
        Self::of(agent, index - index % PAGE)
    }

    /// Returns the number of capabilities before the next page; `None` if this is the last.
    pub(crate) fn next(&self) -> Option<usize> {
        (self.range.end < self.count).then_some(self.range.end)
    }

    /// Returns the address of this page of the agent whose first page is at `path`.
    pub(crate) fn address(&self, path: &str) -> String {
        match self.range.start {
            0 => path.to_owned(),
            after => format!("{path}?after={after}"),
        }
    }

    /// Describes its place among several pages; `None` if it is the only one.
    pub(crate) fn words(&self) -> Option<String> {
        let number = |number: usize| view::grouped(number as u64);
        let (first, last) = (number(self.range.start + 1), number(self.range.end));
        let is_only = self.range == (0..self.count);
        let all = number(self.count);
        (!is_only).then(|| format!("Capabilities {first} to {last} of {all}"))
    }

    /// Returns the path of a fact, relative to this page; `None` if it belongs to a capability of
    /// another page.
    pub(crate) fn path<'a>(&self, path: Cow<'a, str>) -> Option<Cow<'a, str>> {
        let Some(rest) = path.strip_prefix(PREFIX) else {
            return Some(path);
        };
        let (index, member) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let index: usize = index.parse().ok()?;
        let place = index.checked_sub(self.range.start)?;
        let is_here = self.range.contains(&index);
        is_here.then(|| format!("{PREFIX}{place}{member}").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifest::Capability;

    fn agent(count: usize) -> Agent {
        Agent {
            capabilities: vec![Capability::default(); count],
            ..Agent::default()
        }
    }

    #[test]
    fn pages_have_fifty_and_the_last_one_the_rest() {
        let table: [(usize, usize, Range<usize>, Option<usize>); 6] = [
            (0, 0, 0..0, None),
            (50, 0, 0..50, None),
            (120, 0, 0..50, Some(50)),
            (120, 50, 50..100, Some(100)),
            (120, 100, 100..120, None),
            (120, usize::MAX, 120..120, None),
        ];
        for (count, after, range, next) in table {
            let page = CapabilityPage::of(&agent(count), after);
            assert_eq!(
                (page.range.clone(), page.next()),
                (range, next),
                "{after} of {count}"
            );
        }
    }

    #[test]
    fn paths_of_facts_are_those_of_the_page() {
        let page = CapabilityPage::of(&agent(120), 50);
        for (path, shown) in [
            ("name", Some("name")),
            ("capabilities/49", None),
            ("capabilities/50", Some("capabilities/0")),
            (
                "capabilities/52/description",
                Some("capabilities/2/description"),
            ),
            ("capabilities/100", None),
            ("capabilities/x", None),
        ] {
            assert_eq!(page.path(path.into()).as_deref(), shown, "{path}");
        }
    }
}
