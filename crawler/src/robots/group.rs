//! Selection of the groups for one token, merged according to RFC 9309 section 2.2.

use super::line::{Field, Key, lines, trim};
use std::time::Duration;

/// Maximum number of content signals.
const SIGNAL_CAP: usize = 16;

/// A rule as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule<'a> {
    /// True for `Allow`, false for `Disallow`.
    pub(super) allow: bool,
    /// Its pattern; never empty, as an empty rule has no effect.
    pub(super) pattern: &'a [u8],
    /// Number of its line, from 1.
    pub(super) line: u32,
}

/// Rules and settings for one token.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'a> {
    /// Its rules, in order.
    pub(super) rules: Vec<Rule<'a>>,
    /// The longest crawl delay (P23).
    pub(super) delay: Option<Duration>,
    /// Content signals, in lower case.
    pub(super) signals: Vec<(String, String)>,
    /// True if a group names the token.
    pub(super) is_named: bool,
}

impl<'a> Scope<'a> {
    fn take(&mut self, field: Field<'a>, line: u32) {
        match field.key {
            Key::Allow | Key::Disallow if !field.value.is_empty() => self.rules.push(Rule {
                allow: field.key == Key::Allow,
                pattern: field.value,
                line,
            }),
            Key::CrawlDelay => self.delay = self.delay.max(delay(field.value)),
            Key::Signal => {
                let room = SIGNAL_CAP - self.signals.len().min(SIGNAL_CAP);
                self.signals.extend(signals(field.value).take(room));
            }
            Key::Allow | Key::Disallow | Key::UserAgent | Key::Other(_) => {}
        }
    }

    fn add_general(&mut self, general: Self) {
        self.delay = self.delay.max(general.delay);
        self.signals.extend(general.signals);
    }
}

/// The agents that the current lines apply to.
#[derive(Clone, Copy, Debug, Default)]
struct Audience {
    us: bool,
    all: bool,
    /// True after the end of the list of agents; the next `User-agent` begins a new one.
    is_closed: bool,
}

impl Audience {
    fn add(&mut self, us: bool, all: bool) {
        if self.is_closed {
            *self = Self::default();
        }
        self.us |= us;
        self.all |= all;
    }
}

/// Returns the rules for `token`: those of the groups that name it, or otherwise those of the
/// groups for all agents.
///
/// Only a rule ends a group's list of agents (section 2.2.4). A delay or a signal applies to the
/// agents listed right before it; above all groups, it applies to all agents. Rules above all
/// groups are ignored.
pub(super) fn scope<'a>(text: &'a [u8], token: &str) -> Scope<'a> {
    let mut named = Scope::default();
    let mut all = Scope::default();
    let mut general = Scope::default();
    let mut is_named_anywhere = false;
    let mut has_agents = false;
    let mut of_rules = Audience::default();
    let mut of_remarks = Audience::default();
    let fields = lines(text).filter_map(|line| Some((line.number, line.field?)));
    for (line, field) in fields {
        let audience = match field.key {
            Key::UserAgent => {
                let (us, star) = (is_token(field.value, token), is_all(field.value));
                of_rules.add(us, star);
                of_remarks.add(us, star);
                is_named_anywhere |= us;
                has_agents = true;
                continue;
            }
            Key::Allow | Key::Disallow => {
                of_rules.is_closed = true;
                of_remarks.is_closed = true;
                of_rules
            }
            Key::CrawlDelay | Key::Signal if !has_agents => {
                general.take(field, line);
                continue;
            }
            Key::CrawlDelay | Key::Signal => {
                of_remarks.is_closed = true;
                of_remarks
            }
            Key::Other(_) => continue,
        };
        if audience.us {
            named.take(field, line);
        }
        if audience.all {
            all.take(field, line);
        }
    }
    let mut scope = if is_named_anywhere { named } else { all };
    scope.is_named = is_named_anywhere;
    scope.add_general(general);
    scope
}

/// Reports whether a value is `*`, alone or before white space.
fn is_all(value: &[u8]) -> bool {
    matches!(value, [b'*'] | [b'*', b' ' | b'\t' | 0x0b | 0x0c, ..])
}

/// Reports whether a value names the token. A product token ends at the first octet that a token
/// cannot contain, so that `bot/2.1` names `bot`.
fn is_token(value: &[u8], token: &str) -> bool {
    let length = value
        .iter()
        .take_while(|octet| octet.is_ascii_alphabetic() || matches!(octet, b'_' | b'-'))
        .count();
    length > 0 && value[..length].eq_ignore_ascii_case(token.as_bytes())
}

/// Parses seconds, with an optional fraction; negative, infinite and non-numeric values are ignored
/// (P23).
fn delay(value: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(value).ok()?;
    let is_finite = |seconds: &f32| seconds.is_finite() && !seconds.is_sign_negative();
    // Single precision, as in other matchers: values that overflow there are infinite to them.
    text.parse::<f32>().ok().filter(is_finite)?;
    let seconds: f64 = text.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// Parses signals such as `search=yes, ai-train=no`, optionally after a path; only signals for the
/// whole site count.
pub(super) fn signals(value: &[u8]) -> impl Iterator<Item = (String, String)> {
    let value = match value.split_first() {
        Some((b'/', rest)) if rest.first().is_some_and(|octet| *octet != b' ') => &[],
        Some((b'/', rest)) => rest,
        _ => value,
    };
    value.split(|octet| *octet == b',').filter_map(|pair| {
        let position = pair.iter().position(|octet| *octet == b'=')?;
        let word = |octets: &[u8]| {
            let text = std::str::from_utf8(trim(octets)).ok()?.to_ascii_lowercase();
            (!text.is_empty() && text.len() <= 64).then_some(text)
        };
        Some((word(&pair[..position])?, word(&pair[position + 1..])?))
    })
}
