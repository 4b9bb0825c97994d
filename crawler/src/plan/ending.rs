//! Why a visit ends.

use store::Outcome;

/// Why a visit ends before its agenda does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// robots.txt leaves nothing, and this is what that counts as.
    Closed(Outcome),
    /// Its crawl delay is longer than we wait at all (P24).
    TooSlow,
    /// The crawl delay of the host that it moved to sends the rest to later leases, which would come no
    /// further than this one.
    SlowHome,
    /// The rest waits for another lease.
    Slow,
    /// The visit may send no more requests (P7, P8).
    Budget,
    /// 429 or 503 (P35).
    Throttled,
    /// 401, 402 or 403 more than once (P10).
    Blocked,
    /// The connection failed too often (P10).
    Failing,
    /// One page for everything, and nothing left to ask in spite of that (P8).
    CatchAll,
    /// A manifest where nobody publishes one (P11).
    Suspect,
    /// Nothing is left to ask, and the server failed where it should have said no (P36).
    Erring,
    /// Nothing is left to ask but what robots.txt forbids.
    KeptOut,
    /// Nothing is left to ask.
    Done,
}

impl Ending {
    /// The reason in words, for the receipts.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Closed(_) => "robots.txt leaves nothing to ask",
            Self::TooSlow => "robots.txt asks for more than a day between requests",
            Self::SlowHome => "the host that it moved to wants longer pauses than a visit makes",
            Self::Slow => "the crawl delay sends the rest to later leases",
            Self::Budget => "the budget of requests is used up",
            Self::Throttled => "the server wants to be left alone",
            Self::Blocked => "the server keeps us out",
            Self::Failing => "the connection failed too often",
            Self::CatchAll => "the server answers everything with the same page",
            Self::Suspect => "the server gives every path a manifest",
            Self::Erring => "the server answers with errors",
            Self::KeptOut => "nothing that robots.txt allows is left to ask",
            Self::Done => "nothing is left to ask",
        }
    }
}
