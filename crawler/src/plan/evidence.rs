//! What the answers of a visit add up to: what was found, what kept us from looking, and whether the
//! server answers everything alike (P9, P10).

use super::ending::Ending;
use super::signature::Signature;
use crate::probes::Kind;
use store::Outcome;

/// Failures of the connection after which a visit stops (P10).
const FAILURE_CAP: usize = 3;
/// Answers that keep us out after which a visit stops (P10).
const GATED_CAP: u32 = 2;

/// Everything that was answered so far.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    hits: Vec<Hit>,
    pages: Vec<Page>,
    catch_all: Option<u16>,
    is_alike_expected: bool,
    look: Option<u64>,
    gated: u32,
    server_errors: u32,
    failures: Vec<Outcome>,
}

/// A manifest that was found.
#[derive(Debug)]
struct Hit {
    kind: Option<Kind>,
    signature: Option<Signature>,
}

/// An answer that is neither a manifest nor a plain no.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    signature: Option<Signature>,
    redirect: Option<String>,
}

/// What one answer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conclusion {
    /// Nothing.
    GoOn,
    /// The visit is over.
    End(Ending),
    /// From now on the server is taken for one that answers everything alike (P9).
    CatchAll,
}

impl Evidence {
    /// Notes a manifest, unchanged when it has no signature; true when the same one lay at the place of
    /// another kind of file, which an honest server has no reason for.
    pub(super) fn note_hit(&mut self, kind: Option<Kind>, signature: Option<Signature>) -> bool {
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

    /// Notes that a request was not answered completely; `redirect` is where it was sent.
    pub(super) fn note_failure(
        &mut self,
        outcome: Outcome,
        redirect: Option<String>,
    ) -> Conclusion {
        self.failures.push(outcome);
        if outcome == Outcome::Throttled {
            Conclusion::End(Ending::Throttled)
        } else if self.failures.iter().filter(|o| is_transport(**o)).count() >= FAILURE_CAP {
            Conclusion::End(Ending::Failing)
        } else if redirect.is_some() {
            let page = Page {
                signature: None,
                redirect,
            };
            // A redirect that is not followed counts as the client error that it amounts to.
            self.note_page(400, page)
        } else {
            Conclusion::GoOn
        }
    }

    /// Notes an answer without a manifest; `redirect` is where the last redirect before it pointed.
    pub(super) fn note_no_manifest(
        &mut self,
        status: u16,
        signature: Signature,
        redirect: Option<String>,
    ) -> Conclusion {
        self.look.get_or_insert(signature.hash());
        match status {
            404 | 410 => {}
            429 | 503 => return Conclusion::End(Ending::Throttled),
            401..=403 => {
                self.gated += 1;
                if self.gated >= GATED_CAP {
                    return Conclusion::End(Ending::Blocked);
                }
            }
            _ => {
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

    /// From now on one page is enough to conclude that the server still answers everything alike.
    pub(super) fn expect_alike(&mut self) {
        self.is_alike_expected = true;
    }

    /// Notes a page, and draws the conclusion when it was seen before.
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

    /// Whether a manifest of this kind was found.
    pub(super) fn has_kind(&self, kind: Kind) -> bool {
        self.hits.iter().any(|hit| hit.kind == Some(kind))
    }

    /// Whether any manifest was found.
    pub(super) fn has_hit(&self) -> bool {
        !self.hits.is_empty()
    }

    /// Returns true when a manifest was found at no place of the table.
    pub(super) fn has_unusual_hit(&self) -> bool {
        self.hits.iter().any(|hit| hit.kind.is_none())
    }

    /// Whether a manifest that was found looked like this.
    pub(super) fn has_hit_like(&self, signature: Signature) -> bool {
        self.hits.iter().any(|hit| hit.signature == Some(signature))
    }

    /// What the first answer without a manifest looks like (P12).
    pub(super) fn look(&self) -> Option<u64> {
        self.look
    }

    /// What a visit that ended so comes to: what was found counts first, then what kept us from looking.
    pub(super) fn outcome(&self, end: Option<Ending>) -> Outcome {
        match end {
            Some(Ending::Closed(outcome)) => return outcome,
            Some(Ending::TooSlow | Ending::SlowHome) => return Outcome::RobotsDisallow,
            Some(Ending::Suspect) => return Outcome::Soft404,
            _ if self.has_hit() => return Outcome::Found,
            Some(Ending::Throttled) => return Outcome::Throttled,
            Some(Ending::Blocked) => return Outcome::Blocked,
            Some(
                Ending::Slow
                | Ending::Budget
                | Ending::Failing
                | Ending::CatchAll
                | Ending::Erring
                | Ending::KeptOut
                | Ending::Done,
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
        match end {
            Some(Ending::Budget | Ending::Slow) => Outcome::Budget,
            _ => Outcome::Empty,
        }
    }

    /// Why a visit ends that has nothing left to ask; `is_kept_out` when robots.txt forbade some of it.
    pub(super) fn ending(&self, is_kept_out: bool) -> Ending {
        match self.catch_all {
            _ if self.is_erring() => Ending::Erring,
            Some(_) => Ending::CatchAll,
            None if is_kept_out => Ending::KeptOut,
            None => Ending::Done,
        }
    }

    /// Returns true when the server failed somewhere where it should have said that there is nothing (P36).
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

/// A redirect's target up to its query.
pub(super) fn without_query(target: &str) -> &str {
    target.split(['?', '#']).next().unwrap_or_default()
}

/// A redirect's target without the path that was asked for at its end, which servers that send
/// everything elsewhere take over (P10).
pub(super) fn without_path<'a>(target: &'a str, path: &str) -> &'a str {
    let target = target.trim_end_matches('/');
    let path = without_query(path).trim_end_matches('/');
    target
        .strip_suffix(path)
        .unwrap_or(target)
        .trim_end_matches('/')
}

/// Returns true for a connection that failed.
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
