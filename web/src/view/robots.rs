//! The robots.txt of a site as it concerns our crawler, for the owner of the site.

use crate::view::{self, foreign};
use store::{ForbiddenPath, Outcome, RobotsState, Site};

/// Rules that the strip of answers names.
const RULES: usize = 2;

/// Most `Allow:` lines that are offered.
const ALLOWED: usize = 4;

/// Answer of robots.txt, in words.
#[derive(Debug)]
pub(crate) struct RobotsView {
    /// Verdict in a few words.
    pub(crate) verdict: &'static str,
    /// Status and reason, or the rules that decide.
    pub(crate) detail: String,
    /// Requests that we left out because of it, in words.
    pub(crate) consequence: Option<&'static str>,
    pub(crate) delay: Option<String>,
    /// Rules that keep us from reading manifests, in sentences, if they keep the site from being
    /// listed.
    pub(crate) obstacles: Vec<String>,
    /// Lines that would let us read them.
    pub(crate) allow: Vec<String>,
}

impl RobotsView {
    /// Converts the last state of the robots.txt of a site.
    pub(crate) fn of(site: &Site) -> Self {
        let state = site.robots.as_ref();
        let (verdict, detail) = match site.last_outcome {
            Some(Outcome::OptedOut) => ("Asks not to be listed", String::new()),
            _ => words(state),
        };
        let delay = state.and_then(|it| it.delay_ms);
        let is_obstacle = site.agents.is_empty()
            && site.hidden.is_empty()
            && site.last_outcome != Some(Outcome::OptedOut);
        let forbidden = state.filter(|_| is_obstacle);
        let forbidden = forbidden.map_or(&[][..], |it| &it.forbidden);
        let allow = forbidden.iter().take(ALLOWED);
        let allow = allow.map(|it| format!("Allow: {}", it.path));
        Self {
            verdict,
            detail,
            consequence: state.and_then(|it| consequence(&it.verdict)),
            delay: delay.map(|it| format!("{} ms between requests", view::grouped(it.into()))),
            obstacles: by_rule(forbidden).into_iter().map(obstacle).collect(),
            allow: allow.collect(),
        }
    }
}

/// Returns the verdict of robots.txt in a few words, and what is behind it.
fn words(state: Option<&RobotsState>) -> (&'static str, String) {
    let Some(state) = state else {
        return ("Not read yet", String::new());
    };
    let verdict = match state.verdict.as_str() {
        "allow" => "Allowed",
        "partial" => "Partly allowed",
        "disallow" => "Blocked",
        "unreachable" => "Not readable",
        _ => "Unknown",
    };
    let rules = by_rule(&state.forbidden);
    if !rules.is_empty() {
        let shown = rules.iter().take(RULES);
        let shown = shown.map(|(rule, paths)| {
            let paths = view::count(paths.len() as u64, "path", "paths");
            format!(
                "line {}: “{}” forbids {paths}",
                rule.line,
                foreign(&rule.rule)
            )
        });
        let more = rules.len().saturating_sub(RULES) as u64;
        let more = (more > 0).then(|| view::count(more, "more rule", "more rules"));
        return (verdict, shown.chain(more).collect::<Vec<_>>().join("; "));
    }
    (verdict, because(state))
}

/// Returns the reason of a verdict that no rule decides.
fn because(state: &RobotsState) -> String {
    match state.why.as_str() {
        "there is no robots.txt" => return "No robots.txt, so all is allowed".to_owned(),
        "its rules allow every path that the crawler requests" => {
            return "All known paths checked".to_owned();
        }
        "its rules forbid every path that the crawler requests" => {
            return "robots.txt blocks every path we know".to_owned();
        }
        _ => {}
    }
    let status = state.status.map(|status| format!("Status {status}"));
    let why = foreign(&state.why);
    let details: Vec<String> = status
        .into_iter()
        .chain((!why.is_empty()).then_some(why))
        .collect();
    details.join(": ")
}

/// Says what we left out because of a verdict.
fn consequence(verdict: &str) -> Option<&'static str> {
    match verdict {
        "partial" => Some("We requested allowed paths only"),
        "disallow" => Some("We requested no manifest"),
        "unreachable" => Some("We requested nothing else"),
        _ => None,
    }
}

/// Groups forbidden paths by the rule that decides.
fn by_rule(forbidden: &[ForbiddenPath]) -> Vec<(&ForbiddenPath, Vec<&str>)> {
    let mut groups: Vec<(&ForbiddenPath, Vec<&str>)> = Vec::new();
    for path in forbidden {
        match groups.iter_mut().find(|(rule, _)| rule.line == path.line) {
            Some((_, paths)) => paths.push(&path.path),
            None => groups.push((path, vec![&path.path])),
        }
    }
    groups
}

/// Describes a rule and the paths that it forbids.
fn obstacle((rule, paths): (&ForbiddenPath, Vec<&str>)) -> String {
    format!(
        "Line {} of robots.txt, “{}”, does not let us read {}.",
        rule.line,
        foreign(&rule.rule),
        paths.join(", ")
    )
}

/// Adds to advice the rules of robots.txt that do not let us read the paths in it.
pub(crate) fn noted(advice: String, robots: Option<&RobotsState>) -> String {
    let is_mark = |it: char| it.is_whitespace() || "`\"',;()".contains(it);
    let forbidden = robots.map_or(&[][..], |it| &it.forbidden);
    let names = |it: &&ForbiddenPath| {
        let mut words = advice.split(is_mark);
        words.any(|word| word.trim_end_matches(['.', ':']) == it.path)
    };
    let notes: Vec<_> = forbidden
        .iter()
        .filter(names)
        .map(|it| obstacle((it, vec![&it.path])))
        .collect();
    if notes.is_empty() {
        return advice;
    }
    format!("{}. {}", advice.trim_end_matches('.'), notes.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_says_if_robots_txt_forbids_a_path_that_it_names() {
        let robots = RobotsState {
            forbidden: vec![ForbiddenPath {
                path: "/agents.txt".to_owned(),
                line: 3,
                rule: "Disallow: /agents".to_owned(),
            }],
            ..RobotsState::default()
        };
        let noted = |advice: &str| noted(advice.to_owned(), Some(&robots));
        assert_eq!(
            noted("publish `/agents.txt`"),
            "publish `/agents.txt`. Line 3 of robots.txt, “Disallow: /agents”, does not let us read \
             /agents.txt."
        );
        for other in ["publish /.well-known/agents.txt", "write agents.txt", ""] {
            assert_eq!(noted(other), other);
        }
    }
}
