//! Turns the answer to `GET /robots.txt` into a [`Policy`] (RFC 9309, P23 to P34).
//!
//! `texting_robots` matches, but is never given a raw file: it has thirteen known faults, most of which
//! would let us in where the owner keeps us out.
//! What cannot be understood keeps us out: too many rules, a parser's error or panic, no answer at all.

mod body;
mod group;
mod hint;
mod kept;
mod line;
mod matcher;
mod pattern;

use crate::probes;
use matcher::Matcher;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;
use store::Outcome;

/// How much of a robots.txt counts, in decoded octets (RFC 9309 section 2.5, P25).
pub const BODY_CAP: usize = 512_000;

/// What came back for `GET /robots.txt`, after at most five redirects (P26).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A complete answer.
    Response {
        /// The last status; a redirect's own status when it could not be followed.
        status: u16,
        /// The decoded body, read up to [`BODY_CAP`] octets and no further.
        body: Vec<u8>,
        /// `Cache-Control: max-age`.
        max_age: Option<Duration>,
        /// `Retry-After`, as the time to wait.
        retry_after: Option<Duration>,
    },
    /// No complete answer; `RedirectRefused` stands for too many or bad redirects.
    Failed(Outcome),
    /// The host answered, but leads to another one, which gives no complete answer.
    LedAstray,
}

/// What robots.txt comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every path of [`crate::probes::ALL`] may be asked.
    Allow,
    /// Some of them.
    Partial,
    /// None of them.
    Disallow,
    /// None, because the answer never came or failed (RFC 9309 section 2.3.1.4).
    Unreachable,
}

impl Verdict {
    /// The word used in rows and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Partial => "partial",
            Self::Disallow => "disallow",
            Self::Unreachable => "unreachable",
        }
    }
}

/// What a conditional request for the same text may say (RFC 9110 section 13).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A manifest that robots.txt points at (DS-03): data, nothing is fetched here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The field that says so, in lower case, such as `agent-card`; `allow` and `comment` for the indirect ones.
    pub field: String,
    /// A path on this host, or an absolute URL.
    pub target: String,
}

/// What one robots.txt allows our token.
#[derive(Debug)]
pub struct Policy {
    rules: Rules,
    mask: u32,
    verdict: Verdict,
    why: String,
    outcome: Outcome,
    status: Option<u16>,
    crawl_delay: Option<Duration>,
    signals: Vec<(String, String)>,
    hints: Vec<Hint>,
    max_age: Option<Duration>,
    retry_after: Option<Duration>,
    hash: u64,
}

#[derive(Debug)]
enum Rules {
    Everything,
    Nothing,
    Matched(Matcher),
    /// Bits of the table of probes.
    Mask(u32),
}

impl Policy {
    /// Reads an answer for the product token `token`, such as `AgentdexBot`. Never fails, never panics.
    pub fn from_answer(token: &str, answer: &Answer) -> Self {
        let (status, body, max_age, retry_after) = match answer {
            Answer::Response {
                status,
                body,
                max_age,
                retry_after,
            } => (*status, body, *max_age, *retry_after),
            Answer::Failed(outcome @ (Outcome::RedirectRefused | Outcome::BlockedAddress)) => {
                return Self::closed(Verdict::Disallow, "redirects that lead nowhere", *outcome);
            }
            Answer::Failed(outcome) => {
                return Self::closed(Verdict::Unreachable, "no complete answer", *outcome);
            }
            Answer::LedAstray => {
                let why = "robots.txt leads to another host, which gives no complete answer";
                return Self::closed(Verdict::Unreachable, why, Outcome::Down);
            }
        };
        let policy = match status {
            206 => Self::closed(Verdict::Unreachable, "a part only", Outcome::ProtocolError),
            200..=299 => Self::from_body(token, body),
            300..=399 => Self::closed(
                Verdict::Disallow,
                "a redirect that leads nowhere",
                Outcome::ProtocolError,
            ),
            401 | 403 | 407 | 451 => Self::closed(
                Verdict::Disallow,
                "the server does not let us read it",
                Outcome::Blocked,
            ),
            429 | 503 => Self::closed(
                Verdict::Unreachable,
                "the server wants to be left alone",
                Outcome::Throttled,
            ),
            400..=499 => Self::open("there is none"),
            500..=599 => Self::closed(Verdict::Unreachable, "the server fails", Outcome::Down),
            100..=199 => Self::closed(
                Verdict::Unreachable,
                "not a final answer",
                Outcome::ProtocolError,
            ),
            _ => Self::closed(Verdict::Disallow, "an unknown status", Outcome::Blocked),
        };
        Self {
            status: Some(status),
            max_age,
            retry_after,
            ..policy
        }
    }

