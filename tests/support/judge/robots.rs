//! Permissions of robots.txt (P6, P25 to P29, P33): a small reader of its own, so that the
//! crawler's is not judged by itself.
//!
//! A robots.txt that redirects is not judged: its rules are those of the target.

use super::Violation;
use super::log::Exchange;
use super::visits::Visit;
use std::collections::HashSet;
use std::time::Duration;

/// Result of one robots.txt.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    /// The rule that forbids every further request, because of the status.
    closed: Option<&'static str>,
    /// Permission (true if it allows) and the pattern.
    rules: Vec<(bool, String)>,
    /// The longest crawl delay that applies.
    pub(super) delay_ms: Option<u64>,
}

impl Policy {
    /// Reads an answer; `None` when it decides nothing, such as a redirect.
    pub(super) fn of(exchange: &Exchange, token: &str) -> Option<Self> {
        let closed = |rule| {
            Some(Self {
                closed: Some(rule),
                ..Self::default()
            })
        };
        match exchange.status {
            206 | 429 => closed("P29"),
            200..=299 => Some(read(exchange.robots.as_deref().unwrap_or_default(), token)),
            300..=399 => None,
            401 | 403 | 407 | 451 => closed("P28"),
            400..=499 => Some(Self::default()),
            _ => closed("P29"),
        }
    }

    /// Reports whether the path is allowed: the longest pattern wins, and of two equally long ones
    /// the one that allows (RFC 9309, section 2.2.2).
    fn allows(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|(_, rule)| matches(rule, path));
        let longest = matching.max_by_key(|(is_allowed, rule)| (rule.len(), *is_allowed));
        longest.is_none_or(|(is_allowed, _)| *is_allowed)
    }
}

/// Checks the requests of one visit against the robots.txt that it received.
///
/// The target of a redirecting robots.txt counts as part of it.
pub(super) fn check(
    visit: &Visit<'_>,
    redirected: &HashSet<(u64, &str)>,
    found: &mut Vec<Violation>,
) {
    let mut greeted = Vec::new();
    for exchange in &visit.exchanges {
        if !exchange.is_robots() && redirected.contains(&(exchange.at, exchange.host.as_str())) {
            continue;
        }
        let host = exchange.host.as_str();
        let origin = (host, exchange.secure);
        let mut broken = |rule, what| {
            found.push(Violation {
                rule,
                whom: host.to_owned(),
                at: exchange.at,
                what,
            });
        };
        if exchange.is_robots() {
            greeted.push(origin);
            continue;
        }
        let path = &exchange.path;
        if !visit.is_resumed && !greeted.contains(&origin) {
            broken("P6", format!("{path} is asked before robots.txt"));
        }
        let Some(policy) = visit.policies.get(host) else {
            continue;
        };
        if let Some(rule) = policy.closed {
            broken(rule, format!("{path} is asked after a closed robots.txt"));
        } else if !policy.allows(path) {
            broken(
                "P33",
                format!("{path} is asked although robots.txt forbids it"),
            );
        }
    }
}

fn read(text: &str, token: &str) -> Policy {
    let mut ours = Policy::default();
    let mut wildcard = Policy::default();
    let mut above = None;
    let mut is_named = false;
    let mut agents: Vec<String> = Vec::new();
    let mut is_among_agents = false;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        if key == "user-agent" {
            if !is_among_agents {
                agents.clear();
            }
            is_among_agents = true;
            agents.push(product(value));
            continue;
        }
        let is_rule = matches!(key.as_str(), "allow" | "disallow");
        if is_rule {
            is_among_agents = false;
        }
        let delay = (key == "crawl-delay")
            .then(|| milliseconds(value))
            .flatten();
        if agents.is_empty() {
            above = above.max(delay);
            continue;
        }
        for agent in &agents {
            let policy = match agent.as_str() {
                "*" => &mut wildcard,
                name if name.eq_ignore_ascii_case(token) => {
                    is_named = true;
                    &mut ours
                }
                _ => continue,
            };
            policy.delay_ms = policy.delay_ms.max(delay);
            if is_rule && !value.is_empty() {
                policy.rules.push((key == "allow", value.to_owned()));
            }
        }
    }
    let policy = if is_named { ours } else { wildcard };
    Policy {
        delay_ms: policy.delay_ms.max(above),
        ..policy
    }
}

/// Returns the product token at the start of a User-agent line.
fn product(value: &str) -> String {
    let is_token = |letter: char| letter.is_ascii_alphabetic() || "-_*".contains(letter);
    value
        .chars()
        .take_while(|letter| is_token(*letter))
        .collect()
}

fn milliseconds(value: &str) -> Option<u64> {
    let seconds: f64 = value.parse().ok()?;
    let is_usable = seconds.is_finite() && (0.0..=1e9).contains(&seconds);
    if !is_usable {
        return None;
    }
    u64::try_from(Duration::from_secs_f64(seconds).as_millis()).ok()
}

/// Reports whether a pattern with `*`, and perhaps `$` at its end, matches the beginning of a path.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut is_open = false;
    for part in parts {
        let Some(position) = rest.find(part) else {
            return false;
        };
        is_open = part.is_empty();
        rest = &rest[position + part.len()..];
    }
    !is_whole || rest.is_empty() || is_open
}
