//! Matches paths against the rules of one scope.

use super::group::Rule;
use super::pattern;
use manifest::fault;
use std::collections::HashSet;
use std::fmt::Write as _;
use texting_robots::Robot;

/// How many different rules are weighed; more keep us out (P33).
const RULE_CAP: usize = 20_000;

/// Rules, ready to be asked.
#[derive(Debug)]
pub(super) struct Matcher(Robot);

/// Why rules cannot be weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MatcherError {
    /// More than [`RULE_CAP`].
    #[error("more than 20000 rules")]
    TooMany,
    /// The library gave up on them.
    #[error("rules that our matcher cannot read")]
    Unreadable,
}

impl Matcher {
    /// Makes rules ready; the library sees a canonical file with one group, never the original.
    pub(super) fn new(rules: &[Rule<'_>]) -> Result<Self, MatcherError> {
        let mut seen = HashSet::new();
        let mut canonical = "User-agent: x\n".to_owned();
        for rule in rules {
            let Some(pattern) = pattern::rule(rule.pattern) else {
                continue;
            };
            let key = if rule.allow { "Allow" } else { "Disallow" };
            if !seen.insert((rule.allow, pattern.clone())) {
                continue;
            }
            if seen.len() > RULE_CAP {
                return Err(MatcherError::TooMany);
            }
            let _ = writeln!(canonical, "{key}: {pattern}");
        }
        drop(seen);
        match fault::contained(|| Robot::new("x", canonical.as_bytes())) {
            Ok(Ok(robot)) => Ok(Self(robot)),
            Ok(Err(_)) | Err(_) => Err(MatcherError::Unreadable),
        }
    }

    /// Whether a path may be asked; no, when the library panics.
    pub(super) fn allows(&self, path_and_query: &str) -> bool {
        let path = pattern::path(path_and_query);
        fault::contained(|| self.0.allowed(&path)).unwrap_or(false)
    }
}