    /// True when it is known for the paths of the table only, and this is another.
    pub fn is_silent_on(&self, path_and_query: &str) -> bool {
        matches!(self.rules, Rules::Mask(_)) && !probes::has(path_and_query)
    }

    /// A number for its text, to tell whether two hosts have the same one; zero when there is none.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether `path_and_query` may be asked. `/robots.txt` always may (P32).
    pub fn allows(&self, path_and_query: &str) -> bool {
        if path_and_query == "/robots.txt" {
            return true;
        }
        match &self.rules {
            Rules::Everything => true,
            Rules::Nothing => false,
            Rules::Matched(matcher) => matcher.allows(path_and_query),
            Rules::Mask(mask) => probes::ALL
                .iter()
                .position(|probe| probe.path == path_and_query)
                .is_some_and(|position| mask & 1 << position != 0),
        }
    }

    /// True when nothing may be asked after it: the rules say so, it could not be read, or the owner
    /// does not want to be listed.
    pub fn is_closed(&self) -> bool {
        self.opts_out() || matches!(self.verdict, Verdict::Disallow | Verdict::Unreachable)
    }

    /// What it comes to for the paths that we ask.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Why, in a few words, for receipts.
    pub fn why(&self) -> &str {
        if self.opts_out() {
            return "it says Content-Signal: search=no, so nothing is listed";
        }
        &self.why
    }

    /// How the visit ends when nothing may be asked: `RobotsDisallow`, `OptedOut`, `Throttled`, `Timeout`, ….
    pub fn outcome(&self) -> Outcome {
        if self.opts_out() {
            return Outcome::OptedOut;
        }
        self.outcome
    }

    /// The crawl delay that applies to us, unbounded (P23).
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Whether the owner does not want to be listed: `Content-Signal: search=no` (DS-04).
    pub fn opts_out(&self) -> bool {
        self.signals
            .iter()
            .any(|(name, value)| name == "search" && matches!(value.as_str(), "no" | "n"))
    }

    /// Content signals that apply to us, as pairs of name and value in lower case (DS-04).
    pub fn signals(&self) -> &[(String, String)] {
        &self.signals
    }

    /// Manifests that it points at, in order (DS-03).
    pub fn hints(&self) -> &[Hint] {
        &self.hints
    }

    /// How long the server wants to be left alone, when it answered 429 or 5xx with `Retry-After` (P29).
    pub fn retry_after(&self) -> Option<Duration> {
        match self.verdict {
            Verdict::Unreachable => self.retry_after,
            Verdict::Allow | Verdict::Partial | Verdict::Disallow => None,
        }
    }

    fn from_body(token: &str, body: &[u8]) -> Self {
        let text = body::decode(body);
        let scope = group::scope(&text, token);
        let policy = if scope.rules.is_empty() {
            Self::open("no rule for us")
        } else {
            match Matcher::new(&scope.rules) {
                Ok(matcher) => Self::matched(matcher),
                Err(error) => Self::closed(
                    Verdict::Disallow,
                    &error.to_string(),
                    Outcome::RobotsDisallow,
                ),
            }
        };
        Self {
            crawl_delay: scope.delay,
            signals: scope.signals,
            hints: hint::hints(&text),
            hash: hash(body),
            ..policy
        }
    }

    fn matched(matcher: Matcher) -> Self {
        let mask = probes::ALL
            .iter()
            .enumerate()
            .filter(|(_, probe)| matcher.allows(probe.path))
            .fold(0, |mask, (position, _)| mask | 1 << position);
        let (verdict, why) = match mask {
            0 => (Verdict::Disallow, "rules close every path that we ask"),
            probes::FULL_MASK => (Verdict::Allow, "rules leave our paths open"),
            _ => (
                Verdict::Partial,
                "rules close some of the paths that we ask",
            ),
        };
        Self {
            rules: Rules::Matched(matcher),
            mask,
            ..Self::closed(verdict, why, Outcome::RobotsDisallow)
        }
    }

    fn open(why: &str) -> Self {
        Self {
            rules: Rules::Everything,
            mask: probes::FULL_MASK,
            ..Self::closed(Verdict::Allow, why, Outcome::RobotsDisallow)
        }
    }

    fn closed(verdict: Verdict, why: &str, outcome: Outcome) -> Self {
        Self {
            rules: Rules::Nothing,
            mask: 0,
            verdict,
            why: why.to_owned(),
            outcome,
            status: None,
            crawl_delay: None,
            signals: Vec::new(),
            hints: Vec::new(),
            max_age: None,
            retry_after: None,
            hash: 0,
        }
    }
}

fn hash(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
