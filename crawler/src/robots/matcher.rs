//! Matching of paths against the rules of one scope.

use super::group::Rule;
use super::pattern;
use manifest::fault;
use std::collections::HashSet;
use std::fmt::Write as _;
use texting_robots::Robot;

/// Maximum number of different rules; a file with more forbids everything (P33).
const RULE_CAP: usize = 20_000;

/// Compiled rules.
#[derive(Debug)]
pub(super) struct Matcher(Robot);

/// Error for rules that cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MatcherError {
    /// There are more than [`RULE_CAP`] rules.
    #[error("more than 20,000 rules")]
    TooMany,
    /// The library failed on them.
    #[error("its rules cannot be evaluated")]
    Unreadable,
}

impl Matcher {
    /// Compiles rules. The library receives a canonical file with one group, never the original.
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

    /// Reports whether a path may be requested; false if the library panics.
    pub(super) fn allows(&self, path_and_query: &str) -> bool {
        let path = pattern::path(path_and_query);
        fault::contained(|| self.0.allowed(&path)).unwrap_or(false)
    }
}
