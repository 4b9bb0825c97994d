//! Evaluation of the answers of a visit: finds, obstacles, and catch-all servers (P9, P10).

use super::fingerprint::PageFingerprint;
use super::stop_reason::StopReason;
use crate::probes::Kind;
use store::Outcome;

/// Number of connection failures after which a visit stops (P10).
const FAILURE_CAP: usize = 3;
/// Number of refusals after which a visit stops (P10).
const GATED_CAP: u32 = 2;

/// Evaluation of all answers so far.
#[derive(Debug, Default)]
pub(super) struct Evaluation {
    hits: Vec<Hit>,
    pages: Vec<Page>,
    catch_all: Option<u16>,
    is_alike_expected: bool,
    look: Option<u64>,
    gated: u32,
    /// Number of plain 404 and 410.
    absent: u32,
    /// Outcome of the last refusal.
    refused: Option<Outcome>,
    /// True if it refused a document that was found before.
    has_refused_known: bool,
    server_errors: u32,
    failures: Vec<Outcome>,
}

/// Manifest that was found.
#[derive(Debug)]
struct Hit {
    kind: Option<Kind>,
    signature: Option<PageFingerprint>,
}

/// Answer that is neither a manifest nor a plain 404.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    signature: Option<PageFingerprint>,
    redirect: Option<String>,
}

/// Consequence of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conclusion {
    /// None.
    GoOn,
    /// The visit is over.
    End(StopReason),
    /// From now on the server counts as a catch-all (P9).
    CatchAll,
}

impl Evaluation {
    /// Records a manifest, without a fingerprint if it is unchanged; returns true if the same
    /// manifest was found at the path of another kind of file, for which an honest server has no
    /// reason.
    pub(super) fn note_hit(
        &mut self,
        kind: Option<Kind>,
        signature: Option<PageFingerprint>,
    ) -> bool {
        let is_known_twin = |other: Kind| {
            let pair = [Some(other), kind];
            pair == [Some(Kind::AgentCard), Some(Kind::AgentJson)]
                || pair == [Some(Kind::AgentJson), Some(Kind::AgentCard)]
        };
        let is_strange = signature.is_some()
            && kind.is_some()
            && self.hits.iter().any(|hit| {
                hit.signature == signature
                    && hit
                        .kind
                        .is_some_and(|other| Some(other) != kind && !is_known_twin(other))
            });
        self.hits.push(Hit { kind, signature });
        is_strange
    }

    /// Records a request without a complete answer; `redirect` is its target.
    pub(super) fn note_failure(
        &mut self,
        outcome: Outcome,
        redirect: Option<String>,
    ) -> Conclusion {
        self.failures.push(outcome);
        if outcome == Outcome::Throttled {
            Conclusion::End(StopReason::Throttled(outcome))
        } else if self.failures.iter().filter(|o| is_transport(**o)).count() >= FAILURE_CAP {
            Conclusion::End(StopReason::Failing)
        } else if redirect.is_some() {
            let page = Page {
                signature: None,
                redirect,
            };
            // A redirect that is not followed counts as a client error.
            self.note_page(400, page)
        } else {
            Conclusion::GoOn
        }
    }

    /// Records an answer without a manifest, with its status and what that [`refusal`] means;
    /// `redirect` is the target of the last redirect before it.
    pub(super) fn note_no_manifest(
        &mut self,
        (status, refusal): (u16, Option<Outcome>),
        signature: PageFingerprint,
        redirect: Option<String>,
    ) -> Conclusion {
        self.look.get_or_insert(signature.hash());
        match (status, refusal) {
            (404 | 410, _) => self.absent += 1,
            (429 | 503, Some(outcome)) => return Conclusion::End(StopReason::Throttled(outcome)),
            (_, Some(outcome)) => {
                self.gated += 1;
                self.refused = Some(outcome);
                if self.gated >= GATED_CAP {
                    return Conclusion::End(StopReason::Blocked(outcome));
                }
            }
            (_, None) => {
                self.server_errors += u32::from((500..600).contains(&status));
                let page = Page {
                    signature: Some(signature),
                    redirect,
                };
                return self.note_page(status, page);
            }
        }
        Conclusion::GoOn
    }

    /// Records that a document that was found before was refused.
    pub(super) fn note_refused_known(&mut self) {
        self.has_refused_known = true;
    }

    /// Lets one page suffice from now on to conclude that the server is still a catch-all.
    pub(super) fn expect_alike(&mut self) {
        self.is_alike_expected = true;
    }

    /// Records a page, and draws a conclusion if it was seen before.
    fn note_page(&mut self, status: u16, page: Page) -> Conclusion {
        let is_same = |other: &Page| {
            (page.signature.is_some() && other.signature == page.signature)
                || (page.redirect.is_some() && other.redirect == page.redirect)
        };
        let is_seen = self.is_alike_expected || self.pages.iter().any(is_same);
        self.pages.push(page);
        if !is_seen || self.catch_all.is_some() {
            return Conclusion::GoOn;
        }
        self.catch_all = Some(status);
        Conclusion::CatchAll
    }

