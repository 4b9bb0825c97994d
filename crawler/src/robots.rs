//! Interprets the answer to `GET /robots.txt` as a [`Policy`] (RFC 9309, P23 to P34).
//!
//! `texting_robots` matches paths but never receives an original file: it has thirteen known
//! faults, most of which would permit what the owner forbids. A file that cannot be interpreted
//! forbids everything: too many rules, an error or panic of the parser, or no answer.

mod body;
mod forbidden;
mod group;
pub(crate) mod header;
mod hint;
mod line;
mod matcher;
mod pattern;
mod stored;

use crate::probes;
pub use body::BODY_CAP;
pub(crate) use body::is_plain_text;
use group::Rule;
pub use hint::Hint;
use matcher::Matcher;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;
use store::{ForbiddenPath, Outcome};

/// Answer to `GET /robots.txt`, after at most five redirects (P26).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A complete answer.
    Response {
        /// The last status; that of the redirect if it could not be followed.
        status: u16,
        /// The decoded body, read up to [`BODY_CAP`] octets and no further.
        body: Vec<u8>,
        /// `Cache-Control: max-age`.
        max_age: Option<Duration>,
        /// `Retry-After`, as a duration.
        retry_after: Option<Duration>,
    },
    /// No complete answer; `RedirectRefused` means too many or bad redirects.
    Failed(Outcome),
    /// The host redirects to another one, which gives no complete answer.
    RedirectFailed,
}

/// Summary of a robots.txt for the paths of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every path of [`crate::probes::ALL`] is allowed.
    Allow,
    /// Some of them are allowed.
    Partial,
    /// None of them is allowed.
    Disallow,
    /// None is allowed, because there was no answer or an error (RFC 9309 section 2.3.1.4).
    Unreachable,
}

manifest::words!(Verdict {
    Allow = "allow",
    Partial = "partial",
    Disallow = "disallow",
    Unreachable = "unreachable",
});

/// Validators for a conditional request for the same text (RFC 9110 section 13).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
    /// The URL that gave them.
    pub url: Option<String>,
}

/// The permissions that a robots.txt gives to our product token.
#[derive(Debug)]
pub struct Policy {
    rules: Rules,
    mask: u32,
    /// Paths of the table that its rules forbid, with these rules.
    forbidden: Vec<ForbiddenPath>,
    verdict: Verdict,
    why: String,
    outcome: Outcome,
    status: Option<u16>,
    crawl_delay: Option<Duration>,
    signals: Vec<(String, String)>,
    /// True if a group that names our token forbids everything.
    is_token_refused: bool,
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
    /// One bit per probe of the table.
    Mask(u32),
}

