//! The rules that forbid paths, for the owner of the site.

use super::group::Rule;
use super::pattern;
use store::ForbiddenPath;

/// Most rules that are compared with a path; without effect on what is requested.
const MAX_RULES: usize = 2_000;

/// Longest rule that is quoted, in characters.
const LONGEST: usize = 200;

/// Returns each of these paths, which `rules` forbid, with the rule that decides: of those that
/// match, the one with the longest pattern (RFC 9309 section 2.2.2).
pub(super) fn explain<'p>(
    paths: impl Iterator<Item = &'p str>,
    rules: &[Rule<'_>],
) -> Vec<ForbiddenPath> {
    let denials = rules.iter().filter(|rule| !rule.allow).take(MAX_RULES);
    let denials = denials.filter_map(|rule| Some((rule, pattern::rule(rule.pattern)?)));
    let denials: Vec<_> = denials.collect();
    let explained = paths.filter_map(|path| {
        let canonical = pattern::path(path);
        let matching = denials.iter().rev();
        let matching = matching.filter(|(_, pattern)| pattern::matches(pattern, &canonical));
        // `max_by_key` returns the last of equals; reversed, that is the first line.
        let (rule, _) = matching.max_by_key(|(_, pattern)| pattern.len())?;
        let pattern = String::from_utf8_lossy(rule.pattern);
        Some(ForbiddenPath {
            path: path.to_owned(),
            line: rule.line,
            rule: manifest::text::clean(&format!("Disallow: {pattern}"), LONGEST),
        })
    });
    explained.collect()
}