    /// Reports whether a manifest of this kind was found.
    pub(super) fn has_kind(&self, kind: Kind) -> bool {
        self.hits.iter().any(|hit| hit.kind == Some(kind))
    }

    /// Reports whether any manifest was found.
    pub(super) fn has_hit(&self) -> bool {
        !self.hits.is_empty()
    }

    /// Reports whether no manifest was found at a path of the table.
    pub(super) fn has_unusual_hit(&self) -> bool {
        self.hits.iter().any(|hit| hit.kind.is_none())
    }

    /// Reports whether a manifest with this fingerprint was found.
    pub(super) fn has_hit_like(&self, signature: PageFingerprint) -> bool {
        self.hits.iter().any(|hit| hit.signature == Some(signature))
    }

    /// Returns the fingerprint of the first answer without a manifest (P12).
    pub(super) fn look(&self) -> Option<u64> {
        self.look
    }

    /// Returns the outcome of a visit that ended for this reason: finds take precedence over
    /// obstacles.
    pub(super) fn outcome(&self, end: Option<StopReason>) -> Outcome {
        match end {
            Some(StopReason::Closed(outcome)) => return outcome,
            Some(StopReason::TooSlow | StopReason::SlowHome) => return Outcome::RobotsDisallow,
            Some(StopReason::Suspect) => return Outcome::Soft404,
            _ if self.has_hit() => return Outcome::Found,
            Some(StopReason::Throttled(outcome) | StopReason::Blocked(outcome)) => return outcome,
            Some(
                StopReason::Slow
                | StopReason::Budget
                | StopReason::Stopped
                | StopReason::Failing
                | StopReason::CatchAll
                | StopReason::Erring
                | StopReason::KeptOut
                | StopReason::Done,
            )
            | None => {}
        }
        if self.catch_all.is_some_and(|status| status < 400) {
            return Outcome::Soft404;
        }
        if let Some(outcome) = self.worst_failure() {
            return outcome;
        }
        if self.is_erring() {
            return Outcome::Down;
        }
        match (end, self.refusal()) {
            (_, Some(outcome)) => outcome,
            (Some(StopReason::Budget | StopReason::Stopped | StopReason::Slow), None) => {
                Outcome::Budget
            }
            (_, None) => Outcome::Empty,
        }
    }

    /// Returns the outcome of a single refusal that decides: that of a known document, or the only
    /// answer (P49).
    fn refusal(&self) -> Option<Outcome> {
        let is_only = self.absent == 0 && self.pages.is_empty();
        self.refused.filter(|_| self.has_refused_known || is_only)
    }

    /// Returns the reason for the end of a visit with a complete agenda; `is_kept_out` if
    /// robots.txt disallowed some of it.
    pub(super) fn ending(&self, is_kept_out: bool) -> StopReason {
        match self.catch_all {
            _ if self.is_erring() => StopReason::Erring,
            Some(_) => StopReason::CatchAll,
            None if is_kept_out => StopReason::KeptOut,
            None => StopReason::Done,
        }
    }

    /// Reports whether the server answered some path with a server error instead of a 404 (P36).
    fn is_erring(&self) -> bool {
        self.server_errors > 0
    }

    fn worst_failure(&self) -> Option<Outcome> {
        const WORST_FIRST: [Outcome; 8] = [
            Outcome::BlockedAddress,
            Outcome::TooLarge,
            Outcome::TlsError,
            Outcome::ProtocolError,
            Outcome::Timeout,
            Outcome::DnsError,
            Outcome::Down,
            Outcome::RedirectRefused,
        ];
        WORST_FIRST
            .into_iter()
            .find(|outcome| self.failures.contains(outcome))
    }
}

/// Returns the outcome of a visit that ends with such an answer to a path that robots.txt permits;
/// `None` if the answer refuses nothing (P49).
pub(crate) fn refusal(status: u16, is_challenge: bool) -> Option<Outcome> {
    match status {
        _ if is_challenge => Some(Outcome::Challenged),
        401 => Some(Outcome::LoginRequired),
        402 => Some(Outcome::PaymentRequired),
        403 => Some(Outcome::Refused),
        429 => Some(Outcome::RateLimited),
        503 => Some(Outcome::Throttled),
        _ => None,
    }
}

/// Returns a redirect's target without its query.
pub(super) fn without_query(target: &str) -> &str {
    target.split(['?', '#']).next().unwrap_or_default()
}

/// Returns a redirect's target without the requested path at its end, which servers that redirect
/// everything append (P10).
pub(super) fn without_path<'a>(target: &'a str, path: &str) -> &'a str {
    let target = target.trim_end_matches('/');
    let path = without_query(path).trim_end_matches('/');
    target
        .strip_suffix(path)
        .unwrap_or(target)
        .trim_end_matches('/')
}

/// Reports whether the connection failed.
pub(super) fn is_transport(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Down
            | Outcome::DnsError
            | Outcome::TlsError
            | Outcome::Timeout
            | Outcome::ProtocolError
    )
}