impl Policy {
    /// Interprets an answer for the product token `token`, such as `AgentdexBot`. Never fails,
    /// never panics.
    pub fn from_answer(token: &str, answer: &Answer) -> Self {
        let (status, body, max_age, retry_after) = match answer {
            Answer::Response {
                status,
                body,
                max_age,
                retry_after,
            } => (*status, body, *max_age, *retry_after),
            Answer::Failed(outcome @ (Outcome::RedirectRefused | Outcome::BlockedAddress)) => {
                return Self::closed(
                    Verdict::Disallow,
                    "redirects without a usable target",
                    *outcome,
                );
            }
            Answer::Failed(outcome) => {
                return Self::closed(Verdict::Unreachable, "no complete answer", *outcome);
            }
            Answer::RedirectFailed => {
                let why = "robots.txt redirects to another host, which gives no complete answer";
                return Self::closed(Verdict::Unreachable, why, Outcome::Down);
            }
        };
        let policy = match status {
            206 => Self::closed(
                Verdict::Unreachable,
                "a partial answer",
                Outcome::ProtocolError,
            ),
            200..=299 => Self::from_body(token, body),
            300..=399 => Self::closed(
                Verdict::Disallow,
                "a redirect without a usable target",
                Outcome::ProtocolError,
            ),
            401 | 403 | 407 | 451 => Self::closed(
                Verdict::Disallow,
                "the server denies access to it",
                Outcome::Blocked,
            ),
            429 | 503 => Self::closed(
                Verdict::Unreachable,
                "the server asks for a pause",
                Outcome::Throttled,
            ),
            400..=499 => Self::open("there is no robots.txt"),
            500..=599 => Self::closed(Verdict::Unreachable, "server error", Outcome::Down),
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

    /// Reports whether the policy is known only for the paths of the table, and this path is not
    /// one of them.
    pub fn does_not_cover(&self, path_and_query: &str) -> bool {
        matches!(self.rules, Rules::Mask(_)) && !probes::has(path_and_query)
    }

    /// Returns a hash of the text, to recognize hosts with the same one; zero if there is no text.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Reports whether `path_and_query` may be requested. `/robots.txt` is always allowed (P32).
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

    /// Reports whether nothing else may be requested: the rules forbid it, the file could not be
    /// read, or the owner does not want to be listed.
    pub fn is_closed(&self) -> bool {
        self.opts_out() || matches!(self.verdict, Verdict::Disallow | Verdict::Unreachable)
    }

    /// Returns the summary for the paths of the table.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns a short reason for the verdict, for receipts.
    pub fn why(&self) -> &str {
        if self.is_token_refused {
            return "robots.txt forbids everything to this crawler by its name, so nothing is listed";
        }
        if self.opts_out() {
            return "robots.txt has Content-Signal: search=no, so nothing is listed";
        }
        &self.why
    }

    /// Returns the outcome of a visit that may request nothing: `RobotsDisallow`, `OptedOut`,
    /// `Throttled`, `Timeout`, ….
    pub fn outcome(&self) -> Outcome {
        if self.opts_out() {
            return Outcome::OptedOut;
        }
        self.outcome
    }

    /// Returns the crawl delay that applies to this crawler, not limited (P23).
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Reports whether the owner does not want to be listed: everything is forbidden to this crawler
    /// by its token, or `Content-Signal: search=no` (DS-04).
    pub fn opts_out(&self) -> bool {
        self.is_token_refused
            || self
                .signals
                .iter()
                .any(|(name, value)| header::is_refusal(name, value))
    }

    /// Returns the content signals that apply to this crawler, as pairs of name and value in lower
    /// case (DS-04).
    pub fn signals(&self) -> &[(String, String)] {
        &self.signals
    }

    /// Returns the manifests that it points at, in order (DS-03).
    pub fn hints(&self) -> &[Hint] {
        &self.hints
    }

    /// Returns the pause that the server asks for in `Retry-After` with 429 or 5xx (P29).
    pub fn retry_after(&self) -> Option<Duration> {
        match self.verdict {
            Verdict::Unreachable => self.retry_after,
            Verdict::Allow | Verdict::Partial | Verdict::Disallow => None,
        }
    }

    fn from_body(token: &str, body: &[u8]) -> Self {
        if !is_plain_text(body) {
            let why = "robots.txt is not text";
            return Self::closed(Verdict::Unreachable, why, Outcome::ProtocolError);
        }
        let text = body::decode(body);
        let scope = group::scope(&text, token);
        let policy = if scope.rules.is_empty() {
            Self::open("no rule applies to this crawler")
        } else {
            match Matcher::new(&scope.rules) {
                Ok(matcher) => Self::matched(matcher, &scope.rules),
                Err(error) => Self::closed(
                    Verdict::Disallow,
                    &error.to_string(),
                    Outcome::RobotsDisallow,
                ),
            }
        };
        let is_token_refused =
            scope.is_named && policy.verdict == Verdict::Disallow && !policy.allows("/");
        Self {
            is_token_refused,
            crawl_delay: scope.delay,
            signals: scope.signals,
            hints: hint::hints(&text),
            hash: hash(body),
            ..policy
        }
    }

    fn matched(matcher: Matcher, rules: &[Rule<'_>]) -> Self {
        let mask = probes::ALL
            .iter()
            .enumerate()
            .filter(|(_, probe)| matcher.allows(probe.path))
            .fold(0, |mask, (position, _)| mask | 1 << position);
        let (verdict, why) = match mask {
            0 => (
                Verdict::Disallow,
                "its rules forbid every path that the crawler requests",
            ),
            probes::FULL_MASK => (
                Verdict::Allow,
                "its rules allow every path that the crawler requests",
            ),
            _ => (
                Verdict::Partial,
                "its rules forbid some of the paths that the crawler requests",
            ),
        };
        let forbidden = probes::ALL.iter().map(|probe| probe.path);
        let forbidden = forbidden.filter(|path| !matcher.allows(path));
        Self {
            forbidden: forbidden::explain(forbidden, rules),
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
            forbidden: Vec::new(),
            verdict,
            why: why.to_owned(),
            outcome,
            status: None,
            crawl_delay: None,
            signals: Vec::new(),
            is_token_refused: false,
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
