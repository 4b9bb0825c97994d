//! Why a visit ends.

use store::Outcome;

/// Why a visit ends before its agenda does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// robots.txt leaves nothing, and this is what that counts as.
    Closed(Outcome),
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
    /// One page for everything, and nothing left that was there before (P8).
    CatchAll,
    /// A manifest where nobody publishes one (P11).
    Suspect,
    /// Nothing is left to ask.
    Done,
}

impl Ending {
    /// The reason in words, for the receipts.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Closed(_) => "robots.txt leaves nothing to ask",
            Self::Slow => "the crawl delay sends the rest to later leases",
            Self::Budget => "the budget of requests is used up",
            Self::Throttled => "the server wants to be left alone",
            Self::Blocked => "the server keeps us out",
            Self::Failing => "the connection failed too often",
            Self::CatchAll => "the server answers everything with the same page",
            Self::Suspect => "the server gives every path a manifest",
            Self::Done => "everything was asked",
        }
    }
}
