//! Reasons why a visit ends.

use store::Outcome;

/// Reason why a visit ends before its agenda is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// robots.txt leaves nothing to request; the resulting outcome.
    Closed(Outcome),
    /// The crawl delay exceeds the maximum (P24).
    TooSlow,
    /// The crawl delay of the host that the site redirects to postpones the rest to later leases,
    /// which would not get further than this one.
    SlowHome,
    /// The rest is postponed to another lease.
    Slow,
    /// The request limit of the visit is reached (P7, P8).
    Budget,
    /// The crawler stops, and the next visit continues.
    Stopped,
    /// 429 or 503 (P35); the resulting outcome.
    Throttled(Outcome),
    /// More than one refusal (P10); the outcome of the last one (P49).
    Blocked(Outcome),
    /// Too many connection failures (P10).
    Failing,
    /// The server is a catch-all, and no path is left that is worth a request (P8).
    CatchAll,
    /// There is a manifest at a random path (P11).
    Suspect,
    /// The agenda is complete, and some paths were answered with server errors (P36).
    Erring,
    /// Only paths that robots.txt disallows are left.
    KeptOut,
    /// The agenda is complete.
    Done,
}

impl StopReason {
    /// Returns the reason in words, for receipts.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Closed(_) => "robots.txt leaves nothing to request",
            Self::TooSlow => "robots.txt asks for more than a day between requests",
            Self::SlowHome => {
                "the host that it redirects to asks for longer pauses than a visit makes"
            }
            Self::Slow => "the crawl delay postpones the rest to later leases",
            Self::Budget => "the request limit of the visit is reached",
            Self::Stopped => "the crawler was stopped; the next visit continues",
            Self::Throttled(_) => "the server asks for a pause",
            Self::Blocked(_) => "the server denies access",
            Self::Failing => "too many connections failed",
            Self::CatchAll => "the server answers every path with the same page",
            Self::Suspect => "the server returns a manifest for every path",
            Self::Erring => "the server answers with errors",
            Self::KeptOut => "nothing that robots.txt allows is left to request",
            Self::Done => "nothing is left to request",
        }
    }
}
